"""Detects what is plugged into this computer: I2C, SPI, USB, cameras, CAN, serial lines, sound.
Reads /sys and /dev below a given root; only the I2C buses are scanned, by the caller's function.
Blocks: call it in a thread.

A name that was only guessed from an I2C address ends with a question mark. Nothing is written to
an unknown chip: a port expander would set its outputs by that.
"""

import errno
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from ..generated.saint_msgs import PeripheralInfo
from .buses.held_low import SDA_HELD_LOW, is_held_low
from .pins.header import HEADER_UART

Scan = Callable[[int, Collection[int]], list[int]]  # bus, addresses to skip -> answering

ALL_ANSWER = f"bus is stuck: {SDA_HELD_LOW}, so every address seems to answer"
ADDRESSES = range(0x08, 0x78)  # the rest is reserved (I2C specification, table 4)
_HDMI_FROM = 10  # buses from here on are HDMI's and the cameras'
_MOST = 64  # of each kind; what a cable can claim to be has a bound
_TEXT = 64  # characters
_CAN = "280"  # ARPHRD_CAN, if_arp.h
_HUB = "09"  # bDeviceClass
_SENSOR = re.compile(r"(?P<chip>\S+) (?P<place>\d+-[0-9a-f]{4})")  # "imx219 10-0010"
_USB = re.compile(r"\d+-\d+(\.\d+)*")  # not root hubs ("usb1"), not interfaces ("1-1:1.0")

CHIPS = {
    **dict.fromkeys(range(0x20, 0x28), "MCP23017 or PCF8574"),
    **dict.fromkeys(range(0x38, 0x40), "PCF8574A"),
    **dict.fromkeys(range(0x41, 0x48), "INA219 or PCA9685"),
    **dict.fromkeys(range(0x48, 0x4C), "ADS1115 or INA219"),
    **dict.fromkeys(range(0x4C, 0x50), "INA219"),
    **dict.fromkeys(range(0x50, 0x58), "EEPROM"),
    0x1E: "HMC5883L",
    0x28: "BNO055",
    0x29: "VL53L0X or TSL2561",
    0x36: "MAX17048",
    0x38: "AHT20 or PCF8574A",
    0x39: "APDS9960 or TSL2561",
    0x3C: "SSD1306",
    0x3D: "SSD1306",
    0x40: "PCA9685 or INA219",
    0x44: "SHT31 or INA219",
    0x53: "ADXL345 or EEPROM",
    0x57: "MAX30102 or EEPROM",
    0x5A: "MPR121",
    0x60: "MCP4725",
    0x68: "MPU6050 or DS3231",
    0x69: "MPU6050",
    0x70: "TCA9548A or PCA9685",
    0x76: "BMP280",
    0x77: "BMP280",
}


def discover(root: Path, scan: Scan | None = None) -> list[PeripheralInfo]:
    """Return everything that is found; without `scan` the I2C buses are left out."""
    kinds = (
        *(_i2c(root, scan), _spi(root), _usb(root), _cameras(root), _can(root), _serial(root)),
        sound_cards(root),
    )
    return [device for kind in kinds for device in kind[:_MOST]]


def _i2c(root: Path, scan: Scan | None) -> list[PeripheralInfo]:
    found = []
    for node in _entries(root / "dev", "i2c-*"):
        number = node.name.removeprefix("i2c-")
        if number.isdecimal() and int(number) < _HDMI_FROM:
            found += _bus(root, int(number), scan)
    return found


def _bus(root: Path, bus: int, scan: Scan | None) -> list[PeripheralInfo]:
    """List the chips of a bus, without addressing those that a kernel driver uses."""
    held = {}
    for entry in _entries(root / "sys/bus/i2c/devices", f"{bus}-*"):
        with suppress(ValueError):
            held[int(entry.name.partition("-")[2], 16)] = f"{_text(entry / 'name')} (kernel driver)"
    shown = [_info("i2c", _place(bus, address), text) for address, text in held.items()]
    try:
        answered = scan(bus, held) if scan else []
    except OSError as err:
        is_stuck = err.errno == errno.ETIMEDOUT
        why = "bus is stuck: SDA or SCL is held low" if is_stuck else f"{err.strerror or err}"
        return [*shown, failed_bus(bus, why)]
    if is_held_low(len(answered)):
        return [*shown, failed_bus(bus, ALL_ANSWER)]
    shown += [_info("i2c", _place(bus, address), _likely(address)) for address in answered]
    return sorted(shown, key=lambda device: device.address)


def failed_bus(bus: int, why: str) -> PeripheralInfo:
    """Return the entry of an I2C bus that does not work."""
    return _info("i2c", str(bus), why, responsive=False)


def _spi(root: Path) -> list[PeripheralInfo]:
    """List the chip selects; SPI has no acknowledge, so a free one shows nothing more."""
    found = []
    for entry in _entries(root / "sys/bus/spi/devices", "spi*"):
        chip = _text(entry / "modalias").removeprefix("spi:")
        is_driven = (entry / "driver").exists() and chip != "spidev"
        text = f"{chip} (kernel driver)" if is_driven else "chip select; SPI cannot detect a chip"
        found.append(_info("spi", entry.name.removeprefix("spi"), text, responsive=is_driven))
    return found


def _usb(root: Path) -> list[PeripheralInfo]:
    found = []
    for entry in _entries(root / "sys/bus/usb/devices", "*"):
        if not _USB.fullmatch(entry.name) or _text(entry / "bDeviceClass") == _HUB:
            continue
        number = f"{_text(entry / 'idVendor')}:{_text(entry / 'idProduct')}"
        words = (_text(entry / "manufacturer"), _text(entry / "product"), f"({number})")
        found.append(_info("usb", entry.name, " ".join(filter(None, words))))
    return found


def _cameras(root: Path) -> list[PeripheralInfo]:
    """Sensors on the ribbon cable are subdevices with an I2C place; of a USB camera's nodes the
    first gives pictures. Other video nodes are the Pi's own coders and scalers.
    """
    found = []
    for entry in _entries(root / "sys/class/video4linux", "*"):
        name = _text(entry / "name")
        sensor = _SENSOR.fullmatch(name)
        if entry.name.startswith("v4l-subdev") and sensor:
            found.append(_info("camera", sensor["place"], sensor["chip"]))
        elif entry.name.startswith("video") and _is_usb_picture(entry):
            found.append(_info("camera", f"/dev/{entry.name}", name))
    return found


def _is_usb_picture(entry: Path) -> bool:
    return "/usb" in str((entry / "device").resolve()) and _text(entry / "index") in ("", "0")


def _can(root: Path) -> list[PeripheralInfo]:
    found = []
    for entry in _entries(root / "sys/class/net", "*"):
        if _text(entry / "type") != _CAN:
            continue
        driver = entry / "device/driver"
        chip = driver.resolve().name if driver.exists() else "virtual"
        state = _text(entry / "operstate") or "unknown"
        found.append(_info("can", entry.name, f"{chip}, {state}", responsive=state == "up"))
    return found


def sound_cards(root: Path) -> list[PeripheralInfo]:
    """List the sound cards at "number:name", with what they can do: "microphone, loudspeaker"."""
    found = []
    for entry in _entries(root / "sys/class/sound", "card*"):
        number, name = entry.name.removeprefix("card"), _text(entry / "id")
        ways = {"c": "microphone", "p": "loudspeaker"}
        able = [
            text
            for way, text in ways.items()
            if _entries(root / "sys/class/sound", f"pcmC{number}D*{way}")
        ]
        if number.isdecimal() and able:
            found.append(_info("sound", f"{number}:{name}", f"{name}: {', '.join(able)}"))
    return found


def _serial(root: Path) -> list[PeripheralInfo]:
    """List serial lines by names that do not depend on other devices."""
    found = [
        _info("serial", f"/dev/serial/by-id/{entry.name}", f"USB adapter, {entry.resolve().name}")
        for entry in _entries(root / "dev/serial/by-id", "*")
    ]
    if (root / HEADER_UART.lstrip("/")).exists():
        found.append(_info("serial", HEADER_UART, "UART of the header, GPIO14 and GPIO15"))
    return found


def _place(bus: int, address: int) -> str:
    return f"{bus}:0x{address:02x}"


def _likely(address: int) -> str:
    return f"{CHIPS[address]}?" if address in CHIPS else "unknown"


def _info(kind: str, address: str, text: str, *, responsive: bool = True) -> PeripheralInfo:
    return PeripheralInfo(kind, address[: 2 * _TEXT], _clean(text), responsive)


def _clean(text: str) -> str:
    """Clean a name that the device provides: printable characters, limited length."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in text[: 2 * _TEXT])
    return shown.strip()[:_TEXT] or "unknown"


def _entries(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_bytes()[:256].decode(errors="replace").strip("\0\n ")
    except OSError:
        return ""
