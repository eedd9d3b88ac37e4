"""Wires the console: status, pages and alerts to display and lights, buttons to events."""

import asyncio
from collections import Counter
from functools import partial
from pathlib import Path

from saint_services.lib import clock as clocks
from saint_services.lib import config as settings
from saint_services.lib.api.node import RoleReport
from saint_services.lib.bus import Sample
from saint_services.lib.daemon import Context
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import (
    ConsoleAlert,
    ConsoleDisplay,
    ConsoleInput,
    ConsoleOverride,
    EStop,
    RoleFault,
    RouteStatus,
)
from saint_services.lib.generated.topics import (
    CONSOLE_ALERTS,
    CONSOLE_DISPLAY,
    CONSOLE_INPUT,
    CONSOLE_OVERRIDE,
    ESTOP,
    ROLE_FAULTS,
    ROUTER_STATUS,
)
from saint_services.lib.hw.displays.ssd1306 import COLUMNS, PAGES
from saint_services.lib.hw.pins.button import ButtonEvent
from saint_services.lib.hw.ports import Board
from saint_services.lib.robot.manifest import RobotManifest
from saint_services.lib.role import Host, Session
from saint_services.lib.role.timers import Clock, Motion
from saint_services.lib.role_config.model import RoleConfig

from .adapters import Panel
from .config import Config
from .lights import Facts, mood
from .logic import Screen, Status, Stop, shown_stop, trigger
from .strips import Strips

_REFRESH_S = 0.1
_DRAW_S = 0.005
_NO_NAME = "SAINT.OS"
_DRIVEN = ("routing", "blending")  # RouteStatus.state
_DRIVEN_S = 0.5  # the router tells ten times a second
_RESETTING = ("", "Resetting this node.", "It forgets its role.", "Let go of the button.")


class Console(Session):
    """The role. It moves nothing, so it is always safe."""

    role = "console"

    def __init__(
        self,
        robot: str,
        brightness: float,
        config: RoleConfig,
        node_id: str,
        clock: Clock,
        counters: Counter[str],
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        self._robot = robot
        self._strips = Strips(config, brightness)
        self._driven_s = -_DRIVEN_S  # when somebody was commanding the robot
        self._screen = Screen(PAGES, COLUMNS)
        self._panel: Panel | None = None
        self._stop = Stop()
        self._shown_stop = 0  # generation of the e-stop that the whole display shows
        self._seen_stop = 0  # the same when the button that clears was pressed
        self._is_reset_wanted = False
        self._drawing = Motion(clock, _DRAW_S, self._draw)

    def open_drivers(self, board: Board) -> None:
        """The display is dark but on afterwards."""
        self._panel = Panel(board, self.config, self.clock)
        self._strips.open(board)

    def start(self) -> None:
        """Topics in and out."""
        assert self._panel
        self._publish_input = self.publisher(CONSOLE_INPUT)
        self._publish_override = self.publisher(CONSOLE_OVERRIDE)
        self.subscribe(ESTOP, self._on_estop_text)
        self.subscribe(ROLE_FAULTS, self._on_fault)
        self.subscribe(CONSOLE_DISPLAY, self._on_display)
        self.subscribe(CONSOLE_ALERTS, self._on_alert)
        if self._strips.are_named:  # nothing else here needs it, ten times a second
            self.subscribe(ROUTER_STATUS, self._on_router)
        self.notice("lights", self._strips.problem)
        self._panel.listen(self._on_button)
        self.every(_REFRESH_S, self._refresh)
        self._refresh()

    def stop(self) -> None:
        """Nothing to stop; the lights tell of it at once."""
        self._light()

    def close_drivers(self) -> None:
        """All goes dark: it must not go on telling what nobody watches any more."""
        self._drawing.close()
        if self._panel:
            self.attempt("display", self._panel.display.off)
            self._panel.close()
            self._panel = None
        self._strips.close(self.notice)

    @property
    def is_safe(self) -> bool:
        """It moves nothing."""
        return True

    def report(self) -> RoleReport:
        """With the wish of a person who held the button."""
        return super().report().model_copy(update={"reset_wanted": self._is_reset_wanted})

    def _refresh(self) -> None:
        self._drawing.start(self.clock.time())
        self._light()

    def _light(self) -> None:
        now_s = self.clock.time()
        facts = Facts(
            is_estop=self.gate.latched,
            has_router=self.gate.is_alive(now_s),
            has_fault=self._screen.is_alarming(now_s),
            is_driven=now_s - self._driven_s < _DRIVEN_S,
        )
        self._strips.show(mood(facts), now_s, self.notice)

    def _draw(self, now_s: float) -> bool:
        """One page of dots at a time, so that a slow bus does not hold up the loop."""
        if not self._panel:
            return False
        drawn = self._stop if self.gate.latched else Stop()
        lines = self._screen.lines(self._status(now_s), now_s)
        display = self._panel.display
        if not self.attempt("display", partial(display.show, lines, 1)):
            self._shown_stop = 0
            return False
        if display.is_shown:
            self._shown_stop = drawn.generation
        return not display.is_shown

    def _status(self, now_s: float) -> Status:
        return Status(
            robot=self._robot,
            node_id=self.node_id,
            target=self.config.target,
            is_estop=self.gate.latched,
            has_router=self.gate.is_alive(now_s),
            stop=self._stop,
        )

    def _on_display(self, sample: Sample[ConsoleDisplay]) -> None:
        page = sample.message
        if not self._screen.display(tuple(page.lines), page.duration_s, self.clock.time()):
            self.counters["pages_refused"] += 1

    def _on_alert(self, sample: Sample[ConsoleAlert]) -> None:
        alert = sample.message
        now_s = self.clock.time()
        if not self._screen.alert(alert.severity, alert.code, alert.text, now_s):
            self.counters["alerts_refused"] += 1

    def _on_estop_text(self, sample: Sample[EStop]) -> None:
        self._stop = shown_stop(sample.message)

    def _on_fault(self, sample: Sample[RoleFault]) -> None:
        fault = sample.message
        severity = "critical" if fault.stops_robot else "error"
        self._screen.alert(severity, fault.target, fault.text, self.clock.time())

    def _on_router(self, sample: Sample[RouteStatus]) -> None:
        if sample.message.state in _DRIVEN:
            self._driven_s = self.clock.time()

    def _on_button(self, name: str, event: ButtonEvent) -> None:
        stamp = clocks.stamp()
        action = self.config.overrides.get(name)
        if event.event == "pressed":
            self._seen_stop = self._shown_stop
        if action and event.event == trigger(action):
            seen = self._seen_stop if action == "clear" else 0
            self._publish_override(ConsoleOverride(stamp, "", action, seen))  # before all else
        if event.event == "pressed":
            self._screen.acknowledge()
        if event.event == "held" and name == self.config.reset_button:
            self._is_reset_wanted = True
            self._screen.display(_RESETTING, 0.0, self.clock.time())
            self.changed.set()
        self._publish_input(ConsoleInput(stamp, name, event.event, event.value))


def _robot(path: Path) -> RobotManifest:
    return settings.load(RobotManifest, path, required=True)


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until asked to stop."""
    manifest = ctx.directories.share / "manifests" / "robots" / f"{ctx.config.robot}.yaml"
    try:
        robot = (await asyncio.to_thread(_robot, manifest)).name
    except SaintError:
        robot = _NO_NAME  # a name on a display is no reason not to start
    await Host(ctx, "console", partial(Console, robot, ctx.config.brightness)).serve()
