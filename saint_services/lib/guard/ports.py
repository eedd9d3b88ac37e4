"""Carries out the writes of a will. A port is opened beforehand and then writes without allocating,
importing or waiting; one that fails is opened once more by its path.

Sources: Linux uapi gpio.h (v2 lines), i2c-dev.h, can.h; the socket interface of pigpio, command
WRITE.
"""

import contextlib
import errno
import fcntl
import os
import struct
import termios
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Protocol

from ..records import Records
from .will import Will, Write, WriteKind

_I2C_TIMEOUT, _I2C_SLAVE_FORCE = 0x0702, 0x0706
_I2C_PATIENCE = 3  # 30 ms; the kernel's own second is too long for a bus that is held low
_GPIO_GET_CHIP = 0x8044B401
_GPIO_GET_LINE, _GPIO_SET_VALUES = 0xC250B407, 0xC010B40F
_GPIO_OUTPUT = 1 << 3
_GPIO_VALUE_ATTRIBUTE = 2
# struct gpio_v2_line_request: offsets, consumer, flags, number of attributes, padding, the first
# attribute (id, padding, values, mask), nine more, number of lines, buffer size, padding, fd.
_LINE_REQUEST = struct.Struct("=64I32sQI5IIIQQ216xII5Ii")
assert _LINE_REQUEST.size == 592
_LINE_VALUES = struct.Struct("=QQ")
HEADER_CHIPS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")  # Pi 5, 4, older
_CONNECT_S = 0.1
_AF_CAN, _CAN_RAW, _SOL_CAN_RAW, _CAN_RAW_FILTER = 29, 1, 101, 1
_CAN_FRAME = struct.Struct("=IB3x8s")  # its flag for 29 bits is bit 31, as in `place`
_OWN_PINS = (
    WriteKind.FILE,
    WriteKind.LINE,
    WriteKind.RECORD,
)  # what a restart of the machine resets
_AWAY = (errno.ENOENT, errno.ENODEV, errno.ENXIO)  # nothing is plugged in


class LineBias(IntEnum):
    """The pull of a line: flags of gpio.h, by their names in libgpiod."""

    PULL_UP = 1 << 8
    PULL_DOWN = 1 << 9


def rest_bias(level: bool) -> LineBias:
    """Return the pull of an output line whose rest level this is. With its last descriptor the
    kernel makes a line an input (pinctrl-bcm2835 without `persist_gpio_outputs`): from then on this
    pull alone holds it, instead of the one of power-on, which is up on GPIO0 to GPIO8."""
    return LineBias.PULL_UP if level else LineBias.PULL_DOWN


class OutputPort(Protocol):
    """An open way to a device. Writing raises OSError."""

    def write(self) -> None: ...

    def close(self) -> None: ...


class _Descriptor:
    """Base of the ports on a file descriptor."""

    def __init__(self, descriptor: int, data: bytes) -> None:
        self._descriptor = descriptor
        self._data = data

    def write(self) -> None:
        if os.write(self._descriptor, self._data) != len(self._data):
            raise OSError(5, "the device accepted only a part")

    def close(self) -> None:
        os.close(self._descriptor)


class _FilePort(_Descriptor):
    def __init__(self, write: Write) -> None:
        super().__init__(os.open(write.path, os.O_WRONLY | os.O_CLOEXEC), write.data)
        self._offset = write.place

    def write(self) -> None:
        os.pwrite(self._descriptor, self._data, self._offset)


def _i2c(write: Write) -> OutputPort:
    descriptor = os.open(write.path, os.O_RDWR | os.O_CLOEXEC)
    with contextlib.suppress(OSError):  # a controller may have no time-out
        fcntl.ioctl(descriptor, _I2C_TIMEOUT, _I2C_PATIENCE)
    try:
        fcntl.ioctl(descriptor, _I2C_SLAVE_FORCE, write.place)
    except OSError:
        os.close(descriptor)
        raise
    return _Descriptor(descriptor, write.data)


class _LinePort(_Descriptor):
    """A requested output line: the role's own request, passed on, or one made here."""

    def __init__(self, write: Write, passed: int | None) -> None:
        level = write.data == b"\1"
        descriptor = request_line(write.path, write.place, level) if passed is None else passed
        super().__init__(descriptor, _LINE_VALUES.pack(int(level), 1))

    def write(self) -> None:
        fcntl.ioctl(self._descriptor, _GPIO_SET_VALUES, self._data)


def header_chip(folder: str = "/dev") -> str:
    """Find the GPIO chip of a Raspberry Pi's header. Raises OSError where there is none."""
    for name in sorted(each for each in os.listdir(folder) if each.startswith("gpiochip")):
        path = os.path.join(folder, name)
        info = bytearray(68)  # struct gpiochip_info: name, label, number of lines
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.ioctl(descriptor, _GPIO_GET_CHIP, info)
            finally:
                os.close(descriptor)
            if info[32:64].rstrip(b"\0").decode("ascii", "replace") in HEADER_CHIPS:
                return path
    raise FileNotFoundError(2, f"no GPIO chip of a Raspberry Pi below {folder}")


def request_line(chip: str, line: int, level: bool) -> int:
    """Request a GPIO line as an output at that level, its rest; returns its descriptor. Raises
    OSError."""
    padding = [0] * 5
    request = bytearray(
        _LINE_REQUEST.pack(
            line, *([0] * 63), b"saint-guard", _GPIO_OUTPUT | rest_bias(level), 1, *padding,
            _GPIO_VALUE_ATTRIBUTE, 0, int(level), 1, 1, 0, *padding, -1,
        )
    )  # fmt: skip
    descriptor = os.open(chip, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, _GPIO_GET_LINE, request)
    finally:
        os.close(descriptor)
    found: int = _LINE_REQUEST.unpack(request)[-1]
    return found


def set_line(descriptor: int, level: bool) -> None:
    """Set the level of a requested line. Raises OSError."""
    fcntl.ioctl(descriptor, _GPIO_SET_VALUES, _LINE_VALUES.pack(int(level), 1))


def _serial(write: Write) -> OutputPort:
    flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(write.path, flags)
    speed = getattr(termios, f"B{write.place}", None)
    if speed is not None:
        with contextlib.suppress(termios.error):  # a pipe of a test has no speed
            settings = termios.tcgetattr(descriptor)
            settings[0] = settings[1] = settings[3] = 0
            settings[2] = termios.CS8 | termios.CLOCAL | termios.CREAD
            settings[4] = settings[5] = speed
            termios.tcsetattr(descriptor, termios.TCSANOW, settings)
    return _Descriptor(descriptor, write.data)


class _CanPort:
    """A raw socket on an interface, which receives nothing."""

    def __init__(self, write: Write) -> None:
        import socket  # slow to import, and few robots have a CAN bus

        self._socket = socket.socket(_AF_CAN, socket.SOCK_RAW, _CAN_RAW)
        try:
            self._socket.setblocking(False)
            self._socket.setsockopt(_SOL_CAN_RAW, _CAN_RAW_FILTER, b"")
            self._socket.bind((write.path,))
        except OSError:
            self._socket.close()
            raise
        self._data = can_frame(write)

    def write(self) -> None:
        if self._socket.send(self._data) != len(self._data):
            raise OSError(errno.EIO, "the bus accepted only a part")

    def close(self) -> None:
        self._socket.close()


def can_frame(write: Write) -> bytes:
    """Return the frame of a write as the kernel's struct can_frame."""
    return _CAN_FRAME.pack(write.place, len(write.data), write.data)


class _UdpPort:
    """A socket that sends to one address. That nothing listens there is no failure: a controller
    that is away is at rest by its own time-out."""

    def __init__(self, write: Write) -> None:
        import socket  # slow to import, and few robots have such a controller

        host, _, port = write.path.rpartition(":")
        socket.inet_pton(socket.AF_INET, host)  # a name would be looked up, and block
        if not port.isdecimal() or not 0 < int(port) < 1 << 16:
            raise OSError(errno.EINVAL, "no port")
        self._address = host, int(port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._data = write.data

    def write(self) -> None:
        self._socket.sendto(self._data, self._address)

    def close(self) -> None:
        self._socket.close()


class _PigpioPort:
    """A connection to pigpiod. Its answers are discarded before the next command."""

    def __init__(self, write: Write) -> None:
        import socket  # slow to import, and few robots have pigpiod

        host, _, port = write.path.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), _CONNECT_S)
        self._socket.setblocking(False)
        self._data = write.data

    def write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            # What is sent after the other side has closed is lost without an error at first.
            if not self._socket.recv(4096):
                raise ConnectionError("pigpiod closed the connection")
        self._socket.send(self._data)

    def close(self) -> None:
        self._socket.close()


class _RecordPort:
    """A simulated pin."""

    def __init__(self, write: Write) -> None:
        self._records = Records(write.path, write.place + 1)
        self._index = write.place
        self._level = float(write.data == b"\1")

    def write(self) -> None:
        self._records.write(self._index, self._level)

    def close(self) -> None:
        self._records.close()


def _simulated(write: Write) -> OutputPort:
    from ..errors import SaintError  # a real robot never loads these
    from ..simulation import load_simulation

    try:
        simulation = load_simulation()
    except SaintError as err:
        raise OSError(errno.ENOSYS, str(err)) from err
    return simulation.open_will_port(write)


def open_port(write: Write, passed: int | None = None) -> OutputPort:
    """Open the way to a device; `passed` is the role's own descriptor of a GPIO line. OSError."""
    match write.kind:
        case WriteKind.FILE:
            return _FilePort(write)
        case WriteKind.I2C:
            return _i2c(write)
        case WriteKind.LINE:
            return _LinePort(write, passed)
        case WriteKind.SERIAL:
            return _serial(write)
        case WriteKind.CAN:
            return _CanPort(write)
        case WriteKind.UDP:
            return _UdpPort(write)
        case WriteKind.PIGPIO:
            return _PigpioPort(write)
        case WriteKind.RECORD:
            return _RecordPort(write)
    return _simulated(write)


class WillPorts:
    """All ports of one will. That of a device that is away is opened when an output begins to move,
    and again when the will is carried out: a device that was unplugged may be back."""

    def __init__(self, will: Will, passed: Sequence[int] = ()) -> None:
        self.will = will
        self.is_refused = False  # a write to a pin of this machine failed
        self.refusals: list[str] = []  # what is there and does not open, in sentences
        lines = iter(passed)
        self._ports: list[OutputPort | None] = []
        for write in will.writes:
            descriptor = next(lines, None) if write.kind is WriteKind.LINE else None
            self._ports.append(self._opened(write, descriptor))

    def open_missing(self) -> None:
        """Open what was away, or has failed."""
        self.refusals = []
        for index, write in enumerate(self.will.writes):
            if self._ports[index] is None:
                self._ports[index] = self._opened(write)

    def carry_out(self) -> list[str]:
        """Carry out every write, also after one that fails; returns what failed, in sentences."""
        failures = []
        self.is_refused = False
        for index, write in enumerate(self.will.writes):
            if error := self._write(index, write):
                failures.append(f"{write.path}: {error}")
                self.is_refused = self.is_refused or write.kind in _OWN_PINS
        return failures

    def close(self) -> None:
        """Close every port. Outputs keep their state; a line that nobody else holds becomes an
        input, which its pull holds at rest."""
        for port in self._ports:
            if port is not None:
                with contextlib.suppress(OSError):
                    port.close()
        self._ports = [None] * len(self._ports)

    def _opened(self, write: Write, passed: int | None = None) -> OutputPort | None:
        """Open a port; None for what does not open, with a refusal where it is there."""
        try:
            return open_port(write, passed)
        except OSError as err:
            if write.kind in _OWN_PINS or err.errno not in _AWAY:
                self.refusals.append(f"{write.path}: {err.strerror or err}")
            return None

    def _write(self, index: int, write: Write) -> str:
        port = self._ports[index]
        if port is not None:
            try:
                port.write()
                return ""
            except OSError:
                with contextlib.suppress(OSError):
                    port.close()
                self._ports[index] = None
        try:
            port = self._ports[index] = open_port(write)
            port.write()
        except OSError as err:
            return err.strerror or str(err)
        return ""


def carry_out(wills: Iterable[Will]) -> list[str]:
    """Open, carry out and close wills; returns what failed, in sentences."""
    failures: list[str] = []
    for will in wills:
        ports = WillPorts(will)
        failures += ports.carry_out()
        ports.close()
    return failures
