"""The robot manifest: the robot's roles, its model, and which joint of the model shows which field
of a role. One file describes a robot, so another robot needs no code. A shipped manifest
(manifests/robots/*.yaml) names files with the roles' configurations; the owner's robot.yaml has
them inside. `load` validates it with everything that it names. Not here: role configurations
(lib/role_config), the model (figure), which of the two is in force (source.py).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Discriminator, Field, Tag, model_validator

from .. import config as settings
from ..errors import Code, SaintError
from ..role_config.body import Hand
from ..role_config.model import RoleConfig, RoleName
from ..role_config.reading import load_role_config
from ..strict import StrictModel
from .remote_speed import RemoteSpeed
from .shipped_files import below

if TYPE_CHECKING:
    from .figure.figure import Figure


class RobotRole(StrictModel):
    """A role of the robot. `joints` names the model's joint for each field (a field in degrees is
    the joint's angle, one from 0 to 1 its full range); also for motors of gpio_mapping, which turn
    without limits. `i2c_addresses` overrides addresses of the role's i2c_devices by name.
    """

    role: RoleName
    instance: str = ""
    # A path below manifests/, or the configuration itself without role and instance.
    config: Annotated[
        Annotated[str, Tag("a path")] | Annotated[RoleConfig, Tag("the configuration")],
        Discriminator(lambda value: "a path" if isinstance(value, str) else "the configuration"),
    ]
    joints: dict[str, str] = {}
    i2c_addresses: dict[str, int] = {}
    hand: Hand | None = None  # of an arm: the point that is moved to a place

    @model_validator(mode="before")
    @classmethod
    def _config_is_of_the_role(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("config"), dict):
            return data
        role, instance = data.get("role", ""), data.get("instance", "")
        prefix = f"/saint/{role}/{instance}" if instance else f"/saint/{role}"
        own = {"role": role, "instance": instance, "version": "1.0.0", "topic_prefix": prefix}
        for name in ("role", "instance"):
            if data["config"].get(name, own[name]) != own[name]:
                raise ValueError(f"config.{name} is not {own[name]!r}, the {name} around it")
        return {**data, "config": own | data["config"]}

    @property
    def target(self) -> str:
        """The target's name in routes: "head", "arms.left"."""
        return f"{self.role}.{self.instance}" if self.instance else self.role


class Collision(StrictModel):
    """How far the shapes of the model are kept from each other, and where the floor is. A margin is
    for what the shapes leave out: cables, play of the joints, the lag of a servo."""

    margin_m: float = Field(default=0.01, gt=0, le=0.2)
    floor_m: float | None = None  # height in the frame of the model's root; without it: no floor


class RobotManifest(StrictModel):
    """manifests/robots/*.yaml"""

    name: str = Field(min_length=1, max_length=64)
    urdf: str = ""  # a shipped model: path below manifests/
    # The owner's model, by its checksum (figure/store.py). Without both one is generated of the
    # parts (figure/generated.py).
    figure: str = Field(default="", pattern=r"^([0-9a-f]{16})?$")
    roles: list[RobotRole] = Field(min_length=1)
    collision: Collision = Collision()
    remote: RemoteSpeed = RemoteSpeed()
    # Roles that share a computer, by node name; every other role has its own. Used by the
    # simulation; on a real robot, adoption assigns roles to nodes.
    nodes: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")], list[str]] = {}

    @model_validator(mode="after")
    def _nodes_hold_roles_of_the_robot(self) -> "RobotManifest":
        placed = [target for targets in self.nodes.values() for target in targets]
        known = {role.target for role in self.roles}
        for target in placed:
            if target not in known:
                raise ValueError(f"nodes names {target}; the robot has {', '.join(sorted(known))}")
            if placed.count(target) > 1:
                raise ValueError(f"nodes names {target} twice")
        return self

    @model_validator(mode="after")
    def _nothing_is_named_twice(self) -> "RobotManifest":
        targets = [role.target for role in self.roles]
        joints = [name for role in self.roles for name in role.joints.values()]
        for names, where in ((targets, "roles"), (joints, "roles.joints")):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"{where} names {name} twice")
        if self.urdf and self.figure:
            raise ValueError("urdf and figure both name a model; one of them is possible")
        if joints and not (self.urdf or self.figure):
            raise ValueError("roles.joints names joints; urdf, which has them, is missing")
        return self


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """A robot manifest with the roles that it names, and its figure."""

    manifest: RobotManifest
    roles: dict[str, RoleConfig]  # by target
    figure: "Figure"

    @property
    def urdf(self) -> Path | None:
        """The shipped model; None for a figure that was generated, or is the owner's."""
        return self.figure.path


def load(manifests: Path, robot: str) -> RobotDescription:
    """Load and validate a robot. Raises config_invalid or config_missing. Blocks."""
    from .figure.figure import figure_of

    path = manifests / "robots" / f"{robot}.yaml"
    manifest = settings.load(RobotManifest, path, required=True)
    roles = {entry.target: read_role(manifests, entry)[0] for entry in manifest.roles}
    return RobotDescription(manifest, roles, figure_of(manifests, manifest, roles))


def read_role(manifests: Path, entry: RobotRole) -> tuple[RoleConfig, str]:
    """Load a role's configuration with the robot's addresses; also returns its text. Raises
    config_invalid or config_missing. Blocks.
    """
    if isinstance(entry.config, RoleConfig):
        written = entry.config.model_dump(mode="json", exclude_unset=True)
        role, text, path = entry.config, settings.write_yaml(written), Path("robot.yaml")
    else:
        path = below(manifests, entry.config)
        role, text = load_role_config(path)
    if role.target != entry.target:
        raise _invalid(f"{path} is for {role.target}, the robot names it for {entry.target}")
    if not entry.i2c_addresses:
        return role, text
    document = settings.read_yaml(text, str(path)).data
    for name, address in entry.i2c_addresses.items():
        if name not in role.i2c_devices:
            known = ", ".join(role.i2c_devices) or "none"
            raise _invalid(f"i2c_addresses of {entry.target} names {name}; {path} has {known}")
        document["i2c_devices"][name]["address"] = address
    text = settings.write_yaml(document)
    return settings.parse(RoleConfig, text, f"{path} with i2c_addresses of the robot"), text


def _invalid(sentence: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, sentence)
