"""GPIO lines against a stand-in for libgpiod 2 (the library itself needs GPIO hardware)."""

import asyncio
import errno
import os
import types
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.pins.gpiod_pins import GpiodPins
from tests.waiting import stays, until


class Request:
    """Requested lines; edges are what the test writes into its pipe."""

    def __init__(self, config: dict[tuple[int, ...], Any]) -> None:
        ((self.pins, self.settings),) = config.items()
        self.values = dict.fromkeys(self.pins, "inactive")
        self.events: list[Any] = []
        self.fd, self._write = os.pipe()
        os.set_blocking(self.fd, False)
        self.is_released = False

    def edge(self, pin: int, kind: str) -> None:
        self.events.append(types.SimpleNamespace(line_offset=pin, event_type=kind, timestamp_ns=7))
        os.write(self._write, b"x")

    def read_edge_events(self) -> list[Any]:
        os.read(self.fd, 100)
        events, self.events = self.events, []
        return events

    def get_value(self, pin: int) -> str:
        return self.values[pin]

    def set_value(self, pin: int, value: str) -> None:
        self.values[pin] = value

    def release(self) -> None:
        self.is_released = True


class Chip:
    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> "Chip":
        return self

    def __exit__(self, *_: object) -> None: ...

    def get_info(self) -> Any:
        label = "pinctrl-rp1" if self.path.endswith("gpiochip4") else "gpio-brcmstb"
        return types.SimpleNamespace(label=label)

    def get_line_info(self, pin: int) -> Any:
        used = pin == 5
        return types.SimpleNamespace(
            direction="output" if used else "input", used=used, consumer="left_motor" * used
        )


class Library:
    """The parts of the module that we use."""

    line = types.SimpleNamespace(
        Direction=types.SimpleNamespace(OUTPUT="output", INPUT="input"),
        Value=types.SimpleNamespace(ACTIVE="active", INACTIVE="inactive"),
        Edge=types.SimpleNamespace(BOTH="both"),
        Bias=types.SimpleNamespace(PULL_UP="up", PULL_DOWN="down", AS_IS="as_is"),
    )
    EdgeEvent = types.SimpleNamespace(Type=types.SimpleNamespace(RISING_EDGE="rising"))
    Chip = Chip
    LineSettings = types.SimpleNamespace

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.error: OSError | None = None

    def request_lines(self, path: str, **options: Any) -> Request:
        if self.error:
            raise self.error
        assert path.endswith("gpiochip4")
        self.requests.append(Request(options["config"]))
        return self.requests[-1]


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    for number in (0, 4):
        (tmp_path / f"gpiochip{number}").touch()
    return tmp_path


def test_output_drives_its_line(devices: Path) -> None:
    library = Library()
    pin = GpiodPins(library, devices).output(5, "left_motor")
    (request,) = library.requests
    assert request.settings.output_value == "inactive"
    pin.set(True)
    assert request.values == {5: "active"}
    pin.close()
    assert request.is_released


@pytest.mark.parametrize(
    ("high", "level", "bias"), [(False, "inactive", "down"), (True, "active", "up")]
)
def test_output_that_is_released_is_pulled_to_its_rest_level(
    devices: Path, high: bool, level: str, bias: str
) -> None:
    library = Library()
    GpiodPins(library, devices).output(5, "pump", high=high)
    (request,) = library.requests
    assert (request.settings.output_value, request.settings.bias) == (level, bias)


def test_busy_line_is_named(devices: Path) -> None:
    library = Library()
    library.error = OSError(errno.EBUSY, "Device or resource busy")
    with pytest.raises(SaintError, match="left_encoder: GPIO17, GPIO27 .*busy") as caught:  # noqa: RUF043
        GpiodPins(library, devices).edges((17, 27), "left_encoder")
    assert caught.value.code is Code.HARDWARE_MISSING


def test_computer_without_header_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="no GPIO chip of a Raspberry Pi"):
        GpiodPins(Library(), tmp_path)


async def test_edges_of_all_lines_arrive_in_order(devices: Path) -> None:
    library = Library()
    pins = await asyncio.to_thread(GpiodPins, library, devices)
    edges = pins.edges((17, 27), "left_encoder")
    (request,) = library.requests
    assert (request.pins, request.settings.bias) == ((17, 27), "as_is")
    assert edges.levels() == {17: False, 27: False}
    received: list[tuple[int, bool, int]] = []
    edges.listen(lambda *edge: received.append(edge))
    for pin, kind in ((17, "rising"), (27, "rising"), (17, "falling")):
        request.edge(pin, kind)
    await until(lambda: len(received) == 3)
    assert received == [(17, True, 7), (27, True, 7), (17, False, 7)]
    edges.close()
    request.edge(27, "falling")
    await stays(lambda: len(received) == 3, 0.02)


def test_header_is_reported_as_the_kernel_knows_it(devices: Path) -> None:
    pins = GpiodPins(Library(), devices).report()
    assert (pins[5].direction, pins[5].in_use, pins[5].used_by) == ("output", True, "left_motor")
    assert (pins[2].direction, pins[2].in_use) == ("i2c", False)
