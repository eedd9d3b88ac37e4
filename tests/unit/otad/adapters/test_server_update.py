"""When a server that updates itself counts as resting."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.update.boot import Boot
from saint_services.lib.update.checks import Services
from saint_services.lib.update.dbus import SystemBus
from saint_services.lib.update.events import UpdateLimits
from saint_services.lib.update.no_slots import NoSlots
from saint_services.lib.update.updater import UpdateEnvironment
from saint_services.otad.adapters import server_update
from saint_services.otad.adapters.server_update import ServerUpdate
from saint_services.otad.rollout.offers import REST_S


class Clock:
    now_s = 100.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(server_update, "monotonic_s", lambda: clock.now_s)
    return clock


class Server:
    """A server's own update, without its tasks."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.clock = clock
        world = UpdateEnvironment(NoSlots(), Services(SystemBus()), Boot(folder, folder))
        self.own = ServerUpdate(
            "server", (folder, folder), _spawn, UpdateLimits(), world, lambda *_: True
        )

    def after(self, passes_s: float, live: str | None) -> bool:
        """The registry reports; returns whether the server rests."""
        self.clock.now_s += passes_s
        self.own.registry_reported(live)
        return not self.own._updater.update.was_live


def _spawn(*_: object) -> "asyncio.Task[None]":
    raise AssertionError("nothing is started")


@pytest.fixture
def server(tmp_path: Path, clock: Clock) -> Server:
    return Server(tmp_path, clock)


def test_server_rests_half_a_minute_after_the_last_live_output(server: Server) -> None:
    assert not server.after(0, ""), "what was before this process is not known"
    assert server.after(REST_S, "")
    live = "outputs are live on n1"
    assert not server.after(REST_S, live)
    assert not server.after(REST_S, live)
    assert not server.after(1, "")
    assert not server.after(REST_S - 1, "")
    assert server.after(1, "")


def test_server_rests_without_its_registry(server: Server) -> None:
    """It may be what the release has broken."""
    assert not server.after(REST_S, None), "it may still start"
    assert server.after(REST_S, None)
