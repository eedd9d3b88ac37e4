"""What Linux gets on each supported board: Debian's device tree under every overlay that config.txt
names for it, merged and read back. Pins and buses here are those that roles and rcd count on.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.hw.pins.header import HEADER_UART
from saint_services.lib.hw.pwm.sysfs_pwm import CHANNELS
from saint_services.lib.role_config.resources import SPI0
from saint_services.lib.selftest import system_checks
from saint_services.lib.selftest.boards import BoardTable, SupportedBoard
from saint_services.lib.selftest.system_facts import SystemFacts
from saint_services.setup import boot_files
from tools.image.boot import kernel_package
from tools.image.boot.boards import Boards
from tools.image.boot.device_tree import DeviceTree, overlays, values
from tools.image.boot.kernel_package import KernelPackage
from tools.image.places import Places
from tools.vm.programs import MissingProgramError, Programs

PLACES = Places.from_environment()
DEFINITION = PLACES.image / "boot"
CONFIG = (DEFINITION / "config.txt").read_text()
SETTINGS = (DEFINITION / boot_files.SETTINGS).read_text()
BOARDS = Boards.read().boards

UART, MINI_UART = "/soc/serial@7e201000", "/soc/serial@7e215040"
I2C, SPI, PWM = "/soc/i2c@7e804000", "/soc/spi@7e204000", "/soc/pwm@7e20c000"
WATCHDOG = "/soc/watchdog@7e100000"
OUTPUT, ALT0 = 1, 4
ACTIVE_LOW = 1  # include/dt-bindings/gpio/gpio.h


@pytest.fixture(scope="module")
def kernel() -> KernelPackage:
    found = kernel_package.find(PLACES)
    if found is None:
        pytest.skip(
            "no device trees of Debian's kernel in the cache: make test-boards fetches them"
        )
    return found


@pytest.fixture(scope="module")
def programs() -> Programs:
    found = Programs.find()
    try:
        found.argv("dtc")
        found.argv("fdtoverlay")
    except MissingProgramError:
        pytest.skip("dtc and fdtoverlay are missing: apt install device-tree-compiler")
    return found


@pytest.fixture(scope="module")
def compiled(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every overlay of ours, as the image build compiles it, without a warning."""
    folder = tmp_path_factory.mktemp("overlays")
    for source in sorted((DEFINITION / "overlays").glob("*.dts")):
        target = folder / f"{source.stem}.dtbo"
        command = programs.argv("dtc", "-@", "-I", "dts", "-O", "dtb", "-o", str(target))
        done = subprocess.run([*command, str(source)], capture_output=True, timeout=60, text=True)
        assert (done.returncode, done.stderr) == (0, ""), source.name
    return folder


@pytest.fixture(scope="module", params=BOARDS, ids=lambda board: board.tree)
def board(request: pytest.FixtureRequest) -> SupportedBoard:
    found = request.param
    assert isinstance(found, SupportedBoard)
    return found


@pytest.fixture(scope="module")
def bare(board: SupportedBoard, kernel: KernelPackage) -> DeviceTree:
    return DeviceTree.read(kernel.trees / f"{board.tree}.dtb")


@pytest.fixture(scope="module")
def tree(
    board: SupportedBoard,
    kernel: KernelPackage,
    programs: Programs,
    compiled: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[DeviceTree]:
    """What the firmware hands on."""
    merged = tmp_path_factory.mktemp("merged") / f"{board.tree}.dtb"
    named = [str(compiled / f"{name}.dtbo") for name in overlays(CONFIG, board.sections)]
    source = kernel.trees / f"{board.tree}.dtb"
    programs.run("fdtoverlay", "-i", str(source), "-o", str(merged), *named)
    yield DeviceTree.read(merged)


def test_header_serial_line_is_the_uart_with_parity(tree: DeviceTree) -> None:
    assert HEADER_UART == "/dev/ttyAMA0"  # the kernel's name of the PL011 that is serial0
    assert tree.alias("serial0") == UART
    assert tree.is_on(UART)
    assert tree.pins(UART) == {14: ALT0, 15: ALT0}
    assert "arm,primecell" in tree.nodes[UART].texts("compatible")
    (part,) = tree.nodes[UART].numbers("arm,primecell-periphid")
    assert part & 0x000FFFFF == 0x00041011  # a PL011: amba-pl011.c, pl011_ids


def test_nothing_else_of_the_kernel_takes_the_header_serial_line(tree: DeviceTree) -> None:
    # A child that is on makes the port a device bus: then there is no /dev/ttyAMA0.
    children = [path for path in tree.nodes if path.startswith(f"{UART}/")]
    assert [path for path in children if tree.is_on(path)] == []
    assert not tree.is_on(MINI_UART)


def test_boot_loader_finds_no_serial_port(tree: DeviceTree) -> None:
    """U-Boot stops at any byte on its console; it knows these, and what stdout-path names."""
    known = {"arm,pl011", "arm,pl010", "brcm,bcm2835-pl011", "brcm,bcm2835-aux-uart", "ns16550"}
    ports = [path for path in tree.nodes if path.rpartition("/")[2].startswith("serial@")]
    found = [path for path in ports if tree.is_on(path)]
    assert found == [UART]
    assert not known & set(tree.nodes[UART].texts("compatible"))
    assert tree.nodes["/chosen"].text("stdout-path") == ""


def test_i2c_1_is_the_header_whatever_starts_first(tree: DeviceTree) -> None:
    assert tree.alias("i2c1") == I2C
    assert tree.is_on(I2C)
    assert tree.pins(I2C) == {2: ALT0, 3: ALT0}


def test_i2c_0_is_the_header_too(tree: DeviceTree) -> None:
    """A Pi 4 has a switch in front of it, whose first place is the header."""
    bus = tree.alias("i2c0")
    switch = "/i2c-mux0"
    assert (bus == f"{switch}/i2c@0") is (switch in tree.nodes)
    pins = tree.pins(switch, "i2c0") if switch in tree.nodes else tree.pins(bus)
    assert pins == {0: ALT0, 1: ALT0}


def test_bus_of_the_chips_runs_at_400_khz(tree: DeviceTree) -> None:
    """Every chip of ours takes it (role_config/devices.py); a role's loop counts with it."""
    assert tree.nodes[I2C].numbers("clock-frequency") == [400_000]


def test_boot_loader_waits_for_no_key(tree: DeviceTree) -> None:
    """This tree is U-Boot's own (rpi.c, board_fdt_blob_setup), and /config outranks its settings
    (autoboot.c, bootdelay_process): -2 starts at once and looks for no key."""
    assert tree.nodes["/config"].numbers("bootdelay") == [2**32 - 2]


def test_every_other_i2c_bus_has_a_number_from_10(tree: DeviceTree) -> None:
    """Those are HDMI's and the cameras': detection and manifests leave them alone."""
    named = {path: name for name in tree.nodes["/aliases"].values if (path := tree.alias(name))}
    buses = [path for path in tree.nodes if path.rpartition("/")[2].startswith("i2c@")]
    numbers = sorted(int(named[path].removeprefix("i2c")) for path in buses if tree.is_on(path))
    assert all(number >= 10 for number in numbers if number > 1)


def test_spi_0_has_two_chip_selects_for_programs(tree: DeviceTree) -> None:
    assert tree.alias("spi0") == SPI
    assert tree.is_on(SPI)
    assert tree.pins(SPI) == {9: ALT0, 10: ALT0, 11: ALT0, 7: OUTPUT, 8: OUTPUT}
    assert set(tree.pins(SPI)) == set(SPI0)
    for select in (0, 1):
        assert tree.is_on(f"{SPI}/spidev@{select}")
        assert tree.nodes[f"{SPI}/spidev@{select}"].numbers("reg") == [select]


def test_chip_selects_of_spi_0_are_named_and_active_low(tree: DeviceTree) -> None:
    """Without names the driver looks for a pin controller "pinctrl-bcm2835", which a Pi 4 does not
    have, and for a select that is active high (spi-bcm2835.c, bcm2835_spi_setup)."""
    (gpio,) = tree.nodes["/soc/gpio@7e200000"].numbers("phandle")
    assert tree.nodes[SPI].numbers("cs-gpios") == [gpio, 8, ACTIVE_LOW, gpio, 7, ACTIVE_LOW]


def test_led_strip_has_its_data_line(tree: DeviceTree) -> None:
    """WS2812 lights hang on SPI 0's MOSI, GPIO10 (lib/hw/displays/ws2812.py)."""
    assert tree.is_on(f"{SPI}/spidev@0")
    assert tree.pins(SPI)[10] == ALT0


def test_pwm_channels_are_on_the_header_and_no_other_chip_looks_like_theirs(
    tree: DeviceTree,
) -> None:
    assert tree.is_on(PWM)
    assert tree.pins(PWM) == {12: ALT0, 13: ALT0}
    assert set(CHANNELS) == set(tree.pins(PWM))
    blocks = [path for path in tree.nodes if path.rpartition("/")[2].startswith("pwm@")]
    assert [path for path in blocks if tree.is_on(path)] == [PWM]


def test_self_test_finds_the_board_and_nothing_wrong_with_its_tree(
    board: SupportedBoard, tree: DeviceTree
) -> None:
    """What image/boards.yaml says of every board's header; the self-test reads it on the board."""
    table = BoardTable.read(PLACES.source)
    assert table.board(tree.nodes["/"].texts("compatible")) == board
    found = system_checks.device_tree(tree, table.header, SystemFacts(), board)
    assert (found.state, found.fix) == ("passed", "")


def test_self_test_finds_a_tree_without_our_overlays(
    board: SupportedBoard, bare: DeviceTree
) -> None:
    table = BoardTable.read(PLACES.source)
    found = system_checks.device_tree(bare, table.header, SystemFacts(), board)
    assert (found.state, "saint-pwm" in found.fix) == ("failed", True)


def test_kernel_does_not_report_the_supply(kernel: KernelPackage) -> None:
    """The self-test says so; when this fails, image/boards.yaml and system_checks.py are behind."""
    assert "raspberrypi_hwmon" not in kernel.modules


def test_watchdog_is_on(tree: DeviceTree) -> None:
    assert tree.is_on(WATCHDOG)
    assert "brcm,bcm2835-pm-wdt" in tree.nodes[WATCHDOG].texts("compatible")


def test_camera_socket_is_off_as_debian_ships_it(tree: DeviceTree, kernel: KernelPackage) -> None:
    """Neither the tree nor the kernel can do it: a ribbon-cable camera needs Raspberry Pi OS."""
    sockets = [path for path in tree.nodes if path.rpartition("/")[2].startswith("csi@")]
    assert len(sockets) == 2
    assert [path for path in sockets if tree.is_on(path)] == []
    assert not kernel.modules & {"bcm2835_unicam", "bcm2835_isp", "imx219", "imx708", "ov5647"}


def test_kernel_has_the_drivers_of_what_is_on(kernel: KernelPackage) -> None:
    buses = {"i2c_bcm2835", "i2c_mux_pinctrl", "i2c_dev", "spi_bcm2835", "spidev", "pwm_bcm2835"}
    others = {"amba_pl011", "bcm2835_wdt", "brcmfmac", "uvcvideo", "genet", "smsc95xx", "lan78xx"}
    assert (buses | others) - kernel.modules == set()


def test_pin_controller_holds_no_pin_of_the_header(tree: DeviceTree) -> None:
    """Debian's tree of a Zero 2 W would keep GPIO4 to GPIO11. The kernel dies of an empty list."""
    assert tree.pins("/soc/gpio@7e200000") == {}
    empty = [path for path, node in tree.nodes.items() if node.values.get("pinctrl-0") == b""]
    assert empty == []


def test_no_pin_is_held_twice(tree: DeviceTree) -> None:
    twice = {pin: paths for pin, paths in tree.holders().items() if len(paths) > 1}
    assert twice == {}


def test_radio_and_card_are_as_in_debian(tree: DeviceTree, bare: DeviceTree) -> None:
    for path in (path for path in bare.nodes if path.rpartition("/")[2].startswith("mmc@")):
        assert tree.is_on(path) == bare.is_on(path)
        assert tree.nodes[path].values.get("pinctrl-0") == bare.nodes[path].values.get("pinctrl-0")


@pytest.mark.parametrize("name", ["bcm2837-rpi-3-b", "bcm2711-rpi-4-b"])
def test_without_overlays_the_header_has_the_uart_without_parity(
    kernel: KernelPackage, name: str
) -> None:
    """Why saint-uart exists; when this fails, Debian has changed its trees."""
    tree = DeviceTree.read(kernel.trees / f"{name}.dtb")
    assert set(tree.pins(UART)) & {14, 15} == set()
    assert tree.is_on(f"{UART}/bluetooth")
    assert set(tree.pins(MINI_UART)) == {14, 15}


def test_sections_of_config_txt_hold_for_their_boards_only() -> None:
    text = (
        "dtoverlay=a\n[pi4]\ndtoverlay=b,x=1\n#dtoverlay=no\n[pi3]\ndtoverlay=c\n[all]\ndtoverlay=d"
    )
    assert overlays(text, ["pi4"]) == ["a", "b", "d"]
    assert overlays(text, ["pi3", "pi3+"]) == ["a", "c", "d"]


@pytest.mark.parametrize("each", BOARDS, ids=lambda board: board.tree)
def test_clock_of_the_buses_never_changes(each: SupportedBoard) -> None:
    """Linux divides the core's clock once; the firmware would change it with the load."""
    found = values(SETTINGS, each.sections)
    lowest = {"core_freq_min": "500"} if "pi4" in each.sections else {}  # 200, if not said
    assert found == {"core_freq": lowest.get("core_freq_min", "250"), **lowest, "gpio": "4-6=ip,pd"}


def test_settings_of_a_release_fit_beside_its_choice() -> None:
    assert boot_files.choice("a", SETTINGS)


def test_every_overlay_is_named_and_every_named_one_is_there() -> None:
    every = {section for board in BOARDS for section in board.sections}
    files = {path.stem for path in (DEFINITION / "overlays").glob("*.dts")}
    assert set(overlays(CONFIG, every)) == files


def test_file_that_is_no_tree_is_refused() -> None:
    with pytest.raises(ValueError, match="no device tree"):
        DeviceTree(b"elf")
