"""The BALANCE board: reads the IO board, the computer, the VESCs and the attitude sensor, decides
whether the motors may turn, and drives them. All buses and the clock come in.
"""

from ..shared import tables as t
from ..shared.codec import unpack
from ..shared.freshness import Freshness, Period
from ..shared.link import LinkParser, framed
from . import config, telemetry
from .arming import ARM, Arming, Conditions, switch_position
from .attitude import Attitude, Calibration
from .console import BenchConsole
from .mixing import Slew, StabilityAssist, accepted_gains, mixed
from .sources import Sources, speed_limit
from .surroundings import Surroundings
from .vescs import Vescs

_STALL_MS = 200  # a loop that stood still for longer has driven on with old commands
_WEAK_PERCENT = 50
_RELEASE_MS = 500


class BalanceBoard:
    """`can` has send(id, data, is_extended), receive() and is_off(); `imu` has read(), which
    returns the raw bytes and a sample, or None; `link` and `console` have read() and write(data).
    """

    def __init__(self, can, imu, link, console, now_ms: int, version: str = "") -> None:
        self.version = version
        self.arming = Arming()
        self.sources = Sources()
        self.attitude = Attitude()
        self._tilted = Freshness(t.LEVEL_MS)
        self.assist = StabilityAssist(config.GAINS)
        self.vescs = Vescs(lambda identifier, data: can.send(identifier, data, True))
        self.calibration = Calibration()
        self.surroundings = Surroundings()
        self.fault = t.FAULT_INTERNAL
        self.start_fault = t.FAULT_NONE  # of the restart; until a disarm
        self._stopped_by = t.FAULT_NONE
        self.signals_dbm = [t.NO_SIGNAL_DBM, t.NO_SIGNAL_DBM]  # of Crossfire and ELRS
        self.has_bridges = config.HAS_BRIDGES
        self.quality = 100
        self._can, self._imu, self._link, self._serial = can, imu, link, console
        self._parser = LinkParser()
        self._console = BenchConsole(self)
        self.io_alive = Freshness(t.LINK_HEARTBEAT_LIMIT_MS)
        self._slews = (Slew(), Slew())
        self._start_ms = self._last_ms = self._rest_ms = now_ms
        self._was_state = -1
        self._wheels = (0.0, 0.0)
        self._must_brake = True
        self._motor_period = Period(t.VESC_PERIOD_MS)
        self._attitude_period = Period(t.ATTITUDE_PERIOD_MS)
        self._power_period = Period(t.POWER_PERIOD_MS)
        self._heartbeat_period = Period(t.HEARTBEAT_PERIOD_MS)

    def step(self, now_ms: int) -> None:
        """Do everything once; called every few milliseconds."""
        since_ms, self._last_ms = now_ms - self._last_ms, now_ms
        self._receive_can(now_ms)
        self._receive_link(now_ms)
        self._measure(now_ms)
        replies = self._console.feed(self._serial.read(), now_ms)
        self.fault = self._gravest(now_ms, since_ms > _STALL_MS)
        self.arming.update(self._conditions(now_ms))
        if self.arming.state == t.STATE_FAULT and self._was_state != t.STATE_FAULT:
            self._stopped_by = self.fault
        self._drive(now_ms, max(0, min(50, since_ms)) / 1000)
        self._report(now_ms)
        if replies:
            self._serial.write(replies)

    @property
    def reported_fault(self) -> int:
        """Return the fault; in FAULT the one that led there, which may be gone before a report."""
        if self.arming.state == t.STATE_FAULT and self.fault == t.FAULT_NONE:
            return self._stopped_by
        return self.fault

    def off(self) -> None:
        """Stop all motors: the last act before the program ends."""
        self.arming.estop()
        self.vescs.brake()

    def disarm(self) -> None:
        """Disarm, as an act of a person."""
        self.start_fault = t.FAULT_NONE
        self.arming.disarm()

    def set_gains(self, wanted: tuple) -> bool:
        """Set the gains of the stability assist; False: refused."""
        gains = accepted_gains(self.assist.gains, wanted, self.arming.is_armed)
        if gains is None:
            return False
        self.assist.gains = (gains[0], gains[1], gains[2])
        return True

    def calibrate(self) -> str:
        """Begin the calibration of the turn rates; return why not, or ""."""
        if self.arming.is_armed:
            return "disarm first"
        self.calibration.start()
        return ""

    def _receive_can(self, now_ms: int) -> None:
        for identifier, data, is_extended in self._can.receive():
            if is_extended:
                self.vescs.received(identifier, data, now_ms)
                continue
            for row in t.HOST_ROWS:
                if row[0] == identifier:
                    values = unpack(row, data)
                    if values is not None:
                        self._host(row[0], values, now_ms)

    def _host(self, identifier: int, values: tuple, now_ms: int) -> None:
        """Carry out a frame of the computer."""
        if identifier == t.CAN_ESTOP[0]:
            self.arming.estop()
        elif identifier == t.CAN_DRIVE[0]:
            self.sources.host.command(values, now_ms)
        elif identifier == t.CAN_GAINS[0]:
            self.set_gains(values)
        elif values[0] == 0:
            self.disarm()
        else:
            self.arming.arm()

    def _receive_link(self, now_ms: int) -> None:
        for kind, values in self._parser.feed(self._link.read(), now_ms):
            if kind == t.LINK_HEARTBEAT[0]:
                self.io_alive.feed(now_ms)
            elif kind == t.LINK_RC_CHANNELS[0]:
                self.sources.pilot.received(values, now_ms)
            elif kind == t.LINK_SENSOR[0]:
                self._sensor(values[0], values[1])
                self.surroundings.measured(values[0], values[1], now_ms)
            elif kind == t.LINK_NFC[0]:
                self.surroundings.tag(values[0], values[1])

    def _sensor(self, number: int, value: float) -> None:
        for place, receiver in enumerate((t.SENSOR_RSSI_CROSSFIRE, t.SENSOR_RSSI_ELRS)):
            if number == receiver:
                self.signals_dbm[place] = int(max(-128.0, min(127.0, value)))
        if number == t.SENSOR_LINK_QUALITY:
            self.quality = int(max(0.0, min(100.0, value)))

    @property
    def rssi_dbm(self) -> int:
        """Return the strength of the receiver in use."""
        return self.signals_dbm[1 if self.sources.pilot.is_elrs else 0]

    def _measure(self, now_ms: int) -> None:
        found = self._imu.read()
        if found is None:
            return
        raw, sample = found
        self.attitude.measured(raw, self.calibration.corrected(sample), now_ms)
        if self.arming.is_armed:
            self.calibration.cancel()
        outcome = self.calibration.result()
        if outcome is not None:
            self._serial.write(b"IMU CAL " + outcome.encode() + b"\n")

    def _gravest(self, now_ms: int, has_stalled: bool) -> int:
        """Return the gravest fault, or a warning."""
        if has_stalled:
            return t.FAULT_INTERNAL
        if not self.attitude.is_good(now_ms):
            return t.FAULT_IMU
        if not self.io_alive.is_fresh(now_ms):
            return t.FAULT_IO_BOARD
        if self._can.is_off():
            return t.FAULT_CAN_OFF
        fault = self.vescs.fault(now_ms) or self.start_fault or self.vescs.warning()
        if fault == t.FAULT_NONE and self.quality < _WEAK_PERCENT:
            return t.FAULT_WARN_RC_WEAK
        return fault

    def _conditions(self, now_ms: int) -> Conditions:
        now, pilot = Conditions(), self.sources.pilot
        now.is_rc_alive = pilot.is_alive(now_ms)
        now.switch = switch_position(pilot.channels[t.CHANNEL_ARM])
        now.is_elrs = pilot.is_elrs
        now.is_level = self.attitude.tilt <= t.TILT_LIMIT_DEG
        if not (now.is_level and self.attitude.is_good(now_ms)):
            self._tilted.feed(now_ms)
        now.is_settled = not self._tilted.is_fresh(now_ms)
        now.is_neutral = pilot.is_neutral
        now.is_host_neutral = self.sources.is_host_neutral(now_ms)
        now.fault = self.fault
        if now.is_rc_alive and now.switch != ARM:
            self.start_fault = t.FAULT_NONE
        return now

    def _drive(self, now_ms: int, step_s: float) -> None:
        command = self.sources.command(now_ms, self.arming.is_armed)
        has_stopped = command is None and any(slew.value for slew in self._slews)
        self._wheels = self._targets(command, step_s)
        self._must_brake = command is None or self.sources.may_brake
        state = self.arming.state
        has_changed, self._was_state = state != self._was_state, state
        if self._motor_period.is_due(now_ms) or has_changed or has_stopped:
            self._motor_period.restart(now_ms)
            self._send_motors(now_ms)
        if has_changed:
            self._heartbeat_period.restart(now_ms)
            self._send_status(now_ms)

    def _targets(self, command: "tuple[int, int] | None", step_s: float) -> "tuple[float, float]":
        """Return what both sides are driven with, in thousandths."""
        if command is None:
            for slew in self._slews:
                slew.stop()
            self.assist.reset(self.attitude.pitch)
            return 0.0, 0.0
        speed, steer = float(command[0]), float(command[1])
        if self.sources.mode == t.MODE_ASSISTED:
            attitude = self.attitude
            speed = self.assist.step(speed, attitude.pitch, attitude.pitch_rate, step_s)
        limit = speed_limit(self.sources.pilot.channels[t.CHANNEL_LIMIT])
        left, right = mixed(speed, steer, limit)
        return self._slews[0].step(left, step_s), self._slews[1].step(right, step_s)

    def _send_motors(self, now_ms: int) -> None:
        left, right = self._wheels
        if self.has_bridges:
            scaled = round(left * config.FULL_DUTY), round(right * config.FULL_DUTY)
            self._link.write(framed(t.LINK_WHEELS, *scaled))
        if self.arming.is_armed and (left or right):
            self._rest_ms = now_ms
            self.vescs.drive(left, right)
            return
        rested_ms = now_ms - self._rest_ms
        if self._must_brake if self.arming.is_armed else rested_ms < config.BRAKE_MS:
            self.vescs.brake()
        elif self.arming.is_armed or rested_ms < config.BRAKE_MS + _RELEASE_MS:
            self.vescs.release()

    def _report(self, now_ms: int) -> None:
        if self._attitude_period.is_due(now_ms):
            self._can.send(t.CAN_ATTITUDE[0], telemetry.attitude(self, now_ms), False)
        if self._power_period.is_due(now_ms):
            self._can.send(t.CAN_POWER[0], telemetry.power(self), False)
            self._can.send(t.CAN_RECEIVERS[0], telemetry.receivers(self, now_ms), False)
        if self._heartbeat_period.is_due(now_ms):
            self._send_status(now_ms)

    def _send_status(self, now_ms: int) -> None:
        uptime_ms = (now_ms - self._start_ms) & 0xFFFFFFFF
        state, attitude = self.arming.state, self.attitude
        pilot = self.sources.pilot
        horn = pilot.is_alive(now_ms) and pilot.channels[t.CHANNEL_HORN] > t.ARM_ABOVE_US
        is_stopped = state not in (t.STATE_DISARMED, t.STATE_ARMED)
        values = (
            255,
            255 if horn else 0,
            255 if self.arming.is_armed else 0,
            255 if self.vescs.is_hot else 0,
            255 if is_stopped and now_ms // 500 % 2 else 0,
        )
        self._link.write(
            framed(t.LINK_HEARTBEAT, uptime_ms)
            + framed(t.LINK_STATUS, state, attitude.pitch, self.vescs.speed_mps)
            + framed(t.LINK_ACTUATORS, *values)
        )
