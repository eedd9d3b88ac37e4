"""Sends bytes on the header's serial line and reads them back over a wire. One byte goes first,
which no motor board takes for a command; without its echo nothing else is sent.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from ..api.selftest import SelfTestCheck
from ..errors import Code, SaintError
from ..hw.ports import ByteStream
from .result import failed, not_connected, passed, skipped
from .situation import PLAIN_PIN

NAME = "serial_jumper"
PROBE = b"\x55"
PATTERN = bytes(range(256))
_CHUNK = 32  # bytes on the line at once: a receiver's memory holds as many
_QUIET_S = 0.05
_ECHO_S = 0.3
_HELP = "Is the wire between pins 8 and 10, and is it whole?"


class LineSetting(NamedTuple):
    """A setting of the line that a robot uses."""

    name: str
    baud: int
    parity: str = "none"
    stopbits: int = 1


SETTINGS = (
    LineSetting("115200 baud", 115_200),
    LineSetting("100000 baud with parity (SBUS)", 100_000, "even", 2),
    LineSetting("420000 baud (CRSF)", 420_000),
)

OpenLine = Callable[[LineSetting], ByteStream]


async def run(open_line: OpenLine) -> SelfTestCheck:
    """Test the line with every setting."""
    tested: list[str] = []
    for setting in SETTINGS:
        try:
            line = await asyncio.to_thread(open_line, setting)
        except SaintError as err:
            if err.code is Code.HARDWARE_MISSING:
                return failed(NAME, f"{err.message}.", err.fix)
            return skipped(NAME, f"{err.message}.", err.fix)
        try:
            fault = await _test(line, setting, is_first=not tested)
        except SaintError as err:
            return failed(NAME, f"{err.message}.", err.fix)
        finally:
            line.close()
        if fault:
            return fault
        tested.append(setting.name)
    count = len(PATTERN)
    return passed(NAME, f"All {count} bytes came back, each with {', '.join(tested)}.")


async def _test(line: ByteStream, setting: LineSetting, *, is_first: bool) -> SelfTestCheck | None:
    """Return what is wrong with one setting; None when nothing is."""
    if is_first:
        if await _received(line, 1, _QUIET_S):
            text = "A device sends on this line, so nothing was sent to it."
            return skipped(NAME, text, "Take the device off and put the wire on.")
        line.write(PROBE)
        echo = await _received(line, 1, _ECHO_S)
        if not echo:
            text = "The byte that was sent did not come back."
            return not_connected(NAME, text, f"{_HELP} {PLAIN_PIN}")
        if echo != PROBE:
            return _wrong(PROBE, echo, setting)
    for at in range(0, len(PATTERN), _CHUNK):
        sent = PATTERN[at : at + _CHUNK]
        line.write(sent)
        if (echo := await _received(line, len(sent), _ECHO_S)) != sent:
            return _wrong(sent, echo, setting)
    return None


def _wrong(sent: bytes, echo: bytes, setting: LineSetting) -> SelfTestCheck:
    if len(echo) < len(sent):
        text = f"Of {len(sent)} bytes {len(echo)} came back at {setting.name}."
    else:
        text = f"{sent.hex(' ')[:24]} came back as {echo.hex(' ')[:24]} at {setting.name}."
    return failed(NAME, text, f"{_HELP} Is anything else on these pins?")


async def _received(line: ByteStream, count: int, limit_s: float) -> bytes:
    """Return what arrives until `count` bytes are there or the time is over."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Future[None] = loop.create_future()
    found = bytearray()

    def read() -> None:
        try:
            found.extend(line.read())
        except SaintError as err:
            loop.remove_reader(line.fileno())
            if not arrived.done():
                arrived.set_exception(err)
            return
        if len(found) >= count and not arrived.done():
            arrived.set_result(None)

    loop.add_reader(line.fileno(), read)
    try:
        async with asyncio.timeout(limit_s):
            await arrived
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(line.fileno())
    return bytes(found)
