"""The kernel's PWM channels, /sys/class/pwm. Outputs keep their state when a process ends.

Source: Documentation/driver-api/pwm.rst (kernel), "Using PWMs with the sysfs interface".
"""

import os
import time
from pathlib import Path

from ...errors import Code, SaintError

ROOT = Path("/sys/class/pwm")
# BCM pin -> channel. The chip has them on GPIO18 and GPIO19 too, but saint-pwm and pwm-2chan only
# connect these two: pulses for another would leave here, at another motor.
CHANNELS = {12: 0, 13: 1}
_COUNTS = ("2", "4")  # channels of the chip: BCM2711 and older, RP1 (Pi 5)
# A Pi 5 has two chips of four channels, in either order: 1f00098000.pwm is the header's, this one
# the fan's (RP1 peripherals, 2.4).
_FAN = "1f0009c000.pwm"
_OVERLAY = "dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4"
_EXPORT_S = 1.0  # udev may need a moment to give a new channel to our group


def find_chip(root: Path = ROOT) -> tuple[Path, dict[int, int]]:
    """Find the header's PWM chip and its channel for each pin."""
    for chip in sorted(root.glob("pwmchip*"), key=lambda path: int(path.name[7:])):
        if _read(chip / "npwm") in _COUNTS and _FAN not in chip.resolve().parts:
            return chip, CHANNELS
    raise SaintError(
        Code.HARDWARE_MISSING,
        f"there is no kernel PWM under {root}",
        fix=f"Enable PWM in config.txt (dtoverlay=saint-pwm; on Raspberry Pi OS {_OVERLAY}) and "
        "restart.",
    )


class SysfsPwm:
    """One channel. The file of the duty stays open: a change is one pwrite."""

    def __init__(self, chip: Path, channel: int, frequency_hz: int, used_by: str) -> None:
        self._folder = chip / f"pwm{channel}"
        self._period_ns = round(1e9 / frequency_hz)
        try:
            _export(chip, channel, self._folder)
            self._start()
            self._duty = os.open(self._folder / "duty_cycle", os.O_WRONLY | os.O_CLOEXEC)
        except OSError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"{used_by}: {self._folder} cannot be opened ({err.strerror})",
            ) from err

    def set_pulse_us(self, pulse_us: float) -> None:
        self._set_ns(round(pulse_us * 1000))

    def set_duty(self, duty: float) -> None:
        self._set_ns(round(duty * self._period_ns))

    def off(self) -> None:
        """End the pulses: the line rests low."""
        self._set_ns(0)

    def pulse_us(self) -> float:
        """Read the pulse on the pin."""
        if _read(self._folder / "enable") != "1":
            return 0.0
        return int(_read(self._folder / "duty_cycle") or "0") / 1000

    def close(self) -> None:
        """Close the files; the channel keeps its state."""
        os.close(self._duty)

    def _set_ns(self, duty_ns: int) -> None:
        os.pwrite(self._duty, b"%d" % min(max(duty_ns, 0), self._period_ns), 0)

    def _start(self) -> None:
        if int(_read(self._folder / "period") or "0") != self._period_ns:
            # The kernel refuses a period below the duty, and a duty above the period.
            _write(self._folder / "duty_cycle", "0", may_fail=True)
            _write(self._folder / "period", str(self._period_ns))
        if _read(self._folder / "enable") != "1":
            _write(self._folder / "duty_cycle", "0")
            _write(self._folder / "enable", "1")


def quiet(chip: Path, channel: int) -> None:
    """End the pulses on a channel of any process; one that is not exported has none."""
    folder = chip / f"pwm{channel}"
    if folder.exists():
        _write(folder / "duty_cycle", "0", may_fail=True)  # refused while no period is set


def duties(chip: Path, channels: dict[int, int]) -> dict[int, float]:
    """Return the duty (0 to 1) by pin of every channel that runs, of any process."""
    found: dict[int, float] = {}
    for pin, channel in channels.items():
        folder = chip / f"pwm{channel}"
        period_ns = int(_read(folder / "period") or "0")
        if _read(folder / "enable") == "1" and period_ns:
            found[pin] = int(_read(folder / "duty_cycle") or "0") / period_ns
    return found


def _export(chip: Path, channel: int, folder: Path) -> None:
    if not folder.exists():
        _write(chip / "export", str(channel))
    deadline_s = time.monotonic() + _EXPORT_S
    while not os.access(folder / "duty_cycle", os.W_OK) and time.monotonic() < deadline_s:
        time.sleep(0.01)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _write(path: Path, text: str, *, may_fail: bool = False) -> None:
    try:
        with path.open("r+b", buffering=0) as file:
            file.write(text.encode())
    except OSError:
        if not may_fail:
            raise
