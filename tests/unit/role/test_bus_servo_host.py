"""The role parts with bus servos as a daemon: in a loop, under a guard, on simulated servos."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import EStop, PartCommand
from saint_services.lib.generated.topics import ESTOP
from saint_services.role_partsd.config import Config
from saint_services.role_partsd.daemon import run
from tests.unit.role.host_rig import House, house
from tests.unit.role.parts.parts_rig import CMD
from tests.unit.role.parts.test_bus_servos import PORT, servos
from tests.waiting import until
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file


@pytest.fixture
async def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    async with house(tmp_path, monkeypatch, "role-partsd", Config(), run) as found:
        yield found


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[ServoBusPeer]:
    (tmp_path / "hw").mkdir(exist_ok=True)
    peer = ServoBusPeer(tmp_path / "hw" / servo_file(PORT), (1, 2))
    yield peer
    peer.close()


async def drive(parts: House, seconds: float, value: float) -> None:
    publisher = parts.router.publisher(CMD)
    await parts.live(
        seconds, lambda: publisher.publish(PartCommand(names=("pan",), values=(value,)))
    )
    publisher.close()


async def test_servo_moves_and_goes_limp_when_its_assignment_ends(
    peer: ServoBusPeer, parts: House
) -> None:
    async with aclosing(parts.assign(servos(on_stop="limp"))) as reports:
        assert (await anext(reports)).ready
        await drive(parts, 1.5, 45.0)
        assert peer.servo(1).position > 2100
        assert peer.servo(1).get("torque_enable") == 1
    await until(lambda: peer.servo(1).get("torque_enable") == 0)


async def test_stop_is_confirmed_once_limp_servos_have_no_torque(
    peer: ServoBusPeer, parts: House
) -> None:
    stop = parts.router.publisher(ESTOP)
    async with aclosing(parts.assign(servos(on_stop="limp"))) as reports:
        assert (await anext(reports)).ready
        await drive(parts, 0.5, 45.0)
        stop.publish(EStop(active=True, generation=1))
        async for report in reports:
            if report.estop and report.safe:
                break
        assert peer.servo(1).get("torque_enable") == 0
        assert report.reason == ""


async def test_servo_holds_when_its_assignment_ends(peer: ServoBusPeer, parts: House) -> None:
    async with aclosing(parts.assign(servos())) as reports:
        assert (await anext(reports)).ready
        await drive(parts, 1.5, 15.0)
    assert peer.servo(1).get("torque_enable") == 1
    place = peer.servo(1).position
    async with aclosing(parts.assign(servos())) as reports:  # the next one goes on from there
        assert (await anext(reports)).ready
        assert peer.servo(1).position == place
