"""Opens the microphones and loudspeakers of this computer and judges them: of what is recorded only
the level counts, what plays gets silence. Blocks for some seconds.
"""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ..api.selftest import SelfTestCheck
from ..errors import SaintError
from ..hw import peripherals
from ..hw.sound.port import SILENCE, Loudspeaker, Microphone, level_db
from .result import failed, not_connected, passed, skipped
from .situation import Situation

_PIECES = 10  # 0.2 s
_NONE = "No sound card is plugged in."
_USB = "A USB microphone or loudspeaker works on every board."
_HELP = "Unplug it and plug it in again; `aplay -L` lists the names."
_BUSY = os.strerror(errno.EBUSY)
# HDMI cannot be opened without a screen; the jack of a Pi 3 plays with the PWM of GPIO12 and 13.
_LEFT_ALONE = ("vc4hdmi", "Headphones")
KINDS = ("microphone", "loudspeaker")


def sound(
    root: Path, here: Situation,
    microphone: Callable[[str], Microphone], loudspeaker: Callable[[str], Loudspeaker],
) -> SelfTestCheck:  # fmt: skip
    """Try the devices that roles name, else those of every sound card."""
    if here.is_driven:
        return skipped("sound", "Not tried: the robot is driven.", "Test when it rests.")
    devices = sorted(set(_named(here)) or set(_of_cards(root)))
    if not devices:
        return not_connected("sound", _NONE, _USB)
    works, fails, fix = [], [], ""
    for kind, name in devices:
        try:
            said = _recorded(microphone(name)) if kind == KINDS[0] else _played(loudspeaker(name))
            works.append(f"{kind.capitalize()} {name}: {said}.")
        except SaintError as err:
            if _BUSY in err.message:
                works.append(f"{kind.capitalize()} {name}: it is in use now.")
                continue
            fails.append(f"{err.message}.")
            fix = err.fix
        except OSError as err:
            fails.append(f"{kind.capitalize()} {name}: {err.strerror or err}.")
    if fails:
        return failed("sound", " ".join((*fails, *works)), fix or _HELP)
    return passed("sound", " ".join(works))


def _named(here: Situation) -> Iterator[tuple[str, str]]:
    """Yield what roles reserve (role_config/resources.py)."""
    for what in here.devices:
        for kind in KINDS:
            if what.startswith(f"the {kind} "):
                yield kind, what.removeprefix(f"the {kind} ")


def _of_cards(root: Path) -> Iterator[tuple[str, str]]:
    for card in peripherals.sound_cards(root):
        number, _, title = card.address.partition(":")
        for kind in KINDS:
            if not title.startswith(_LEFT_ALONE) and kind in card.description.rpartition(": ")[2]:
                yield kind, f"plughw:{number},0"


def _recorded(device: Microphone) -> str:
    try:
        device.open()
        loudest = max(level_db(device.read()) for _ in range(_PIECES))
        return f"it records, {loudest:.0f} dB"
    finally:
        device.close()


def _played(device: Loudspeaker) -> str:
    try:
        device.open()
        for _ in range(_PIECES):
            device.write(SILENCE)
        return "it plays"
    finally:
        device.close()
