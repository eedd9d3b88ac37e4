"""Writes the kernel's files of a Pi 4 below a simulated board's folder, as the self-test reads
them: device tree, watchdog, supply, network cards, memory card. They are plain files: changing one
breaks the board.
"""

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from saint_services.lib.machine.device_tree import RUNNING
from saint_services.lib.selftest.boards import FILE, HeaderPart

ROOT = Path(__file__).parents[2]
FOLDER = "root"  # below the board's directory
KERNEL = "6.12.0-arm64"
SERIAL_NUMBER = "10000000a1b2c3d4"
MAC = "dc:a6:32:01:02:03"
CARD_SERIAL = "0x7be410ab"
_DONE = "etc/machine-id"  # written last
_SUPPLY = "sys/class/hwmon/hwmon0"

_FILES: Mapping[str, str | bytes] = {
    f"{RUNNING}/model": "Raspberry Pi 4 Model B Rev 1.5\0",
    f"{RUNNING}/compatible": "raspberrypi,4-model-b\0brcm,bcm2711\0",
    f"{RUNNING}/serial-number": f"{SERIAL_NUMBER}\0",
    f"{RUNNING}/system/linux,revision": bytes.fromhex("00c03115"),
    "proc/cpuinfo": "processor\t: 0\n",
    "proc/sys/kernel/osrelease": KERNEL,
    "proc/sys/kernel/tainted": "0",
    "proc/cmdline": "root=/dev/mmcblk0p2 ro quiet",
    "proc/mounts": "/dev/mmcblk0p4 /data ext4 rw,noatime 0 0\n",
    "sys/class/thermal/thermal_zone0/temp": "48312",
    f"{_SUPPLY}/name": "rpi_volt",
    f"{_SUPPLY}/in0_lcrit_alarm": "0",
    "sys/class/watchdog/watchdog0/identity": "Broadcom BCM2835 Watchdog timer",
    "sys/class/watchdog/watchdog0/state": "active",
    "sys/class/watchdog/watchdog0/timeout": "15",
    "sys/block/mmcblk0/size": "62333952",
    "sys/block/mmcblk0/device/name": "SD32G",
    "sys/block/mmcblk0/device/type": "SD",
    "sys/block/mmcblk0/device/serial": CARD_SERIAL,
    "sys/block/mmcblk0/device/cid": "035344534433324785be410ab0014200",
    "sys/fs/ext4/mmcblk0p4/errors_count": "0",
    "sys/fs/ext4/mmcblk0p4/lifetime_write_kbytes": "3145728",
    "sys/class/net/eth0/type": "1",
    "sys/class/net/eth0/flags": "0x1003",
    "sys/class/net/eth0/address": MAC,
    "sys/class/net/eth0/carrier": "1",
    "sys/class/net/eth0/speed": "1000",
    "sys/class/net/eth0/statistics/rx_packets": "41822",
    "sys/class/net/eth0/statistics/tx_packets": "20110",
    "sys/class/net/eth0/statistics/rx_crc_errors": "0",
    "sys/class/net/wlan0/type": "1",
    "sys/class/net/wlan0/flags": "0x1003",
    "sys/class/net/wlan0/operstate": "up",
    "sys/class/net/wlan0/phy80211/name": "phy0",
    "sys/class/rfkill/rfkill0/type": "wlan",
    "sys/class/rfkill/rfkill0/soft": "0",
    "sys/class/rfkill/rfkill0/hard": "0",
    "sys/class/pwm/pwmchip0/npwm": "2",
    "sys/class/pwm/pwmchip0/export": "",
    "dev/i2c-0": "",
    "dev/i2c-1": "",
    "dev/spidev0.0": "",
    "dev/spidev0.1": "",
    "dev/ttyAMA0": "",
}
_LINKS = {
    "sys/class/net/eth0/device/driver": "../../bcmgenet",
    "sys/class/net/wlan0/device/driver": "../../brcmfmac",
    "sys/class/tty/ttyAMA0/device/driver": "../../uart-pl011",
}


def ensure(directory: Path) -> Path:
    """Return the folder with the files; write them unless they are there."""
    root = directory / FOLDER
    if not (root / _DONE).exists():
        write(root)
    return root


def write(root: Path) -> None:
    """Write all files of a board without a fault."""
    (root / "usr/lib/modules" / KERNEL).mkdir(parents=True, exist_ok=True)
    table = yaml.safe_load((ROOT / FILE).read_text(encoding="utf-8"))
    tree = _tree([HeaderPart.model_validate(part) for part in table["header"]])
    for name, content in {**_FILES, **tree, _DONE: "0123456789abcdef0123456789abcdef"}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    for name, target in _LINKS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)


def _tree(parts: Iterable[HeaderPart]) -> dict[str, bytes]:
    """Return the properties of the header's nodes."""
    files: dict[str, bytes] = {}
    for handle, part in enumerate(parts, 1):
        node = RUNNING + part.node
        files[f"{node}/status"] = b"okay\0"
        if part.alias:
            files[f"{RUNNING}/aliases/{part.alias}"] = f"{part.node}\0".encode()
        if part.pins:
            group = f"{RUNNING}/soc/gpio@7e200000/pins-{handle}"
            files[f"{node}/pinctrl-names"] = b"default\0"
            files[f"{node}/pinctrl-0"] = _cells(handle)
            files[f"{group}/phandle"] = _cells(handle)
            files[f"{group}/brcm,pins"] = _cells(*part.pins)
            files[f"{group}/brcm,function"] = _cells(*part.pins.values())
    return files


def _cells(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)
