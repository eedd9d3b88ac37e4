"""A role without a loop: real session, real drivers, simulated pins, time that the test sets."""

import heapq
import itertools
import queue
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from saint_services.lib import config
from saint_services.lib.bus import Sample, Topic, cdr
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import EStop, RouterHeartbeat
from saint_services.lib.generated.topics import (
    ESTOP,
    ROUTER_CREDENTIAL,
    ROUTER_HEARTBEAT,
    TRACKS_CMD_VEL,
)
from saint_services.lib.records import RecordReading
from saint_services.lib.role.session import RoleSession
from saint_services.lib.role_config.model import RoleConfig
from saint_services.role_armsd.daemon import ArmRole
from saint_services.role_consoled.daemon import ConsoleRole
from saint_services.role_headd.daemon import HeadRole
from saint_services.role_leaderd.daemon import LeaderRole
from saint_services.role_partsd.daemon import PartsRole
from saint_services.role_tracksd.config import Config
from saint_services.role_tracksd.daemon import TracksRole
from saint_services.role_wagond.config import Config as WagonConfig
from saint_services.role_wagond.daemon import WagonRole
from tests.unit.role.credentials import SERVER, credential
from tools.sim.board import SimBoard
from tools.sim.faults import Faults

ROLES = Path(__file__).parents[3] / "manifests" / "roles"
# Read at import: async tests must not block.
_SHIPPED = {
    path.stem: config.load(RoleConfig, path, required=True) for path in ROLES.glob("*.yaml")
}
ROUTER, UNKNOWN = "0a" * 12, "0b" * 12


class _Timer:
    def __init__(self, when: float, callback: Callable[[], Any]) -> None:
        self.when, self.callback = when, callback
        self.is_cancelled = False

    def cancel(self) -> None:
        self.callback = lambda: None
        self.is_cancelled = True


class FakeClock:
    """Keeps time like an event loop; time passes in `advance` only."""

    def __init__(self, start_s: float = 1000.0) -> None:
        self.now = start_s
        self.calls = 0  # of timers that were not cancelled
        self._timers: list[tuple[float, int, _Timer]] = []
        self._order = itertools.count()
        self.from_threads: queue.SimpleQueue[Callable[[], Any]] = queue.SimpleQueue()

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[..., Any], /, *args: Any) -> _Timer:
        timer = _Timer(when, lambda: callback(*args))
        heapq.heappush(self._timers, (when, next(self._order), timer))
        return timer

    def call_soon_threadsafe(self, callback: Callable[..., Any], /, *args: Any) -> None:
        self.from_threads.put(lambda: callback(*args))

    def advance(self, seconds: float) -> None:
        """Let time pass; timers fire when they are due."""
        while not self.from_threads.empty():
            self.from_threads.get()()
        end = self.now + seconds
        while self._timers and self._timers[0][0] <= end:
            when, _, timer = heapq.heappop(self._timers)
            self.now = max(self.now, when)
            self.calls += not timer.is_cancelled
            timer.callback()
        self.now = end


class _End:
    def __init__(self, close: Callable[[], None]) -> None:
        self.close = close


class _Publisher:
    has_readers = True

    def __init__(self, sent: list[Any]) -> None:
        self._sent = sent

    def publish(self, message: Any) -> None:
        self._sent.append(cdr.decode(type(message), cdr.encode(message)))

    def close(self) -> None:
        pass


class _Polled:
    """Keeps samples until they are read."""

    def __init__(
        self, clock: FakeClock, callback: Callable[[Any], None], depth: int, end: _End
    ) -> None:
        self._clock, self._callback = clock, callback
        self.close = end.close
        self._waiting: deque[Sample[Any]] = deque(maxlen=depth)
        self.keep = self._waiting.append

    def read(self) -> None:
        while self._waiting:
            self._callback(replace(self._waiting.popleft(), received_s=self._clock.now))


class WireBus:
    """Delivers at once, through the wire's encoding, with the fake clock's time."""

    def __init__(self, clock: FakeClock, origin: str) -> None:
        self.origin = origin
        self._clock = clock
        self._callbacks: dict[str, list[Callable[[Any], None]]] = {}
        self.sent: dict[str, list[Any]] = {}

    def publisher(self, topic: Topic[Any]) -> _Publisher:
        return _Publisher(self.sent.setdefault(topic.name, []))

    def subscribe(self, topic: Topic[Any], callback: Any, *, own: bool = True) -> _End:
        callbacks = self._callbacks.setdefault(topic.name, [])
        callbacks.append(callback)
        return _End(lambda: callbacks.remove(callback))

    def poll(self, topic: Topic[Any], callback: Any, *, depth: int) -> _Polled:
        polled: _Polled
        end = self.subscribe(topic, lambda sample: polled.keep(sample))
        polled = _Polled(self._clock, callback, depth, end)
        return polled

    def send(self, topic: Topic[Any], message: Any, origin: str, late_s: float = 0.0) -> None:
        data = cdr.encode(message)
        for callback in tuple(self._callbacks.get(topic.name, ())):
            sample = Sample(cdr.decode(topic.type, data), self._clock.now - late_s, 0.0, origin)
            callback(sample)


def load_role(name: str, **changes: Any) -> RoleConfig:
    """Return a shipped role manifest."""
    return _SHIPPED[name].model_copy(update=changes)


class Rig:
    """A role with its simulated board, and a router that is the test."""

    def __init__(
        self,
        directory: Path,
        manifest: str,
        role: RoleConfig | None = None,
        origin: str = "0e" * 12,
        start_s: float = 1000.0,
    ) -> None:
        self.clock = FakeClock(start_s)
        self.counters: Counter[str] = Counter()
        self.config = role or load_role(manifest)
        self.directory = directory
        self.faults = Faults(directory)
        self.board = SimBoard(directory)
        self.board.drive._clock_ns = self._now_ns
        self.bus = WireBus(self.clock, origin)
        self.session = self._session()
        self.board.prepare(self.config)
        assert self.board._feeder
        for observer in (self.board._feeder._own, self.board._feeder._base):
            observer._clock_ns = (
                self._now_ns
            )  # else sensors measure bodies by the computer's uptime
        self.session.open_drivers(self.board)
        self.session.open_sensors(self.board, self.clock.time)
        assert self.session.sensors
        self.session.sensors.start = lambda: None  # type: ignore[method-assign]
        self.session.server_key = SERVER.public
        self.session.robot_name = "SAINT-01"
        self.session.open(self.bus)  # type: ignore[arg-type]
        self.send(ROUTER_CREDENTIAL, credential(ROUTER))
        self._beats = itertools.count(1)
        self.router_outputs: tuple[int, ...] = ()  # marks of what the router drives
        self.generation = 0

    def beat(self, origin: str = ROUTER, *, estop: bool = False, sequence: int = 0) -> None:
        """Send a heartbeat of a router."""
        number = sequence or next(self._beats)
        beat = RouterHeartbeat(
            sequence=number,
            estop=estop,
            estop_generation=self.generation,
            outputs=self.router_outputs,
        )
        self.bus.send(ROUTER_HEARTBEAT, beat, origin)

    def estop(self, active: bool, generation: int, origin: str = ROUTER) -> None:
        """Send a sample of the e-stop topic."""
        self.generation = generation
        self.bus.send(ESTOP, EStop(active=active, generation=generation), origin)

    def send(self, topic: Topic[Any], message: Any, origin: str = ROUTER) -> None:
        """Send any message."""
        self.bus.send(topic, message, origin)

    def drive(self, linear: float, angular: float = 0.0, origin: str = ROUTER) -> None:
        """Send a velocity command."""
        twist = Twist(Vector3(linear, 0.0, 0.0), Vector3(0.0, 0.0, angular))
        self.bus.send(TRACKS_CMD_VEL, twist, origin)

    def live(self, seconds: float, say: Callable[[], None], period_s: float = 0.02) -> None:
        """Send heartbeats, 20 a second, and commands for a while."""
        beat_s = self.clock.now
        for _ in range(round(seconds / period_s)):
            if self.clock.now >= beat_s - 1e-6:
                self.beat()
                beat_s += 0.05
            say()
            self.clock.advance(period_s)
            self.board.drive.advance()
            if self.session.sensors:
                self.session.sensors.step()

    def pin(self, pin: int) -> RecordReading:
        """Read a pin."""
        return self.board.bank.read(pin)

    def duties(self) -> tuple[float, float]:
        """Read the PWM pins of the tracks."""
        return self.pin(12).value, self.pin(13).value

    @property
    def servo_chip(self) -> Any:
        """The PCA9685 that the manifest names."""
        chips = self.config.i2c_devices.values()
        return self.board._chips[1, next(c.address for c in chips if c.driver == "pca9685")]

    def channels(self) -> list[float]:
        """Read the pulses in us of the role's PCA9685."""
        chip = self.servo_chip
        return [chip.output(channel).value for channel in range(16)]

    def _now_ns(self) -> int:
        return int(self.clock.now * 1e9)

    def close(self) -> None:
        """End the assignment."""
        self.session.close()
        self.board.close()

    def _session(self) -> RoleSession:
        parts = (self.config, "pi_1", self.clock, self.counters)
        if self.config.role == "tracks":
            return TracksRole(Config(), *parts)
        if self.config.role == "wagon":
            return WagonRole(WagonConfig(), *parts)
        if self.config.role == "parts":
            return PartsRole(*parts)
        if self.config.role == "leader":
            return LeaderRole(*parts)
        if self.config.role == "console":
            return ConsoleRole(0.2, *parts)
        if self.config.role == "head":
            return HeadRole(f"sim:{self.directory}", *parts)
        return ArmRole(*parts)
