"""Records datagrams, one line of JSON each, and plays recordings with their timing. `saintctl
livelink decode` reads the same files.

Files are written in a thread, from a bounded buffer: a slow card costs lines of the recording,
never a frame of the robot.
"""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ..lib import clock, log
from ..lib.errors import Code, SaintError

SUFFIX = ".jsonl"
_UNFINISHED = ".part"
_FLUSH_S = 0.2
_MOST_WAITING_BYTES = 4 << 20  # not written yet
_LONGEST_LINE_BYTES = 1 << 18
_READ_AHEAD = 512  # lines
_PLAYED = "recording "  # begins the address of a recording that plays: no IP does
_LONGEST_SLEEP_S = 3600.0
_SHORTEST_ROUND_S = 0.05  # of a recording that is repeated
MEGABYTE = 1_000_000
_LEFT_FREE_BYTES = 256 * MEGABYTE  # the disk also stores every daemon's state

Address = tuple[str, int]
Take = Callable[[str, bytes, Address], None]  # format, datagram, sender


@dataclass(slots=True)
class Recording:
    """State of a recording in progress."""

    name: str
    formats: frozenset[str]  # empty: all
    started_s: float
    ends_s: float
    datagrams: int = 0
    written_bytes: int = 0
    dropped: int = 0  # the card was too slow
    waiting: list[bytes] = field(default_factory=list)
    waiting_bytes: int = 0
    problem: str = ""  # why it ended on its own


@dataclass(frozen=True, slots=True)
class StoredRecording:
    """A recording on disk."""

    name: str
    size_bytes: int
    made_s: float  # wall time


@dataclass(frozen=True, slots=True)
class RecordedDatagram:
    """One datagram of a recording."""

    time_us: int
    format: str
    data: bytes
    sender: Address


class Recorder:
    """Records one file at a time."""

    def __init__(self, directory: Path, largest_bytes: int, most: int) -> None:
        self.current: Recording | None = None
        self.last: Recording | None = None
        self._directory = directory
        self._largest_bytes = largest_bytes
        self._most = most

    def path(self, name: str) -> Path:
        """Return the file of a recording; the request's model has checked the name."""
        return self._directory / f"{name}{SUFFIX}"

    async def start(self, name: str, formats: frozenset[str], limit_s: float) -> Recording:
        """Start recording. Raises conflict or disk_full."""
        if self.current is not None:
            raise SaintError(
                Code.CONFLICT,
                f"recording {self.current.name!r} is in progress",
                fix="Stop it first: saintctl livelink record --stop.",
            )
        now_s = clock.monotonic_s()
        begun = self.current = Recording(name, formats, now_s, now_s + limit_s)
        try:
            await asyncio.to_thread(self._open, name)
        except SaintError:
            self.current = None
            raise
        return begun

    def note(self, format: str, data: bytes, sender: Address, now_s: float) -> None:
        """Record one datagram, if a recording includes its format."""
        recording = self.current
        if recording is None or (recording.formats and format not in recording.formats):
            return
        line = _line(format, data, sender, now_s - recording.started_s)
        if recording.waiting_bytes + len(line) > _MOST_WAITING_BYTES:
            recording.dropped += 1
            return
        recording.waiting.append(line)
        recording.waiting_bytes += len(line)
        recording.datagrams += 1

    async def stop(self) -> Recording:
        """Stop recording and keep the file. Raises not_found without a recording."""
        recording = self.current
        if recording is None:
            fix = "Nothing has to be stopped. A new one: saintctl livelink record NAME."
            raise SaintError(Code.NOT_FOUND, "no recording is in progress", fix=fix)
        self.current, self.last = None, recording
        await self._write(recording)
        await asyncio.to_thread(self._keep, recording.name)
        return recording

    async def close(self) -> None:
        """Keep the recording in progress; a failing disk does not delay the daemon's end."""
        if self.current is not None:
            try:
                await self.stop()
            except SaintError as err:
                log.get("livelinkd").warning("recording could not be saved", reason=err.message)

    async def work(self) -> None:
        """Write buffered datagrams and end recordings at their limits, until cancelled."""
        while True:
            await asyncio.sleep(_FLUSH_S)
            recording = self.current
            if recording is None:
                continue
            await self._write(recording)
            if clock.monotonic_s() >= recording.ends_s and not recording.problem:
                recording.problem = "the time limit was reached"
            if recording.problem and self.current is recording:
                try:
                    await self.stop()
                except SaintError as err:  # shown in the list of recordings
                    recording.problem = err.message

    async def kept(self) -> list[StoredRecording]:
        """List all recordings on disk, the newest first."""
        return await asyncio.to_thread(self._list)

    async def remove(self, name: str) -> None:
        """Delete a recording. Raises not_found."""
        try:
            await asyncio.to_thread(self.path(name).unlink)
        except FileNotFoundError:
            raise _unknown(name) from None

    async def _write(self, recording: Recording) -> None:
        data, recording.waiting, recording.waiting_bytes = b"".join(recording.waiting), [], 0
        room = self._largest_bytes - recording.written_bytes
        if len(data) > room:
            data = data[: data.rfind(b"\n", 0, max(room, 0)) + 1]
            recording.problem = f"the limit of {self._largest_bytes // MEGABYTE} MB was reached"
        recording.written_bytes += len(data)
        try:
            if data:
                await asyncio.to_thread(_append, self._unfinished(recording.name), data)
        except OSError as err:
            recording.problem = f"writing the recording failed: {err.strerror}"

    def _unfinished(self, name: str) -> Path:
        return self._directory / f"{name}{SUFFIX}{_UNFINISHED}"

    def _open(self, name: str) -> None:
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            if self.path(name).exists():
                fix = f"Choose another name, or saintctl livelink remove {name}."
                raise SaintError(Code.CONFLICT, f"recording {name!r} already exists", fix=fix)
            if len(self._list()) >= self._most:
                raise SaintError(
                    Code.DISK_FULL,
                    f"the limit of {self._most} recordings is reached",
                    fix="Remove one: saintctl livelink remove NAME.",
                )
            if shutil.disk_usage(self._directory).free < _LEFT_FREE_BYTES:
                raise SaintError(
                    Code.DISK_FULL,
                    f"less than {_LEFT_FREE_BYTES // MEGABYTE} MB are free in {self._directory}",
                )
            for left in self._directory.glob(f"*{_UNFINISHED}"):
                left.unlink()  # left by a power cut
            self._unfinished(name).touch()
        except OSError as err:
            message = f"{self._directory} cannot be written: {err.strerror}"
            raise SaintError(Code.INTERNAL, message) from err

    def _keep(self, name: str) -> None:
        try:
            self._unfinished(name).rename(self.path(name))
        except OSError as err:
            message = f"{self.path(name)} cannot be written: {err.strerror}"
            raise SaintError(Code.INTERNAL, message) from err

    def _list(self) -> list[StoredRecording]:
        if not self._directory.is_dir():
            return []
        found = []
        for path in self._directory.glob(f"*{SUFFIX}"):
            facts = path.stat()
            found.append(
                StoredRecording(path.name.removesuffix(SUFFIX), facts.st_size, facts.st_mtime)
            )
        return sorted(found, key=lambda kept: kept.made_s, reverse=True)


class Player:
    """Plays one recording at a time: passes each datagram to `take` when it is due."""

    def __init__(self, take: Take) -> None:
        self.name = ""  # of the recording that is playing
        self.played = 0
        self._take = take
        self._log = log.get("livelinkd")
        self._task: asyncio.Task[None] | None = None

    async def start(
        self, tasks: asyncio.TaskGroup, path: Path, name: str, speed: float, again: bool
    ) -> None:
        """Start playing, in place of a recording that is playing. Raises not_found."""
        if not await asyncio.to_thread(path.is_file):
            raise _unknown(name)
        await self.stop()
        self.name, self.played = name, 0
        self._task = tasks.create_task(self._play(path, name, speed, again), name="player")

    async def stop(self) -> bool:
        """Stop; return True when a recording was playing."""
        task, self._task = self._task, None
        was = bool(self.name)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        self.name = ""
        return was

    async def _play(self, path: Path, name: str, speed: float, again: bool) -> None:
        rounds = 0
        try:
            while rounds == 0 or again:
                ends_s = clock.monotonic_s() + _SHORTEST_ROUND_S
                await self._once(path, name, speed, rounds)
                rounds += 1
                await asyncio.sleep(max(0.0, ends_s - clock.monotonic_s()))
        except OSError as err:  # removed meanwhile
            self._log.warning("recording cannot be played", name=name, reason=err.strerror)
        finally:
            self.name = ""

    async def _once(self, path: Path, name: str, speed: float, rounds: int) -> None:
        begun_s = clock.monotonic_s()
        first_us: int | None = None
        source = read(path)
        while lines := await asyncio.to_thread(_some, source):
            for line in lines:
                first_us = line.time_us if first_us is None else first_us
                due_s = begun_s + (line.time_us - first_us) / 1e6 / speed
                pause_s = due_s - clock.monotonic_s()
                if pause_s > 0:
                    await asyncio.sleep(min(pause_s, _LONGEST_SLEEP_S))
                # An address of its own, so that a recording is never taken for its sender. The
                # port differs by round: frame numbers start again.
                sender = (f"{_PLAYED}{name} {line.sender[0]}", line.sender[1] + rounds)
                self._take(line.format, line.data, sender)
                self.played += 1
            await asyncio.sleep(0)  # other tasks run between fast batches


def is_recording(ip: str) -> bool:
    """Return True for the address of a recording that is played."""
    return ip.startswith(_PLAYED)


def read(path: Path) -> Iterator[RecordedDatagram]:
    """Yield the valid lines of a recording. Blocks."""
    with path.open("rb") as file:
        while raw := file.readline(_LONGEST_LINE_BYTES):
            if (line := _read_line(raw)) is not None:
                yield line


def _some(source: Iterator[RecordedDatagram]) -> list[RecordedDatagram]:
    return list(islice(source, _READ_AHEAD))


def _line(format: str, data: bytes, sender: Address, age_s: float) -> bytes:
    host = f"[{sender[0]}]" if ":" in sender[0] else sender[0]
    line = {
        "t_us": round(age_s * 1e6),
        "format": format,
        "from": f"{host}:{sender[1]}",
        "hex": data.hex(),
    }
    return json.dumps(line).encode() + b"\n"


def _read_line(raw: bytes) -> RecordedDatagram | None:
    try:
        line: Any = json.loads(raw)
        host, _, port = str(line["from"]).rpartition(":")
        time_us, name = line["t_us"], line["format"]
        if not isinstance(time_us, int) or not isinstance(name, str):
            return None
        data = bytes.fromhex(line["hex"])
        return RecordedDatagram(time_us, name, data, (host.strip("[]"), int(port)))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None  # cut off by a power failure


def _append(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _unknown(name: str) -> SaintError:
    fix = "List them: saintctl livelink recordings."
    return SaintError(Code.NOT_FOUND, f"there is no recording {name!r}", fix=fix)
