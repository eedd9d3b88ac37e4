"""The robot's roles as its manifest lists them. Not here: their state (topics/newest.py)."""

from dataclasses import dataclass, field
from pathlib import Path

from ...lib import config as settings
from ...lib.robot.body import load_body
from ...lib.robot.manifest import RobotManifest, read_role
from ...lib.role_config.body import Body
from ...lib.role_config.model import RoleConfig


@dataclass(frozen=True, slots=True)
class Roles:
    """The robot manifest with its role manifests, by target ("head", "arms.left")."""

    name: str
    by_target: dict[str, RoleConfig]
    joints: dict[str, dict[str, str]] = field(default_factory=dict)  # target -> field -> joint
    urdf: Path | None = None
    body: Body | None = None


def load_roles(share: Path, robot: str) -> Roles:
    """Read manifests/robots/<robot>.yaml. Blocks: use asyncio.to_thread."""
    manifests = share / "manifests"
    manifest = settings.load(RobotManifest, manifests / "robots" / f"{robot}.yaml", required=True)
    roles = [read_role(manifests, entry)[0] for entry in manifest.roles]
    by_target = {role.target: role for role in roles}
    return Roles(
        manifest.name,
        by_target,
        {entry.target: entry.joints for entry in manifest.roles if entry.joints},
        manifests / manifest.urdf if manifest.urdf else None,
        load_body(manifests, manifest, by_target),
    )
