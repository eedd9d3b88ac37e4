"""Wires the console: status, pages and alerts to display and lights, buttons to overrides."""

from collections import Counter
from functools import partial

from saint_services.lib import clock as clocks
from saint_services.lib.bus import Sample
from saint_services.lib.daemon import Context
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
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.session import RoleSession
from saint_services.lib.role.timers import Clock, Handle, Motion
from saint_services.lib.role_config.model import RoleConfig

from .adapters import ConsolePanel, LightStrips
from .config import Config
from .lights import LightInputs, next_step_s, signal
from .logic import ConsoleStatus, Screen, ShownStop, shown_stop, trigger

_LONGEST_S = 1.0  # between two refreshes: lights that lost power are dark and report nothing
_RETRY_S = 0.1  # after a display that failed
_DRAW_S = 0.005
_NO_NAME = "SAINT.OS"
_DRIVEN = ("routing", "blending")  # RouteStatus.state
_DRIVEN_S = 0.5  # while it drives, the router publishes its status ten times a second
_RESETTING = ("", "Resetting this node.", "It forgets its role.", "Release the button.")


class ConsoleRole(RoleSession):
    """The role. It moves nothing, so it is always safe."""

    role = "console"
    is_commanded = False

    def __init__(
        self,
        brightness: float,
        config: RoleConfig,
        node_id: str,
        clock: Clock,
        counters: Counter[str],
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        self._strips = LightStrips(config, brightness)
        self._driven_s = -_DRIVEN_S  # when the robot was last driven
        self._screen = Screen(PAGES, COLUMNS)
        self._panel: ConsolePanel | None = None
        self._stop = ShownStop()
        self._shown_stop = 0  # generation of the e-stop that the whole display shows
        self._seen_stop = 0  # the same when the button that clears was pressed
        self._timer: Handle | None = None
        self._drawing = Motion(clock, _DRAW_S, self._draw)

    def open_devices(self, board: Board) -> None:
        """Open display, buttons and lights; the display is dark but on afterwards."""
        self._panel = ConsolePanel(board, self.config, self.clock)
        self._strips.open(board)

    def start(self) -> None:
        """Subscribe to what is shown, publish the buttons."""
        assert self._panel
        self._publish_input = self.publisher(CONSOLE_INPUT)
        self._publish_override = self.publisher(CONSOLE_OVERRIDE)
        self.subscribe(ESTOP, self._on_estop_text)
        self.subscribe(ROLE_FAULTS, self._on_fault)
        self.subscribe(CONSOLE_DISPLAY, self._on_display)
        self.subscribe(CONSOLE_ALERTS, self._on_alert)
        if self._strips.are_named:  # nothing else here needs it
            self.subscribe(ROUTER_STATUS, self._on_router)
        self.notice("lights", self._strips.problem)
        self._panel.listen(self._on_button)
        self._refresh()

    def stop_devices(self) -> None:
        """Show the stop at once; nothing here moves."""
        self._refresh()

    def close_devices(self) -> None:
        """Switch display and lights off: they must not show what is not updated any more."""
        self._drawing.close()
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._panel:
            self.attempt("display", self._panel.display.off)
            self._panel.close()
            self._panel = None
        self._strips.close(self.notice)

    def latch_changed(self, was_latched: bool) -> None:
        """Show the latch, and whether there is a router."""
        super().latch_changed(was_latched)
        self._refresh()

    def _refresh(self) -> None:
        """Show the present state, and schedule the next change that time alone makes."""
        now_s = self.clock.time()
        self._drawing.start(now_s)
        inputs = LightInputs(
            is_estop=self.gate.latched,
            has_router=self.gate.is_alive(now_s),
            has_fault=self._screen.is_alarming(now_s),
            is_driven=now_s - self._driven_s < _DRIVEN_S,
        )
        shown = signal(inputs)
        self._strips.show(shown, now_s, self.notice)
        changes_s = [self.gate.alive_until_s, self._driven_s + _DRIVEN_S, *self._screen.ends_s]
        if self._strips.are_named:
            changes_s.append(next_step_s(shown, now_s))
        self._schedule(min([now_s + _LONGEST_S, *(each for each in changes_s if each > now_s)]))

    def _schedule(self, due_s: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self.clock.call_at(due_s, self._refresh)

    def _draw(self, now_s: float) -> bool:
        """Draw one page of dots, so that a slow bus does not delay the loop. True while there are
        more."""
        if not self._panel:
            return False
        drawn = self._stop if self.gate.latched else ShownStop()
        lines = self._screen.lines(self._status(now_s), now_s)
        display = self._panel.display
        if not self.attempt("display", partial(display.show, lines, 1)):
            self._shown_stop = 0
            self._schedule(now_s + _RETRY_S)
            return False
        if display.is_shown:
            self._shown_stop = drawn.generation
        return not display.is_shown

    def _status(self, now_s: float) -> ConsoleStatus:
        return ConsoleStatus(
            robot=self.robot_name or _NO_NAME,
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
        self._refresh()

    def _on_alert(self, sample: Sample[ConsoleAlert]) -> None:
        alert = sample.message
        now_s = self.clock.time()
        if not self._screen.alert(alert.severity, alert.code, alert.text, now_s):
            self.counters["alerts_refused"] += 1
        self._refresh()

    def _on_estop_text(self, sample: Sample[EStop]) -> None:
        self._stop = shown_stop(sample.message)
        self._refresh()

    def _on_fault(self, sample: Sample[RoleFault]) -> None:
        fault = sample.message
        severity = "critical" if fault.stops_robot else "error"
        self._screen.alert(severity, fault.target, fault.text, self.clock.time())
        self._refresh()

    def _on_router(self, sample: Sample[RouteStatus]) -> None:
        if sample.message.state not in _DRIVEN:
            return
        now_s = self.clock.time()
        was_driven = now_s - self._driven_s < _DRIVEN_S
        self._driven_s = now_s
        if not was_driven:
            self._refresh()

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
            self.is_reset_wanted = True
            self._screen.display(_RESETTING, 0.0, self.clock.time())
            self.changed.set()
        self._publish_input(ConsoleInput(stamp, name, event.event, event.value))
        self._refresh()


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    await RoleHost(ctx, "console", partial(ConsoleRole, ctx.config.brightness)).serve()
