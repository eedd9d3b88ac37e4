"""Wires a leader arm: its servos, without torque, are read in turns, and each turn is published as
samples of `leader:<instance>`, one for each target. Not here: what is believed, the clutch
(logic.py), who follows (routerd).
"""

import time
from collections import Counter

from saint_services.lib.daemon import Context
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.topics import INPUT_AUTONOMOUS
from saint_services.lib.hw.bus_servos.line import ServoLine
from saint_services.lib.hw.bus_servos.port import BusServo, ServoReading, Torque
from saint_services.lib.hw.pins.button import ButtonEvent
from saint_services.lib.hw.ports import Board
from saint_services.lib.role.buttons import ButtonInput
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.servo_lines import ServoLines
from saint_services.lib.role.session import RoleSession
from saint_services.lib.role.timers import Clock
from saint_services.lib.role_config.bus_servos import BUS_SERVO
from saint_services.lib.role_config.lead import ButtonClutch, Lead, SqueezeClutch
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.part_topics import states_topic

from .config import Config
from .logic import (
    ArmTrust,
    ClutchByButton,
    ClutchBySqueeze,
    Plausibility,
    clutch_of,
    scale_of,
)
from .readings import PERIOD_S, LeaderReadings

_CLUTCH = ("clutch",)  # routerd/fields/masters.py
_BEAT_S = 0.05  # the clutch is repeated, and a fault is reported, so often


class LeaderRole(RoleSession):
    """The role. It moves nothing, so it is always safe."""

    role = "leader"
    is_commanded = False

    def __init__(
        self, config: RoleConfig, node_id: str, clock: Clock, counters: Counter[str]
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        if config.lead is None:
            raise SaintError(Code.CONFIG_INVALID, "the role leader needs `lead`")
        self._lead: Lead = config.lead
        self._source = f"leader:{config.instance}"
        self._pins = {n: p for n, p in config.gpio_mapping.items() if p.type == BUS_SERVO}
        self._scales = {name: scale_of(name, pin, self._lead) for name, pin in self._pins.items()}
        self._names = tuple(self._pins)
        self._lines: dict[str, ServoLine] = {}
        self._servos: dict[str, BusServo] = {}
        self._line_of: dict[str, ServoLine] = {}
        self._button: ButtonInput | None = None
        self._plausibility, self._trust = Plausibility(), ArmTrust()
        self._clutch = clutch_of(self._lead)
        self._was_closed = False
        # Above those of an earlier assignment in this process: to the router a lower one is old.
        self._sequence = time.monotonic_ns() // 1000
        self._report_due_s = 0.0

    def open_devices(self, board: Board) -> None:
        """Open the line and the button. Raises SaintError when a servo does not answer."""
        self._lines = ServoLines(board, self.config, self.clock).opened()
        for name, pin in self._pins.items():
            line = self._line_of[name] = self._lines[pin.device]
            self._servos[name] = line.servo(pin.servo_id or 0)
        clutch = self._lead.clutch
        if isinstance(clutch, ButtonClutch):
            pin = self.config.gpio_mapping[clutch.button]
            edges = board.edges((pin.pin or 0,), clutch.button, pull_up=True)
            self._button = ButtonInput(clutch.button, edges, pin.pin or 0, pin.reversed, self.clock)

    def start(self) -> None:
        """Have the arm go limp, and read it from now on."""
        self._publish = self.publisher(INPUT_AUTONOMOUS)
        self._lines_of_pose = [line for line in self._lines.values() if line.core.servos]
        for line in self._lines_of_pose:
            line.core.period_s = 1.0 / self._lead.rate_hz
            line.start()
        # Several lines make one pose: it is published with the turn of the last one.
        self._lines_of_pose[-1].core.on_turn = self._on_turn
        self._release_torque()
        if self._button:
            self._button.listen(self._on_button)
        self.every(_BEAT_S, self._beat)
        self._publish_state = self.publisher(states_topic(self.config))
        self._readings = LeaderReadings(self._scales, self._lead, self._newest)

    def close_devices(self) -> None:
        """Release the line and the button."""
        for line in self._line_of.values():  # each servo is a user of its line
            line.core.on_turn = None
            line.close()
        self._line_of.clear()
        if self._button:
            self._button.close()
            self._button = None

    def _on_turn(self, now_s: float) -> None:
        """Publish the pose that was just read, unless the arm is not believed."""
        self._report(now_s)
        positions = {
            name: servo.reading.position for name, servo in self._servos.items() if servo.reading
        }
        problem = self._problem() or self._plausibility.doubt(positions, now_s)
        self._judge(problem, now_s)
        if self._trust.fault or len(positions) < len(self._names):
            return
        values = tuple(self._scales[name].value(positions[name]) for name in self._names)
        if isinstance(self._clutch, ClutchBySqueeze):
            at = self._names.index(self._squeezed)
            self._clutch.saw(values[at], now_s)
        if self._clutch.is_closed is not self._was_closed:
            self._say_clutch()
        for target in self._lead.targets:
            self._send(target=target, names=self._names, values=values)

    def _newest(self, servo: BusServo) -> ServoReading | None:
        return self._lines_of_pose[0].reading(servo)

    def _report(self, now_s: float) -> None:
        """Publish what the arm measures, while anybody reads it. No timer of its own: with the
        turns, or with the beats of a line that makes none."""
        if now_s >= self._report_due_s:
            self._report_due_s = max(self._report_due_s + PERIOD_S, now_s)
            if self._publish_state.has_readers:
                self._publish_state(self._readings.state(self._servos))

    @property
    def _squeezed(self) -> str:
        assert isinstance(self._lead.clutch, SqueezeClutch)
        return self._lead.clutch.joint

    def _beat(self) -> None:
        """Repeat the clutch, or that the arm is lost; a line that is gone makes no turns."""
        now_s = self.clock.time()
        self._report(now_s)
        if problem := self._problem():
            self._judge(problem, now_s)
        if self._trust.fault:
            self._send(failsafe=True)
        else:
            self._say_clutch()
        self._release_torque()

    def _judge(self, problem: str, now_s: float) -> None:
        """Stop leading at once when something is wrong with the arm."""
        was_sound = not self._trust.fault
        self._trust.saw(problem, now_s)
        if problem:
            self._clutch.open()
            if was_sound:
                self._send(failsafe=True)
                self.counters["leader_faults"] += 1
        if not was_sound and not self._trust.fault:
            self._plausibility.forget()
        self.notice("leader", self._trust.fault)

    def _problem(self) -> str:
        """Return what is wrong with a servo or its line, in a sentence; "" while nothing is."""
        for name, servo in self._servos.items():
            if text := self._line_of[name].problem(servo):
                return text
        return ""

    def _release_torque(self) -> None:
        """Have servos that have torque lose it: a hand moves the arm."""
        for line in self._lines_of_pose:
            on = [servo for servo in line.core.servos.values() if servo.torque is Torque.ON]
            if on:
                line.release(*on)

    def _on_button(self, name: str, event: ButtonEvent) -> None:
        if not isinstance(self._clutch, ClutchByButton) or self._trust.fault:
            return
        if event.event == "pressed":
            self._clutch.pressed()
        elif event.event == "released":
            self._clutch.released()
        self._say_clutch()

    def _say_clutch(self) -> None:
        self._was_closed = self._clutch.is_closed
        self._send(names=_CLUTCH, values=(float(self._clutch.is_closed),))

    def _send(
        self,
        *,
        target: str = "",
        names: tuple[str, ...] = (),
        values: tuple[float, ...] = (),
        failsafe: bool = False,
    ) -> None:
        self._sequence += 1
        self._publish(
            InputSample(
                source=self._source,
                sequence=self._sequence,
                target=target,
                names=names,
                values=values,
                failsafe=failsafe,
            )
        )


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    await RoleHost(ctx, "leader", LeaderRole).serve()
