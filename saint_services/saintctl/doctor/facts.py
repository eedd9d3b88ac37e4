"""Gathers what `saintctl doctor` checks: replies of the daemons and facts about the machine.
Unknown facts are None. Not here: which of them are faults (robot_checks.py, machine_checks.py).
"""

import asyncio
import os
import re
import shutil
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from ...lib import config as settings
from ...lib.api import adoption, drill, firmware, livelink, rc, routing, wagon
from ...lib.api.adoption import NodeList
from ...lib.api.backup import RestoreState
from ...lib.api.drill import DrillInfo
from ...lib.api.endpoint import Nothing
from ...lib.api.firmware import FirmwareReport
from ...lib.api.livelink import SenderList, SubjectList
from ...lib.api.logs import LogQuery
from ...lib.api.machine import NetworkInterface
from ...lib.api.rc import RcStatus
from ...lib.api.routing import RouterStatus
from ...lib.api.wagon import WagonInfo
from ...lib.api.webd.upkeep import RESTORE_STATE
from ...lib.errors import Code, SaintError
from ...lib.health import HealthReport
from ...lib.machine import address_status, setup_report
from ...lib.machine.address_status import AddressStatus
from ...lib.machine.device_tree import RUNNING
from ...lib.machine.network import interfaces
from ...lib.machine.service_manager import Directories
from ...lib.selftest import system_facts
from ...lib.selftest.boards import BoardLimits, BoardTable
from ...lib.selftest.system_facts import SupplyFacts
from ...lib.update.boot import RASPBERRY_PI_OS, SYSTEM_VARIABLE
from ..connect import RobotAddress, health_or_error, request_or_error, runtime_directory
from ..log.commands import log_source
from ..remote import RemoteRobot

DAEMONS = ("adoptiond", "routerd", "rcd", "livelinkd", "otad")
_RELEASE = Path("/usr/lib/saint/release.env")
_COMMAND_LIMIT_S = 10.0
LINKS = ("ip", "-json", "-details", "-statistics", "link", "show")
_RECENT_S = 3600.0
_MOST_ERRORS = 500


@dataclass(slots=True)
class ComputerFacts:
    """Facts about the computer that saintctl runs on."""

    is_device: bool = False
    is_without_slots: bool = False  # Raspberry Pi OS
    board: str | None = None  # its name in the table of boards; empty: it is in none
    limits: BoardLimits | None = None  # of this board with Raspberry Pi OS
    now_s: float = 0.0
    kernel_time_s: float = 0.0  # since its start
    memory_free: float | None = None  # share of all
    load_per_core: float | None = None
    temperature: float | None = None  # degrees Celsius
    supply: SupplyFacts = field(default_factory=SupplyFacts)
    disks: dict[str, tuple[float, int]] = field(default_factory=dict)  # path -> free share, bytes
    failed_units: list[str] | None = None
    active_units: dict[str, bool] = field(default_factory=dict)
    restarts: dict[str, int] = field(default_factory=dict)  # unit -> restarts
    clock: str = ""  # leap status of chrony
    interfaces: list[NetworkInterface] = field(default_factory=list)
    inside: str = ""
    addresses: AddressStatus = field(
        default_factory=AddressStatus
    )  # given on the robot's own network
    root_is_read_only: bool | None = None
    is_slot_damaged: bool = False
    is_data_lost: bool = False
    setup_problems: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)  # of the last hour
    waiting_requests: list[str] = field(default_factory=list)
    links: str | None = None  # what `ip` prints of the network interfaces, as JSON


@dataclass(slots=True)
class DoctorFacts:
    """All facts that are checked. A field of a daemon has its reply or the error of the request."""

    machine: ComputerFacts = field(default_factory=ComputerFacts)
    is_remote: bool = False
    health: dict[str, HealthReport | SaintError] = field(default_factory=dict)
    nodes: NodeList | SaintError | None = None
    router: RouterStatus | SaintError | None = None
    drills: DrillInfo | SaintError | None = None
    rc: RcStatus | SaintError | None = None
    subjects: SubjectList | SaintError | None = None
    senders: SenderList | SaintError | None = None
    firmware: FirmwareReport | SaintError | None = None
    restore: RestoreState | SaintError | None = None
    wagon: WagonInfo | SaintError | None = None
    settings_faults: list[str] = field(default_factory=list)
    is_livekit_missing: bool = False  # teleopd.yaml configures it; its package is not there
    damaged_files: list[str] = field(default_factory=list)
    errors_logged: list[str] | None = None  # of the last hour, newest first


async def gather(robot: RobotAddress) -> DoctorFacts:
    """Gather all facts within a few seconds. Facts about another machine stay unknown."""
    facts = DoctorFacts(is_remote=isinstance(robot, RemoteRobot))
    health = [health_or_error(robot, name) for name in DAEMONS]
    answers = await asyncio.gather(
        request_or_error(robot, adoption.LIST_NODES, Nothing()),
        request_or_error(robot, routing.GET_STATUS, Nothing()),
        request_or_error(robot, rc.GET_STATUS, Nothing()),
        request_or_error(robot, livelink.LIST_SOURCES, Nothing()),
        request_or_error(robot, firmware.STATUS, Nothing()),
        request_or_error(robot, RESTORE_STATE, Nothing()),
    )
    facts.nodes, facts.router, facts.rc, facts.subjects, facts.firmware, facts.restore = answers
    facts.drills = await request_or_error(robot, drill.STATUS, Nothing())
    facts.wagon = await request_or_error(robot, wagon.GET_STATUS, Nothing())
    facts.senders = await request_or_error(robot, livelink.LIST_SENDERS, Nothing())
    facts.health = dict(zip(DAEMONS, await asyncio.gather(*health), strict=True))
    facts.errors_logged = await _errors(robot)
    if not isinstance(robot, RemoteRobot):
        node = await health_or_error(robot, "noded")  # not a daemon of the server
        if isinstance(node, HealthReport):
            wrong = (issue.text for issue in node.issues if issue.code is Code.CONFIG_INVALID)
            facts.settings_faults += wrong
        facts.machine = await _machine()
        runtime = await asyncio.to_thread(runtime_directory, robot)
        await asyncio.to_thread(_files, facts, runtime)
    return facts


async def _errors(robot: RobotAddress) -> list[str] | None:
    """Return the error lines of the last hour; None when the log cannot be read."""
    try:
        page = await log_source(robot).page(LogQuery(level="ERROR", limit=_MOST_ERRORS))
    except SaintError:
        return None
    since_s = time.time() - _RECENT_S
    return [f"{line.source}: {line.text}" for line in page.lines if line.time >= since_s]


async def _machine() -> ComputerFacts:
    machine = await asyncio.to_thread(from_files)
    if not machine.is_device:
        return machine
    failed, active, restarts, clock, machine.links = await asyncio.gather(
        _output("systemctl", "list-units", "--failed", "--plain", "--no-legend", "--no-pager"),
        _output("systemctl", "is-active", *_WANTED_UNITS),
        _output("systemctl", "show", "--property=Id,NRestarts", "saint-*.service"),
        _output("chronyc", "-n", "tracking"),
        _output(*LINKS),
    )
    if failed is not None:
        machine.failed_units = [line.split()[0] for line in failed.splitlines() if line.strip()]
    states = (active or "").split()
    if len(states) == len(_WANTED_UNITS):
        pairs = zip(_WANTED_UNITS, states, strict=True)
        machine.active_units = {unit: state == "active" for unit, state in pairs}
    machine.restarts = {
        unit: int(count) for unit, count in re.findall(r"Id=(\S+)\nNRestarts=(\d+)", restarts or "")
    }
    found = re.search(r"Leap status\s*: (.+)", clock or "")
    machine.clock = found[1] if found else ""
    return machine


_WANTED_UNITS = ("nftables.service", "chrony.service", "systemd-networkd.service")


async def _output(*command: str) -> str | None:
    """Return what a program prints, with any exit code; None when it cannot run here."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(_COMMAND_LIMIT_S):
            out, _ = await process.communicate()
    except (OSError, TimeoutError):
        return None
    return out.decode(errors="replace")


def from_files(root: Path = Path("/")) -> ComputerFacts:
    """Read what files of the kernel and of the system say of this computer. Blocks."""
    machine = ComputerFacts(is_device=_RELEASE.exists(), now_s=time.time())
    machine.is_without_slots = f"{SYSTEM_VARIABLE}={RASPBERRY_PI_OS}" in _text(_RELEASE)
    if machine.is_device:
        _find_board(machine, root)
    machine.kernel_time_s = float((_text(root / "proc/uptime").split() or ["0"])[0])
    numbers = dict(re.findall(r"^(\w+):\s+(\d+)", _text(root / "proc/meminfo"), re.M))
    if int(numbers.get("MemTotal", 0)):
        machine.memory_free = int(numbers.get("MemAvailable", 0)) / int(numbers["MemTotal"])
    machine.load_per_core = os.getloadavg()[1] / (os.cpu_count() or 1)
    if celsius := _text(root / "sys/class/thermal/thermal_zone0/temp"):
        machine.temperature = int(celsius) / 1000
    machine.supply = system_facts.supply(root)
    for path in ("/data", "/run", "/tmp") if machine.is_device else (str(Path.cwd()),):
        usage = shutil.disk_usage(path)
        machine.disks[path] = (usage.free / usage.total, usage.free)
    machine.inside = _inside(root)
    machine.interfaces = interfaces(machine.inside)
    machine.addresses = address_status.read(address_status.path(root / "run"))
    found = re.search(r"^\S+ / \S+ (\S+)", _text(root / "proc/mounts"), re.M)
    machine.root_is_read_only = "ro" in found[1].split(",") if found else None
    machine.is_slot_damaged = (root / "run/saint-slot-damaged").exists()
    machine.is_data_lost = (root / "run/saint-data-lost").exists()
    machine.setup_problems = setup_report.read(root / "run/saint").problems
    machine.crashes = _recent(root / "data/system/crashes", machine.now_s)
    machine.waiting_requests = _names(root / "run/saint-reboot")
    return machine


def _find_board(machine: ComputerFacts, root: Path) -> None:
    compatible = _text(root / RUNNING / "compatible").strip("\0").split("\0")
    try:
        table = BoardTable.read(Directories.from_environment().share)
    except SaintError:
        return
    known = table.board(compatible)
    if not machine.is_without_slots:
        machine.board = known.name if known else ""
        return
    machine.limits = table.limits(compatible)
    machine.board = machine.limits.name if machine.limits else ""


def _inside(root: Path) -> str:
    found = re.search(r"^SAINT_DDS_INTERFACE=(\S+)", _text(root / "run/saint/machine.env"), re.M)
    return found[1] if found else os.environ.get("SAINT_DDS_INTERFACE", "")


def _files(facts: DoctorFacts, runtime: Path) -> None:
    """Find settings that no daemon can read, and state files that were set aside. A simulated
    machine has its folders beside its sockets.
    """
    is_device = facts.machine.is_device
    config = Path("/etc/saint") if is_device else runtime.parent / "config"
    state = Path("/var/lib/saint") if is_device else runtime.parent / "state"
    for path in sorted(config.glob("*.yaml")):
        try:
            found = settings.read_yaml(path.read_text(encoding="utf-8"), str(path)).data
            if path.name == "teleopd.yaml" and isinstance(found, dict) and found.get("livekit"):
                facts.is_livekit_missing = find_spec("livekit") is None
        except SaintError as err:
            facts.settings_faults.append(err.message)
        except (OSError, UnicodeDecodeError) as err:
            facts.settings_faults.append(f"{path} cannot be read: {err}")
    try:
        facts.damaged_files = sorted(str(path) for path in state.glob("*/*.damaged-*"))
    except OSError:
        facts.damaged_files = []


def _recent(folder: Path, now_s: float) -> list[str]:
    try:
        return sorted(
            path.name for path in folder.iterdir() if now_s - path.stat().st_mtime < _RECENT_S
        )
    except OSError:
        return []


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
