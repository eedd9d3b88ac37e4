"""Listens on a serial line with each setting in turn, for the detection of its protocol. Not here:
what counts as found (detection.py).
"""

import asyncio
import time

from ..lib.api.rc import DetectedSettings, RcProtocol
from ..lib.errors import Code, SaintError
from ..lib.hw.buses.serial import SerialPort, open_serial
from .detection import PORT_TRIALS, PortTrial, is_proof
from .protocols import PARSERS, Parser


async def listen(device: str, seconds: float) -> list[DetectedSettings]:
    """What was heard with each setting; ends with the first that is a proof."""
    found: list[DetectedSettings] = []
    for trial in PORT_TRIALS:
        found += await _heard(device, trial, seconds)
        if any(map(is_proof, found)):
            break
    return found


async def _heard(device: str, trial: PortTrial, seconds: float) -> list[DetectedSettings]:
    try:
        port = await asyncio.to_thread(
            open_serial, device, trial.baud_rate, trial.parity, trial.stopbits
        )
    except SaintError as err:
        if err.code is Code.HARDWARE_MISSING:
            raise
        return []  # this line cannot do this speed
    parsers = {name: PARSERS[name]() for name in trial.protocols}
    try:
        count = await _feed(port, list(parsers.values()), seconds)
    finally:
        port.close()
    return [_seen(name, trial, count, parser) for name, parser in parsers.items()]


async def _feed(port: SerialPort, parsers: list[Parser], seconds: float) -> int:
    """All that arrives, to all of them; how many bytes that was."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    count = 0

    def read() -> None:
        nonlocal count
        try:
            data = port.read()
        except SaintError:
            loop.remove_reader(port.fileno())
            ended.set()
            return
        count += len(data)
        now_us = time.monotonic_ns() // 1000
        for parser in parsers:
            parser.feed(data, now_us)

    loop.add_reader(port.fileno(), read)
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(port.fileno())
    for parser in parsers:
        parser.flush()
    return count


def _seen(protocol: RcProtocol, trial: PortTrial, count: int, parser: Parser) -> DetectedSettings:
    return DetectedSettings(
        protocol=protocol,
        baud_rate=trial.baud_rate,
        bytes=count,
        frames=parser.frames,
        rejected=parser.rejected,
        discarded_bytes=parser.discarded_bytes,
    )
