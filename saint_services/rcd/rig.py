"""What the control socket may do to the receivers; daemon.py's Rcd does it."""

from typing import Protocol

from .calibration import Calibration
from .config import RcReceiver
from .logic import Receiver
from .reports import ReceiverSnapshot


class ReceiverPort(Protocol):
    """The receivers as a whole."""

    settings: RcReceiver
    calibration: Calibration | None

    @property
    def receiver(self) -> Receiver: ...

    @property
    def is_enabled(self) -> bool: ...

    def picture(self) -> ReceiverSnapshot: ...

    def switch(self, enabled: bool) -> None: ...

    def reconfigure(self, settings: RcReceiver) -> None: ...

    def pause(self, reason: str) -> None: ...

    def resume(self) -> None: ...

    def calibrate(self, calibration: Calibration | None) -> None: ...
