"""Reads the sensors of a role, each in a thread of its own: neither a bus that hangs nor a sensor
that starts slowly delays the role's loop or other sensors. A failed sensor is reported in a
sentence and reconnected with growing pauses (backoff).
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from ...errors import SaintError
from ...role_config.devices import I2cDevice
from ...role_config.model import RoleConfig
from ..buses.multiplexer import open_i2c
from ..ports import Board, I2cBus, Sample, Sensor

# Module and class of each driver; loaded when a manifest names it.
_DRIVERS = {
    "mpu6050": ("mpu6050", "Mpu6050"),
    "bmp280": ("bmp280", "Bmp280"),
    "vl53l0x": ("vl53l0x", "Vl53l0x"),
    "ina219": ("ina219", "Ina219"),
    "tsl2561": ("tsl2561", "Tsl2561"),
}
_MOST_FAILURES = 3  # in a row; fewer are disturbances on the wire
_PAUSES_S = (0.5, 1.0, 2.0, 5.0)  # before it is opened again; the last one repeats
_OLDEST_S = 1.0  # older readings are ignored


@dataclass(frozen=True, slots=True)
class SensorReading:
    """Measurement of a sensor and its monotonic time."""

    value: Sample
    stamp_s: float


class Sensors:
    """The sensors in `i2c_devices` of a role. The constructor opens them: call it in a
    thread; it raises SaintError for a missing one that is `required`.
    """

    def __init__(
        self, board: Board, config: RoleConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._feeds: dict[str, _Feed] = {}
        for name, device in config.i2c_devices.items():
            if device.driver in _DRIVERS:
                self._feeds[name] = _Feed(board, name, device)
        try:
            for feed in self._feeds.values():
                feed.open(clock())
        except SaintError:
            self.close()
            raise

    def start(self) -> None:
        """Start the threads."""
        for feed in self._feeds.values():
            feed.start(self._clock)

    def step(self) -> None:
        """Read what is due, in this thread: for tests with their own clock."""
        for feed in self._feeds.values():
            feed.step(self._clock())

    def now_s(self) -> float:
        """Return the time of the clock by which readings are stamped."""
        return self._clock()

    def newest(self, name: str) -> SensorReading | None:
        """Return the last reading; None while there is no recent one."""
        feed = self._feeds.get(name)
        reading = feed.reading if feed else None
        if reading is None or self._clock() - reading.stamp_s > _OLDEST_S:
            return None
        return reading

    def of(self, driver: str) -> list[str]:
        """Return the names of the sensors with this driver."""
        return [name for name, feed in self._feeds.items() if feed.device.driver == driver]

    @property
    def problems(self) -> dict[str, str]:
        """Return the faults, one sentence per sensor."""
        return {name: feed.problem for name, feed in self._feeds.items() if feed.problem}

    def close(self) -> None:
        """Stop reading, without waiting for a thread that is using its bus."""
        for feed in self._feeds.values():
            feed.close()


class _Feed:
    """One sensor, and the thread that reads it. Attributes are replaced as a whole, so that other
    threads may read them at any time.
    """

    def __init__(self, board: Board, name: str, device: I2cDevice) -> None:
        self.device = device
        self.reading: SensorReading | None = None
        self.problem = ""
        self._board = board
        self._name = name
        module, self._class = _DRIVERS[device.driver]
        self._module = import_module(f".{module}", __package__)
        self._period_s = 1.0 / (device.rate_hz or self._module.RATE_HZ)
        self._bus: I2cBus | None = None
        self._sensor: Sensor | None = None
        self._due_s = 0.0
        self._failures = 0
        self._attempts = 0
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self, now_s: float) -> None:
        """Open the sensor for the first time. Raises SaintError when it is required."""
        try:
            self._open()
        except SaintError as err:
            if self.device.required:
                raise
            self._fail(err.message, now_s)

    def start(self, clock: Callable[[], float]) -> None:
        self._thread = threading.Thread(
            target=self._run, args=(clock,), name=f"sensor {self._name}", daemon=True
        )
        self._thread.start()

    def step(self, now_s: float) -> None:
        """Open or read the sensor, if that is due."""
        if now_s < self._due_s:
            return
        self._due_s = max(self._due_s + self._period_s, now_s)
        try:
            if self._sensor is None:
                self._open()
            self._read(now_s)
        except SaintError as err:
            self._fail(err.message, now_s)
        except OSError as err:
            self._failures += 1
            if self._failures >= _MOST_FAILURES:
                self._fail(f"{self._name}: {err.strerror or err}", now_s)

    def close(self) -> None:
        self._end.set()
        if self._thread is None:
            self._close_bus()

    def _run(self, clock: Callable[[], float]) -> None:
        try:
            while not self._end.wait(max(0.0, self._due_s - clock())):
                self.step(clock())
        except ValueError:
            if not self._end.is_set():  # else the simulated board was closed meanwhile
                raise
        finally:
            self._close_bus()

    def _open(self) -> None:
        if self._bus is None:
            self._bus = open_i2c(self._board, self.device)
        self._sensor = getattr(self._module, self._class)(self._bus, self.device, self._name)

    def _read(self, now_s: float) -> None:
        assert self._sensor
        value = self._sensor.read()
        if value is not None:
            self.reading = SensorReading(value, now_s)
            self.problem = ""
            self._attempts = 0
        self._failures = 0

    def _fail(self, problem: str, now_s: float) -> None:
        self.reading, self._sensor, self.problem = None, None, problem
        self._due_s = now_s + _PAUSES_S[min(self._attempts, len(_PAUSES_S) - 1)]
        self._attempts += 1
        self._failures = 0

    def _close_bus(self) -> None:
        bus, self._bus = self._bus, None
        if bus:
            bus.close()
