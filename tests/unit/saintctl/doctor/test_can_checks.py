"""What the doctor says about CAN adapters and the wagon's bus."""

import json
from typing import Any

import pytest

from saint_services.lib.api.wagon import WagonBus, WagonInfo
from saint_services.lib.errors import Code, SaintError
from saint_services.saintctl.doctor import can_checks
from saint_services.saintctl.doctor.facts import DoctorFacts
from saint_services.saintctl.doctor.result import CheckState


def link(**changes: Any) -> DoctorFacts:
    """Return the facts of a machine with a can0, as iproute2 6.15 prints it."""
    data = {
        "restart_ms": 100,
        "state": changes.pop("state", "ERROR-ACTIVE"),
        "berr_counter": {"tx": changes.pop("tx", 0), "rx": 0},
        "bittiming": {"bitrate": 500000, "sample_point": "0.875"},
    }
    counts = {"restarts": 0, "bus_off": changes.pop("bus_off", 0)}
    can0 = {
        "ifname": "can0",
        "flags": ["NOARP", "UP", "LOWER_UP", "ECHO"],
        "txqlen": 4,
        "linkinfo": {"info_kind": "can", "info_data": data, "info_xstats": counts},
    } | changes
    facts = DoctorFacts()
    facts.machine.links = json.dumps([{"ifname": "lo", "flags": ["LOOPBACK", "UP"]}, can0])
    return facts


def test_adapter_that_is_well() -> None:
    found = can_checks.interfaces(link())
    assert found.state is CheckState.GOOD
    assert found.text == "can0 is well, 500 kbit/s"


@pytest.mark.parametrize(
    ("changes", "state", "said"),
    [
        ({"flags": ["NOARP"]}, CheckState.BAD, "not up"),
        ({"state": "BUS-OFF"}, CheckState.BAD, "bus-off"),
        ({"state": "ERROR-PASSIVE", "tx": 128}, CheckState.WARN, "128"),
        ({"tx": 8}, CheckState.WARN, "counters at 8"),
        ({"bus_off": 3}, CheckState.WARN, "3 times"),
        ({"txqlen": 1000}, CheckState.WARN, "1000 frames"),
    ],
)
def test_adapter_with_a_fault(changes: Any, state: CheckState, said: str) -> None:
    found = can_checks.interfaces(link(**changes))
    assert found.state is state
    assert said in found.text
    assert found.fix


@pytest.mark.parametrize("text", [None, "", "Object", "[]", "7", '[{"ifname": "eth0"}]'])
def test_machine_without_one_is_left_alone(text: str | None) -> None:
    facts = DoctorFacts()
    facts.machine.links = text
    assert can_checks.interfaces(facts).state is CheckState.NOT_HERE


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (None, CheckState.NOT_HERE),
        (SaintError(Code.NOT_FOUND, "this robot has no wagon"), CheckState.NOT_HERE),
        (SaintError(Code.DAEMON_UNREACHABLE, "routerd is away"), CheckState.NOT_HERE),
        (WagonInfo(state="absent"), CheckState.BAD),
        (WagonInfo(state="silent", bus=WagonBus(state="active")), CheckState.BAD),
        (WagonInfo(state="armed", bus=WagonBus(state="bus-off")), CheckState.BAD),
        (WagonInfo(state="armed", bus=WagonBus(state="active", load=0.9)), CheckState.WARN),
        (WagonInfo(state="armed", bus=WagonBus(state="active", lost=1)), CheckState.WARN),
        (WagonInfo(state="armed", bus=WagonBus(state="active", damaged=1)), CheckState.WARN),
        (WagonInfo(state="disarmed", bus=WagonBus(state="active", load=0.2)), CheckState.GOOD),
    ],
)
def test_wagons_bus(found: Any, state: CheckState) -> None:
    facts = DoctorFacts(wagon=found)
    assert can_checks.wagon(facts).state is state
