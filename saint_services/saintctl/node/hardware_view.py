"""A node's header drawn with letters, and what was found on it as rows of a table. Pure."""

from collections.abc import Iterable, Sequence

from ...lib.api.adoption import Peripheral
from ...lib.api.hardware import HardwareFinding, HeaderPinState
from ..console import dot

_SIGNS = {
    "power": "+", "ground": "G", "i2c": "I", "spi": "S", "uart": "U", "pwm": "P", "output": "O",
    "input": "N",
}  # fmt: skip
_LEGEND = "+ power  G ground  I I2C  S SPI  U serial  P PWM  O output  N input"
_VERDICTS = {"found": "found", "missing": "missing", "taken": "taken", "unknown": "cannot tell"}


def header(pins: Sequence[HeaderPinState]) -> list[str]:
    """Two pins a line, odd ones at the left, as on the board."""
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
    """ "pan, PWM 7 %: GPIO12" """
    told = [pin.used_by] if pin.in_use and pin.used_by else []
    state = pin.current_state
    if state.startswith("pwm_"):
        told.append(f"PWM {state.removeprefix('pwm_')} %")
    elif pin.in_use and state != "unknown":
        told.append(state)
    if not told and pin.direction in ("i2c", "spi", "uart"):
        told = pin.alternates[:1]
    name = pin.pin_name
    if not told:
        return name
    text = ", ".join(told)
    return f"{text}: {name}" if pin.number % 2 else f"{name}: {text}"


def is_silent(device: Peripheral) -> bool:
    """On SPI nobody answers who is there: that is no fault."""
    return not device.responsive and device.type != "spi"


def device_rows(devices: Iterable[Peripheral]) -> list[tuple[str, str, str, str]]:
    """What answers, and what does not any more."""
    return [
        (dot(not is_silent(d)), d.type, d.address, d.description + ", silent" * is_silent(d))
        for d in devices
    ]


def finding_rows(findings: Iterable[HardwareFinding]) -> list[tuple[str, str, str, str]]:
    """What a role needs, what is missing first."""
    amiss = ("missing", "taken")
    rows = sorted(findings, key=lambda finding: finding.verdict not in amiss)
    return [
        (dot(f.verdict not in amiss), f.name, f.what, f"{_VERDICTS[f.verdict]}: {f.text}")
        for f in rows
    ]
