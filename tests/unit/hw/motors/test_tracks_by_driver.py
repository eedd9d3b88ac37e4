"""The role tracks over each motor driver: drives, reads back, stops, reports faults."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.role_config.devices import CanDevice, PinSpec, SerialDevice
from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.role_rig import Rig, load_role
from tests.waiting import every, until
from tools.sim.chips.base import ChipFault
from tools.sim.chips.roboclaw import RoboClawPeer, serial_file
from tools.sim.chips.vesc import VescPeer, vesc_file

PORT = "/dev/ttyACM0"
BRIDGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "bts7960": ({"pin": 12, "reverse_pin": 20}, {"pin": 13, "reverse_pin": 21}),
    "drv8833": ({"pin": 12, "reverse_pin": 20}, {"pin": 13, "reverse_pin": 21}),
    "tb6612": (
        {"pin": 12, "direction_pins": [4, 20], "enable_pins": [16]},
        {"pin": 13, "direction_pins": [7, 21], "enable_pins": [19]},
    ),
}


def bridges(kind: str) -> RoleConfig:
    left, right = BRIDGES[kind]
    shipped = load_role("tracks")
    motors = {
        "left_motor": PinSpec.model_validate({"type": kind, "frequency": 20000, **left}),
        "right_motor": PinSpec.model_validate({"type": kind, "frequency": 20000, **right}),
    }
    return shipped.model_copy(update={"gpio_mapping": {**shipped.gpio_mapping, **motors}})


@pytest.fixture(params=sorted(BRIDGES))
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "tracks", bridges(request.param))
    yield rig
    rig.close()


def test_tracks_turn_forward_and_back_and_stop(rig: Rig) -> None:
    rig.live(0.5, lambda: rig.drive(1.0))
    assert rig.duties()[0] > 0.5
    assert rig.duties() == (rig.duties()[0],) * 2
    rig.live(1.0, lambda: rig.drive(-1.0))
    kind = rig.config.gpio_mapping["left_motor"].type
    if kind == "tb6612":
        assert (rig.pin(4).value, rig.pin(20).value) == (0.0, 1.0)
        assert rig.duties()[0] > 0.5
    else:
        assert rig.duties() == (0.0, 0.0)
        assert rig.pin(20).value > 0.5
    rig.clock.advance(0.5)  # the router is gone
    assert [rig.pin(pin).value for pin in (12, 13)] == [0.0, 0.0]
    assert kind == "tb6612" or [rig.pin(pin).value for pin in (20, 21)] == [0.0, 0.0]


def roboclaw() -> RoleConfig:
    pins: dict[str, PinSpec] = {}
    for channel, side in ((1, "left"), (2, "right")):
        for name, kind in (("motor", "roboclaw"), ("encoder", "roboclaw_encoder")):
            spec = {"type": kind, "device": "drive", "channel": channel}
            pins[f"{side}_{name}"] = PinSpec.model_validate(spec)
    drive = SerialDevice(port=PORT, driver="roboclaw")
    return load_role("tracks", gpio_mapping=pins, serial_devices={"drive": drive})


async def live(rig: Rig, say: Callable[[], None], is_so: Callable[[], bool]) -> None:
    """The router and the serial line live until something is so."""
    async for _ in every(0.005, until=is_so):
        rig.beat()
        say()
        rig.clock.advance(0.005)


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[RoboClawPeer]:
    peer = RoboClawPeer(tmp_path / serial_file(PORT))
    yield peer
    peer.close()


@pytest.fixture
def driven(tmp_path: Path, peer: RoboClawPeer) -> Iterator[Rig]:
    rig = Rig(tmp_path, "tracks", roboclaw())
    yield rig
    rig.board.close()


async def test_controller_drives_counts_and_its_time_out_is_reported(
    driven: Rig, peer: RoboClawPeer
) -> None:
    def drive() -> None:
        driven.drive(1.0)

    await live(driven, drive, lambda: peer.duty(1) > 0.5 and peer.duty(2) > 0.5)
    encoder: Any = driven.session._tracks[0].encoder  # type: ignore[attr-defined]
    await live(driven, drive, lambda: encoder.count > 10)
    peer.set_fault(ChipFault.DEAF)
    await live(driven, drive, lambda: driven.session.fault != "")
    assert "does not answer" in driven.session.fault
    assert driven.session.report().ready is False
    driven.session.close()


async def test_controller_stops_with_the_router(driven: Rig, peer: RoboClawPeer) -> None:
    await live(driven, lambda: driven.drive(1.0), lambda: peer.duty(1) > 0.5)
    driven.clock.advance(0.5)  # the router is gone
    await until(lambda: peer.duty(1) == peer.duty(2) == 0.0)
    driven.session.close()


def vescs() -> RoleConfig:
    """The tracks of SAUL-TEE: the left VESC has the id 68, the right one 56."""
    shipped = load_role("tracks")
    assert shipped.geometry is not None
    geometry = shipped.geometry.model_copy(update={"ticks_per_turn": 90})
    pins, nodes = {}, {}
    for side, number in (("left", 68), ("right", 56)):
        nodes[f"{side}_vesc"] = CanDevice(port="can0", driver="vesc", id=number)
        for name in ("motor", "encoder"):
            kind = "vesc" if name == "motor" else "vesc_encoder"
            spec = {"type": kind, "device": f"{side}_vesc"}
            pins[f"{side}_{name}"] = PinSpec.model_validate(spec)
    return load_role("tracks", gpio_mapping=pins, can_devices=nodes, geometry=geometry)


@pytest.fixture
def peers(tmp_path: Path) -> Iterator[list[VescPeer]]:
    made = [VescPeer(vesc_file(tmp_path, "can0", number)) for number in (68, 56)]
    yield made
    for each in made:
        each.close()


@pytest.fixture
def wagon(tmp_path: Path, peers: list[VescPeer]) -> Iterator[Rig]:
    rig = Rig(tmp_path, "tracks", vescs())
    yield rig
    rig.board.close()


async def test_vescs_drive_count_and_stop_with_the_router(
    wagon: Rig, peers: list[VescPeer]
) -> None:
    def drive() -> None:
        wagon.drive(1.0)

    await live(wagon, drive, lambda: all(peer.duty() > 0.5 for peer in peers))
    encoder: Any = wagon.session._tracks[0].encoder  # type: ignore[attr-defined]
    await live(wagon, drive, lambda: encoder.count > 10)
    wagon.clock.advance(0.5)  # the router is gone
    await until(lambda: [peer.duty() for peer in peers] == [0.0, 0.0])
    wagon.session.close()


async def test_vesc_that_stops_reporting_is_a_fault_of_the_role(
    wagon: Rig, peers: list[VescPeer]
) -> None:
    def drive() -> None:
        wagon.drive(1.0)

    await live(wagon, drive, lambda: peers[0].duty() > 0.5)
    peers[0].set_fault(ChipFault.DEAF)
    await live(wagon, drive, lambda: wagon.session.fault != "")
    assert "does not report" in wagon.session.fault
    wagon.session.close()


async def test_will_of_the_tracks_stops_both_vescs(wagon: Rig, peers: list[VescPeer]) -> None:
    await live(wagon, lambda: wagon.drive(1.0), lambda: all(peer.duty() > 0.5 for peer in peers))
    will = will_of(wagon.board, wagon.config, "role-tracksd")
    assert [(write.place, write.data) for write in will.writes] == [
        (0x8000_0144, bytes(4)),
        (0x8000_0138, bytes(4)),
    ]
    # The role still runs and repeats its command; the guard's frame ends that too.
    assert await asyncio.to_thread(carry_out, [will]) == []
    motors: Any = wagon.session._tracks  # type: ignore[attr-defined]
    await until(lambda: [track.motor.controller.duty for track in motors] == [0.0, 0.0])
    await until(lambda: [peer.duty() for peer in peers] == [0.0, 0.0], limit_s=0.5)
    wagon.session.close()
