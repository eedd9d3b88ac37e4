"""Plays and records by ALSA's library (libasound, Debian's libasound2t64), through ctypes: of its
functions nine are needed. A device is named as every ALSA program names it: "default",
"plughw:1,0", "plughw:CARD=Device". Blocks: use it in a thread.
"""

import ctypes as C  # noqa: N812  # in tables of C types every letter counts
import os
from functools import cache
from typing import Final

from ...errors import Code, SaintError
from .port import RATE_HZ, piece_bytes

_LIBRARY: Final = "libasound.so.2"
_PLAYBACK, _CAPTURE = 0, 1  # snd_pcm_stream_t
_S16_LE, _INTERLEAVED = 2, 3  # snd_pcm_format_t, snd_pcm_access_t
_LATENCY_US = 80_000  # of the device's buffer: four pieces
_WAIT_MS = 1000
_FRAME_BYTES = 2  # one channel of 16 bit
# Silence before the first piece, and after a gap: what the network delays by less leaves no gap.
_HEAD_START = 2
_FUNCTIONS: Final = {
    "snd_pcm_open": (C.c_int, (C.POINTER(C.c_void_p), C.c_char_p, C.c_int, C.c_int)),
    "snd_pcm_set_params": (
        C.c_int,
        (C.c_void_p, C.c_int, C.c_int, C.c_uint, C.c_uint, C.c_int, C.c_uint),
    ),
    "snd_pcm_wait": (C.c_int, (C.c_void_p, C.c_int)),
    "snd_pcm_start": (C.c_int, (C.c_void_p,)),
    "snd_pcm_readi": (C.c_long, (C.c_void_p, C.c_void_p, C.c_ulong)),
    "snd_pcm_writei": (C.c_long, (C.c_void_p, C.c_char_p, C.c_ulong)),
    "snd_pcm_recover": (C.c_int, (C.c_void_p, C.c_int, C.c_int)),
    "snd_pcm_close": (C.c_int, (C.c_void_p,)),
    "snd_strerror": (C.c_char_p, (C.c_int,)),
}


@cache
def _library() -> C.CDLL:
    try:
        found = C.CDLL(_LIBRARY)
    except OSError as err:
        text = f"the library of ALSA cannot be loaded: {err}"
        fix = "Install the Debian package libasound2t64."
        raise SaintError(Code.HARDWARE_MISSING, text, fix=fix) from err
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    return found


class _Device:
    """An open PCM device; one channel at the rate of its pieces, which plug devices convert."""

    def __init__(self, name: str, direction: int, kind: str, rate_hz: int) -> None:
        self._name = name
        self._direction = direction
        self._kind = kind
        self._rate_hz = rate_hz
        self._piece_bytes = piece_bytes(rate_hz)
        self._handle: C.c_void_p | None = None

    def open(self) -> None:
        """Open and configure the device. Raises hardware_missing."""
        library, handle = _library(), C.c_void_p()
        error = library.snd_pcm_open(C.byref(handle), self._name.encode(), self._direction, 0)
        if error < 0:
            raise self._missing(error)
        self._handle = handle
        error = library.snd_pcm_set_params(
            handle, _S16_LE, _INTERLEAVED, 1, self._rate_hz, 1, _LATENCY_US
        )
        if error < 0:
            self.close()
            raise self._missing(error)

    def close(self) -> None:
        """Release the device; what was not played yet is not played."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _library().snd_pcm_close(handle)

    def _missing(self, error: int) -> SaintError:
        text = f"the {self._kind} {self._name!r} cannot be opened: {_reason(error)}"
        fix = (
            f"Plug it in, or name another {self._kind} where it is named: `sound` of the role, or "
            "teleopd.yaml; `aplay -L` lists names."
        )
        return SaintError(Code.HARDWARE_MISSING, text, fix=fix)

    def _opened(self) -> C.c_void_p:
        if self._handle is None:
            raise OSError(9, f"the {self._kind} is closed")
        return self._handle

    def _recovered(self, handle: C.c_void_p, error: int) -> None:
        """Go on after an overrun or underrun. Raises OSError for everything else."""
        if _library().snd_pcm_recover(handle, error, 1) < 0:
            raise OSError(abs(error), f"the {self._kind} failed: {_reason(error)}")


class AlsaMicrophone(_Device):
    """Implements Microphone."""

    def __init__(self, name: str, rate_hz: int = RATE_HZ) -> None:
        super().__init__(name, _CAPTURE, "microphone", rate_hz)

    def open(self) -> None:
        """Open the device, and begin to record."""
        super().open()
        _library().snd_pcm_start(self._opened())

    def read(self) -> bytes:
        """Return the next piece; after an overrun what was lost is left out."""
        handle, library, piece = self._opened(), _library(), bytearray()
        while len(piece) < self._piece_bytes:
            missing = (self._piece_bytes - len(piece)) // _FRAME_BYTES
            buffer = C.create_string_buffer(missing * _FRAME_BYTES)
            if library.snd_pcm_wait(handle, _WAIT_MS) == 0:
                raise OSError(110, "the microphone sends nothing")
            count = library.snd_pcm_readi(handle, buffer, missing)
            if count < 0:
                self._recovered(handle, count)
                library.snd_pcm_start(handle)
                continue
            piece += buffer.raw[: count * _FRAME_BYTES]
        return bytes(piece)


class AlsaLoudspeaker(_Device):
    """Implements Loudspeaker."""

    def __init__(self, name: str, rate_hz: int = RATE_HZ) -> None:
        super().__init__(name, _PLAYBACK, "loudspeaker", rate_hz)
        self._silence = bytes(self._piece_bytes)

    def open(self) -> None:
        """Open the device with a head start of silence."""
        super().open()
        for _ in range(_HEAD_START):
            self._play(self._silence)

    def write(self, piece: bytes) -> None:
        """Play a piece; after a gap with a head start of silence."""
        if self._play(piece):
            return
        for each in (*(self._silence,) * _HEAD_START, piece):
            self._play(each)

    def _play(self, piece: bytes) -> bool:
        """Write a piece; False when the device had run out of sound and begins again."""
        handle, library, left = self._opened(), _library(), piece
        while left:
            if library.snd_pcm_wait(handle, _WAIT_MS) == 0:
                raise OSError(110, "the loudspeaker accepts nothing")
            count = library.snd_pcm_writei(handle, left, len(left) // _FRAME_BYTES)
            if count < 0:
                self._recovered(handle, count)
                return False
            left = left[count * _FRAME_BYTES :]
        return True


def _reason(error: int) -> str:
    text: bytes = _library().snd_strerror(error)
    return text.decode(errors="replace") or os.strerror(abs(error))
