"""Stores a node over a power cycle: identity.yaml, role.yaml and the role's configuration as the
server sent it, role_config.yaml. A role counts from the moment when role.yaml exists. Further roles
are in more_roles.yaml, each with a role_config_<role>.yaml: releases that know one role read
role.yaml and go on with the first. Calls block: run them in a thread.
"""

import contextlib
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from ..lib import log
from ..lib.errors import Code, SaintError
from ..lib.machine import computer
from ..lib.role_config.parsing import parse_role_config
from ..lib.state import StateStore, last_good, write_atomic
from ..lib.strict import StrictModel
from .lifecycle.model import Assignment, RoleId, RoleLoaded, RolesLoaded
from .lifecycle.node import MOST_ROLES

_LARGEST_CONFIG_BYTES = 1 << 18
_log = log.get("noded")
S = TypeVar("S", bound=BaseModel)


class NodeIdentity(StrictModel):
    """identity.yaml"""

    node_id: str = ""
    mac_address: str = ""
    display_name: str = ""
    first_seen: str = ""  # ISO 8601, UTC


class StoredRole(StrictModel):
    """role.yaml"""

    assigned_role: str = ""
    instance: str = ""
    assigned_at: str = ""  # ISO 8601, UTC
    assigned_by: str = ""  # the person; the server where none is known
    server: str = ""
    config_version: str = ""
    server_address: str = ""

    @property
    def wanted(self) -> RoleId:
        """The stored role."""
        return RoleId(self.assigned_role, self.instance)

    @property
    def adoption(self) -> str:
        """Identify the adoption: the same role may be adopted a second time."""
        return f"{self.wanted} {self.assigned_at}"


class MoreRoles(StrictModel):
    """more_roles.yaml: the roles after the first. They count beside that adoption only: a release
    that knows one role may have reset the node, or adopted it as another one."""

    beside: list[str] = Field(default=[], max_length=2)
    roles: list[StoredRole] = Field(default=[], max_length=MOST_ROLES - 1)

    def after(self, first: StoredRole) -> list[StoredRole]:
        """Return the roles that count beside this first one."""
        return self.without(first.wanted) if first.adoption in self.beside else []

    def without(self, wanted: RoleId) -> list[StoredRole]:
        """Return all other roles."""
        return [role for role in self.roles if role.wanted != wanted]


def _role_from_1(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had the server in assigned_by, where the person belongs."""
    return {**data, "server": data.get("assigned_by", "")}


def _roles_from_1(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "roles": [_role_from_1(role) for role in data.get("roles", [])]}


class NextRole(StrictModel):
    """One role of next_roles.json."""

    assigned_role: str
    instance: str = ""
    server: str = ""
    server_address: str = ""
    text: str = Field(max_length=_LARGEST_CONFIG_BYTES)


class NextRoles(StrictModel):
    """next_roles.json: roles whose configurations change together. Once it is on the disk they
    count, until all are in their own files; before, the ones of before do."""

    roles: list[NextRole] = Field(default=[], max_length=MOST_ROLES)


class NodeFiles:
    """The files below the state directory."""

    def __init__(self, directory: Path) -> None:
        self.problem = ""  # of the identity's file; a node without one still works
        self._identity = StateStore(directory / "identity.yaml", NodeIdentity, version=1)
        self._role = StateStore(
            directory / "role.yaml", StoredRole, 2, {1: _role_from_1}, keeps_last_good=True
        )
        self._more = StateStore(
            directory / "more_roles.yaml", MoreRoles, 2, {1: _roles_from_1}, keeps_last_good=True
        )
        self._next = StateStore(directory / "next_roles.json", NextRoles, 1)
        self._directory = directory

    def identity(self, given_id: str = "", root: Path = Path("/")) -> NodeIdentity:
        """Load the identity. A disk that moved to another computer gets the new computer's."""
        known = self._known_identity()
        node_id = _checked(given_id) or computer.hardware_id(root) or known.node_id
        node_id = node_id if computer.is_token(node_id) else f"id_{secrets.token_hex(6)}"
        if known.node_id != node_id:
            known = NodeIdentity(node_id=node_id)
        mac_address = computer.mac_address(root)
        if known.mac_address == mac_address and known.first_seen:
            return known
        seen = known.first_seen or now()
        return self._save(known.model_copy(update={"mac_address": mac_address, "first_seen": seen}))

    def rename(self, identity: NodeIdentity, display_name: str) -> NodeIdentity:
        """Store the name that a person chose for this node."""
        return self._save(identity.model_copy(update={"display_name": display_name}))

    def _known_identity(self) -> NodeIdentity:
        try:
            known = self._identity.load()
        except SaintError as err:
            self.problem = str(err)
            return NodeIdentity()
        self.problem = str(self._identity.problem or "")
        return known

    def _save(self, identity: NodeIdentity) -> NodeIdentity:
        try:
            self._identity.save(identity)
        except SaintError as err:
            self.problem = str(err)
        return identity

    def load_roles(self) -> RolesLoaded:
        """Load the roles. A node without a role has an empty role.yaml, so a missing file is a
        loss."""
        unwritten = self._complete()
        first, problem = _loaded(self._role, StoredRole())
        is_lost = not first.assigned_role and bool(problem or not self._role.path.exists())
        more, more_problem = _loaded(self._more, MoreRoles())
        is_lost = is_lost or (bool(more_problem) and not more.roles)
        problem = problem or more_problem
        roles = [role for role in (first, *more.after(first)) if role.assigned_role]
        found = [self._role_started(role) for role in roles] or [RoleLoaded(problem=problem)]
        found = [
            replace(each, held=unwritten[each.wanted]) if each.wanted in unwritten else each
            for each in found
        ]
        if problem and not found[0].problem:
            found[0] = replace(found[0], problem=problem)
        return RolesLoaded(tuple(found), is_lost)

    def _role_started(self, role: StoredRole) -> RoleLoaded:
        path = self._own_config(role.wanted)
        is_own = path.exists() or last_good(path).exists()
        path = path if is_own else self._first_config
        try:
            return RoleLoaded(held=_read_config(role, path), wanted=role.wanted)
        except SaintError as err:
            problem = err.message
        try:
            held = _read_config(role, last_good(path))
        except SaintError:
            return RoleLoaded(wanted=role.wanted, problem=problem)
        with contextlib.suppress(OSError):
            write_atomic(path, held.text.encode())
        problem = f"{problem}. Its last good copy is in force"
        return RoleLoaded(held=held, wanted=role.wanted, problem=problem)

    def store_together(self, assignments: Sequence[Assignment]) -> None:
        """Store the changed configurations of several roles: after a power cut all of them count,
        or none."""
        roles = [_next_role(each) for each in assignments]
        self._next.save(NextRoles(roles=roles))
        self._finish(assignments)

    def store(self, assignment: Assignment) -> None:
        """Store a role, its configuration first: a role without one must not be found."""
        if self._complete():  # the disk was full: what it could not complete is older than this
            self._next.forget()
        self._store(assignment)

    def _complete(self) -> dict[RoleId, Assignment]:
        """Complete what a power cut, or a full disk, has interrupted. Returns what counts although
        it could not be written: the next start tries again."""
        if not self._next.path.exists():
            return {}
        held = self._held()
        found: dict[RoleId, Assignment] = {}
        for role in self._next.load().roles:
            with contextlib.suppress(SaintError):  # of another release, which has its own checks
                assignment = _assignment_of(role)
                found |= {assignment.wanted: assignment} if assignment.wanted in held else {}
        try:
            self._finish(found.values())
        except SaintError:
            return found
        return {}

    def _finish(self, assignments: Iterable[Assignment]) -> None:
        for each in assignments:
            self._store(each)
        self._next.forget()

    def _held(self) -> set[RoleId]:
        first, _ = _loaded(self._role, StoredRole())
        more, _ = _loaded(self._more, MoreRoles())
        return {role.wanted for role in (first, *more.after(first))}

    def _store(self, assignment: Assignment) -> None:
        wanted = assignment.wanted
        first, more = self._role.load(), self._more.load()
        if first.assigned_role and first.wanted != wanted:
            known = next((role for role in more.roles if role.wanted == wanted), StoredRole())
            _write(self._own_config(wanted), assignment.text)
            others = [role for role in more.after(first) if role.wanted != wanted]
            self._keep_more([*others, _stored(assignment, known)], first)
            return
        _write(self._first_config, assignment.text)
        self._role.save(_stored(assignment, first))
        _remove(self._own_config(wanted))

    def forget(self, wanted: RoleId | None = None) -> None:
        """Remove a role, or all with None. The role's file is removed first: without it the
        configuration means nothing."""
        self._complete()
        if self._next.path.exists():
            self._next.forget()
        if wanted is None:
            self._more.forget()
            self._keep_no_role()
            for path in self._directory.glob("role_config*.yaml*"):
                _remove(path)
            return
        first, more = self._role.load(), self._more.load()
        rest = [role for role in more.after(first) if role.wanted != wanted]
        if first.wanted != wanted:
            self._keep_more(rest, first)
        elif rest:
            # The next one becomes the first: whenever power goes, the others count.
            self._keep_more(rest, first, rest[0])
            self._role.save(rest[0])
            self._keep_more(rest[1:], rest[0])
            _remove(self._first_config)
        else:
            self._keep_no_role()
            _remove(self._first_config)
        _remove(self._own_config(wanted))

    def _keep_no_role(self) -> None:
        """Store that there is no role, so that a missing file is known as a loss."""
        self._role.forget()  # and its copy, which would bring the role back
        self._role.save(StoredRole())

    def _keep_more(self, roles: list[StoredRole], *firsts: StoredRole) -> None:
        if roles:
            self._more.save(MoreRoles(beside=[role.adoption for role in firsts], roles=roles))
        else:
            self._more.forget()

    @property
    def _first_config(self) -> Path:
        return self._directory / "role_config.yaml"

    def _own_config(self, wanted: RoleId) -> Path:
        """The configuration file of a role that is, or was, not the first."""
        name = re.sub(r"[^A-Za-z0-9]", "_", str(wanted))
        return self._directory / f"role_config_{name}.yaml"


def _next_role(assignment: Assignment) -> NextRole:
    return NextRole(
        assigned_role=assignment.config.role,
        instance=assignment.config.instance,
        server=assignment.server,
        server_address=assignment.server_address,
        text=assignment.text,
    )


def _assignment_of(role: NextRole) -> Assignment:
    wanted = RoleId(role.assigned_role, role.instance)
    return checked_assignment(wanted, role.text, role.server, role.server_address)


def _loaded(store: StateStore[S], default: S) -> tuple[S, str]:
    """Load a file; returns its content and what is wrong with it."""
    try:
        value = store.load()
    except SaintError as err:
        return default, str(err)
    return value, str(store.problem or "")


def _read_config(role: StoredRole, path: Path) -> Assignment:
    try:
        text = path.read_bytes()[:_LARGEST_CONFIG_BYTES].decode()
    except (OSError, UnicodeDecodeError) as err:
        raise SaintError(Code.STATE_DAMAGED, f"{path}: {err}") from err
    return checked_assignment(role.wanted, text, role.server, role.server_address)


def _stored(assignment: Assignment, known: StoredRole) -> StoredRole:
    is_same = known.wanted == assignment.wanted
    who = (is_same and known.assigned_by) or assignment.server
    return StoredRole(
        assigned_role=assignment.config.role,
        instance=assignment.config.instance,
        assigned_at=known.assigned_at if is_same else now(),
        assigned_by=assignment.person or who,
        server=assignment.server,
        config_version=assignment.config.version,
        server_address=assignment.server_address,
    )


def checked_assignment(wanted: RoleId, text: str, server: str, address: str) -> Assignment:
    """Parse a role configuration. Raises SaintError when it is invalid or for another role."""
    found = parse_role_config(text, "role_config.yaml")
    config = found.config
    if found.notice:
        _log.warning("role configuration", text=found.notice)
    if (config.role, config.instance) != (wanted.role, wanted.instance):
        got = RoleId(config.role, config.instance)
        raise SaintError(Code.CONFIG_INVALID, f"role_config.yaml is for {got}, not for {wanted}")
    return Assignment(config, text, server, address)


def now() -> str:
    """Return the time for people, in the specification's form."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _checked(given_id: str) -> str:
    if given_id and not computer.is_token(given_id):
        raise SaintError(
            Code.CONFIG_INVALID,
            f"SAINT_NODE_ID is {given_id[:80]!r}, which cannot be part of a topic name",
            fix="Use letters, digits and single underscores, not starting with a digit.",
        )
    return given_id


def _write(path: Path, text: str) -> None:
    try:
        for each in (path, last_good(path)):
            write_atomic(each, text.encode())
    except OSError as err:
        raise SaintError(Code.INTERNAL, f"{path} cannot be written: {err.strerror}") from err


def _remove(path: Path) -> None:
    try:
        for each in (last_good(path), path):
            each.unlink(missing_ok=True)
    except OSError as err:
        raise SaintError(Code.INTERNAL, f"{path} cannot be removed: {err.strerror}") from err
