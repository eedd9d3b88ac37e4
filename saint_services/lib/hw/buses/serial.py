"""Serial lines for asyncio: opens them, reads when bytes arrive, detects unplugging, reconnects.

No thread and no polling: the loop watches the descriptor, and the folders on the way to a missing
device; it also tries again after pauses that grow up to a limit.
"""

import asyncio
import contextlib
import errno
import fcntl
import os
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import serial

from ...errors import Code, SaintError
from ..device_watch import DeviceWatch

READ_BYTES = 4096
PAUSES_S = (0.1, 0.2, 0.5, 1.0, 2.0)  # between attempts to open; the last one repeats
PARITIES = {
    "none": serial.PARITY_NONE,
    "even": serial.PARITY_EVEN,
    "odd": serial.PARITY_ODD,
}
_MOST_AWAITED = 255  # a terminal's VMIN is one byte
_READ_TOGETHER = 64  # n_tty.c: of a read without waiting, while VMIN is more
BAUD_TOLERANCE = 0.025  # beyond this bits are read in the wrong place
_TCGETS2 = 0x802C542A  # ioctl_tty(2): struct termios2, whose speeds are numbers
_TERMIOS2 = struct.Struct("4I20sII")


class SerialPort:
    """An open line. Reads never block."""

    def __init__(self, device: str, port: serial.Serial) -> None:
        self.device = device
        self._port = port
        self._descriptor: int = port.fileno()
        self._woken_at = 1

    def fileno(self) -> int:
        return self._descriptor

    def wake_at(self, count: int) -> None:
        """Have the descriptor become readable with so many bytes, 255 at most; fewer wait for the
        next read. Never raises: a read says what is wrong with the line."""
        count = max(1, min(count, _MOST_AWAITED))
        if count == self._woken_at:
            return
        with contextlib.suppress(OSError, termios.error):
            settings = termios.tcgetattr(self._descriptor)
            settings[6][termios.VMIN] = count
            termios.tcsetattr(self._descriptor, termios.TCSANOW, settings)
            self._woken_at = count

    def read(self) -> bytes:
        """Return what has arrived, or b"". Raises SaintError when the device is unplugged."""
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError as err:
            raise _fault(Code.HARDWARE_FAULT, self.device, _reason(err)) from err
        if not data:
            raise _fault(Code.HARDWARE_FAULT, self.device, "it was unplugged")
        if len(data) == _READ_TOGETHER < self._woken_at:
            return data + self.read()
        return data

    def write(self, data: bytes) -> int:
        """Write what fits now; return how many bytes. Raises SaintError when it is unplugged."""
        try:
            return os.write(self._descriptor, data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as err:
            raise _fault(Code.HARDWARE_FAULT, self.device, _reason(err)) from err

    def close(self) -> None:
        self._port.close()


def open_serial(device: str, baud: int, parity: str = "none", stopbits: int = 1) -> SerialPort:
    """Open the line for this process alone, with any baud rate that the driver supports."""
    try:
        port = serial.Serial(
            device,
            baud,
            parity=PARITIES[parity],
            stopbits=stopbits,
            timeout=0,
            write_timeout=0,
            exclusive=True,
        )
    except (serial.SerialException, OSError, ValueError, termios.error) as err:
        raise _not_opened(device, baud, err) from err
    try:
        _prepare(port, parity)
        _check_speed(port.fileno(), device, baud)
    except SaintError:
        port.close()
        raise
    except (OSError, ValueError, termios.error) as err:
        port.close()
        raise _not_opened(device, baud, err) from err
    return SerialPort(device, port)


def _prepare(port: serial.Serial, parity: str) -> None:
    descriptor = port.fileno()
    os.set_blocking(descriptor, False)
    settings = termios.tcgetattr(descriptor)
    if parity != "none":
        # A byte with a wrong parity bit is left out, so its frame is too short and dropped.
        settings[0] |= termios.INPCK | termios.IGNPAR
    # With the library's 0, a read of nothing and of an unplugged device look the same.
    settings[6][termios.VMIN] = 1
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)
    termios.tcflush(descriptor, termios.TCIFLUSH)  # data from before the start is old

    # Else a USB adapter of FTDI's collects for 16 ms, which is two frames.
    with contextlib.suppress(OSError, ValueError, NotImplementedError, AttributeError):
        port.set_low_latency_mode(True)


def _check_speed(descriptor: int, device: str, baud: int) -> None:
    """Check the speed that the driver has rounded to. Raises SaintError beyond BAUD_TOLERANCE."""
    if not sys.platform.startswith("linux"):
        return
    try:
        answer = fcntl.ioctl(descriptor, _TCGETS2, bytes(_TERMIOS2.size))
    except OSError:
        return
    actual = _TERMIOS2.unpack(answer)[-1]
    if actual and abs(actual - baud) > BAUD_TOLERANCE * baud:
        raise _fault(
            Code.HARDWARE_FAULT,
            device,
            f"it runs at {actual} baud where {baud} are needed",
            "Use another USB adapter, or a UART of the header.",
        )


class SerialLine:
    """Keeps a line open and passes on what arrives, with the monotonic time in microseconds.

    `on_data` runs in the loop, once per read. `on_open` and `on_lost` (with one sentence) run once
    each time the line opens or is lost. With `device`, a watch waits for its node while it is
    missing.
    """

    def __init__(
        self,
        open_port: Callable[[], SerialPort],
        on_data: Callable[[bytes, int], None],
        on_open: Callable[[], None],
        on_lost: Callable[[SaintError], None],
        device: str = "",
    ) -> None:
        self._device = device
        self._watch: DeviceWatch | None = None
        self._open_port = open_port
        self._on_data = on_data
        self._on_open = on_open
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._port: SerialPort | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._failures = 0
        self._is_reported = False  # the loss of the line

    @property
    def is_open(self) -> bool:
        return self._port is not None

    def start(self) -> None:
        """Open the line now, or as soon as its device is present."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._port is not None:
            return
        try:
            port = self._open_port()
        except SaintError as err:
            self._report_lost(err)
            return
        self._port = port
        self._is_reported = False
        self._end_watch()
        self._loop.add_reader(port.fileno(), self._read)
        self._on_open()

    def close(self) -> None:
        """Close the line and stay closed."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        self._end_watch()
        self._release()
        self._failures = 0
        self._is_reported = False

    def write(self, data: bytes) -> bool:
        """Write all of it now; return False when the line is not open or has no room."""
        if self._port is None:
            return False
        try:
            return self._port.write(data) == len(data)
        except SaintError:
            return False  # the reader will find the same

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _read(self) -> None:
        port = self._port
        if port is None:
            return
        try:
            data = port.read()
        except SaintError as err:
            self._release()
            self._report_lost(err)
            return
        if data:
            self._failures = 0
            self._on_data(data, time.monotonic_ns() // 1000)

    def _release(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            self._loop.remove_reader(port.fileno())
            port.close()

    def _report_lost(self, error: SaintError) -> None:
        # A line that opens and fails at once counts as a failure too: only data resets the pause.
        pause_s = PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
        self._failures += 1
        self._retry = self._loop.call_later(pause_s, self.start)
        if self._watch is None and self._device:
            self._watch = DeviceWatch(Path(self._device), self.start)
        if not self._is_reported:
            self._is_reported = True
            self._on_lost(error)


def _not_opened(device: str, baud: int, error: Exception) -> SaintError:
    number = _number(error)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return _fault(Code.HARDWARE_MISSING, device, "the device is not plugged in")
    if number == errno.EPERM:  # of the device filter of its unit, not of the file's owner
        return _fault(
            Code.HARDWARE_FAULT,
            device,
            "this service may not open it yet: no device of its kind was known when it started",
            "Restart this machine, or the service that uses the device.",
        )
    if number == errno.EACCES:
        return _fault(
            Code.HARDWARE_FAULT,
            device,
            "this user has no permission",
            "Add the user to the group that owns the device, usually dialout.",
        )
    if "exclusively lock" in str(error) or number == errno.EBUSY:
        return _fault(
            Code.HARDWARE_FAULT,
            device,
            "another program has it open",
            "Stop the other program, for example a serial console on this line.",
        )
    if number in (errno.ENOTTY, errno.EINVAL, errno.EISDIR):
        return _fault(
            Code.HARDWARE_FAULT, device, f"it is not a serial line or refuses {baud} baud"
        )
    return _fault(Code.HARDWARE_FAULT, device, _reason(error))


def _number(error: BaseException | None) -> int | None:
    """Return the system's error number, which pyserial may hide in the cause of its error."""
    while error is not None:
        number = getattr(error, "errno", None) or (error.args[0] if error.args else None)
        if isinstance(number, int):
            return number
        error = error.__context__
    return None


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.EIO:
        return "it was unplugged"
    text = getattr(error, "strerror", None) or str(error)
    return text.rstrip(".")


def _fault(code: Code, device: str, reason: str, fix: str = "") -> SaintError:
    return SaintError(code, f"serial line {device}: {reason}", fix=fix)
