"""The console's strips of lights. A strip that cannot be written costs the console nothing but its
lights: what is wrong is told, and it is tried again. Not here: what they show (lights.py).
"""

from collections.abc import Callable

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.displays.opening import open_leds
from saint_services.lib.hw.ports import Board, LedStrip
from saint_services.lib.role_config.model import RoleConfig

from .lights import Colour, Mood, picture

# Lights that were without power are dark and tell nobody; a strip that failed is tried as often.
_AGAIN_S = 2.0

Notice = Callable[[str, str], None]  # part, what is wrong with it; "": nothing


class Strips:
    """All strips of the manifest; each shows the same."""

    def __init__(self, config: RoleConfig, brightness: float) -> None:
        self._config = config
        self._brightness = brightness
        self._strips: dict[str, LedStrip] = {}
        self._sent: dict[str, tuple[list[Colour], float]] = {}  # picture, and when it was sent
        self._failed_s: dict[str, float] = {}
        self.problem = ""  # they could not be opened

    @property
    def are_named(self) -> bool:
        """The manifest has lights."""
        return any(d.driver == "ws2812" for d in self._config.spi_devices.values())

    def open(self, board: Board) -> None:
        """Raises SaintError for a strip that is required. Blocks: call it in a thread."""
        try:
            self._strips = open_leds(board, self._config)
        except SaintError as err:
            if any(d.required for d in self._config.spi_devices.values() if d.driver == "ws2812"):
                raise
            self.problem = f"the lights stay dark: {err.message}"

    def show(self, mood: Mood, now_s: float, notice: Notice) -> None:
        """Bring them to what they should show now; what they show already is not sent."""
        for name, strip in self._strips.items():
            count = self._config.spi_devices[name].count
            wanted = list(picture(mood, count, self._brightness, now_s))
            shown, sent_s = self._sent.get(name, ([], -_AGAIN_S))
            is_due = wanted != shown or now_s - sent_s >= _AGAIN_S
            if is_due and now_s - self._failed_s.get(name, -_AGAIN_S) >= _AGAIN_S:
                self._send(name, strip, wanted, now_s, notice)

    def close(self, notice: Notice) -> None:
        """Dark: they must not go on telling what nobody watches any more."""
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
    return f"the lights do not take what is sent ({err.strerror or err}); they are tried again"
