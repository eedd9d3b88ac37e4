"""Moves joints that hold a position, servos and steppers, within their limits, rates and
accelerations, and apart where the manifest says so. A joint without a command yet gets no pulse,
unless the process before left one. One that sleeps gets none after it has stood still; it wakes
with the first target that is another place, with a pulse for the place where it was.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import nan
from typing import TYPE_CHECKING

from ...errors import Code, SaintError
from ...hw.ports import Board
from ...role_config.bus_servos import BUS_SERVO
from ...role_config.model import FieldSpec, PinSpec, RoleConfig
from ..pulse_chips import PulseChips
from ..timers import Clock, Handle, Motion
from .axis import SLICE_S, Axis, Glide
from .body_room import BodyRoom, within_body
from .collisions import Fences
from .outputs import JointOutput, ServoChannel, ServoPin

if TYPE_CHECKING:
    from ..servo_lines import ServoLines
    from .bus_servo_output import BusServoOutput

_LOOK_S = 0.5  # between looks at the faults of bus servos
_SOFT = 0.25  # share of the rate, from a stop, a limp or the start of the role until caught up
_CAUGHT_UP_S = 0.05  # of that rate: a joint that is so near its target has caught up


class Joint:
    """A field of the manifest, its axis, and its output."""

    __slots__ = (
        "axis",
        "is_asleep",
        "is_driven",
        "is_gentle",
        "is_placed",
        "is_soft",
        "is_waking",
        "is_written",
        "moved_s",
        "name",
        "neutral",
        "output",
        "sleep_after_s",
        "unit",
        "was_found",
    )

    def __init__(
        self,
        name: str,
        field: FieldSpec,
        output: JointOutput,
        sleep_after_s: float | None,
        *,
        is_gentle: bool = False,
    ) -> None:
        self.name = name
        self.unit = field.unit
        self.neutral = field.neutral
        self.output = output
        found = output.found()
        self.was_found = found is not None
        kind = Glide if field.max_acceleration else Axis
        self.axis: Axis = kind(field, found)
        if found is not None and found != self.axis.applied:  # outside of its limits
            self.axis.stand(found)
        self.is_driven = False  # until the first command
        self.is_written = True
        self.is_placed = output.is_ready  # the axis is where the output is
        self.sleep_after_s = sleep_after_s
        self.moved_s = -math.inf  # when its pulse changed last
        self.is_asleep = self.is_waking = False
        self.is_gentle = is_gentle  # it may stand elsewhere than it was sent, and starts slowly
        self.is_soft = is_gentle

    @property
    def place(self) -> float:
        """Where it is, NaN where nobody knows."""
        if self.output.is_ready:
            return self.axis.applied
        found = self.output.found()
        return nan if found is None else found

    def find(self) -> bool:
        """Go on from where the output has found itself; True when it just has."""
        if self.output.is_ready == self.is_placed:
            return False
        self.is_placed = self.output.is_ready
        self.soften()
        place = self.output.found()
        if place is not None:
            self.axis.stand(place)
        return place is not None

    def soften(self) -> None:
        """Start slowly: it has stopped, or was limp."""
        self.is_soft = self.is_gentle

    def pace(self, share: float) -> float:
        """Return the share of the rate for the target that it has now."""
        if self.is_soft:
            near = self.axis.rate * _SOFT * _CAUGHT_UP_S
            way = abs(self.axis.target - self.axis.applied)
            self.is_soft = not self.output.is_ready or way > near
        return min(share, _SOFT) if self.is_soft else share

    def hold(self) -> bool:
        """Stay where it is, and go nowhere; True when that is another place than the axis had."""
        place = self.output.hold()
        self.soften()
        if place is not None:
            self.axis.stand(place)
        self.axis.hold()
        self.is_written = True
        if self.is_waking:  # its first pulse was not written yet
            self.is_asleep, self.is_waking = True, False
        return place is not None

    @property
    def is_still(self) -> bool:
        """True when time alone changes nothing."""
        return self.axis.is_still and self.output.is_still

    def sleep(self) -> None:
        """End the pulses; on a chip with the next flush."""
        self.output.sleep()
        self.is_asleep = True

    def sleeps_s(self) -> float:
        """Return when its pulses end; inf for one that does not sleep, or sleeps."""
        if self.sleep_after_s is None or self.is_asleep or not self.is_driven:
            return math.inf
        return self.moved_s + self.sleep_after_s


class Joints:
    """All position joints of a role."""

    def __init__(
        self,
        config: RoleConfig,
        clock: Clock,
        attempt: Callable[[str, Callable[[], None]], bool],
        on_still: Callable[[], None],
        fail: Callable[[str], None],
        chips: PulseChips,
    ) -> None:
        self._config = config
        self._clock = clock
        self._fail = fail
        self._chips = chips
        self._sleep: Handle | None = None
        self._attempt = attempt
        self._on_still = on_still
        self._motion = Motion(clock, SLICE_S, self.step)
        self._fences = Fences(config.collision_limits)
        self._at: dict[str, float] = {}  # positions of the joints in collision limits
        self.room = BodyRoom(config.body, config) if config.body else None
        self._stopped: dict[str, str] = {}  # by the body: joint and reason
        self.by_name: dict[str, Joint] = {}
        self.bus_servos: dict[str, BusServoOutput] = {}
        self._lines: ServoLines | None = None

    def open(self, board: Board) -> None:
        """Open the outputs of all position fields. Other fields are not of joints."""
        for name, field in self._config.fields.items():
            if field.kind != "position":
                continue
            pin = self._config.gpio_mapping.get(name)
            if pin is None:
                message = f"fields.{name} is no position that has a servo in gpio_mapping"
                raise SaintError(Code.CONFIG_INVALID, message)
            output = self._output(board, name, field, pin)
            narrowed = within_body(self._config.body, self._config.target, name, field)
            joint = self.by_name[name] = Joint(
                *(name, narrowed, output, pin.sleep_after_s),
                is_gentle=pin.type == BUS_SERVO,
            )
            if narrowed is not field and (found := output.found()) is not None:
                joint.axis.stand(found)  # from outside it comes back at its rate, not at once
        self._found()

    def _found(self) -> None:
        """Accept where the joints are, without a check."""
        self._at = {name: self.by_name[name].axis.applied for name in self._fences.joints}
        if self.room:
            self.room.put({name: joint.axis.applied for name, joint in self.by_name.items()})

    def _seek(self, joint: Joint, now_s: float) -> bool:
        """Let a joint that is to move find its place first. True while there is more to do."""
        if not joint.is_driven:
            return False
        self._attempt(joint.name, partial(joint.output.seek, now_s))
        return True

    def of(self, command: str) -> dict[str, Joint]:
        """Return the joints that a command message drives, by the path in it."""
        fields = self._config.fields.items()
        return {
            f.path: self.by_name[name]
            for name, f in fields
            if f.command == command and name in self.by_name
        }

    def aim(self, joint: Joint, value: float, share: float = 1.0) -> None:
        """Set a joint's target, and the share of its top rate. It moves in `step`."""
        joint.axis.aim(joint.output.nearest(value))
        joint.axis.share = joint.pace(share)
        if not joint.is_driven:
            joint.is_driven, joint.is_written = True, False
        if joint.is_asleep and not joint.axis.is_there:
            joint.is_asleep, joint.is_waking, joint.is_written = False, True, False

    def step(self, now_s: float) -> bool:
        """Move every joint as far as the time allows, and schedule the next slice. True while a
        joint has further to go."""
        found = [joint.find() for joint in self.by_name.values()]
        if any(found):
            self._found()
        before = {name: joint.axis.applied for name, joint in self.by_name.items()}
        self._step_axes(now_s)
        if self.room:
            self._give_way(self.room, before, now_s)
        # A joint in a collision limit that has moved may have made room for another one.
        is_more = any(place != before[name] for name, place in self._at.items())
        for name, joint in self.by_name.items():
            if not joint.output.is_ready:
                is_more = self._seek(joint, now_s) or is_more
                continue
            if joint.axis.applied != before[name] or not joint.is_written:
                put = partial(joint.output.put, joint.axis.applied, now_s)
                joint.is_written = self._attempt(name, put)
                joint.moved_s = now_s
            is_more = is_more or not (joint.is_still and joint.is_written)
        if not self._chips.flush(self._attempt):
            is_more = True  # what is pending is written in the next slice
        if is_more:
            self._motion.start(now_s)
        else:
            self._plan_sleep()
            self._on_still()
        return is_more

    def _plan_sleep(self) -> None:
        """Look again when the next joint has stood still for as long as it does before it sleeps.
        One timer, which finds out by itself whether a joint has moved meanwhile."""
        due_s = min((each.sleeps_s() for each in self.by_name.values()), default=math.inf)
        if self._sleep is None and due_s != math.inf:
            self._sleep = self._clock.call_at(max(due_s, self._clock.time()), self._put_to_sleep)

    def _put_to_sleep(self) -> None:
        self._sleep = None
        now_s = self._clock.time()
        for name, joint in self.by_name.items():
            if joint.axis.is_still and joint.sleeps_s() <= now_s:
                self._attempt(name, joint.sleep)
        if not self._chips.flush(self._attempt):
            self._motion.start(now_s)
        elif not self._motion.is_running:
            self._plan_sleep()

    def _step_axes(self, now_s: float) -> None:
        """Move every axis as its limits allow."""
        for name, joint in self.by_name.items():
            axis = joint.axis
            if not joint.output.is_ready:
                continue
            if joint.is_waking:  # its first pulse is for the place where it fell asleep
                joint.is_waking = False
                continue
            if name in self._at:
                axis.confine(*self._fences.room(name, self._at))
            elif self.room:
                axis.confine(axis.low, axis.high)
            if axis.step(now_s) and name in self._at:
                self._at[name] = axis.applied

    def _give_way(self, room: BodyRoom, before: Mapping[str, float], now_s: float) -> None:
        """Take back what would bring shapes of the robot too close to each other."""
        axes = {name: joint.axis for name, joint in self.by_name.items()}
        wanted = {name: axis.applied for name, axis in axes.items() if axis.applied != before[name]}
        self._stopped = {name: why for name, why in self._stopped.items() if name not in wanted}
        admitted = room.admit(wanted, now_s) if wanted else {}
        short = {name: place for name, place in admitted.items() if place != wanted[name]}
        if short and self._are_fences_broken(short, before):
            # What was taken back had made room for another joint: none of these moves.
            short |= {name: before[name] for name in self._at if axes[name].applied != before[name]}
            room.put({**before, **admitted, **short})
        for name, place in short.items():
            axes[name].give_way(place, before[name], now_s)
            if name in self._at:
                self._at[name] = place
            if place == before[name]:
                self._stopped[name] = room.reason

    def _are_fences_broken(self, short: Mapping[str, float], before: Mapping[str, float]) -> bool:
        """Return whether the collision limits hold no more once joints have been taken back."""
        then = {name: before[name] for name in self._at}
        return self._fences.are_kept(then) and not self._fences.are_kept(
            {name: short.get(name, place) for name, place in self._at.items()}
        )

    def look_again(self, now_s: float) -> None:
        """Try joints that the body has stopped: another role has moved."""
        if self._stopped and any(self._is_waiting(name) for name in self._stopped):
            self.set_off(now_s)

    def set_off(self, now_s: float) -> None:
        """Begin to move in the next slice: for targets that no command has set. They do not come
        between the slices of a present motion."""
        self._motion.start(now_s)

    def hold(self) -> None:
        """Stop every joint where it is."""
        self._motion.close()
        stood = [joint.hold() for joint in self.by_name.values()]
        if any(stood):
            self._found()
        if not self._sleep:
            self._plan_sleep()

    @property
    def are_still(self) -> bool:
        """True when no joint moves."""
        return all(joint.is_still for joint in self.by_name.values())

    @property
    def waiting(self) -> tuple[str, ...]:
        """The joints that the collision limits keep from their targets."""
        return tuple(
            name
            for name in sorted(self._at)
            if name not in self._stopped and self._is_waiting(name)
        )

    @property
    def stopped(self) -> dict[str, str]:
        """The joints that the body keeps from their targets, and why."""
        return {name: why for name, why in self._stopped.items() if self._is_waiting(name)}

    def _is_waiting(self, name: str) -> bool:
        axis = self.by_name[name].axis
        return axis.is_still and not axis.is_there

    def close(self) -> None:
        """Release all outputs; pulses stay."""
        self._motion.close()
        if self._sleep:
            self._sleep.cancel()
            self._sleep = None
        for joint in self.by_name.values():
            joint.output.close()
        self.by_name.clear()
        self.bus_servos.clear()
        self._lines = None

    def _output(self, board: Board, name: str, field: FieldSpec, pin: PinSpec) -> JointOutput:
        if pin.type == "servo" and pin.pin is not None:
            return ServoPin(board.pwm(pin.pin, pin.frequency, name), field, pin)
        if pin.type == "pca9685" and pin.device and pin.channel is not None:
            return ServoChannel(self._chips.channel(board, pin), field, pin)
        if pin.type == "stepper":
            from ...hw.motors.stepper import open_stepper  # loaded only where there is one
            from .stepper_output import StepperOutput

            stepper = open_stepper(board, name, pin)
            return StepperOutput(name, stepper, field, pin, self._clock, self._attempt, self._fail)
        if pin.type == BUS_SERVO:
            return self._bus_servo(board, name, field, pin)
        message = f"gpio_mapping.{name} is no servo with its pin, or with its chip and channel"
        raise SaintError(Code.CONFIG_INVALID, message)

    def _bus_servo(self, board: Board, name: str, field: FieldSpec, pin: PinSpec) -> JointOutput:
        from ..servo_lines import ServoLines  # loaded only where there is one

        self._lines = self._lines or ServoLines(board, self._config, self._clock)
        output = self.bus_servos[name] = self._lines.output(field, pin)
        return output

    def listen(
        self,
        every: Callable[[float, Callable[[], None]], None],
        notice: Callable[[str, str], None],
    ) -> None:
        """Follow what bus servos measure from now on, in the running loop; report their faults."""
        for servo in self.bus_servos.values():
            servo.start()

        def look() -> None:
            for name, servo in self.bus_servos.items():
                notice(name, servo.problem)

        if self.bus_servos:
            every(_LOOK_S, look)


def speeds(joints: Iterable[Joint], before: dict[str, float], period_s: float) -> tuple[float, ...]:
    """Return the speeds of joints since the last call, in unit per second; updates `before`."""
    found = []
    for joint in joints:
        place = joint.place
        found.append((place - before.get(joint.name, place)) / period_s)
        before[joint.name] = place
    return tuple(found)
