"""Which daemons a scrape queries: one that ends by itself only while it is in use."""

from pathlib import Path

import pytest

from saint_services.lib.access.person import Person
from saint_services.lib.api import teleop
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.errors import Code, SaintError
from saint_services.webd.robot import daemon_clients
from saint_services.webd.robot.daemon_clients import DaemonClients

LEASE_S = 15.0  # typed by hand: sessions are renewed within it


async def test_teleopd_is_not_started_for_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    monkeypatch.setattr(daemon_clients, "monotonic_s", lambda: now_s)
    clients = DaemonClients.at(tmp_path)
    assert clients.may_query("rcd")
    assert not clients.may_query("teleopd")
    with pytest.raises(SaintError) as away:
        await clients.forward(teleop.LIST_SESSIONS, Nothing(), Person("olga", "operator"))
    assert away.value.code is Code.DAEMON_UNREACHABLE
    assert clients.may_query("teleopd")
    now_s += LEASE_S + 0.1
    assert not clients.may_query("teleopd")
    await clients.close()


async def test_teleopd_in_a_room_is_queried_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    monkeypatch.setattr(daemon_clients, "monotonic_s", lambda: now_s)
    clients = DaemonClients.at(tmp_path)
    clients.note_room()
    now_s += 60.0  # Prometheus scrapes once a minute
    assert clients.may_query("teleopd")
    now_s += 31.0
    assert not clients.may_query("teleopd")
    await clients.close()
