"""Checks of the computer that saintctl runs on: files, log, clock, memory, power, units, network.
Not here: what the daemons report (robot_checks.py).
"""

from datetime import UTC, datetime

from ...lib.machine.root_access import AS_ROOT
from .facts import DoctorFacts
from .result import Check, CheckResult, about, bad, good, not_here, warn

HOT, TOO_HOT = 70.0, 80.0  # a Pi slows down at 80 degrees Celsius
FEW_FREE, LITTLE_MEMORY = 0.10, 0.08
GIB = 1 << 30
MUCH_FREE = 4 * GIB  # three releases, however large the disk is
EARLIEST_YEAR = 2026  # an earlier clock was never set
MOST_RESTARTS = 3
_UNDER_VOLTAGE, _WAS_UNDER_VOLTAGE, _THROTTLED = 0x1, 0x10000, 0x4 | 0x2 | 0x8


def settings_files(facts: DoctorFacts) -> CheckResult:
    if facts.is_remote:
        return not_here("settings lie on the robot's machine")
    if facts.settings_faults:
        fix = f"Correct the line {AS_ROOT}, then restart the services."
        return bad(facts.settings_faults[0], fix)
    if facts.is_livekit_missing:
        text = "teleopd.yaml configures a LiveKit room, but the Python package livekit is missing"
        return warn(text, 'pip install "saint-os[livekit]", or remove livekit: from the file.')
    return good("all settings files can be read")


def state_files(facts: DoctorFacts) -> CheckResult:
    if facts.is_remote:
        return not_here("state lies on the robot's machine")
    if facts.damaged_files:
        text = f"set aside as damaged: {', '.join(facts.damaged_files[:3])}"
        return warn(text, "Restore a backup if something is missing; then remove these files.")
    return good("no state file was damaged")


@about("the log cannot be read", lambda facts: facts.errors_logged)
def errors(logged: list[str]) -> CheckResult:
    if len(logged) > 5:
        text = f"{len(logged)} errors in the last hour, newest: {logged[0]}"
        return warn(text, "saintctl log show --level error")
    return good(f"{len(logged)} errors in the last hour")


def clock(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.now_s:
        return not_here("the clock of another machine")
    if datetime.fromtimestamp(machine.now_s, UTC).year < EARLIEST_YEAR:
        return bad("the clock was never set", "Connect the server to the internet for a minute.")
    return good("the clock was set")


def time_sync(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.is_device:
        return not_here("no device")
    if machine.clock not in ("Normal", "Insert second", "Delete second"):
        status = machine.clock or "chrony does not answer"
        fix = "Without the internet nodes still follow the server: chronyc sources"
        return warn(f"the time is not synchronized ({status})", fix)
    return good("the time is synchronized")


@about("not known here", lambda facts: facts.machine.memory_free)
def memory(free: float) -> CheckResult:
    if free < LITTLE_MEMORY:
        return warn(f"{free:.0%} of the memory is free", "Restart the server.")
    return good(f"{free:.0%} of the memory is free")


@about("not known here", lambda facts: facts.machine.load_per_core)
def load(per_core: float) -> CheckResult:
    if per_core > 1.5:
        return warn(f"{per_core:.1f} programs wait for each processor core", "top shows which.")
    return good("the processor has spare capacity")


@about("this machine has no thermometer", lambda facts: facts.machine.temperature)
def temperature(celsius: float) -> CheckResult:
    if celsius >= TOO_HOT:
        return bad(
            f"{celsius:.0f} °C: the processor slows down", "Improve cooling: air or a heat sink."
        )
    if celsius >= HOT:
        return warn(f"{celsius:.0f} °C", "Improve cooling: air or a heat sink.")
    return good(f"{celsius:.0f} °C")


def power(facts: DoctorFacts) -> CheckResult:
    supply = facts.machine.supply
    if not supply.is_reported:
        return not_here("this kernel does not report it")
    bits = supply.throttled or 0
    fix = "Use the supply made for this Pi, with a short cable."
    if supply.is_low or bits & _UNDER_VOLTAGE:
        return bad("the supply voltage is too low now", fix)
    if bits & _WAS_UNDER_VOLTAGE:
        return warn("the supply voltage was too low since the start", fix)
    if bits & _THROTTLED:
        return warn("the processor is slowed down", "Improve cooling, or use a stronger supply.")
    return good("the supply is strong enough")


def disk(facts: DoctorFacts) -> CheckResult:
    disks = facts.machine.disks.items()
    low = [path for path, (share, free) in disks if share < FEW_FREE and free < MUCH_FREE]
    if not facts.machine.disks:
        return not_here("the disk of another machine")
    if low:
        share, free = facts.machine.disks[low[0]]
        text = f"{low[0]} has {share:.0%} left ({free / GIB:.1f} GiB)"
        return bad(text, "Delete unneeded releases: saintctl firmware remove")
    return good("there is enough free space")


@about("no systemd here", lambda facts: facts.machine.failed_units)
def failed_units(failed: list[str]) -> CheckResult:
    if failed:
        return bad(f"failed: {', '.join(failed)}", f"systemctl status {failed[0]}")
    return good("no unit has failed")


def unit_restarts(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.is_device:
        return not_here("no device")
    shaky = {u: n for u, n in machine.restarts.items() if n > MOST_RESTARTS}
    if shaky:
        unit, count = max(shaky.items(), key=lambda each: each[1])
        fix = f"saintctl log show --source {unit.removeprefix('saint-').removesuffix('.service')}"
        return warn(f"{unit} was restarted {count} times", fix)
    return good("daemons run without restarts")


def unit(unit: str, text: str, fix: str) -> Check:
    def check(facts: DoctorFacts) -> CheckResult:
        is_active = facts.machine.active_units.get(unit)
        if is_active is None:
            return not_here("no device")
        return good(text) if is_active else bad(f"{unit} does not run", fix)

    return check


def inside(facts: DoctorFacts) -> CheckResult:
    name = facts.machine.inside
    if facts.is_remote or not name:
        return not_here("no interface is set for the robot's network")
    card = next((card for card in facts.machine.interfaces if card.name == name), None)
    if card is None:
        fix = "Set network.internal in saint.yaml to an existing interface: ip link"
        return bad(f"there is no network interface {name}", fix)
    if not card.is_up:
        return bad(f"{name} has no link", "Connect the robot's switch or a node.")
    return good(f"{name} is up")


def addresses(facts: DoctorFacts) -> CheckResult:
    status = facts.machine.addresses
    if not status.state:
        return not_here("this machine gives no addresses")
    if status.text:
        state = warn if status.state == "serving" else bad
        return state(status.text, status.fix)
    return good(_ADDRESSES.get(status.state, status.state))


_ADDRESSES = {
    "serving": "nodes get addresses from this server, which is the only one",
    "looking": "looks for another DHCP server before it gives addresses",
    "no_link": "gives no addresses while nothing is plugged in",
}


def address(facts: DoctorFacts) -> CheckResult:
    if facts.is_remote or not facts.machine.interfaces:
        return not_here("the network of another machine")
    cards = [c for c in facts.machine.interfaces if c.place != "own" and c.is_up]
    if not any(card.addresses for card in cards):
        return bad("no network interface has an address", "networkctl status shows why.")
    return good(", ".join(c.addresses[0] for c in cards if c.addresses))


def root(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.is_device or machine.root_is_read_only is None:
        return not_here("no device")
    if machine.is_slot_damaged:
        text = "a block of the running slot is not what the release holds: the card is failing"
        return bad(text, "Install a release, which writes the other slot; then replace the card.")
    if machine.is_without_slots:
        return not_here("Raspberry Pi OS has one root, which is writable")
    if not machine.root_is_read_only:
        text = "the running slot is writable"
        return warn(text, "Restart: the next update discards changes made by hand anyway.")
    return good("the running slot is read-only")


def board(facts: DoctorFacts) -> CheckResult:
    """Judge whether this is a board of the table. With Raspberry Pi OS the table says what works;
    what does not is a limit, not a fault."""
    machine = facts.machine
    if machine.board is None:
        return not_here("no device")
    if not machine.board:
        text = "this board is in no table: nothing about it is known to work"
        return warn(text, "Use a board of image/README.md or image/pi-gen/README.md.")
    return good(machine.limits.sentence if machine.limits else f"{machine.board} is in the table")


def data(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.is_device:
        return not_here("no device")
    if machine.is_without_slots:
        return not_here("on Raspberry Pi OS /data is a folder")
    if machine.is_data_lost:
        fix = "Use a new card and restore a backup."
        return bad(
            "the data partition cannot be mounted: settings are lost at the next restart", fix
        )
    return good("the data partition is mounted")


def setup(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.is_device:
        return not_here("no device")
    if machine.setup_problems:
        return warn(machine.setup_problems[0], "Correct saint.yaml on the boot partition.")
    return good("saint.yaml was applied")


def crashes(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.is_device:
        return not_here("no device")
    if machine.crashes:
        text = f"crash reports of the last hour: {', '.join(machine.crashes[:3])}"
        return warn(text, f"cat /data/system/crashes/{machine.crashes[0]}")
    return good("nothing crashed in the last hour")


def requests(facts: DoctorFacts) -> CheckResult:
    machine = facts.machine
    if not machine.is_device:
        return not_here("no device")
    if machine.waiting_requests:
        fix = "systemctl status saint-reboot.path"
        return warn(f"pending requests: {', '.join(machine.waiting_requests)}", fix)
    return good("no restart is pending")
