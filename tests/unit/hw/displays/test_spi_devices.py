"""Lights and displays on SPI, against what goes over the wire."""

import re
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.displays.opening import open_display, open_leds
from saint_services.lib.hw.displays.ssd1306 import Ssd1306
from saint_services.lib.hw.displays.st7789 import St7789
from saint_services.lib.hw.displays.ws2812 import Ws2812
from saint_services.lib.role_config.devices import SpiDevice
from saint_services.lib.role_config.model import RoleConfig
from tools.sim.board import SimBoard
from tools.sim.chips.spi import Panel, last_sent, picture_file

LATCH_BYTES = 84  # 280 us at 2.4 MHz


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saint_services.lib.hw.displays.st7789.time.sleep", lambda seconds: None)


class Wire:
    """What is sent, and whether the data pin was high then."""

    def __init__(self) -> None:
        self.sent: list[tuple[bool, bytes]] = []
        self.level = False
        self.is_broken = False
        self.is_closed = False

    def write(self, data: bytes) -> None:
        if self.is_broken:
            raise OSError(5, "Input/output error")
        self.sent.append((self.level, bytes(data)))

    def set(self, high: bool) -> None:
        self.level = high

    def close(self) -> None:
        self.is_closed = True


def lights(data: bytes) -> list[int]:
    """The bytes that a strip understands, by the length of each pulse."""
    bits = "".join(f"{byte:08b}" for byte in data)
    pulses = re.findall("(1+)(0+)", bits)
    assert all(len(high) + len(low) == 3 for high, low in pulses[:-1])  # 1.25 us each
    values = "".join({"1": "0", "11": "1"}[high] for high, _ in pulses)
    assert len(values) % 8 == 0
    return [int(values[at : at + 8], 2) for at in range(0, len(values), 8)]


def strip(wire: Wire, **keys: Any) -> Ws2812:
    device = SpiDevice.model_validate({"bus": 0, "select": 0, "driver": "ws2812", **keys})
    return Ws2812(wire, device)


def test_known_colour_has_the_known_bits() -> None:
    wire = Wire()
    strip(wire, count=1).show([(0xFF, 0x00, 0x55)])
    data = wire.sent[0][1].strip(b"\0")
    assert data[:3] == bytes((0b10010010, 0b01001001, 0b00100100))  # green 0
    assert data[3:6] == bytes((0b11011011, 0b01101101, 0b10110110))  # red 255
    assert data[6:9] == bytes((0b10011010, 0b01101001, 0b10100110))  # blue 0x55: 01010101


@pytest.mark.parametrize(("order", "wanted"), [("grb", [2, 1, 3]), ("rgb", [1, 2, 3])])
def test_order_of_colours_is_the_strips(order: str, wanted: list[int]) -> None:
    wire = Wire()
    strip(wire, count=1, order=order).show([(1, 2, 3)])
    assert lights(wire.sent[0][1]) == wanted


def test_strip_gets_all_its_lights_and_a_latch() -> None:
    wire = Wire()
    strip(wire, count=3).show([(1, 2, 3)] * 9)
    data = wire.sent[0][1]
    assert lights(data) == [2, 1, 3] * 3
    assert data.endswith(bytes(LATCH_BYTES))
    assert data.startswith(bytes(LATCH_BYTES))
    strip(wire, count=3).show([(255, 255, 255)])
    assert lights(wire.sent[1][1]) == [255] * 3 + [0] * 6


def test_colours_stay_in_their_range() -> None:
    wire = Wire()
    strip(wire, count=1).show([(-5, 999, 10)])
    assert lights(wire.sent[0][1]) == [255, 0, 10]


def test_closed_strip_is_dark_even_if_writing_fails() -> None:
    wire = Wire()
    strip(wire, count=1).close()
    assert lights(wire.sent[0][1]) == [0, 0, 0]
    wire.is_broken = True
    with pytest.raises(OSError, match="Input/output"):
        strip(wire, count=1).close()
    assert wire.is_closed


PANEL = {"bus": 0, "select": 1, "driver": "st7789", "data_pin": 25}


def config(*, i2c: dict[str, Any] | None = None, **spi: dict[str, Any]) -> RoleConfig:
    return RoleConfig.model_validate(
        {
            "role": "console",
            "version": "1",
            "topic_prefix": "/x",
            "i2c_devices": i2c or {},
            "spi_devices": spi,
        }
    )


def opened(folder: Path, **keys: Any) -> tuple[St7789, SimBoard]:
    board = SimBoard(folder)
    wanted = config(screen={**PANEL, **keys})
    board.prepare(wanted)
    display = open_display(board, wanted)
    assert isinstance(display, St7789)
    return display, board


def dots(folder: Path, width: int, height: int) -> list[str]:
    """The panel's picture as lines of text."""
    panel = Panel(picture_file(folder, 0, 1))
    rows = ["".join("#" if panel.dot(x, y) else "." for x in range(width)) for y in range(height)]
    panel.close()
    return rows


def test_text_appears_enlarged(tmp_path: Path) -> None:
    display, _ = opened(tmp_path)
    display.show(["T", "", "", "", "", "", "", "T"])
    rows = dots(tmp_path, 240, 240)
    assert [row[:11] for row in rows[:6]] == ["##########."] * 3 + ["....##....."] * 3
    assert rows[21][:11] == "..........."  # 7 dots of 3
    assert rows[210][:11] == "##########."
    assert "#" not in "".join(row[11:] for row in rows)


def test_display_is_empty_and_on_after_opening(tmp_path: Path) -> None:
    Panel(picture_file(tmp_path, 0, 1)).write(b"\x2c", False)
    opened(tmp_path)
    panel = Panel(picture_file(tmp_path, 0, 1))
    assert panel.is_on
    assert "#" not in "".join(dots(tmp_path, 240, 240))


def test_dark_display_is_off_and_its_light_too(tmp_path: Path) -> None:
    display, board = opened(tmp_path, light_pin=24)
    assert board.bank.read(24).value == 1.0
    display.off()
    assert board.bank.read(24).value == 0.0
    assert not Panel(picture_file(tmp_path, 0, 1)).is_on


def test_row_by_row_and_only_what_changed(tmp_path: Path) -> None:
    wire = Wire()
    device = SpiDevice.model_validate(PANEL)
    display = St7789(wire, device, wire)
    wire.sent.clear()
    display.show(["a", "b"], 1)
    assert not display.is_shown
    display.show(["a", "b"], 1)
    assert display.is_shown
    assert len(wire.sent) == 2 * 6  # window, window, dots: each a command and its data
    display.show(["a", "b"])
    assert len(wire.sent) == 2 * 6
    assert max(len(data) for _, data in wire.sent) == 240 * 30 * 2


def test_commands_go_with_the_data_pin_low_and_their_data_with_it_high() -> None:
    wire = Wire()
    St7789(wire, SpiDevice.model_validate(PANEL), wire)
    assert wire.sent[:3] == [(False, b"\x01"), (False, b"\x11"), (False, b"\x3a")]
    assert wire.sent[3] == (True, b"\x55")


@pytest.mark.parametrize(
    ("size", "rotation", "columns", "rows"),
    [
        ((240, 240), 0, (0, 239), (0, 239)),
        ((240, 240), 90, (0, 239), (0, 239)),
        ((240, 240), 180, (0, 239), (80, 319)),
        ((240, 240), 270, (80, 319), (0, 239)),
        ((240, 320), 90, (0, 319), (0, 239)),
        ((135, 240), 0, (52, 186), (40, 279)),
    ],
)
def test_window_is_where_the_panel_is(
    size: tuple[int, int], rotation: int, columns: tuple[int, int], rows: tuple[int, int]
) -> None:
    wire = Wire()
    device = SpiDevice.model_validate({**PANEL, "size": size, "rotation": rotation})
    St7789(wire, device, wire)
    data = {wire.sent[at][1]: wire.sent[at + 1][1] for at in range(len(wire.sent) - 1)}
    assert data[b"\x2a"] == b"".join(end.to_bytes(2, "big") for end in columns)
    assert data[b"\x2b"] == b"".join(end.to_bytes(2, "big") for end in rows)


def test_failed_row_is_sent_again() -> None:
    wire = Wire()
    display = St7789(wire, SpiDevice.model_validate(PANEL), wire)
    wire.is_broken = True
    with pytest.raises(OSError, match="Input/output"):
        display.show(["a"])
    wire.is_broken = False
    wire.sent.clear()
    display.show(["a"])
    assert len(wire.sent) == 6


def test_panel_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    class Broken(SimBoard):
        def spi(self, bus: int, select: int, speed_hz: int) -> Any:
            wire = Wire()
            wire.is_broken = True
            return wire

    with pytest.raises(SaintError, match="screen: writing to the display failed") as caught:
        open_display(Broken(tmp_path), config(screen=PANEL))
    assert caught.value.code is Code.HARDWARE_MISSING


def test_manifest_chooses_the_display(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    small = {"display": {"bus": 1, "address": 0x3C, "driver": "ssd1306"}}
    assert isinstance(open_display(board, config(i2c=small)), Ssd1306)
    assert open_display(board, config()) is None


def test_lights_of_the_manifest_are_opened_by_name(tmp_path: Path) -> None:
    light = {"bus": 0, "select": 0, "driver": "ws2812", "count": 2}
    strips = open_leds(SimBoard(tmp_path), config(eyes=light))
    strips["eyes"].show([(1, 2, 3), (4, 5, 6)])
    assert lights(last_sent(tmp_path, 0, 0)) == [2, 1, 3, 5, 4, 6]
