"""Identity and load from /proc and /sys; names that must be legal ROS tokens."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.machine import computer
from saint_services.lib.machine.computer import Meter, hardware, hardware_id, is_token


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("name", ["a", "_a", "pi_1", "A" * 64])
def test_token_that_is_legal(name: str):
    assert is_token(name)


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a__b", "a/b", "a\n", "é", "A" * 65])
def test_token_that_is_not(name: str):
    assert not is_token(name)


def test_metrics_are_those_of_the_kernel(tmp_path: Path):
    write(
        tmp_path,
        proc__stat="cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1\n",
        proc__meminfo="MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  250 kB\n",
        proc__uptime="3601.42 7000.00\n",
        sys__class__thermal__thermal_zone0__temp="51234\n",
    )
    meter = Meter(tmp_path)
    first = meter.sample()
    assert first == computer.MachineMetrics(51.234, 20.0, 75.0, 3601)
    write(tmp_path, proc__stat="cpu  150 0 100 750 100 0 0 0 0 0\n")
    assert meter.sample().cpu_usage == 50.0
    assert meter.sample().cpu_usage == 0.0


def test_metrics_without_a_kernel_to_ask_are_zero(tmp_path: Path):
    sample = Meter(tmp_path).sample()
    assert (sample.cpu_temp, sample.cpu_usage, sample.memory_usage) == (0.0, 0.0, 0.0)


@given(text=st.text(max_size=200))
def test_metrics_of_garbage_never_raise(tmp_path: Path, text: str):
    encoded = text.encode(errors="replace").decode()
    write(
        tmp_path,
        proc__stat=encoded,
        proc__meminfo="MemTotal: " + encoded,
        proc__uptime=encoded,
        sys__class__thermal__thermal_zone0__temp=encoded,
        proc__cpuinfo="Serial : " + encoded,
    )
    Meter(tmp_path).sample()
    found = hardware_id(tmp_path)
    assert found == "" or is_token(found)


def test_hardware_id_falls_back_from_serial_to_mainboard_to_network_card(tmp_path: Path):
    assert hardware_id(tmp_path) == ""
    write(tmp_path, sys__class__net__eth0__address="dc:a6:32:00:00:01\n")
    write(tmp_path, sys__class__net__lo__address="00:00:00:00:00:00\n")
    assert hardware_id(tmp_path) == ""  # a bridge or a loopback has no device
    (tmp_path / "sys/class/net/eth0/device").mkdir()
    assert hardware_id(tmp_path) == "mac_dc_a6_32_00_00_01"
    write(tmp_path, sys__class__dmi__id__product_serial="To Be Filled By O.E.M.\n")
    assert hardware_id(tmp_path).startswith("mac_")
    write(tmp_path, sys__class__dmi__id__product_serial="ABC-123\n")
    assert hardware_id(tmp_path) == "dmi_abc_123"
    tree = tmp_path / "sys/firmware/devicetree/base"
    tree.mkdir(parents=True)
    (tree / "serial-number").write_bytes(b"10000000a1b2c3d4\0")
    (tree / "model").write_bytes(b"Raspberry Pi 4 Model B Rev 1.4\0")
    assert hardware_id(tmp_path) == "pi_10000000a1b2c3d4"
    assert hardware(tmp_path).model == "Raspberry Pi 4 Model B Rev 1.4"


def tree_revision(root: Path, raw: bytes) -> None:
    path = root / "sys/firmware/devicetree/base/system/linux,revision"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def test_revision_of_a_pi_is_in_the_device_tree(tmp_path: Path):
    """Debian's kernel has no line Revision in /proc/cpuinfo."""
    write(tmp_path, proc__cpuinfo="processor\t: 0\nCPU revision\t: 3\n")
    assert hardware(tmp_path).revision == ""
    tree_revision(tmp_path, b"\x00\xc0\x31\x14")
    assert hardware(tmp_path).revision == "c03114"
    write(tmp_path, proc__cpuinfo="Revision\t: a02082\n")
    assert hardware(tmp_path).revision == "c03114"


@pytest.mark.parametrize("raw", [b"", bytes(4), b"\x31\x14", b"\x00\xc0\x31\x14\x00"])
def test_revision_that_the_device_tree_lacks_is_in_cpuinfo_or_dmi(tmp_path: Path, raw: bytes):
    tree_revision(tmp_path, raw)
    write(tmp_path, sys__class__dmi__id__product_version="pc-q35-8.2\n")
    assert hardware(tmp_path).revision == "pc-q35-8.2"
    write(tmp_path, proc__cpuinfo="Revision\t: a02082\n")
    assert hardware(tmp_path).revision == "a02082"


def test_address_without_a_route_is_empty():
    assert computer.address("not an address") == ""
    assert computer.address("127.0.0.1") == "127.0.0.1"
