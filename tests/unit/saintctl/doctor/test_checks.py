"""Checks of `saintctl doctor` on facts made by hand: every check, healthy and faulty."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from saint_services.lib.api.adoption import NodeInfo, NodeList, UnknownDevice
from saint_services.lib.api.backup import RestoreState
from saint_services.lib.api.drill import WAYS, DrillInfo, DrillReport, DrillStep, Way
from saint_services.lib.api.firmware import (
    FirmwareReport,
    MachineFirmware,
    RolloutPlan,
    RolloutState,
)
from saint_services.lib.api.livelink import SenderList, SubjectList
from saint_services.lib.api.machine import NetworkInterface
from saint_services.lib.api.rc import RcStatus
from saint_services.lib.api.routing import EStopInfo, RouterStatus, SourceInfo
from saint_services.lib.api.wagon import WagonBus, WagonInfo
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import Health
from saint_services.lib.machine.address_status import AddressStatus
from saint_services.lib.selftest.boards import BoardLimits
from saint_services.lib.selftest.system_facts import SupplyFacts
from saint_services.lib.update.no_slots import REASON
from saint_services.saintctl.app import app
from saint_services.saintctl.doctor.commands import CHECKS
from saint_services.saintctl.doctor.facts import DAEMONS, ComputerFacts, DoctorFacts, from_files
from saint_services.saintctl.doctor.result import CheckState

GOOD, WARN, BAD, NOT_HERE = CheckState.GOOD, CheckState.WARN, CheckState.BAD, CheckState.NOT_HERE
SILENT = SaintError(Code.DAEMON_UNREACHABLE, "it does not answer", fix="Check its log.")
ETH = NetworkInterface(
    name="eth0", place="inside", is_up=True, is_wireless=False, addresses=["10.0.0.1/8"]
)


def drilled(ways: tuple[Way, ...] = WAYS, days_ago: int = 3) -> DrillReport:
    """Return a drill that passed by these ways and failed by the others."""
    ended = (datetime.now(UTC) - timedelta(days=days_ago)).isoformat()
    steps = [DrillStep(way=way, state="passed" if way in ways else "failed") for way in WAYS]
    return DrillReport(began=ended, ended=ended, steps=steps)


def node(**changes: Any) -> NodeInfo:
    first = {
        "node_id": "pi_1", "display_name": "Head", "state": "active", "role": "head",
        "seen_age_s": 0.4, "cpu_temp": 45.0, "memory_usage": 40.0, "is_ours": True,
    }  # fmt: skip
    return NodeInfo.model_validate(first | changes)


def status(**changes: Any) -> RouterStatus:
    first: dict[str, Any] = {
        "state": "idle", "stop_switches": ["rc_estop:channel_6"],
        "estop": EStopInfo(active=False), "outputs": [], "sources": [],
        "samples": 5000, "refused": {},
    }  # fmt: skip
    return RouterStatus.model_validate(first | changes)


def receiver(**changes: Any) -> RcStatus:
    first: dict[str, Any] = {
        "enabled": True, "connected": True, "protocol": "crsf", "device": "/dev/ttyAMA0",
        "failsafe": False, "rssi": -60.0, "link_quality": 99, "frame_rate_hz": 150.0,
        "frames": 9000, "rejected": 0, "discarded_bytes": 0, "channels": [],
    }  # fmt: skip
    return RcStatus.model_validate(RcStatus.model_construct(**first | changes).model_dump())


def links(state: str = "ERROR-ACTIVE") -> str:
    """Return what `ip` prints of a CAN adapter."""
    data = {"state": state, "bittiming": {"bitrate": 500000}}
    can0 = {"ifname": "can0", "flags": ["UP"], "txqlen": 4}
    return json.dumps([can0 | {"linkinfo": {"info_kind": "can", "info_data": data}}])


def healthy() -> DoctorFacts:
    """Return the facts of a robot on a device, without a fault."""
    machine = ComputerFacts(
        is_device=True, now_s=1_795_000_000.0, memory_free=0.5, load_per_core=0.2,
        temperature=48.0, supply=SupplyFacts(throttled=0), disks={"/data": (0.6, 1 << 34)},
        failed_units=[],
        active_units=dict.fromkeys(
            ("nftables.service", "systemd-networkd.service", "chrony.service"), True
        ),
        restarts={"saint-webd.service": 0}, clock="Normal", interfaces=[ETH], inside="eth0",
        root_is_read_only=True, board="Pi 4B", addresses=AddressStatus("serving"),
        links=links(),
    )  # fmt: skip
    return DoctorFacts(
        machine=machine,
        health={name: Health(name).report() for name in DAEMONS},
        nodes=NodeList(nodes=[node()]),
        router=status(),
        drills=DrillInfo(reports=[drilled()]),
        rc=receiver(),
        subjects=SubjectList(sources=[], refused={}, refused_by_sender={}),
        senders=SenderList(accept="known", waiting=[], accepted=[]),
        firmware=FirmwareReport(robot_version="1.2.0", versions=["1.2.0"]),
        restore=RestoreState(),
        wagon=WagonInfo(state="disarmed", bus=WagonBus(state="active")),
        errors_logged=[],
    )


def with_nodes(*several: NodeInfo, **more: Any) -> Callable[[DoctorFacts], None]:
    return lambda facts: setattr(facts, "nodes", NodeList(nodes=list(several), **more))


def put(name: str, value: object) -> Callable[[DoctorFacts], None]:
    return lambda facts: setattr(facts, name, value)


def on_machine(**values: object) -> Callable[[DoctorFacts], None]:
    def change(facts: DoctorFacts) -> None:
        for name, value in values.items():
            setattr(facts.machine, name, value)

    return change


def sick(facts: DoctorFacts) -> None:
    health = Health("rcd")
    health.raise_issue(Code.HARDWARE_MISSING, "no receiver")
    facts.health["rcd"] = health.report()


def with_report(**changes: Any) -> FirmwareReport:
    report = FirmwareReport(robot_version="", versions=["1.2.0"])
    return report.model_copy(update=changes)


ROLLED_BACK = MachineFirmware(
    node_id="pi_1", target_version="1.3.0", verdict="failed", reason="bus"
)
HALTED = RolloutPlan.model_construct(state=RolloutState.HALTED)
LOST = SourceInfo.model_construct(source="rc", age_ms=500, alive=False, failsafe=True)
DOWN = ETH.model_copy(update={"is_up": False})

FAULTS: dict[str, tuple[Callable[[DoctorFacts], None], CheckState]] = {
    **{n: (lambda f, n=n: f.health.update({n: SILENT}), BAD) for n in DAEMONS},
    **{f"{n} health": (lambda f, n=n: (sick(f), f.health.update({n: f.health["rcd"]})), BAD)
       for n in DAEMONS},
    "webd": (put("restore", SILENT), BAD),
    "restore": (put("restore", RestoreState(waiting=["rcd"], since="now")), BAD),
    "nodes online": (with_nodes(node(state="offline")), BAD),
    "nodes well": (with_nodes(node(reason="a servo is silent")), WARN),
    "nodes fresh": (with_nodes(node(seen_age_s=2.4)), WARN),
    "node restarts": (with_nodes(node(role_restarts=9)), WARN),
    "node heat": (with_nodes(node(cpu_temp=74.0)), WARN),
    "node memory": (with_nodes(node(memory_usage=95.0)), WARN),
    "nodes waiting": (with_nodes(node(role="", is_offered=True)), WARN),
    "node keys": (with_nodes(node(is_ours=False)), WARN),
    "unknown participants": (
        with_nodes(strangers=[UnknownDevice(name="x", reason="no token", seen_age_s=1)]), WARN,
    ),
    "e-stop": (put("router", status(estop=EStopInfo(active=True, source="rc"))), WARN),
    "stop switches": (put("router", status(stop_switches=[])), BAD),
    "stop drill": (put("drills", DrillInfo()), WARN),
    "lost inputs": (put("router", status().model_copy(update={"sources": [LOST]})), WARN),
    "refused inputs": (put("router", status(refused={"unknown source": 900})), WARN),
    "RC link": (put("rc", receiver(connected=False)), BAD),
    "RC line": (put("rc", receiver(rejected=800)), WARN),
    "LiveLink": (
        put("subjects", SubjectList(sources=[], refused={"bad": 5000}, refused_by_sender={})),
        WARN,
    ),
    "LiveLink senders": (
        put("senders", SenderList(accept="all", waiting=[], accepted=[])),
        WARN,
    ),
    "versions": (put("firmware", with_report(versions=["1.3.0", "1.2.0"])), BAD),
    "verdicts": (put("firmware", with_report(machines=[ROLLED_BACK])), WARN),
    "roll-out": (put("firmware", with_report(plan=HALTED)), BAD),
    "updates": (put("firmware", with_report(updates_off="there is no RAUC")), WARN),
    "settings files": (put("settings_faults", ["rcd.yaml, line 3: odd"]), BAD),
    "state files": (put("damaged_files", ["rcd.json.damaged-1"]), WARN),
    "log": (put("errors_logged", ["rcd: x"] * 9), WARN),
    "clock": (on_machine(now_s=1_000_000_000.0), BAD),
    "wagon": (put("wagon", WagonInfo(state="silent", bus=WagonBus(state="active"))), BAD),
    "CAN adapters": (on_machine(links=links(state="BUS-OFF")), BAD),
    "time source": (on_machine(clock="Not synchronised"), WARN),
    "memory": (on_machine(memory_free=0.02), WARN),
    "load": (on_machine(load_per_core=3.0), WARN),
    "temperature": (on_machine(temperature=84.0), BAD),
    "power supply": (on_machine(supply=SupplyFacts(throttled=0x50001)), BAD),
    "disk": (on_machine(disks={"/data": (0.01, 1 << 20)}), BAD),
    "units": (on_machine(failed_units=["saint-webd.service"]), BAD),
    "daemon restarts": (on_machine(restarts={"saint-webd.service": 40}), WARN),
    "firewall": (on_machine(active_units={"nftables.service": False}), BAD),
    "network service": (on_machine(active_units={"systemd-networkd.service": False}), BAD),
    "time service": (on_machine(active_units={"chrony.service": False}), BAD),
    "inside network": (on_machine(interfaces=[DOWN]), BAD),
    "addresses": (on_machine(addresses=AddressStatus("refused", "a router", "Unplug it.")), BAD),
    "address": (on_machine(interfaces=[ETH.model_copy(update={"addresses": []})]), BAD),
    "root": (on_machine(root_is_read_only=False), WARN),
    "data partition": (on_machine(is_data_lost=True), BAD),
    "board": (on_machine(board=""), WARN),
    "setup": (on_machine(setup_problems=["saint.yaml, line 2: odd"]), WARN),
    "crashes": (on_machine(crashes=["saint-webd"]), WARN),
    "requests": (on_machine(waiting_requests=["request"]), WARN),
}  # fmt: skip


@pytest.mark.parametrize(
    ("is_low", "state"), [(None, NOT_HERE), (False, GOOD), (True, BAD)], ids=str
)
def test_power_supply_is_read_of_the_kernel_s_own_sensor_too(
    tmp_path: Path, is_low: bool | None, state: CheckState
) -> None:
    """Raspberry Pi's kernel has both, Debian's none: then nobody knows."""
    if is_low is not None:
        sensor = tmp_path / "sys/class/hwmon/hwmon1"
        sensor.mkdir(parents=True)
        (sensor / "name").write_text("rpi_volt\n")
        (sensor / "in0_lcrit_alarm").write_text(f"{is_low:d}\n")
    facts = healthy()
    on_machine(supply=from_files(tmp_path).supply)(facts)
    found = CHECKS["power supply"](facts)
    assert found.state is state
    assert (found.text == "this kernel does not report it") == (is_low is None)


def test_damaged_block_of_the_slot_is_a_fault_although_nothing_is_writable() -> None:
    facts = healthy()
    on_machine(is_slot_damaged=True)(facts)
    found = CHECKS["root"](facts)
    assert found.state is BAD
    assert "card" in found.text


def test_raspberry_pi_os_is_no_fault_and_the_board_says_what_works() -> None:
    facts = healthy()
    limits = BoardLimits("Pi 5", ("watchdog",), ("releases (there are no slots)",))
    on_machine(is_without_slots=True, root_is_read_only=False, board="Pi 5", limits=limits)(facts)
    facts.firmware = FirmwareReport(robot_version="1.0.0", updates_off=REASON)
    assert CHECKS["root"](facts).state is NOT_HERE
    assert CHECKS["data partition"](facts).state is NOT_HERE
    assert CHECKS["updates"](facts).state is NOT_HERE
    found = CHECKS["board"](facts)
    assert found.state is GOOD
    assert found.text == (
        "Pi 5 with Raspberry Pi OS. Works: watchdog. Does not: releases (there are no slots)."
    )


def test_release_that_a_machine_has_left_without_a_verdict_is_named() -> None:
    facts = healthy()
    left = MachineFirmware(
        node_id="pi_1", version="1.2.0", target_version="1.3.0", verdict="healthy"
    )
    facts.firmware = with_report(machines=[left])
    found = CHECKS["verdicts"](facts)
    assert found.state is WARN
    assert found.text == "pi_1: it runs 1.2.0, although 1.3.0 passed there"
    assert "saintctl firmware rollout 1.3.0" in found.fix
    facts.firmware = with_report(machines=[left.model_copy(update={"version": "1.3.0"})])
    assert CHECKS["verdicts"](facts).state is GOOD


def test_every_check_has_a_fault_here_and_there_are_at_least_25() -> None:
    assert FAULTS.keys() == CHECKS.keys()
    assert len(CHECKS) >= 25


@pytest.mark.parametrize("name", CHECKS)
def test_healthy_robot_passes(name: str) -> None:
    finding = CHECKS[name](healthy())
    assert finding.state is GOOD, finding


@pytest.mark.parametrize("name", CHECKS)
def test_fault_is_found_and_its_fix_named(name: str) -> None:
    facts = healthy()
    change, state = FAULTS[name]
    change(facts)
    finding = CHECKS[name](facts)
    assert finding.state is state
    assert finding.text and finding.fix


@pytest.mark.parametrize("name", CHECKS)
def test_unknown_facts_are_not_applicable_or_good(name: str) -> None:
    assert CHECKS[name](DoctorFacts()).state in (NOT_HERE, GOOD)


@pytest.mark.parametrize("name", CHECKS)
def test_fault_of_one_daemon_is_reported_once(name: str) -> None:
    """A dead daemon fails its own check; checks of its replies are not applicable."""
    facts = DoctorFacts(
        health=dict.fromkeys(DAEMONS, SILENT), nodes=SILENT, router=SILENT, rc=SILENT,
        subjects=SILENT, firmware=SILENT, restore=SILENT,
    )  # fmt: skip
    is_own = name in (*DAEMONS, "webd")
    assert (CHECKS[name](facts).state is BAD) is is_own


def fixes() -> Iterator[str]:
    for name, (change, _) in FAULTS.items():
        facts = healthy()
        change(facts)
        yield CHECKS[name](facts).fix


def test_fix_names_only_commands_that_exist() -> None:
    tree = typer.main.get_command(app)
    for fix in fixes():
        for words in re.findall(r"saintctl ([a-z-]+(?: [a-z-]+)?)", fix):
            noun, _, verb = words.partition(" ")
            assert isinstance(tree, click.Group) or hasattr(tree, "commands")
            command = tree.commands.get(noun)  # type: ignore[attr-defined]  # it is a group
            assert command is not None, fix
            if verb and hasattr(command, "commands"):
                assert verb in command.commands, fix


def test_small_share_of_a_large_disk_is_enough_space() -> None:
    facts = healthy()
    facts.machine.disks = {"/data": (0.07, 16 << 30)}
    assert CHECKS["disk"](facts).state is GOOD


@pytest.mark.parametrize(
    ("report", "state", "words"),
    [
        (drilled(days_ago=3), GOOD, "last tested 3 days ago"),
        (drilled(days_ago=91), WARN, "last tested 91 days ago"),
        (drilled(ways=("page", "rc")), BAD, "failed by console, ros, kill"),
    ],
)
def test_stop_drill_is_judged_by_its_age_and_result(
    report: DrillReport, state: CheckState, words: str
) -> None:
    facts = healthy()
    facts.drills = DrillInfo(reports=[report])
    finding = CHECKS["stop drill"](facts)
    assert finding.state is state and words in finding.text


def test_missing_package_of_a_configured_livekit_room_is_a_warning() -> None:
    result = CHECKS["settings files"](DoctorFacts(is_livekit_missing=True))
    assert result.state is WARN
    assert "livekit is missing" in result.text
