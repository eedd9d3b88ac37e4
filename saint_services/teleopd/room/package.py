"""Loads the package livekit.rtc, and runs its calls. Imported without it; the package is imported
when a room is joined. Everything that teleopd uses of it is named in SIGNATURES.
"""

import asyncio
from collections.abc import Coroutine
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from ...lib.errors import Code, SaintError

MISSING: Final = (
    "teleopd.yaml configures a LiveKit room, but the Python package livekit is not installed"
)
TOO_OLD: Final = "the Python package livekit is older than 1.2.1, which has no encoded video source"
FIX: Final = (
    'Install it: pip install "saint-os[livekit]", or build an image with it in image/wheels.list; '
    "or remove livekit: from teleopd.yaml."
)
_CANCEL_LIMIT_S = 4.0
# Name in livekit.rtc -> the parameters that are given.
SIGNATURES: Final[dict[str, tuple[str, ...]]] = {
    "Room.connect": ("url", "token", "options"),
    "Room.disconnect": (),
    "Room.on": ("event", "callback"),
    "RoomOptions": ("auto_subscribe",),
    "LocalParticipant.publish_data": ("payload", "reliable", "destination_identities", "topic"),
    "LocalParticipant.publish_track": ("track", "options"),
    "LocalParticipant.register_rpc_method": ("method_name", "handler"),
    "DataPacket": ("data", "kind", "participant", "topic"),
    "EncodedVideoSource": ("width", "height"),
    "EncodedVideoSource.capture_frame": ("frame",),
    "EncodedVideoSource.take_feedback": (),
    "EncodedVideoSource.aclose": (),
    "EncodedVideoFrame": ("data", "width", "height", "codec", "frame_type", "timestamp_us"),
    "LocalVideoTrack.create_video_track": ("name", "source"),
    "AudioSource": ("sample_rate", "num_channels"),
    "AudioSource.capture_frame": ("frame",),
    "AudioSource.aclose": (),
    "AudioFrame": ("data", "sample_rate", "num_channels", "samples_per_channel"),
    "LocalAudioTrack.create_audio_track": ("name", "source"),
}


def is_installed() -> bool:
    """Return whether the package is there, without importing it."""
    try:
        return find_spec("livekit.rtc") is not None
    except ModuleNotFoundError:
        return False


async def load() -> Any:
    """Import the package, in a thread: it loads a library of 28 MB. Raises refused without it."""
    try:
        rtc = await asyncio.to_thread(import_module, "livekit.rtc")
    except ImportError as err:
        raise SaintError(Code.REFUSED, f"{MISSING}: {err}", fix=FIX) from err
    if not hasattr(rtc, "EncodedVideoSource"):
        raise SaintError(Code.REFUSED, TOO_OLD, fix=FIX)
    return rtc


async def outcome(work: Coroutine[Any, Any, Any], limit_s: float | None) -> str:
    """Run a call of the package; return what failed, empty: nothing. Its calls raise plain
    Exception, which must not end the daemon that stops the robot.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=limit_s)
    finally:
        is_late = not task.done()
        if is_late:  # also when the caller is cancelled: what the call holds is released first
            task.cancel()
            await asyncio.wait({task}, timeout=_CANCEL_LIMIT_S)
    if is_late:
        return f"no answer within {limit_s or 0:g} s"
    if task.cancelled():
        return "the call was cancelled"
    fault = task.exception()
    return "" if fault is None else str(fault) or type(fault).__name__
