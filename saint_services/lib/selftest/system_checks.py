"""Judges board, kernel, device tree, supply, temperature and watchdog. Pure."""

from collections.abc import Sequence

from ..api.selftest import SelfTestCheck
from ..machine.device_tree import DeviceTree
from .boards import BoardLimits, HeaderPart, PiOsBoard, SupportedBoard
from .result import failed, passed, skipped
from .system_facts import KernelFacts, SupplyFacts, SystemFacts, WatchdogFacts

HOTTEST_C = 80.0  # from here on the firmware lowers the clock (Raspberry Pi documentation)
_OOPS = 1 << 7
# Bits of get_throttled: in force, and since the start.
_LOW, _CAPPED, _THROTTLED, _WARM = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_SINCE = 16
_NO_TREE = "This computer has no device tree: it is no Raspberry Pi."
_WATCHDOG = "bcm2835"


def system(
    facts: SystemFacts, board: SupportedBoard | None, newer: PiOsBoard | None = None
) -> list[SelfTestCheck]:
    """Judge all but the device tree. `newer`: a board that needs Raspberry Pi OS."""
    return [
        board_of(facts, board, newer),
        kernel(facts.kernel),
        supply(facts.supply),
        temperature(facts.temperature_c, facts.supply),
        watchdog(facts.watchdog) if facts.compatible else skipped("watchdog", _NO_TREE),
    ]


def functions(facts: SystemFacts, limits: BoardLimits | None) -> list[SelfTestCheck]:
    """Say what works on this board with Raspberry Pi OS, and what does not; nothing elsewhere."""
    if not facts.is_raspberry_pi_os:
        return []
    if limits is None:
        return [skipped("functions", "For this board nothing is known.")]
    return [passed("functions", limits.sentence)]


def board_of(
    facts: SystemFacts, board: SupportedBoard | None, newer: PiOsBoard | None = None
) -> SelfTestCheck:
    """Judge whether this is a board of the table."""
    if not facts.compatible:
        return skipped("board", _NO_TREE)
    model = facts.model or facts.compatible[0]
    if board:
        return passed("board", f"{model}: a board of the table, as {board.name}.")
    if newer and facts.is_raspberry_pi_os:
        return passed("board", f"{model}: a board of the table for Raspberry Pi OS.")
    if newer:
        return failed(
            "board",
            f"{model} works with Raspberry Pi OS alone.",
            "Flash it with the image of image/pi-gen.",
        )
    return failed(
        "board",
        f"{model} is not in the table of boards: nothing about it is known to work.",
        "Use a board of the table in image/README.md, or send this report.",
    )


def kernel(facts: KernelFacts) -> SelfTestCheck:
    """Judge whether the kernel finds its modules and runs without a crash."""
    if not facts.release:
        return skipped("kernel", "This system does not say which kernel runs.")
    if facts.tainted & _OOPS:
        return failed(
            "kernel",
            f"Kernel {facts.release} crashed in part since the start.",
            "Restart this machine; if that repeats, send this report with the log of the kernel.",
        )
    if not facts.has_modules:
        return failed(
            "kernel",
            f"Kernel {facts.release} runs without its modules: drivers are missing.",
            "Write the card again: kernel and system are of different releases.",
        )
    return passed("kernel", f"Kernel {facts.release} and its modules.")


def device_tree(
    tree: DeviceTree, header: Sequence[HeaderPart], facts: SystemFacts, board: SupportedBoard | None
) -> SelfTestCheck:
    """Compare the header's parts in the running tree with the table."""
    if not tree.nodes:
        return skipped("device_tree", _NO_TREE)
    if facts.is_raspberry_pi_os:
        return skipped("device_tree", "Raspberry Pi OS has device trees of its own.")
    if board is None:
        return skipped("device_tree", "For this board none is known.")
    faults = [(part, fault) for part in header if (fault := _fault(tree, part))]
    wrong = [f"{part.what}: {fault}" for part, fault in faults if not part.is_optional]
    off = [part.what for part, _ in faults if part.is_optional]
    if wrong:
        needed = (part for part, _ in faults if part.overlay and not part.is_optional)
        names = sorted({part.overlay for part in needed})
        lines = ", ".join(f"dtoverlay={name}" for name in names)
        return failed(
            "device_tree",
            f"The tree of this {board.name} is not the expected one: {'; '.join(wrong)}.",
            f"Look for {lines or 'the overlays'} in config.txt of the card, or write the card "
            "again.",
        )
    text = "The header's parts are on, with their pins"
    return passed("device_tree", f"{text}; switched off: {', '.join(off)}." if off else f"{text}.")


def _fault(tree: DeviceTree, part: HeaderPart) -> str:
    """Return what is wrong with a part; empty when nothing is."""
    if part.node not in tree.nodes:
        return "it is missing"
    if not tree.is_on(part.node):
        return "it is off"
    if part.alias and tree.alias(part.alias) != part.node:
        return f"{part.alias} is another"
    pins = tree.pins(part.node)
    if part.pins and pins != part.pins:
        have = ", ".join(f"GPIO{pin}" for pin in sorted(pins)) or "none"
        return f"its pins are {have}"
    return ""


def supply(facts: SupplyFacts) -> SelfTestCheck:
    """Judge the supply's voltage."""
    if not facts.is_reported:
        text = "This kernel does not report the voltage."  # Debian's; Raspberry Pi's does
        fix = "Measure it between pins 2 and 6 while motors move: below 4.75 V it is too low."
        return skipped("supply", text, fix)
    fix = "Use a supply for this board (5 V and 3 A for a Pi 4) and a short, thick cable."
    bits = facts.throttled or 0
    if facts.is_low or bits & _LOW:
        return failed("supply", "The voltage is too low now: the board may restart.", fix)
    if bits & _LOW << _SINCE:
        text = "The voltage was too low since the start: the board may restart when motors move."
        return failed("supply", text, fix)
    if facts.throttled is None:
        return passed("supply", "The voltage is high enough now; its past is not reported.")
    return passed("supply", "The voltage was high enough since the start.")


def temperature(celsius: float | None, facts: SupplyFacts) -> SelfTestCheck:
    """Judge the processor's temperature and whether its clock was lowered for it."""
    if celsius is None:
        return skipped("temperature", "This kernel does not report the temperature.")
    fix = "Mount a heat sink or a fan; give the case openings."
    if celsius >= HOTTEST_C:
        text = f"The processor has {celsius:.0f} °C; from {HOTTEST_C:.0f} °C on its clock falls."
        return failed("temperature", text, fix)
    bits = facts.throttled or 0
    slowed = _CAPPED | _THROTTLED | _WARM
    is_low = bool(bits & (_LOW | _LOW << _SINCE))  # a low voltage lowers the clock too
    if bits & (slowed | slowed << _SINCE) and not is_low:
        text = f"The clock was lowered for heat since the start; {celsius:.0f} °C now."
        return failed("temperature", text, fix)
    return passed("temperature", f"The processor has {celsius:.0f} °C.")


def watchdog(facts: WatchdogFacts) -> SelfTestCheck:
    """Judge whether a hardware watchdog is armed."""
    if not facts.identity:
        return failed(
            "watchdog",
            "There is no watchdog: a machine that hangs stays so.",
            "The module bcm2835_wdt is missing: write the card again.",
        )
    if _WATCHDOG not in facts.identity.lower():
        return failed(
            "watchdog",
            f"The watchdog is {facts.identity}, not the Pi's own.",
            "Remove the module of the other watchdog.",
        )
    if facts.state != "active":
        return failed(
            "watchdog",
            "The watchdog is there, and nothing feeds it: a machine that hangs stays so.",
            "RuntimeWatchdogSec=15 is missing in systemd's settings: write the card again.",
        )
    limit = f" after {facts.timeout_s} s" if facts.timeout_s else ""
    return passed("watchdog", f"The watchdog restarts a machine that hangs{limit}.")
