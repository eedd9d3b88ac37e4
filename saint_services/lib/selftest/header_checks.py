"""Judges the header: who holds its pins, which buses are there and what answers on them. Pure. Not
here: tests that drive a pin (serial_loop.py, pwm_loop.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..api.selftest import SelfTestCheck
from ..generated.saint_msgs import PeripheralInfo
from ..hw.buses.held_low import CHECK_WIRES
from ..hw.pins.header import HEADER_UART, PINS
from .header_facts import HeaderFacts, SerialFacts
from .result import failed, not_connected, passed, skipped
from .situation import NODE_BUTTON, PLAIN_PIN, Situation


@dataclass(frozen=True, slots=True)
class ConfigLines:
    """What switches each part on in config.txt."""

    i2c: str
    spi: str
    serial: str
    pwm: str
    has_i2c0: bool = True


OURS = ConfigLines(
    "dtoverlay=saint-buses", "dtoverlay=saint-spi", "dtoverlay=saint-uart", "dtoverlay=saint-pwm"
)
RASPBERRY_PI_OS = ConfigLines(  # image/pi-gen/config.txt
    "dtparam=i2c_arm=on",
    "dtparam=spi=on",
    "dtoverlay=disable-bt (Pi 5: dtparam=uart0=on)",
    "dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4",
    has_i2c0=False,
)
_AGAIN = "Write the card again, or send this report."
_GUARD = "saint-guard"
_WITHOUT_PARITY = ("8250", "aux-uart")  # the mini UART
_OURS = {NODE_BUTTON, _GUARD, "SPI0"}


def header(facts: HeaderFacts, here: Situation, lines: ConfigLines = OURS) -> list[SelfTestCheck]:
    """Judge everything that is read without driving a pin."""
    return [
        pins(facts, here),
        i2c("i2c0", 0, facts, here, lines),
        i2c("i2c1", 1, facts, here, lines),
        spi(facts, lines),
        serial(facts.serial, here, lines),
        pwm(facts, lines),
    ]


def pins(facts: HeaderFacts, here: Situation) -> SelfTestCheck:
    """Judge whether the kernel has the pins, and whether someone holds a role's."""
    if facts.pins_problem or not facts.pins:
        problem = facts.pins_problem or "no pin is reported"
        fix = f"Is this a Raspberry Pi? {_AGAIN}"
        return failed("pins", f"The pins cannot be used: {problem}.", fix)
    held = {pin.pin_number: pin.used_by or "another program" for pin in facts.pins if pin.in_use}
    for bcm, role in here.pins.items():
        holder = held.get(bcm, "")
        if here.is_role_alive and holder and holder not in _OURS and holder not in role:
            text = f"GPIO{bcm} of {role} is held by {holder}: the role cannot use it."
            return failed("pins", text, "End the other program, or move the role's pin.")
    users = "; ".join(f"{_listed(bcms)} by {user}" for user, bcms in _by_user(held).items())
    free = PINS - len(held)
    return passed("pins", f"{free} pins are free; used: {users}." if users else "All are free.")


def _by_user(held: Mapping[int, str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for bcm, user in sorted(held.items()):
        found.setdefault(user, []).append(bcm)
    return found


def _listed(bcms: Sequence[int]) -> str:
    return ", ".join(f"GPIO{bcm}" for bcm in bcms)


def i2c(
    name: str, bus: int, facts: HeaderFacts, here: Situation, lines: ConfigLines = OURS
) -> SelfTestCheck:
    """Judge one bus and list what answers on it."""
    if bus not in facts.buses and bus == 0 and not lines.has_i2c0:
        return skipped(name, "Raspberry Pi OS keeps this bus for cameras and displays.")
    if bus not in facts.buses:
        fix = f"Look for {lines.i2c} in config.txt of the card. {_AGAIN}"
        return failed(name, f"/dev/i2c-{bus} is missing: this bus does not work.", fix)
    if user := here.buses.get(bus):
        text = f"Not probed: {user} uses it."
        return skipped(name, text, "The role itself reports a chip that does not answer.")
    if not facts.is_probed:
        text = "Not probed: a role works on the buses of this machine."
        return skipped(name, text, "Test before a role is adopted, or after a reset of the node.")
    if facts.probe_problem:
        return failed(name, f"The bus cannot be probed: {facts.probe_problem}.", _AGAIN)
    found = [each for each in facts.peripherals if _bus_of(each) == bus]
    for each in found:
        if not each.responsive:
            fix = f"{CHECK_WIRES.capitalize()}; unplug one chip after the other to find it."
            fix = f"{fix} {PLAIN_PIN}"
            return failed(name, f"I2C {bus}: {each.description}.", fix)
    if not found:
        text = "The bus works, no chip answers."
        fix = "For a chip that is there: check SDA, SCL, 3.3 V, ground."
        return not_connected(name, text, f"{fix} {PLAIN_PIN}")
    chips = ", ".join(f"{each.address.partition(':')[2]} {each.description}" for each in found)
    return passed(name, f"Answering: {chips}.")


def _bus_of(found: PeripheralInfo) -> int | None:
    number = found.address.partition(":")[0]
    return int(number) if found.type == "i2c" and number.isdecimal() else None


def spi(facts: HeaderFacts, lines: ConfigLines = OURS) -> SelfTestCheck:
    """Judge whether both chip selects are there."""
    count = len(facts.spi_selects)
    if count == 2:
        return passed("spi", "Both chip selects are there; SPI cannot detect a chip.")
    if count == 0 and facts.is_spi_on:
        text = "SPI is on, and /dev/spidev0.0 and 0.1 are missing: its driver did not start."
        return failed("spi", text, "Send this report with the log of the kernel.")
    if count == 0:
        text = "SPI is off; its pins are free for other uses."
        return skipped("spi", text, f"{lines.spi} in config.txt switches it on.")
    fix = f"Another overlay may hold it: look into config.txt of the card. {_AGAIN}"
    return failed("spi", f"Chip select {1 - facts.spi_selects[0]} is missing.", fix)


def serial(facts: SerialFacts, here: Situation, lines: ConfigLines = OURS) -> SelfTestCheck:
    """Judge whether the header has the serial line with parity, for programs alone."""
    if not facts.is_there:
        fix = f"Look for {lines.serial} in config.txt of the card. {_AGAIN}"
        return failed("serial", f"{HEADER_UART} is missing: the line does not work.", fix)
    if any(name in facts.driver for name in _WITHOUT_PARITY):
        text = f"{HEADER_UART} is run by {facts.driver}, which has no parity: SBUS does not work."
        fix = f"Look for {lines.serial} in config.txt."
        return failed("serial", text, fix)
    if facts.is_console:
        text = f"The kernel writes its messages to {HEADER_UART}."
        fix = "Remove console=ttyAMA0 from the kernel's command line (boot.env, cmdline.txt)."
        return failed("serial", text, fix)
    user = here.devices.get(f"the serial line {HEADER_UART}", "")
    return passed("serial", f"{HEADER_UART} is there" + (f", used by {user}." if user else "."))


def pwm(facts: HeaderFacts, lines: ConfigLines = OURS) -> SelfTestCheck:
    """Judge whether the hardware channels are there and may be used."""
    if facts.pwm_problem:
        fix = f"Look for {lines.pwm} in config.txt of the card. {_AGAIN}"
        return failed("pwm", f"{facts.pwm_problem}.", fix)
    if not facts.pwm_pins:
        return passed("pwm", "pigpiod has pulses for every pin.")
    return passed("pwm", f"Channels for {_listed(facts.pwm_pins)}.")
