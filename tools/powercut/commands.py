"""What the command line does: recordings, verdicts and boots in their folders, and the table.

Not here: how a thing is recorded (rig.py), judged (judge.py), booted (boots.py).
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..image.names import Names
from ..image.places import Places
from ..vm.disk import Card, copy_sparse
from ..vm.programs import MissingProgramError, Programs
from ..vm.settings import Hardware, boot_env, saint_yaml
from . import rauc, robot
from .boots import Boot, boot, chosen_cuts, read_boots, write_boot
from .disks.cuts import Cut, Timeline, every_cut
from .disks.recording import Info, Recording
from .host_rig import host_recording
from .judge import Verdict
from .release import next_release
from .report import Result, print_result, write_result
from .rig import NEW_DISK, free_port, recording
from .scenarios import CLAIM, NEXT_VERSION, SESSIONS
from .workers import Task, judge_all, read_verdicts

_ROOT = Path(__file__).resolve().parents[2]
# Room to grow into at the first boot; small, because every judged cut copies what is in use.
_CARD_MORE_MIB = 256
_FULL_EVERY = 13  # boots
_DEADMAN_S = 3600  # several emulated machines at once may take as long as one does in an hour


@dataclass(frozen=True)
class Work:
    """The requested scenarios."""

    folder: Path
    names: tuple[str, ...]
    seed: int
    cuts: int
    boots: int
    processes: int

    def recording(self, name: str) -> Path:
        return self.folder / "recordings" / name

    def task(self, name: str) -> Task:
        return Task(self.recording(name), self.seed, self.folder / "verdicts")

    @property
    def recorded(self) -> list[str]:
        """Return those that are requested and exist, in their order."""
        return [name for name in self.names if (self.recording(name) / "info.json").exists()]


def _record(work: Work, chosen: argparse.Namespace) -> int:
    for name in work.names:
        if (work.recording(name) / "info.json").exists() and not chosen.again:
            continue
        _record_one(work, name)
    return 0


def _record_one(work: Work, name: str) -> None:
    session = SESSIONS[name]
    names = Names.read(_ROOT / "pi-gen.conf")
    out = Places.from_environment().out
    if session.after:
        base = work.recording(session.after) / NEW_DISK
        if not (base.parent / "info.json").exists():
            _record_one(work, session.after)
        base = _card(base, work.folder / f"card-{name}.img", session.role)
    else:
        base = _card(out / f"{names.stem}.img", work.folder / f"card-{name}.img", session.role)
        # The builder writes to the same name again; the judge needs what was recorded.
        copy_sparse(out / f"{names.stem}.rootfs.img", work.folder / "slot.img")
    print(f"{name}: recording", flush=True)
    images = {names.version: str(work.folder / "slot.img")}
    release = None
    if session.needs_release:
        release = next_release(work.folder / "next", NEXT_VERSION)
        images[release.version] = str(release.slot)
    proven = "A B" if session.is_rauc else "A"
    info = Info(name, datetime.now(UTC).date().isoformat(), names.version, images, proven)
    if session.is_rauc:
        assert release, "RAUC needs something to install"
        with host_recording(work.recording(name), base, info) as rig:
            installer = rauc.Rauc(rig, release)
            installer.make_bundle()
            for chapter, step in rauc.CHAPTERS.items():
                step(rig, installer, release)
                rig.end_chapter(chapter)
        return
    if session.is_robot:
        with host_recording(work.recording(name), base, info) as rig:
            for chapter, play in robot.CHAPTERS.items():
                play(rig)
                rig.end_chapter(chapter)
        return
    hardware = Hardware(f"powercut-{name}", cpus=1, ports={22: free_port()})
    with recording(work.recording(name), base, hardware, info, release) as rig:
        for chapter, run in session.chapters.items():
            run(rig)
            rig.end_chapter(chapter)


def _card(image: Path, card: Path, role: str) -> Path:
    """A card as a person writes it: the image, and the settings on its first partition."""
    card.parent.mkdir(parents=True, exist_ok=True)
    size_mib = (image.stat().st_size >> 20) + _CARD_MORE_MIB
    made = Card.copy(image, card, Programs.find(), 0 if image.name == NEW_DISK else size_mib)
    made.put({"saint.yaml": saint_yaml(role, claim=CLAIM), "boot.env": boot_env(_DEADMAN_S)})
    return made.path


def _judge(work: Work, _: argparse.Namespace) -> int:
    found = 0
    for name, cuts in _shares(work).items():
        began = time.monotonic()

        def progress(done: int, total: int, name: str = name) -> None:
            print(f"\r{name}: {done} of {total} cuts judged", end="", flush=True)

        verdicts = judge_all(work.task(name), cuts, work.processes, progress)
        bad = [verdict for verdict in verdicts if verdict.faults]
        found += len(bad)
        print(f"\r{name}: {len(verdicts)} cuts, {len(bad)} bad, {time.monotonic() - began:.0f} s")
        for verdict in bad[:5]:
            print(f"  {verdict.cut}: {verdict.faults[0]}")
    return 1 if found else 0


def _shares(work: Work) -> dict[str, list[Cut]]:
    """The cuts of each recording: all moments, and the rest of the wanted number evenly."""
    lines = {
        name: Timeline(Recording.open(work.recording(name)).requests) for name in work.recorded
    }
    if not lines:
        return {}
    moments = {name: len(every_cut(line, 0, work.seed)) for name, line in lines.items()}
    rest = max(0, work.cuts - sum(moments.values())) // len(lines) + 1
    return {name: every_cut(line, moments[name] + rest, work.seed) for name, line in lines.items()}


def _boot(work: Work, _: argparse.Namespace) -> int:
    verdicts = {name: read_verdicts(work.task(name)) for name in work.recorded}
    path = work.folder / f"boots-{work.seed}.jsonl"
    done = {(one.recording, str(one.cut)) for one in read_boots(path)}
    bad = 0
    for number, (name, verdict) in enumerate(chosen_cuts(verdicts, work.boots, work.seed)):
        if (name, str(verdict.cut)) in done:
            continue
        is_full = number % _FULL_EVERY == _FULL_EVERY - 1
        folder = work.folder / f"boot-{os.getpid()}"
        one = boot(work.recording(name), verdict, work.seed, folder, is_full=is_full)
        write_boot(path, one)
        bad += bool(one.faults)
        print(f"{name} {verdict.cut}: {_words(one)}", flush=True)
    return 1 if bad else 0


def _words(one: Boot) -> str:
    return f"slot {one.slot}, up in {one.seconds:.0f} s" + "".join(f"; {f}" for f in one.faults)


def _show(work: Work, chosen: argparse.Namespace) -> int:
    name, text = chosen.cut
    cut = Cut.parse(text)
    opened = Recording.open(work.recording(name))
    sure, pieces = Timeline(opened.requests).pieces(cut, work.seed)
    print(f"the first {sure} requests are on the disk; of those after them:")
    for piece in pieces:
        request = opened.requests[piece.index]
        part = "whole" if piece.sectors is None else f"sectors {sorted(piece.sectors)}"
        print(
            f"  {piece.index}: {request.kind.name} {request.length} at {request.offset:#x}, {part}"
        )
    for verdict in read_verdicts(work.task(name)):
        if verdict.cut == cut:
            print(verdict)
    return 0


def _report(work: Work, _: argparse.Namespace) -> int:
    verdicts: dict[str, list[Verdict]] = {
        name: read_verdicts(work.task(name)) for name in work.recorded
    }
    boots = read_boots(work.folder / f"boots-{work.seed}.jsonl")
    infos = {name: Recording.open(work.recording(name)) for name in work.recorded}
    result = Result.of(infos, verdicts, boots, work.seed)
    write_result(work.folder / "result.json", result)
    print_result(result)
    return 0 if result.is_good else 1


def _all(work: Work, chosen: argparse.Namespace) -> int:
    codes = [command(work, chosen) for command in (_record, _judge, _boot, _report)]
    return max(codes)


Command = Callable[[Work, argparse.Namespace], int]


def _spoken(command: Command) -> Command:
    def run(work: Work, chosen: argparse.Namespace) -> int:
        try:
            return command(work, chosen)
        except MissingProgramError as err:
            print(err, file=sys.stderr)
            return 2

    return run


COMMANDS = {
    "all": _spoken(_all),
    "boot": _spoken(_boot),
    "judge": _spoken(_judge),
    "record": _spoken(_record),
    "report": _spoken(_report),
    "show": _spoken(_show),
}
