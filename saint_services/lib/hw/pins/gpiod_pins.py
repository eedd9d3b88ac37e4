"""Digital pins by libgpiod 2 (Debian package python3-libgpiod, from Debian 13 on).

The kernel delivers the edges of one request in the order in which they happened, also over several
lines; that is why both lines of an encoder are one request.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import Code, SaintError
from ...generated.saint_msgs import GPIOPin
from ...guard.ports import HEADER_CHIPS, rest_bias
from ..ports import EdgeCallback
from .header import PINS, function_of, pin_name

_EVENT_BUFFER = 1024  # edges; 80 ms of one encoder at full speed


def library() -> Any:
    """Import the gpiod module. Raises SaintError when it is missing or too old."""
    try:
        import gpiod
    except ImportError as err:
        raise _missing("the Python module gpiod is not installed") from err
    if not hasattr(gpiod, "request_lines"):
        raise _missing("the Python module gpiod is older than version 2")
    library: Any = gpiod
    return library


class GpiodPins:
    """Opens the lines of the header."""

    def __init__(self, gpiod: Any, devices: Path = Path("/dev")) -> None:
        self._gpiod = gpiod
        self._line = gpiod.line
        self.path = self._find(devices)
        self._outputs: dict[int, GpiodOutput] = {}

    def output(self, pin: int, used_by: str, *, high: bool = False) -> "GpiodOutput":
        """Request an output line at that level, its rest."""
        values = self._line.Value
        settings = self._gpiod.LineSettings(
            direction=self._line.Direction.OUTPUT,
            output_value=values.ACTIVE if high else values.INACTIVE,
            bias=getattr(self._line.Bias, rest_bias(high).name),
        )
        request = self._request((pin,), settings, used_by)
        self._outputs[pin] = GpiodOutput(request, pin, self._line.Value)
        return self._outputs[pin]

    def descriptor(self, pin: int) -> int | None:
        """Return the descriptor of the request that drives a line, or None."""
        output = self._outputs.get(pin)
        return output.descriptor if output else None

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> "GpiodEdges":
        """Request input lines with edges."""
        settings = self._gpiod.LineSettings(
            direction=self._line.Direction.INPUT,
            edge_detection=self._line.Edge.BOTH,
            bias=self._line.Bias.PULL_UP if pull_up else self._line.Bias.AS_IS,
        )
        return GpiodEdges(self._request(tuple(pins), settings, used_by), tuple(pins), self._gpiod)

    def report(self) -> list[GPIOPin]:
        """Report the header's lines as the kernel knows them."""
        with self._gpiod.Chip(self.path) as chip:
            return [self._report(chip.get_line_info(pin), pin) for pin in range(PINS)]

    def _report(self, info: Any, pin: int) -> GPIOPin:
        is_output = info.direction == self._line.Direction.OUTPUT
        direction = "output" if is_output else function_of(pin)
        return GPIOPin(
            pin, pin_name(pin), direction, "unknown", bool(info.used), str(info.consumer or "")
        )

    def _find(self, devices: Path) -> str:
        for path in sorted(devices.glob("gpiochip*")):
            try:
                with self._gpiod.Chip(str(path)) as chip:
                    if chip.get_info().label in HEADER_CHIPS:
                        return str(path)
            except OSError:
                continue  # not ours to open; the header's chip may be the next
        raise _missing(f"no GPIO chip of a Raspberry Pi below {devices}")

    def _request(self, pins: tuple[int, ...], settings: Any, used_by: str) -> Any:
        try:
            return self._gpiod.request_lines(
                self.path,
                consumer=used_by,
                config={pins: settings},
                event_buffer_size=_EVENT_BUFFER,
            )
        except OSError as err:
            names = ", ".join(pin_name(pin) for pin in pins)
            raise SaintError(
                Code.HARDWARE_MISSING, f"{used_by}: {names} cannot be opened ({err.strerror})"
            ) from err


class GpiodOutput:
    """A requested output line."""

    def __init__(self, request: Any, pin: int, values: Any) -> None:
        self._request = request
        self._pin = pin
        self._low, self._high = values.INACTIVE, values.ACTIVE

    @property
    def descriptor(self) -> int | None:
        """Return the descriptor of the request; None once released."""
        return int(self._request.fd) if self._request else None

    def set(self, high: bool) -> None:
        self._request.set_value(self._pin, self._high if high else self._low)

    def close(self) -> None:
        """Release the line: without another holder it is an input that its pull holds at rest."""
        self._request.release()


class GpiodEdges:
    """Requested input lines."""

    def __init__(self, request: Any, pins: tuple[int, ...], gpiod: Any) -> None:
        self._request = request
        self._pins = pins
        self._active = gpiod.line.Value.ACTIVE
        self._rising = gpiod.EdgeEvent.Type.RISING_EDGE
        self._loop: asyncio.AbstractEventLoop | None = None

    def levels(self) -> dict[int, bool]:
        """Read the levels."""
        return {pin: self._request.get_value(pin) == self._active for pin in self._pins}

    def listen(self, callback: EdgeCallback) -> None:
        """Report edges from now on."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._request.fd, self._drain, callback)

    def close(self) -> None:
        """Stop reporting edges."""
        if self._loop:
            self._loop.remove_reader(self._request.fd)
        self._request.release()

    def _drain(self, callback: EdgeCallback) -> None:
        for event in self._request.read_edge_events():
            callback(event.line_offset, event.event_type == self._rising, event.timestamp_ns)


def _missing(what: str) -> SaintError:
    return SaintError(
        Code.HARDWARE_MISSING,
        what,
        fix="Install python3-libgpiod.",
    )
