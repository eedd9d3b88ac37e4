"""Builds the views of releases, machines and the roll-out: for users, and for nodes in the form of
the specification (manifest.json). Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..lib.api import Reply
from ..lib.api.firmware import (
    FirmwareReport,
    MachineFirmware,
    MachineRollout,
    Release,
    RolloutPlan,
    RolloutState,
)
from ..lib.api.update_policy import SourceStatus, UpdatePolicy
from .releases import hardware
from .releases.versions import version_key
from .rollout.logic import Rollout
from .state import SavedPlan


@dataclass(frozen=True, slots=True)
class RoleFile:
    """A role's configuration as served."""

    name: str  # "arms_left"
    version: str
    checksum: str
    body: bytes


class FirmwarePart(Reply):
    """The offered release."""

    version: str
    release_date: str
    checksum_sha256: str
    min_hardware_rev: str
    changelog: str
    size_bytes: int


class ConfigPart(Reply):
    """A role's configuration."""

    version: str
    checksum: str


class ManifestFile(Reply):
    """manifest.json (specification, "Firmware Package Structure")."""

    firmware: FirmwarePart | None
    configs: dict[str, ConfigPart]
    supported_roles: list[str]


@dataclass(frozen=True, slots=True)
class StoredRelease:
    """A release in the repository."""

    release: Release


def report(
    rollout: Rollout,
    stored: Mapping[str, StoredRelease],
    machines: Iterable[MachineFirmware],
    updates_off: str,
    offers_closed: str = "",
    policy: UpdatePolicy | None = None,
    source: SourceStatus | None = None,
    roll_outs_closed: str = "",
) -> FirmwareReport:
    """Return the whole state for users."""
    shown = list(machines)
    running = {machine.version for machine in shown if machine.is_online and machine.version}
    versions = sorted(running, key=version_key, reverse=True)
    return FirmwareReport(
        robot_version=versions[0] if len(versions) == 1 else "",
        versions=versions,
        releases=releases(stored, rollout.saved.current),
        machines=shown,
        plan=plan(rollout.plan, roll_outs_closed) if rollout.plan else None,
        updated_s=rollout.saved.updated_s,
        updates_off=updates_off,
        offers_closed=offers_closed,
        policy=policy,
        source=source or SourceStatus(),
    )


def machine(
    found: MachineFirmware, planned: StoredRelease | None, *, is_rollback: bool
) -> MachineFirmware:
    """Return a machine, with why its hardware must not get the planned release. A rollback to the
    machine's own other slot installs nothing."""
    if planned is None:
        return found
    release = planned.release
    if is_rollback and found.spare_version == release.version:
        return found
    reason = hardware.unfit(release.version, release.min_hardware_rev, found.hardware_rev)
    return found.model_copy(update={"unfit": reason}) if reason else found


def releases(stored: Mapping[str, StoredRelease], current: str) -> list[Release]:
    """Return the releases, the newest first."""
    found = [
        entry.release.model_copy(update={"is_current": version == current})
        for version, entry in stored.items()
    ]
    return sorted(found, key=lambda release: version_key(release.version), reverse=True)


def plan(saved: SavedPlan, closed: str = "") -> RolloutPlan:
    """Return a plan without the fields that only the rules need; `closed`: why an automatic one
    begins with no further machine."""
    is_waiting = saved.is_automatic and saved.state is RolloutState.RUNNING
    return RolloutPlan(
        version=saved.version,
        state=saved.state,
        is_rollback=saved.is_rollback,
        reason=closed if is_waiting else saved.reason,
        steps=[
            MachineRollout(node_id=step.node_id, step=step.step, reason=step.reason)
            for step in saved.steps
        ],
    )


def manifest(current: StoredRelease | None, roles: Sequence[RoleFile]) -> ManifestFile:
    """Return the manifest in the specification's form; `firmware` is null while no release is
    offered."""
    configs = {r.name: ConfigPart(version=r.version, checksum=r.checksum) for r in roles}
    return ManifestFile(
        firmware=_firmware(current) if current else None,
        configs=configs,
        supported_roles=[role.name for role in roles],
    )


def _firmware(stored: StoredRelease) -> FirmwarePart:
    release = stored.release
    return FirmwarePart(
        version=release.version,
        release_date=release.release_date,
        checksum_sha256=release.checksum_sha256,
        min_hardware_rev=release.min_hardware_rev,
        changelog=release.changelog,
        size_bytes=release.size_bytes,
    )
