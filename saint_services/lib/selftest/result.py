"""The checks by name, in the order of the report, and how a result is made. Pure."""

from collections.abc import Iterable
from typing import Final

from ..api.selftest import CheckState, SelfTestCheck

TITLES: Final = {
    "board": "Board",
    "functions": "What works on it",
    "kernel": "Kernel",
    "device_tree": "Device tree",
    "supply": "Power supply",
    "temperature": "Temperature",
    "watchdog": "Watchdog",
    "card": "Card",
    "card_speed": "Card speed",
    "ethernet": "Ethernet",
    "wifi": "Wi-Fi",
    "pins": "Header pins",
    "i2c0": "I2C 0 (pins 27, 28)",
    "i2c1": "I2C 1 (pins 3, 5)",
    "spi": "SPI 0 (pins 19 to 26)",
    "serial": "Serial line (pins 8, 10)",
    "pwm": "PWM (pins 32, 33)",
    "camera": "Camera",
    "sound": "Microphone and loudspeaker",
    "serial_jumper": "Serial line, with a wire",
    "pwm0_jumper": "PWM 0, with a wire",
    "pwm1_jumper": "PWM 1, with a wire",
}
WORDS: Final[dict[CheckState, str]] = {
    "passed": "pass",
    "failed": "fail",
    "not_connected": "not connected",
    "skipped": "skipped",
}


def passed(name: str, text: str) -> SelfTestCheck:
    """Return a check that found what it should."""
    return _made(name, "passed", text, "")


def failed(name: str, text: str, fix: str) -> SelfTestCheck:
    """Return a check that found a fault; `fix` says what to do."""
    return _made(name, "failed", text, fix)


def not_connected(name: str, text: str, fix: str = "") -> SelfTestCheck:
    """Return a check of a part that works as far as it goes, with nothing at its other end."""
    return _made(name, "not_connected", text, fix)


def skipped(name: str, text: str, fix: str = "") -> SelfTestCheck:
    """Return a check that was not made, with the reason."""
    return _made(name, "skipped", text, fix)


def in_order(checks: Iterable[SelfTestCheck]) -> list[SelfTestCheck]:
    """Return the checks in the order of the report; of two with one name the later counts."""
    by_name = {check.name: check for check in checks}
    return [by_name[name] for name in TITLES if name in by_name]


def _made(name: str, state: CheckState, text: str, fix: str) -> SelfTestCheck:
    return SelfTestCheck(name=name, title=TITLES[name], state=state, text=text, fix=fix)
