"""The console's hardware, as its manifest names it: a display, strips of lights, buttons to ground.
Not here: what display and lights show (logic.py, lights.py).
"""

from collections.abc import Callable

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.displays.opening import open_display, open_leds
from saint_services.lib.hw.pins.button import ButtonEvent
from saint_services.lib.hw.ports import Board, Display, LedStrip
from saint_services.lib.role.buttons import ButtonInput
from saint_services.lib.role.timers import Clock
from saint_services.lib.role_config.model import RoleConfig

from .lights import Colour, LightSignal, picture

# Lights that lost power are dark and report nothing; a strip that failed is tried as often.
_AGAIN_S = 2.0

Notice = Callable[[str, str], None]  # part, what is wrong with it; "" for nothing


class ConsolePanel:
    """The display and the buttons."""

    def __init__(self, board: Board, config: RoleConfig, clock: Clock) -> None:
        self.display = _display(board, config)
        self._clock = clock
        self._buttons: list[ButtonInput] = []
        for name, spec in config.gpio_mapping.items():
            if spec.type != "button" or spec.pin is None:
                self.close()
                raise SaintError(
                    Code.CONFIG_INVALID, f"gpio_mapping.{name} is no button with a pin"
                )
            edges = board.edges((spec.pin,), name, pull_up=True)
            self._buttons.append(ButtonInput(name, edges, spec.pin, spec.reversed, clock))

    def listen(self, callback: Callable[[str, ButtonEvent], None]) -> None:
        """Call back for every event of a button from now on."""
        for key in self._buttons:
            key.listen(callback)

    def close(self) -> None:
        """Release the pins."""
        for key in self._buttons:
            key.close()


def _display(board: Board, config: RoleConfig) -> Display:
    display = open_display(board, config)
    if display is None:
        message = "the role console needs a display in i2c_devices or spi_devices"
        raise SaintError(Code.CONFIG_INVALID, message)
    return display


class LightStrips:
    """All strips of the manifest; each shows the same. A strip that cannot be written costs the
    console nothing but its lights: the failure is a notice, and the strip is tried again.
    """

    def __init__(self, config: RoleConfig, brightness: float) -> None:
        self._config = config
        self._brightness = brightness
        self._strips: dict[str, LedStrip] = {}
        self._sent: dict[str, tuple[list[Colour], float]] = {}  # picture, and when it was sent
        self._failed_s: dict[str, float] = {}
        self.problem = ""  # they could not be opened

    @property
    def are_named(self) -> bool:
        """Return whether the manifest has lights."""
        return any(d.driver == "ws2812" for d in self._config.spi_devices.values())

    def open(self, board: Board) -> None:
        """Open the strips, in a thread. Raises SaintError for one that is required."""
        try:
            self._strips = open_leds(board, self._config)
        except SaintError as err:
            if any(d.required for d in self._config.spi_devices.values() if d.driver == "ws2812"):
                raise
            self.problem = f"the lights stay dark: {err.message}"

    def show(self, shown: LightSignal, now_s: float, notice: Notice) -> None:
        """Show a signal; a strip that shows it already is not written."""
        for name, strip in self._strips.items():
            count = self._config.spi_devices[name].count
            wanted = list(picture(shown, count, self._brightness, now_s))
            before, sent_s = self._sent.get(name, ([], -_AGAIN_S))
            is_due = wanted != before or now_s - sent_s >= _AGAIN_S
            if is_due and now_s - self._failed_s.get(name, -_AGAIN_S) >= _AGAIN_S:
                self._send(name, strip, wanted, now_s, notice)

    def close(self, notice: Notice) -> None:
        """Switch the lights off: they must not show what is not updated any more."""
        for name, strip in self._strips.items():
            try:
                strip.close()
            except OSError as err:
                notice(name, _dark(err))
        self._strips.clear()

    def _send(
        self, name: str, strip: LedStrip, wanted: list[Colour], now_s: float, notice: Notice
    ) -> None:
        try:
            strip.show(wanted)
        except OSError as err:
            self._failed_s[name] = now_s
            self._sent.pop(name, None)
            notice(name, _dark(err))
            return
        self._failed_s.pop(name, None)
        self._sent[name] = wanted, now_s
        notice(name, "")


def _dark(err: OSError) -> str:
    return f"writing to the lights failed ({err.strerror or err}); the role tries again"
