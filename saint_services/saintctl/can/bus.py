"""Serves `saintctl can dump` and `can send`: a bus of this machine, without a daemon."""

import json
import os
import select
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from ...lib.binary_layout import LayoutError
from ...lib.errors import Code, SaintError
from ...lib.guard.will import WillFiles, wills_folder
from ...lib.hw.can import log_line
from ...lib.hw.can.frame import CanFrame
from ...lib.hw.can.opening import open_can
from ...lib.hw.can.port import CanPort
from ...lib.hw.vesc import messages as vesc
from ...lib.wagon import can_frames as wagon
from .lines import described, frame_of

REPEAT_S = 0.02  # a VESC stops without a command for its time-out
LONGEST_S = 60.0
_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class DumpEnd:
    """When a dump ends by itself; 0: never."""

    frames: int = 0
    seconds: float = 0.0


def opened(interface: str, bit_rate: int) -> CanPort:
    """Open a bus of this machine, or of the simulation that SAINT_HW names."""
    return open_can(interface, os.environ.get("SAINT_HW", "real"), bit_rate)


def dump(port: CanPort, interface: str, end: DumpEnd, out: TextIO, *, as_log: bool) -> None:
    """Print every frame that is received, until the end or Ctrl-C."""
    began_s, printed = time.monotonic(), 0
    with closing(port), suppress(KeyboardInterrupt):
        while not end.seconds or time.monotonic() - began_s < end.seconds:
            select.select([port.fileno()], [], [], _LOOK_S)
            for frame in port.receive():
                out.write(_line(frame, interface, as_log) + "\n")
                printed += 1
                if printed == end.frames:
                    return
            out.flush()


def _line(frame: CanFrame, interface: str, as_log: bool) -> str:
    if not as_log:
        return json.dumps({"t_us": frame.t_ns // 1000} | described(frame))
    # A log has the time of day, as candump -l writes it.
    age_us = (time.monotonic_ns() - frame.t_ns) // 1000
    return log_line.written(frame, time.time_ns() // 1000 - age_us, interface)


def parsed(name: str, pairs: Sequence[str]) -> CanFrame:
    """Return the frame of a message and its fields as NAME=VALUE. Raises request_invalid."""
    line: dict[str, Any] = {"message": name.upper()}
    for pair in pairs:
        key, separator, text = pair.partition("=")
        try:
            line[key] = json.loads(text)
        except (ValueError, RecursionError):
            separator = ""
        if not separator:
            raise _misuse(f"{pair[:40]!r} is not NAME=NUMBER, such as value=0.5")
    try:
        return frame_of(line)
    except LayoutError as err:
        raise _misuse(str(err)) from None


def rest_of(frame: CanFrame) -> CanFrame | None:
    """Return the frame that ends what this one begins; None where it moves nothing."""
    if not frame.is_extended:
        return _wagon_rest(wagon.decode(frame))
    message = vesc.decode(frame)
    stop = vesc.encode(vesc.VescMessage(message.id, vesc.SetCurrent(0.0)))
    is_command = vesc.row_of(message.content).name.startswith("SET_")
    return stop if is_command and frame != stop else None


def _wagon_rest(message: Any) -> CanFrame | None:
    if isinstance(message, wagon.WagonDrive) and (message.speed or message.steer):
        return wagon.encode(wagon.WagonDrive(0, 0, message.mode, message.flags))
    if isinstance(message, wagon.WagonArm) and message.arm:
        return wagon.encode(wagon.WagonArm(False))
    if isinstance(message, wagon.WagonGains):
        return wagon.encode(wagon.WagonArm(False))
    return None


def check_free(interface: str, runtime: Path) -> None:
    """Raise conflict where a role drives the bus: only that role may command its motors."""
    name = f"can-{interface.strip('/').replace('/', '-')}"  # of a simulated bus
    for will in WillFiles(wills_folder(str(runtime))).load():
        if any(write.path == interface or Path(write.path).name == name for write in will.writes):
            raise SaintError(
                Code.CONFLICT,
                f"{will.name} drives motors on {interface}",
                fix="Reset the node's role first, or command the motors by their role.",
            )


def send(port: CanPort, frame: CanFrame, seconds: float) -> int:
    """Send a frame once, or for some time and then the frame that ends it; return how often."""
    rest, sent, end_s = rest_of(frame), 0, time.monotonic() + min(seconds, LONGEST_S)
    with closing(port):
        try:
            while True:
                sent += port.send(frame)
                if time.monotonic() + REPEAT_S > end_s:
                    break
                time.sleep(REPEAT_S)
        except KeyboardInterrupt:
            pass
        finally:
            if seconds and rest is not None:
                port.send(rest)
    if not sent:
        raise SaintError(Code.HARDWARE_FAULT, "the bus accepts no frames", fix="Look at its cable.")
    return sent


def _misuse(sentence: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, sentence, fix="See saintctl can send --help.")
