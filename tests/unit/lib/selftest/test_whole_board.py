"""The self-test on a simulated board: whole, and with one fault after the other."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from saint_services.lib.machine.device_tree import RUNNING
from saint_services.lib.selftest.card_facts import CardSpeed
from saint_services.lib.selftest.result import TITLES
from saint_services.lib.selftest.situation import Situation
from tests.unit.lib.selftest.conftest import Tested
from tools.sim.camera import PLUG

pytestmark = pytest.mark.slow  # 48 whole self-tests

WIRES = {"serial_jumper", "pwm0_jumper", "pwm1_jumper"}
NOT_PASSED = {**dict.fromkeys(WIRES, "skipped"), "i2c0": "not_connected", "sound": "not_connected"}
Break = Callable[[Path], None]


def wrote(name: str, content: str) -> Break:
    """Return what replaces a file of the kernel by another."""

    def run(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)

    return run


def removed(name: str) -> Break:
    """Return what removes a file, link or folder of the kernel."""

    def run(root: Path) -> None:
        path = root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    return run


def linked(name: str, target: str) -> Break:
    def run(root: Path) -> None:
        (root / name).unlink()
        (root / name).symlink_to(target)

    return run


def spi_dead(root: Path) -> None:
    """SPI is on, and its driver has not started."""
    for select in (0, 1):
        removed(f"dev/spidev0.{select}")(root)


def spi_off(root: Path) -> None:
    """SPI is off in config.txt."""
    wrote(f"{RUNNING}/soc/spi@7e204000/status", "disabled\0")(root)
    spi_dead(root)


NET = "sys/class/net"
THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"
ETH, WLAN, CARD = f"{NET}/eth0", f"{NET}/wlan0", "sys/block/mmcblk0/device"
FS = "sys/fs/ext4/mmcblk0p4"
LOW, SINCE_LOW, SINCE_WARM = "1", "10000", "80000"  # hexadecimal, as the kernel writes it

# What is broken, the check that says so, its state, and a part of its sentence.
FAULTS = {
    "other board": (wrote(f"{RUNNING}/compatible", "acme,one\0"), "board", "failed", "not in the"),
    "oops": (wrote("proc/sys/kernel/tainted", "128"), "kernel", "failed", "crashed"),
    "no modules": (removed("usr/lib/modules/6.12.0-arm64"), "kernel", "failed", "modules"),
    "uart off": (wrote(f"{RUNNING}/soc/serial@7e201000/status", "disabled\0"),
                 "device_tree", "failed", "serial line: it is off"),
    "i2c missing": (removed(f"{RUNNING}/soc/i2c@7e804000"), "device_tree", "failed",
                    "I2C 1: it is missing"),
    "other alias": (wrote(f"{RUNNING}/aliases/i2c1", "/soc/spi@7e204000\0"), "device_tree",
                    "failed", "i2c1 is another"),
    "pwm on other pins": (removed(f"{RUNNING}/soc/pwm@7e20c000/pinctrl-0"), "device_tree",
                          "failed", "PWM: its pins are none"),
    "low voltage": (wrote("sys/class/hwmon/hwmon0/in0_lcrit_alarm", "1"), "supply", "failed",
                    "too low now"),
    "low voltage, firmware": (wrote(THROTTLED, LOW), "supply", "failed", "too low now"),
    "low voltage before": (wrote(THROTTLED, SINCE_LOW), "supply", "failed", "since the start"),
    "supply unknown": (removed("sys/class/hwmon/hwmon0"), "supply", "skipped", "not report"),
    "hot": (wrote("sys/class/thermal/thermal_zone0/temp", "81234"), "temperature", "failed",
            "81 °C"),
    "was hot": (wrote(THROTTLED, SINCE_WARM), "temperature", "failed", "lowered for heat"),
    "no sensor": (removed("sys/class/thermal/thermal_zone0/temp"), "temperature", "skipped", ""),
    "no watchdog": (removed("sys/class/watchdog/watchdog0"), "watchdog", "failed", "no watchdog"),
    "watchdog not fed": (wrote("sys/class/watchdog/watchdog0/state", "inactive"), "watchdog",
                         "failed", "nothing feeds it"),
    "other watchdog": (wrote("sys/class/watchdog/watchdog0/identity", "Software Watchdog"),
                       "watchdog", "failed", "Software Watchdog"),
    "file system errors": (wrote(f"{FS}/errors_count", "3"), "card", "failed", "3 errors"),
    "data lost": (wrote("run/saint-data-lost", ""), "card", "failed", "damaged"),
    "slot damaged": (wrote("run/saint-slot-damaged", ""), "card", "failed", "not what the release"),
    "data read-only": (wrote("proc/mounts", "/dev/mmcblk0p4 /data ext4 ro,noatime 0 0\n"), "card",
                       "failed", "/data is read-only"),
    "no card": (removed("sys/block/mmcblk0"), "card", "skipped", "does not run from a card"),
    "no cable": (wrote(f"{ETH}/carrier", "0"), "ethernet", "not_connected", "without a cable"),
    "card off": (removed(f"{ETH}/carrier"), "ethernet", "not_connected", "switched off"),
    "no Ethernet": (removed(ETH), "ethernet", "failed", "the kernel found none"),
    "slow link": (wrote(f"{ETH}/speed", "10"), "ethernet", "failed", "10 Mbit/s"),
    "damaged frames": (wrote(f"{ETH}/statistics/rx_crc_errors", "900"), "ethernet", "failed",
                       "900 of 61932 frames"),
    "no radio": (removed(WLAN), "wifi", "failed", "driver did not start"),
    "radio locked": (wrote("sys/class/rfkill/rfkill0/soft", "1"), "wifi", "failed", "no country"),
    "radio switched off": (wrote("sys/class/rfkill/rfkill0/hard", "1"), "wifi", "failed",
                           "by a switch"),
    "no network": (wrote(f"{WLAN}/operstate", "down"), "wifi", "not_connected", "no network"),
    "no I2C": (removed("dev/i2c-1"), "i2c1", "failed", "/dev/i2c-1 is missing"),
    "SPI off": (spi_off, "spi", "skipped", "SPI is off"),
    "SPI dead": (spi_dead, "spi", "failed", "SPI is on, and /dev/spidev0.0 and 0.1 are missing"),
    "one select": (removed("dev/spidev0.1"), "spi", "failed", "Chip select 1"),
    "no serial line": (removed("dev/ttyAMA0"), "serial", "failed", "/dev/ttyAMA0 is missing"),
    "mini UART": (linked("sys/class/tty/ttyAMA0/device/driver", "../../bcm2835-aux-uart"), "serial",
                  "failed", "no parity"),
    "console": (wrote("proc/cmdline", "console=ttyAMA0,115200 quiet"), "serial", "failed",
                "writes its messages"),
    "no camera": (lambda root: (root.parent / PLUG).touch(), "camera", "not_connected",
                  "No camera"),
}  # fmt: skip


def test_whole_board_passes_everything_that_needs_no_wire(tested: Tested) -> None:
    found = tested()
    assert set(found) == set(TITLES) - {"functions"}  # of Raspberry Pi OS
    others = {name: check.state for name, check in found.items() if check.state != "passed"}
    assert others == NOT_PASSED
    assert "PCA9685" in found["i2c1"].text.upper()


@pytest.mark.parametrize(("broken", "name", "state", "said"), FAULTS.values(), ids=FAULTS)
def test_fault_is_found_by_its_check_and_by_no_other(
    tested: Tested, root: Path, broken: Break, name: str, state: str, said: str
) -> None:
    broken(root)
    found = tested()
    assert (found[name].state, said in found[name].text) == (state, True), found[name]
    assert found[name].fix or state == "skipped"
    others = {each: check.state for each, check in found.items() if check.state != "passed"}
    if name == "board":  # of an unknown board nothing more is expected
        others.pop("device_tree")
    assert others == {**NOT_PASSED, name: state}


@pytest.mark.parametrize(
    ("speed", "said"),
    [
        (CardSpeed(3.0, 40.0, 30.0), "Slow in writing"),
        (CardSpeed(20.0, 9.0, 30.0), "Slow in reading"),
        (CardSpeed(20.0, 40.0, 1500.0), "small write"),
        (CardSpeed(problem="less than 128 MB are free"), "less than 128 MB"),
    ],
)
def test_slow_or_full_card_fails(tested: Tested, speed: CardSpeed, said: str) -> None:
    found = tested(speed=speed)["card_speed"]
    assert (found.state, said in found.text) == ("failed", True), found


@pytest.mark.parametrize(
    ("life", "pre_eol", "state"), [("0x01 0x02", "0x01", "passed"), ("0x03 0x09", "0x01", "failed"),
                                   ("0x01 0x01", "0x02", "failed")],
)  # fmt: skip
def test_wear_of_an_emmc_is_judged(
    tested: Tested, root: Path, life: str, pre_eol: str, state: str
) -> None:
    for name, content in (("type", "MMC"), ("life_time", life), ("pre_eol_info", pre_eol)):
        (root / CARD / name).write_text(content)
    assert tested()["card"].state == state


def test_card_is_not_measured_while_the_robot_is_driven(tested: Tested) -> None:
    found = tested(Situation(is_driven=True))["card_speed"]
    assert (found.state, found.text) == ("skipped", "Not measured: the robot is driven.")


def test_what_a_role_uses_is_left_alone(tested: Tested) -> None:
    found = tested(
        Situation(
            buses={1: "head (neck)"}, devices={"the camera": "head (camera)"}, is_role_alive=True
        )
    )
    assert {name: found[name].state for name in ("i2c0", "i2c1", "camera")} == dict.fromkeys(
        ("i2c0", "i2c1", "camera"), "skipped"
    )
    assert "head (neck)" in found["i2c1"].text


def test_raspberry_pi_os_is_not_held_to_our_device_tree(tested: Tested, root: Path) -> None:
    (root / "etc/rpi-issue").touch()
    removed(f"{RUNNING}/soc/i2c@7e804000")(root)
    assert tested()["device_tree"].state == "skipped"
