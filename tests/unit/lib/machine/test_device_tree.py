"""The running kernel's device tree, read from its folders."""

import struct
from pathlib import Path

from saint_services.lib.machine.device_tree import RUNNING, DeviceTree


def property_(root: Path, name: str, value: bytes) -> None:
    path = root / RUNNING / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value)


def test_nodes_aliases_and_pins_are_read(tmp_path: Path) -> None:
    property_(tmp_path, "aliases/serial0", b"/soc/serial@1\0")
    property_(tmp_path, "soc/serial@1/status", b"okay\0")
    property_(tmp_path, "soc/serial@1/pinctrl-names", b"default\0")
    property_(tmp_path, "soc/serial@1/pinctrl-0", struct.pack(">I", 7))
    property_(tmp_path, "soc/gpio@2/group/phandle", struct.pack(">I", 7))
    property_(tmp_path, "soc/gpio@2/group/brcm,pins", struct.pack(">II", 14, 15))
    property_(tmp_path, "soc/gpio@2/group/brcm,function", struct.pack(">I", 4))
    tree = DeviceTree.running(tmp_path)
    assert tree.alias("serial0") == "/soc/serial@1"
    assert tree.is_on("/soc/serial@1")
    assert tree.pins("/soc/serial@1") == {14: 4, 15: 4}


def test_node_below_one_that_is_off_is_off(tmp_path: Path) -> None:
    property_(tmp_path, "soc/status", b"disabled\0")
    property_(tmp_path, "soc/i2c@1/status", b"okay\0")
    assert not DeviceTree.running(tmp_path).is_on("/soc/i2c@1")


def test_computer_without_a_tree_has_no_nodes_but_its_root(tmp_path: Path) -> None:
    tree = DeviceTree.running(tmp_path)
    assert not tree.nodes
    assert tree.alias("serial0") == ""
    assert not tree.is_on("/soc")


def test_serial_number_is_not_read(tmp_path: Path) -> None:
    property_(tmp_path, "serial-number", b"10000000a1b2c3d4\0")
    property_(tmp_path, "model", b"Raspberry Pi\0")
    assert set(DeviceTree.running(tmp_path).nodes["/"].values) == {"model"}


def test_damaged_properties_are_harmless(tmp_path: Path) -> None:
    property_(tmp_path, "aliases/serial0", b"\xff\xfe")
    property_(tmp_path, "soc/serial@1/pinctrl-names", b"default\0")
    property_(tmp_path, "soc/serial@1/pinctrl-0", b"\0\0\0\x09\0")
    tree = DeviceTree.running(tmp_path)
    assert tree.alias("serial0") == ""
    assert tree.pins("/soc/serial@1") == {}
