"""Reads a microphone in a thread, and opens it again after unplugging. Not here: the devices
(alsa.py), who listens.
"""

import threading
from collections.abc import Callable

from ...errors import SaintError
from .port import Microphone

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_END_S = 2.0  # a driver that does not come back sooner is left to the end of the process


class MicrophoneFeed:
    """Reads until it is closed. The thread calls `deliver` with each piece and `problem` with why
    there is none: pass them on to the loop. The device is of this feed alone: one that was closed
    a moment ago may still be reading.
    """

    def __init__(
        self,
        device: Microphone,
        deliver: Callable[[bytes], None],
        problem: Callable[[str], None],
    ) -> None:
        self._device = device
        self._deliver = deliver
        self._problem = problem
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="microphone", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Request the end of the thread; `join` waits until the device is released."""
        self._end.set()

    def join(self) -> bool:
        """Wait until the device is released; return False when that times out."""
        self._thread.join(_END_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._end.is_set():
            try:
                self._device.open()
                self._problem("")
                while not self._end.is_set():
                    piece = self._device.read()
                    pause_s = _FIRST_PAUSE_S
                    if not self._end.is_set():
                        self._deliver(piece)
            except (OSError, SaintError) as err:
                self._report(
                    err.message if isinstance(err, SaintError) else f"the microphone: {err}"
                )
            except RuntimeError:  # the loop has ended
                return
            finally:
                self._device.close()
            self._end.wait(pause_s)
            pause_s = min(2.0 * pause_s, _LONGEST_PAUSE_S)

    def _report(self, text: str) -> None:
        if not self._end.is_set():
            self._problem(text)
