"""Draws a node's header with letters, and formats findings and devices as table rows."""

from collections.abc import Iterable, Sequence

from ...lib.api.adoption import Peripheral
from ...lib.api.hardware import HardwareFinding, HeaderPinState
from ..console import dot

_SIGNS = {
    "power": "+", "ground": "G", "i2c": "I", "spi": "S", "uart": "U", "pwm": "P", "output": "O",
    "input": "N",
}  # fmt: skip
_LEGEND = "+ power  G ground  I I2C  S SPI  U serial  P PWM  O output  N input"
_VERDICTS = {"found": "found", "missing": "missing", "taken": "in use", "unknown": "unknown"}


def header(pins: Sequence[HeaderPinState]) -> list[str]:
    """Return two pins per line, odd numbers at the left, as on the board."""
    texts = [_text(pin) for pin in pins]
    width = max(map(len, texts[::2]), default=0)
    lines = []
    for left, right in zip(pins[::2], pins[1::2], strict=False):
        here, there = texts[left.number - 1], texts[right.number - 1]
        middle = f"{left.number:>2} [{_sign(left)}][{_sign(right)}] {right.number:<2}"
        lines.append(f"{here:>{width}}  {middle}  {there}".rstrip())
    return [*lines, "", _LEGEND]


def _sign(pin: HeaderPinState) -> str:
    is_idle = pin.direction == "input" and not pin.in_use
    return " " if is_idle else _SIGNS.get(pin.direction, "?")


def _text(pin: HeaderPinState) -> str:
    """Return a pin's use, state and name: "pan, PWM 7 %: GPIO12"."""
    parts = [pin.used_by] if pin.in_use and pin.used_by else []
    state = pin.current_state
    if state.startswith("pwm_"):
        parts.append(f"PWM {state.removeprefix('pwm_')} %")
    elif pin.in_use and state != "unknown":
        parts.append(state)
    if not parts and pin.direction in ("i2c", "spi", "uart"):
        parts = pin.alternates[:1]
    name = pin.pin_name
    if not parts:
        return name
    text = ", ".join(parts)
    return f"{text}: {name}" if pin.number % 2 else f"{name}: {text}"


def does_not_answer(device: Peripheral) -> bool:
    """Return True for a device that should answer but does not; SPI devices never answer."""
    return not device.responsive and device.type != "spi"


def device_rows(devices: Iterable[Peripheral]) -> list[tuple[str, str, str, str]]:
    return [
        (
            dot(not does_not_answer(d)),
            d.type,
            d.address,
            d.description + ", does not answer" * does_not_answer(d),
        )
        for d in devices
    ]


def finding_rows(findings: Iterable[HardwareFinding]) -> list[tuple[str, str, str, str]]:
    """Return what a role needs, missing items first."""
    faults = ("missing", "taken")
    rows = sorted(findings, key=lambda finding: finding.verdict not in faults)
    return [
        (dot(f.verdict not in faults), f.name, f.what, f"{_VERDICTS[f.verdict]}: {f.text}")
        for f in rows
    ]
