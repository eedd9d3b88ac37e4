"""What a node keeps over a power cycle: identity.yaml, role.yaml and the role's configuration as
the server gave it, role_config.yaml. The role counts from the moment when role.yaml is there.
Calls block: run them in a thread.
"""

import secrets
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..lib import log, machine, role_text
from ..lib.errors import Code, SaintError
from ..lib.state import Store, write_atomic
from .life import Assignment, Started, Wanted

_LARGEST_CONFIG_BYTES = 1 << 18
_log = log.get("noded")


class Identity(BaseModel):
    """identity.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    node_id: str = ""
    mac_address: str = ""
    display_name: str = ""
    first_seen: str = ""  # ISO 8601, UTC


class StoredRole(BaseModel):
    """role.yaml"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    assigned_role: str = ""
    instance: str = ""
    assigned_at: str = ""  # ISO 8601, UTC
    assigned_by: str = ""
    config_version: str = ""
    server_address: str = ""


class NodeFiles:
    """The three files below the state directory."""

    def __init__(self, directory: Path) -> None:
        self.problem = ""  # of the identity's file; a node without one still works
        self._identity = Store(directory / "identity.yaml", Identity, version=1)
        self._role = Store(directory / "role.yaml", StoredRole, version=1)
        self._config_path = directory / "role_config.yaml"

    def identity(self, given_id: str = "", root: Path = Path("/")) -> Identity:
        """Who this node is. A disk that moved to another computer gets that one's identity."""
        known = self._known_identity()
        node_id = _checked(given_id) or machine.hardware_id(root) or known.node_id
        node_id = node_id if machine.is_token(node_id) else f"id_{secrets.token_hex(6)}"
        if known.node_id != node_id:
            known = Identity(node_id=node_id)
        mac_address = machine.mac_address(root)
        if known.mac_address == mac_address and known.first_seen:
            return known
        seen = known.first_seen or now()
        return self._save(known.model_copy(update={"mac_address": mac_address, "first_seen": seen}))

    def rename(self, identity: Identity, display_name: str) -> Identity:
        """Keep the name that a person gave this node."""
        return self._save(identity.model_copy(update={"display_name": display_name}))

    def _known_identity(self) -> Identity:
        try:
            known = self._identity.load()
        except SaintError as err:
            self.problem = str(err)
            return Identity()
        self.problem = str(self._identity.problem or "")
        return known

    def _save(self, identity: Identity) -> Identity:
        try:
            self._identity.save(identity)
        except SaintError as err:
            self.problem = str(err)
        return identity

    def started(self) -> Started:
        """What the disk says about the role."""
        try:
            role = self._role.load()
        except SaintError as err:
            return Started(problem=str(err))
        problem = str(self._role.problem or "")
        if not role.assigned_role:
            return Started(problem=problem)
        wanted = Wanted(role.assigned_role, role.instance)
        try:
            text = self._config_path.read_bytes()[:_LARGEST_CONFIG_BYTES].decode()
            assignment = checked_assignment(wanted, text, role.assigned_by, role.server_address)
        except (OSError, UnicodeDecodeError, SaintError) as err:
            message = err.message if isinstance(err, SaintError) else f"{self._config_path}: {err}"
            return Started(wanted=wanted, problem=message)
        return Started(held=assignment, wanted=wanted)

    def store(self, assignment: Assignment) -> None:
        """Configuration first: a role.yaml without its configuration should not be seen."""
        known = self._role.load()
        is_same = (known.assigned_role, known.instance) == (
            assignment.config.role,
            assignment.config.instance,
        )
        _write(self._config_path, assignment.text)
        self._role.save(
            StoredRole(
                assigned_role=assignment.config.role,
                instance=assignment.config.instance,
                assigned_at=known.assigned_at if is_same else now(),
                assigned_by=assignment.server,
                config_version=assignment.config.version,
                server_address=assignment.server_address,
            )
        )

    def forget(self) -> None:
        """No role any more. role.yaml goes first: without it the rest means nothing."""
        self._role.forget()
        try:
            self._config_path.unlink(missing_ok=True)
        except OSError as err:
            message = f"{self._config_path} cannot be removed: {err.strerror}"
            raise SaintError(Code.INTERNAL, message) from err


def checked_assignment(wanted: Wanted, text: str, server: str, address: str) -> Assignment:
    """A role configuration that is valid in itself and for the role that was asked for."""
    found = role_text.read(text, "role_config.yaml")
    config = found.config
    if found.notice:
        _log.warning("role configuration", text=found.notice)
    if (config.role, config.instance) != (wanted.role, wanted.instance):
        got = Wanted(config.role, config.instance)
        raise SaintError(Code.CONFIG_INVALID, f"role_config.yaml is for {got}, not for {wanted}")
    return Assignment(config, text, server, address)


def now() -> str:
    """For people, in the specification's form."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _checked(given_id: str) -> str:
    if given_id and not machine.is_token(given_id):
        raise SaintError(
            Code.CONFIG_INVALID,
            f"SAINT_NODE_ID is {given_id[:80]!r}, which cannot be part of a topic name",
            fix="Use letters, digits and single underscores, not starting with a digit.",
        )
    return given_id


def _write(path: Path, text: str) -> None:
    try:
        write_atomic(path, text.encode())
    except OSError as err:
        raise SaintError(Code.INTERNAL, f"{path} cannot be written: {err.strerror}") from err
