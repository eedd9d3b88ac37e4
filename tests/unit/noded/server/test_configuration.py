"""A node takes all its roles from one robot: what is newer is read until two reads agree."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.noded.lifecycle import model
from saint_services.noded.lifecycle.model import Assignment, RoleId
from saint_services.noded.server.configuration import ConfigRefresh, ServedConfig
from tests.unit.noded.test_daemon_more_roles import CONSOLE, HEAD
from tests.waiting import let_pass, until

HELD = {0: HEAD, 1: CONSOLE}


def version(number: int, of: Assignment) -> Assignment:
    """The role in the version of the robot with this number; 0: the one that is held."""
    if not number:
        return of
    config = of.config.model_copy(update={"version": str(number)})
    return replace(of, config=config, text=f"{of.text}# {number}\n")


class ChangingServer:
    """Has another version of the robot at each request, as the numbers say; then the last one."""

    is_known = True

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers: Iterator[int] = iter(numbers)
        self.last = numbers[-1]
        self.requests: list[str] = []
        self.fault: SaintError | None = None

    async def fetch(self, wanted: RoleId, known: Assignment | None = None) -> ServedConfig:
        self.requests.append(wanted.role)
        if self.fault:
            raise self.fault
        number = next(self.numbers, self.last)
        role = next(each for each in HELD.values() if each.wanted == wanted)
        newest = version(number, role)
        is_current = known is not None and known.text == newest.text
        return ServedConfig(None if is_current else newest, "")


class RefreshingNode:
    """A node with a head and a console."""

    def __init__(self, server: ChangingServer) -> None:
        self.server: Any = server
        lives = {slot: SimpleNamespace(held=each) for slot, each in HELD.items()}
        self.life: Any = SimpleNamespace(lives=lives)
        self.events: list[model.Event] = []

    def handle(self, event: model.Event, slot: int = 0) -> None:
        self.events.append(event)

    async def rename(self, display_name: str) -> None: ...

    async def server_answers(self) -> None: ...


async def checked(server: ChangingServer, *, waits: bool = True) -> list[dict[int, str]]:
    """Refresh until the node gets configurations; return the newer versions, by slot."""
    domain = LocalDomain()
    bus, node = domain.bus("node"), RefreshingNode(server)
    refresh = ConfigRefresh(node, bus, 60.0)
    running = asyncio.create_task(refresh.run())
    try:
        refresh.wake()
        await (until(lambda: node.events) if waits else let_pass(0.2))
    finally:
        running.cancel()
        await bus.close()
    found = []
    for event in node.events:
        assert isinstance(event, model.ConfigsChecked)
        newer = {slot: each.newer for slot, each in event.found}
        found.append({slot: each.config.version for slot, each in newer.items() if each})
    return found


async def test_roles_of_an_unchanged_robot_are_read_once() -> None:
    server = ChangingServer([0])
    assert await checked(server) == [{}]
    assert server.requests == ["head", "console"]


async def test_roles_of_a_changed_robot_are_read_until_nothing_is_newer() -> None:
    server = ChangingServer([2])
    assert await checked(server) == [{0: "2", 1: "2"}]
    assert server.requests == ["head", "console"] * 2


async def test_change_between_two_roles_leaves_no_mixture() -> None:
    """The head is of version 2 and the console of version 3 at first."""
    server = ChangingServer([2, 3])
    assert await checked(server) == [{0: "3", 1: "3"}]
    assert server.requests == ["head", "console"] * 3


async def test_robot_that_changes_again_and_again_is_read_later() -> None:
    server = ChangingServer(list(range(1, 13)))  # for longer than one refresh reads
    assert await checked(server) == [{0: "12", 1: "12"}]
    assert len(server.requests) > 8


async def test_server_that_is_away_changes_nothing() -> None:
    server = ChangingServer([2])
    server.fault = SaintError(Code.BUS_TIMEOUT, "no answer")
    assert await checked(server, waits=False) == []
    assert server.requests == ["head"]


async def test_role_that_is_refused_says_why() -> None:
    server = ChangingServer([2])
    server.fault = SaintError(Code.REFUSED, "no such role")
    assert await checked(server) == [{}]
