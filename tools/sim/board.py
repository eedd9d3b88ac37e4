"""The simulated board of SAINT_HW "sim:<directory>". Pins and chips are files below that directory,
so they outlive processes; the drivers above the ports are the real ones.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, field_validator

from saint_services.lib import config as settings
from saint_services.lib.generated.saint_msgs import GPIOPin, PeripheralInfo
from saint_services.lib.guard.will import Write, WriteKind
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import CanFilter, CanPort
from saint_services.lib.hw.can.socketcan import EFF_FLAG
from saint_services.lib.hw.datagrams import DatagramPort
from saint_services.lib.hw.peripherals import ALL_ANSWER, failed_bus
from saint_services.lib.hw.pins.header import HEADER_UART
from saint_services.lib.hw.pins.spi_pins import mark
from saint_services.lib.hw.ports import ByteStream, SpiBus
from saint_services.lib.hw.pwm import sysfs_pwm
from saint_services.lib.records import RecordReading
from saint_services.lib.role_config.devices import (
    SERVO_LINES,
    CanDevice,
    I2cDevice,
    Multiplexer,
    PinSpec,
    SerialDevice,
)
from saint_services.lib.role_config.model import RoleConfig
from tools.sim.bare_line import WIRE, BareLine
from tools.sim.bodies.feeding import SensorFeeder
from tools.sim.chips.base import ChipFault
from tools.sim.chips.multiplexer import Tca9548aChip, file_behind, mux_file
from tools.sim.chips.outputs import CHIPS, Chip, Pca9685Chip
from tools.sim.pin_bank import INPUT, OUTPUT, PINS_FILE, PinBank
from tools.sim.pins import SimEdges, SimI2c, SimOutput, SimPwm

if TYPE_CHECKING:
    from tools.sim.chips.controllers import Controller
    from tools.sim.chips.vesc import SimVesc

_NOTHING = RecordReading(0.0, 0, 0)


class SimChip(BaseModel):
    """A chip on a simulated bus."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bus: int = Field(ge=0, le=31)
    address: int = Field(ge=0x03, le=0x77)
    driver: str

    @field_validator("driver")
    @classmethod
    def _is_known(cls, driver: str) -> str:
        if driver not in CHIPS:
            raise ValueError(f"must be one of {', '.join(sorted(CHIPS))}")
        return driver


class SimBoardFile(BaseModel):
    """Contents of board.yaml: what is plugged in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Default: a servo chip and a display, and the chips of the role's manifest.
    chips: list[SimChip] | None = None
    # The folder of the board whose tracks carry this one: its inertial sensors measure them.
    base: Path | None = None
    # Wires between two pins of the header: from what sends to what listens.
    wires: list[tuple[int, int]] = []


_USUAL = (
    SimChip(bus=1, address=0x40, driver="pca9685"),
    SimChip(bus=1, address=0x3C, driver="ssd1306"),
)

_SPI_SELECTS = [
    PeripheralInfo("spi", f"0.{select}", "chip select; SPI cannot detect a chip", False)
    for select in (0, 1)
]


class SimBoard:
    """Implements ports.Board on files."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file = settings.load(SimBoardFile, directory / "board.yaml")
        self.bank = PinBank(
            directory, self._output, {listener: sender for sender, listener in self._file.wires}
        )
        self.drive = self.bank.drive
        self._chips: dict[tuple[int, int], Chip] = {}
        self._drivers: dict[tuple[int, int], str] = {}
        self._hidden: dict[tuple[int, int, int], dict[int, Chip]] = {}  # by bus, mux, channel
        self._servo_chips: dict[str, Pca9685Chip] = {}
        self._controllers: dict[str, Controller | SimVesc] = {}
        self._lines: dict[str, SerialDevice] = {}
        self._nodes: dict[str, CanDevice] = {}
        self._pins: dict[str, PinSpec] = {}
        self._feeder: SensorFeeder | None = None
        self._panels: dict[tuple[int, int], int | None] = {}  # data pins of displays on SPI
        for chip in _USUAL if self._file.chips is None else self._file.chips:
            self._plug(chip.bus, chip.address, chip.driver)

    def prepare(self, config: RoleConfig) -> None:
        """Plug in and wire the devices of the role's manifest."""
        if self._feeder:
            self._feeder.close()
        base = self._directory / (self._file.base or "")
        self._feeder = SensorFeeder(self._directory, config.target, base)
        self._servo_chips.clear()
        devices = config.spi_devices.values()
        self._panels = {(d.bus, d.select): d.data_pin for d in devices if d.driver == "st7789"}
        for name, device in config.i2c_devices.items():
            key = device.bus, device.address
            if device.mux:
                chip: Chip | None = self._behind(device, device.mux)
            else:
                if self._file.chips is None:
                    self._plug(*key, device.driver)
                chip = self._chips.get(key)
            if isinstance(chip, Pca9685Chip):
                self._servo_chips[name] = chip
            elif chip:
                self._feeder.attach(chip, name, config)
        self._lines, self._nodes = config.serial_devices, config.can_devices
        self._pins = config.gpio_mapping
        self._controllers = self._opened_controllers()
        self.drive.wire(config, self._directory)

    def pwm(self, pin: int, frequency_hz: int, used_by: str) -> SimPwm:
        return SimPwm(self.bank, pin, frequency_hz, used_by)

    def pwm_channels(self) -> Mapping[int, int]:
        """Return the channels of a Pi."""
        return sysfs_pwm.CHANNELS

    def output(self, pin: int, used_by: str, *, high: bool = False) -> SimOutput:
        self.bank.claim(pin, OUTPUT, used_by)
        return SimOutput(self.bank, pin, rest=high)

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> SimEdges:
        for pin in pins:
            self.bank.claim(pin, INPUT, used_by)
            if pull_up:
                self.bank.pull_up(pin)
        return SimEdges(self.bank, tuple(pins))

    def i2c(self, bus: int) -> SimI2c:
        """Open a bus with the chips of board.yaml."""
        chips = {address: chip for (b, address), chip in self._chips.items() if b == bus}
        behind = []
        for (b, address, channel), hidden in self._hidden.items():
            mux = chips.get(address)
            if b == bus and isinstance(mux, Tca9548aChip):
                behind.append((mux, channel, hidden))
        return SimI2c(chips, self.drive, behind)

    def spi(self, bus: int, select: int, speed_hz: int) -> SpiBus:
        """Open a chip select, whose transfers are stored."""
        from tools.sim.chips.spi import SimSpi

        panel = self._panels.get((bus, select))
        read = self.bank.read
        return SimSpi(self._directory, bus, select, lambda pin: read(pin).value >= 0.5, panel)

    def serial(
        self, port: str, baud: int, *, parity: str = "none", stopbits: int = 1
    ) -> ByteStream:
        """Open a serial line with a motor controller; the header's own line has none of itself."""
        if port == HEADER_UART and not any(line.port == port for line in self._lines.values()):
            return BareLine(is_wired=WIRE in self._file.wires)
        if self._servo_device(port):
            return self._servo_line(port)
        from tools.sim.chips.roboclaw import RoboClawPeer, SimSerial, serial_file

        peer = RoboClawPeer(self._directory / serial_file(port))
        peer.on_look = partial(self._before_reply, port)
        return SimSerial(port, peer)

    def can(self, port: str, bit_rate: int, filters: Sequence[CanFilter] = ()) -> CanPort:
        """Open a CAN bus with the role's VESCs on it."""
        from tools.sim.chips.vesc import SimVesc
        from tools.sim.vesc_nodes import VescNodes

        names = [name for name, node in self._nodes.items() if node.port == port]
        found = {name: self._controllers[name] for name in names if name in self._controllers}
        vescs = {name: each for name, each in found.items() if isinstance(each, SimVesc)}
        return VescNodes(self._directory, port, vescs, self.drive)

    def datagrams(self, host: str, port: int, listen_port: int) -> DatagramPort:
        """Open UDP to the board's walking controller, which is a process of its own."""
        from tools.sim.walker.address import open_port

        return open_port(self._directory)

    def will_quiet(self, pin: int) -> Write:
        """Return the write that ends pulses on a pin."""
        return Write(WriteKind.RECORD, str(self._directory / PINS_FILE), pin)

    def will_low(self, pin: int) -> Write:
        """Return the write that sets an output line low."""
        return self.will_quiet(pin)

    def will_high(self, pin: int) -> Write:
        """Return the write that sets an output line high."""
        return self.will_quiet(pin)._replace(data=b"\1")

    def will_i2c(self, bus: int, address: int, data: bytes) -> Write:
        """Return the write of one transfer to a chip, or to those of the open channels."""
        return Write(
            WriteKind.SIM_I2C, str(self._directory / chip_file(bus, address)), address, data
        )

    def will_serial(self, port: str, baud: int, data: bytes) -> Write:
        """Return the write of bytes to a serial line."""
        from tools.sim.chips.roboclaw import serial_file
        from tools.sim.chips.servo_bus import servo_file

        line = self._servo_device(port)
        name = servo_file(port, line.protocol) if line else serial_file(port)
        return Write(WriteKind.SIM_SERIAL, str(self._directory / name), baud, data)

    def will_can(self, port: str, frame: CanFrame) -> Write:
        """Return the write of a frame to the VESCs of a bus."""
        from tools.sim.can_bus import bus_folder

        place = frame.id | (EFF_FLAG if frame.is_extended else 0)
        return Write(WriteKind.SIM_CAN, str(bus_folder(self._directory, port)), place, frame.data)

    def will_datagram(self, host: str, port: int, data: bytes) -> Write:
        """Return the write of one datagram to the board's walking controller."""
        from tools.sim.walker.address import command_address

        return Write(WriteKind.UDP, command_address(self._directory), 0, data)

    def line_descriptor(self, pin: int) -> int | None:
        """Return None: simulated lines have no descriptor."""
        return None

    def pins(self) -> list[GPIOPin]:
        """Report all pins of the header, with SPI enabled."""
        lines = self.bank.report()
        mark(lines, is_spi_on=True)
        return lines

    def peripherals(self) -> list[PeripheralInfo]:
        """List the chips that answer, and the chip selects of SPI."""
        low = {bus for (bus, _), chip in self._chips.items() if chip.fault is ChipFault.LOW}
        return [
            *_SPI_SELECTS,
            *(failed_bus(bus, ALL_ANSWER) for bus in sorted(low)),
            *(
                PeripheralInfo("i2c", f"{bus}:0x{address:02x}", self._drivers[bus, address], True)
                for (bus, address), chip in self._chips.items()
                if bus not in low and _answers(chip)
            ),
        ]

    def root(self) -> Path:
        """Return the folder with the kernel's files of a Pi 4, made at the first call."""
        from tools.sim.kernel_files import ensure

        return ensure(self._directory)

    def close(self) -> None:
        """Unmap all files, which keep their values."""
        self.drive.stop()
        if self._feeder:
            self._feeder.close()
        for controller in self._controllers.values():
            controller.close()
        self.bank.close()
        for chip in self._chips.values():
            chip.close()
        for hidden in self._hidden.values():
            for chip in hidden.values():
                chip.close()

    def _behind(self, device: I2cDevice, mux: Multiplexer) -> Chip:
        """Plug in a chip behind its multiplexer; of the usual chips none is at their addresses."""
        plain = device.bus, device.address
        if self._file.chips is None and plain in self._chips:
            self._chips.pop(plain).close()
            del self._drivers[plain]
        self._plug(device.bus, mux.address, "tca9548a")
        hidden = self._hidden.setdefault((device.bus, mux.address, mux.channel), {})
        if device.address not in hidden:
            name = file_behind(device.bus, mux.address, mux.channel, device.address)
            hidden[device.address] = CHIPS[device.driver](self._directory / name)
        return hidden[device.address]

    def _opened_controllers(self) -> "dict[str, Controller | SimVesc]":
        for controller in self._controllers.values():
            controller.close()
        if not self._lines and not self._nodes:
            return {}
        from tools.sim.chips.controllers import controllers_of

        return controllers_of(self._directory, self._lines, self._nodes)

    def _servo_device(self, port: str) -> SerialDevice | None:
        lines = self._lines.values()
        return next((e for e in lines if e.port == port and e.driver in SERVO_LINES), None)

    def _servo_line(self, port: str) -> ByteStream:
        """Open a line whose servos are those that the role's manifest names."""
        from tools.sim.chips.servo_bus import open_servo_bus, servo_file, switches_of
        from tools.sim.chips.x_bus import peer_of

        name, line = next(each for each in self._lines.items() if each[1].port == port)
        parts = {
            spec.servo_id: part
            for part, spec in self._pins.items()
            if spec.device == name and spec.servo_id is not None
        }
        path = self._directory / servo_file(port, line.protocol)
        peer = peer_of(path, parts, line.protocol)
        peer.switches = switches_of(self.drive.switches, parts)
        return open_servo_bus(port, peer)

    def _plug(self, bus: int, address: int, driver: str) -> None:
        key = bus, address
        if self._drivers.get(key) != driver:
            if key in self._chips:
                self._chips[key].close()
            name = mux_file if driver == "tca9548a" else chip_file
            self._chips[key] = CHIPS[driver](self._directory / name(bus, address))
            self._drivers[key] = driver

    def _before_reply(self, port: str) -> None:
        """Update a controller's measurements before it replies."""
        self.drive.advance()
        for name, line in self._lines.items():
            if line.port == port:
                self._controllers[name].feed(self.drive.plant, name)

    def _output(self, device: str, channel: int) -> RecordReading:
        if controller := self._controllers.get(device):
            return controller.output(channel)
        chip = self._servo_chips.get(device)
        return chip.output(channel) if chip else _NOTHING


def chip_file(bus: int, address: int) -> str:
    """Return the file name of a chip below the board's directory."""
    return f"i2c-{bus}-{address:02x}"


def file_of(device: I2cDevice) -> str:
    """Return the file name of a role's chip below the board's directory."""
    if device.mux is None:
        return chip_file(device.bus, device.address)
    return file_behind(device.bus, device.mux.address, device.mux.channel, device.address)


def _answers(chip: Chip) -> bool:
    try:
        chip.read(1)
    except OSError:
        return False
    return True
