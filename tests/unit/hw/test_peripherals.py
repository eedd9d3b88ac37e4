"""What is plugged in, against trees of files such as the kernel shows."""

import errno
from collections.abc import Collection
from pathlib import Path

import pytest

from saint_services.lib.hw.peripherals import discover

Found = dict[str, tuple[str, bool]]


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def link(path: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def found(root: Path, kind: str, scan: object = None) -> Found:
    devices = discover(root, scan)  # type: ignore[arg-type]
    return {d.address: (d.description, d.responsive) for d in devices if d.type == kind}


def test_empty_computer_has_nothing(tmp_path: Path) -> None:
    assert discover(tmp_path) == []


def test_i2c_addresses_get_likely_names(tmp_path: Path) -> None:
    put(tmp_path, {"dev/i2c-1": "", "dev/i2c-20": ""})
    answers = {1: [0x29, 0x3C, 0x40, 0x68, 0x77, 0x0B]}
    shown = found(tmp_path, "i2c", lambda bus, left_out: answers[bus])  # 20 is HDMI's: not scanned
    assert shown == {
        "1:0x0b": ("unknown", True),
        "1:0x29": ("VL53L0X or TSL2561?", True),
        "1:0x3c": ("SSD1306?", True),
        "1:0x40": ("PCA9685 or INA219?", True),
        "1:0x68": ("MPU6050 or DS3231?", True),
        "1:0x77": ("BMP280?", True),
    }


def test_chip_of_a_kernel_driver_is_shown_and_not_addressed(tmp_path: Path) -> None:
    put(tmp_path, {"dev/i2c-1": "", "sys/bus/i2c/devices/1-0068/name": "ds3231\n"})
    left_out_of: list[int] = []

    def scan(bus: int, left_out: Collection[int]) -> list[int]:
        left_out_of.extend(left_out)
        return []

    assert found(tmp_path, "i2c", scan) == {"1:0x68": ("ds3231 (kernel driver)", True)}
    assert left_out_of == [0x68]


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ETIMEDOUT, "SDA or SCL is held low"), (errno.EACCES, "Permission denied")],
)
def test_failing_bus_is_reported(tmp_path: Path, number: int, words: str) -> None:
    put(tmp_path, {"dev/i2c-1": ""})

    def scan(bus: int, left_out: Collection[int]) -> list[int]:
        raise OSError(number, "Permission denied" if number == errno.EACCES else "timed out")

    (text, responsive) = found(tmp_path, "i2c", scan)["1"]
    assert words in text
    assert not responsive


@pytest.mark.parametrize("count", [101, 111])
def test_bus_on_which_every_address_answers_is_held_low(tmp_path: Path, count: int) -> None:
    """A Pi's controller takes an SDA at ground for the acknowledge of every address."""
    put(tmp_path, {"dev/i2c-1": "", "sys/bus/i2c/devices/1-0068/name": "ds3231\n"})
    answering = [address for address in range(0x08, 0x78) if address != 0x68][:count]
    assert found(tmp_path, "i2c", lambda bus, left_out: answering) == {
        "1": ("bus is stuck: SDA is held low, so every address seems to answer", False),
        "1:0x68": ("ds3231 (kernel driver)", True),
    }


def test_bus_with_a_hundred_chips_is_none_that_is_held(tmp_path: Path) -> None:
    put(tmp_path, {"dev/i2c-1": ""})
    shown = found(tmp_path, "i2c", lambda bus, left_out: list(range(0x08, 0x6C)))
    assert "1" not in shown
    assert shown["1:0x08"] == ("unknown", True)


def test_spi_shows_only_chips_with_a_kernel_driver(tmp_path: Path) -> None:
    devices = tmp_path / "sys/bus/spi/devices"
    put(devices, {"spi0.0/modalias": "spi:spidev\n", "spi0.1/modalias": "spi:mcp2515\n"})
    link(devices / "spi0.0/driver", tmp_path / "sys/bus/spi/drivers/spidev")
    link(devices / "spi0.1/driver", tmp_path / "sys/bus/spi/drivers/mcp251x")
    assert found(tmp_path, "spi") == {
        "0.0": ("chip select; SPI cannot detect a chip", False),
        "0.1": ("mcp2515 (kernel driver)", True),
    }


def test_usb_devices_without_hubs_and_interfaces(tmp_path: Path) -> None:
    devices = tmp_path / "sys/bus/usb/devices"
    put(
        devices,
        {
            "usb1/bDeviceClass": "09",
            "1-1/bDeviceClass": "09\n",
            "1-1.2/bDeviceClass": "00\n",
            "1-1.2/idVendor": "0403\n",
            "1-1.2/idProduct": "6001\n",
            "1-1.2/manufacturer": "FTDI\n",
            "1-1.2/product": "FT232R USB UART\n",
            "1-1.2:1.0/bInterfaceClass": "ff\n",
            "1-1.3/idVendor": "dead\n",
            "1-1.3/idProduct": "beef\n",
        },
    )
    assert found(tmp_path, "usb") == {
        "1-1.2": ("FTDI FT232R USB UART (0403:6001)", True),
        "1-1.3": ("(dead:beef)", True),
    }


def test_name_that_a_device_claims_is_made_harmless(tmp_path: Path) -> None:
    name = "sys/bus/usb/devices/1-1/product"
    put(tmp_path, {name: "\x1b[31mred\u202e" + "x" * 300})
    ((text, _),) = found(tmp_path, "usb").values()
    assert text.startswith("?[31mred?x")
    assert len(text) == 64


def test_sound_cards_and_what_they_can_do(tmp_path: Path) -> None:
    folder = tmp_path / "sys/class/sound"
    for number, name, ways in ((0, "vc4hdmi0", "p"), (1, "Device", "cp"), (2, "MIDI", "")):
        (folder / f"card{number}").mkdir(parents=True)
        (folder / f"card{number}" / "id").write_text(f"{name}\n")
        for way in ways:
            (folder / f"pcmC{number}D0{way}").mkdir()
    assert found(tmp_path, "sound") == {
        "0:vc4hdmi0": ("vc4hdmi0: loudspeaker", True),
        "1:Device": ("Device: microphone, loudspeaker", True),
    }


def test_cameras_on_the_ribbon_and_on_usb(tmp_path: Path) -> None:
    video = tmp_path / "sys/class/video4linux"
    put(
        video,
        {
            "v4l-subdev0/name": "imx219 10-0010\n",
            "v4l-subdev1/name": "rp1-csi2\n",
            "video0/name": "HD Webcam: HD Webcam\n",
            "video0/index": "0\n",
            "video1/name": "HD Webcam: HD Webcam\n",
            "video1/index": "1\n",
            "video10/name": "bcm2835-codec-decode\n",
        },
    )
    for node in ("video0", "video1"):
        link(video / node / "device", tmp_path / "sys/devices/platform/usb1/1-1/1-1:1.0")
    link(video / "video10/device", tmp_path / "sys/devices/platform/bcm2835-codec")
    assert found(tmp_path, "camera") == {
        "10-0010": ("imx219", True),
        "/dev/video0": ("HD Webcam: HD Webcam", True),
    }


def test_can_interfaces_with_chip_and_state(tmp_path: Path) -> None:
    net = tmp_path / "sys/class/net"
    put(
        net,
        {
            "can0/type": "280\n",
            "can0/operstate": "up\n",
            "vcan0/type": "280\n",
            "vcan0/operstate": "down\n",
            "eth0/type": "1\n",
        },
    )
    link(net / "can0/device/driver", tmp_path / "sys/bus/spi/drivers/mcp251x")
    assert found(tmp_path, "can") == {
        "can0": ("mcp251x, up", True),
        "vcan0": ("virtual, down", False),
    }


def test_serial_lines_have_names_that_stay(tmp_path: Path) -> None:
    put(tmp_path, {"dev/ttyUSB0": "", "dev/ttyAMA0": ""})
    by_id = tmp_path / "dev/serial/by-id/usb-FTDI_FT232R-if00-port0"
    by_id.parent.mkdir(parents=True)
    by_id.symlink_to(tmp_path / "dev/ttyUSB0")
    assert found(tmp_path, "serial") == {
        "/dev/serial/by-id/usb-FTDI_FT232R-if00-port0": ("USB adapter, ttyUSB0", True),
        "/dev/ttyAMA0": ("UART of the header, GPIO14 and GPIO15", True),
    }


def test_each_kind_has_a_bound(tmp_path: Path) -> None:
    put(tmp_path, {f"sys/bus/usb/devices/1-{n}/product": "x" for n in range(1, 200)})
    assert len(discover(tmp_path)) == 64
