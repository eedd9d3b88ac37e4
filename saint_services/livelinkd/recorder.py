"""Recordings: what arrives, as one line of JSON per datagram, and played back with its own timing.
`saintctl livelink decode` reads the same files. Not here: what a datagram means.

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
_SHORTEST_ROUND_S = 0.05  # of a recording that is played again and again
MEGABYTE = 1_000_000
_LEFT_FREE_BYTES = 256 * MEGABYTE  # the same disk keeps everybody's state

Address = tuple[str, int]
Take = Callable[[str, bytes, Address], None]  # format, datagram, sender


@dataclass(slots=True)
class Recording:
    """One being made."""

    name: str
    formats: frozenset[str]  # empty: all
    started_s: float
    ends_s: float
    datagrams: int = 0
    written_bytes: int = 0
    dropped: int = 0  # the card was too slow
    waiting: list[bytes] = field(default_factory=list)
    waiting_bytes: int = 0
    problem: str = ""  # why it ended by itself


@dataclass(frozen=True, slots=True)
class StoredRecording:
    """One on disk."""

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
        """Where it is kept; the name was checked by the request's model."""
        return self._directory / f"{name}{SUFFIX}"

    async def start(self, name: str, formats: frozenset[str], limit_s: float) -> Recording:
        """Begin. Raises SaintError."""
        if self.current is not None:
            raise SaintError(
                Code.CONFLICT,
                f"{self.current.name!r} is being recorded",
                fix="End it first: saintctl livelink record --stop.",
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
        """One datagram; does nothing unless a recording wants it."""
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
        """End it and keep the file. Raises SaintError when there is none."""
        recording = self.current
        if recording is None:
            raise SaintError(Code.NOT_FOUND, "nothing is being recorded")
        self.current, self.last = None, recording
        await self._write(recording)
        await asyncio.to_thread(self._keep, recording.name)
        return recording

    async def close(self) -> None:
        """Keep what is being recorded; a disk that refuses does not hold up the end."""
        if self.current is not None:
            try:
                await self.stop()
            except SaintError as err:
                log.get("livelinkd").warning("recording is not kept", reason=err.message)

    async def work(self) -> None:
        """Writes what waits, and ends a recording at its limits, for as long as it runs."""
        while True:
            await asyncio.sleep(_FLUSH_S)
            recording = self.current
            if recording is None:
                continue
            await self._write(recording)
            if clock.monotonic_s() >= recording.ends_s and not recording.problem:
                recording.problem = "its time is over"
            if recording.problem and self.current is recording:
                try:
                    await self.stop()
                except SaintError as err:  # told by the list of recordings
                    recording.problem = err.message

    async def kept(self) -> list[StoredRecording]:
        """All on disk, the newest first."""
        return await asyncio.to_thread(self._list)

    async def remove(self, name: str) -> None:
        """Delete one. Raises SaintError."""
        try:
            await asyncio.to_thread(self.path(name).unlink)
        except FileNotFoundError:
            raise _unknown(name) from None

    async def _write(self, recording: Recording) -> None:
        data, recording.waiting, recording.waiting_bytes = b"".join(recording.waiting), [], 0
        room = self._largest_bytes - recording.written_bytes
        if len(data) > room:
            data = data[: data.rfind(b"\n", 0, max(room, 0)) + 1]
            recording.problem = f"it has reached {self._largest_bytes // MEGABYTE} MB"
        recording.written_bytes += len(data)
        try:
            if data:
                await asyncio.to_thread(_append, self._unfinished(recording.name), data)
        except OSError as err:
            recording.problem = f"it cannot be written: {err.strerror}"

    def _unfinished(self, name: str) -> Path:
        return self._directory / f"{name}{SUFFIX}{_UNFINISHED}"

    def _open(self, name: str) -> None:
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            if self.path(name).exists():
                fix = f"Choose another name, or saintctl livelink remove {name}."
                raise SaintError(Code.CONFLICT, f"there is a recording {name!r} already", fix=fix)
            if len(self._list()) >= self._most:
                raise SaintError(
                    Code.DISK_FULL,
                    f"there are {self._most} recordings already",
                    fix="Remove one: saintctl livelink remove NAME.",
                )
            if shutil.disk_usage(self._directory).free < _LEFT_FREE_BYTES:
                raise SaintError(
                    Code.DISK_FULL,
                    f"less than {_LEFT_FREE_BYTES // MEGABYTE} MB are free in {self._directory}",
                )
            for left in self._directory.glob(f"*{_UNFINISHED}"):
                left.unlink()  # power went while it was made
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
    """Plays one recording at a time: each datagram goes to `take` when it is due."""

    def __init__(self, take: Take) -> None:
        self.name = ""  # of what is played; empty: nothing
        self.played = 0
        self._take = take
        self._log = log.get("livelinkd")
        self._task: asyncio.Task[None] | None = None

    async def start(
        self, tasks: asyncio.TaskGroup, path: Path, name: str, speed: float, again: bool
    ) -> None:
        """Begin; what plays already is ended. Raises SaintError when there is no such file."""
        if not await asyncio.to_thread(path.is_file):
            raise _unknown(name)
        await self.stop()
        self.name, self.played = name, 0
        self._task = tasks.create_task(self._play(path, name, speed, again), name="player")

    async def stop(self) -> bool:
        """True when something was playing."""
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
                # Its own address: a recording never passes for the sender it was made of. The
                # port tells the rounds apart: frame numbers begin again.
                sender = (f"{_PLAYED}{name} {line.sender[0]}", line.sender[1] + rounds)
                self._take(line.format, line.data, sender)
                self.played += 1
            await asyncio.sleep(0)  # however fast it plays, others get their turn


def is_recording(ip: str) -> bool:
    """True for the address that a played recording has in place of an IP."""
    return ip.startswith(_PLAYED)


def read(path: Path) -> Iterator[RecordedDatagram]:
    """The lines of a recording that are sound; blocks."""
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
        return None  # power went while it was written


def _append(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _unknown(name: str) -> SaintError:
    fix = "saintctl livelink recordings lists what there is."
    return SaintError(Code.NOT_FOUND, f"there is no recording {name!r}", fix=fix)
