"""Detects the protocol of a serial line: receives with each port setting in turn and counts what
each parser accepts. One good frame may be chance; several, with few bytes between them, are not.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ..lib.api.rc import DetectedSettings, DetectReport, RcProtocol
from ..lib.errors import Code, SaintError
from ..lib.hw.buses.serial import SerialPort, open_serial
from .protocols import CHECKED, PARSERS, Parser

MIN_FRAMES = 8
MAX_WASTE = 0.1  # of the bytes: discarded


@dataclass(frozen=True, slots=True)
class PortTrial:
    """One setting of the port, and the protocols that use it."""

    baud_rate: int
    parity: str
    stopbits: int
    protocols: tuple[RcProtocol, ...]


# The most common first.
PORT_TRIALS = (
    PortTrial(420_000, "none", 1, ("crsf", "ghst")),
    PortTrial(100_000, "even", 2, ("sbus",)),
    PortTrial(115_200, "none", 1, ("ibus", "crsf", "mavlink", "dsm")),
    PortTrial(400_000, "none", 1, ("crsf",)),
    PortTrial(460_800, "none", 1, ("mavlink", "crsf")),
    PortTrial(57_600, "none", 1, ("mavlink",)),
    # Of transmitter modules and handsets; a receiver may be set to them.
    PortTrial(921_600, "none", 1, ("crsf", "mavlink")),
    PortTrial(1_870_000, "none", 1, ("crsf",)),
    PortTrial(3_750_000, "none", 1, ("crsf",)),
    PortTrial(200_000, "even", 2, ("sbus",)),
)


def is_proof(seen: DetectedSettings) -> bool:
    """Return True for enough good frames with few discarded bytes."""
    return seen.frames >= MIN_FRAMES and seen.discarded_bytes <= MAX_WASTE * seen.bytes


def report(seen: Sequence[DetectedSettings]) -> DetectReport:
    """Sum up the trials: the detected protocol, or the likely reason for none."""
    proofs = [each for each in seen if is_proof(each)]
    # Frames with a check sum prove more: bytes of one protocol may look like DSM's.
    best = max(proofs, key=lambda each: (each.protocol in CHECKED, each.frames), default=None)
    if best is not None:
        text = (
            f"{best.protocol.upper()} at {best.baud_rate} baud: {best.frames} good frames, "
            f"{best.discarded_bytes} of {best.bytes} bytes discarded"
        )
        return DetectReport(
            protocol=best.protocol, baud_rate=best.baud_rate, text=text, seen=list(seen)
        )
    received = max((each.bytes for each in seen), default=0)
    text = (
        f"up to {received} bytes were received, but no frame of a known protocol; "
        "SBUS needs an inverted line, and ground must be connected"
        if received
        else "nothing was received: check power, wiring, and that the receiver is bound"
    )
    return DetectReport(protocol=None, baud_rate=None, text=text, seen=list(seen))


async def run_trials(device: str, seconds: float) -> list[DetectedSettings]:
    """Receive with each setting for so long; stop at the first that proves a protocol."""
    found: list[DetectedSettings] = []
    for trial in PORT_TRIALS:
        found += await _received(device, trial, seconds)
        if any(map(is_proof, found)):
            break
    return found


async def _received(device: str, trial: PortTrial, seconds: float) -> list[DetectedSettings]:
    try:
        port = await asyncio.to_thread(
            open_serial, device, trial.baud_rate, trial.parity, trial.stopbits
        )
    except SaintError as err:
        if err.code is Code.HARDWARE_MISSING:
            raise
        return []  # the adapter does not support this speed
    parsers = {name: PARSERS[name]() for name in trial.protocols}
    try:
        count = await _feed(port, list(parsers.values()), seconds)
    finally:
        port.close()
    return [_seen(name, trial, count, parser) for name, parser in parsers.items()]


async def _feed(port: SerialPort, parsers: list[Parser], seconds: float) -> int:
    """Feed all received bytes to every parser; return how many bytes that were."""
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
