"""Judges many cuts in several processes; what was judged is written down at once, so that a run
that was broken off goes on. Not here: one cut (judge.py).
"""

import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..vm.programs import Programs
from .disks.cuts import Cut
from .disks.filesystems import FileSystems
from .disks.recording import Recording
from .judge import Judge, Verdict

_PROGRESS_S = 1.0
_SHARED_MEMORY = Path("/dev/shm")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Task:
    """A recording and where its verdicts go."""

    folder: Path
    seed: int
    results: Path


def judge_all(task: Task, cuts: Sequence[Cut], processes: int, progress: Progress) -> list[Verdict]:
    """The verdicts of all cuts, those of an earlier run included."""
    task.results.mkdir(parents=True, exist_ok=True)
    known = {verdict.cut: verdict for verdict in read_verdicts(task)}
    rest = [cut for cut in cuts if cut not in known]
    share = -(-len(rest) // processes) if rest else 0
    context = multiprocessing.get_context("spawn")
    done = context.Value("Q", 0)
    workers = [
        context.Process(target=_work, args=(task, rest[start : start + share], done))
        for start in range(0, len(rest), share or 1)
    ]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        workers[-1].join(_PROGRESS_S)
        progress(len(known) + done.value, len(known) + len(rest))
        if not workers[-1].is_alive():
            time.sleep(0.2)
    progress(len(known) + done.value, len(known) + len(rest))
    if any(worker.exitcode for worker in workers):
        raise RuntimeError("a process that judges cuts failed; its message stands above")
    wanted = set(cuts)
    return [verdict for verdict in read_verdicts(task) if verdict.cut in wanted]


def read_verdicts(task: Task) -> list[Verdict]:
    """What was judged so far with this seed."""
    verdicts = []
    for path in sorted(task.results.glob(f"{task.folder.name}-{task.seed}-*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.endswith("}"):
                continue  # the run was broken off in the middle of this line
            row = json.loads(line)
            row["cut"] = Cut.parse(row["cut"])
            row["faults"] = tuple(row["faults"])
            verdicts.append(Verdict(**row))
    return verdicts


def work_folder() -> tempfile.TemporaryDirectory[str]:
    """Scratch files in memory where there is such a place: each cut is copied several times."""
    place = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="powercut-", dir=place)


def _work(
    task: Task, cuts: Sequence[Cut], done: "multiprocessing.sharedctypes.Synchronized[int]"
) -> None:
    recording = Recording.open(task.folder)
    path = task.results / f"{task.folder.name}-{task.seed}-{os.getpid()}.jsonl"
    with work_folder() as work, path.open("a", encoding="utf-8", buffering=1) as file:
        judge = Judge(recording, task.seed, FileSystems(Programs.find()), Path(work))
        for cut in cuts:
            row = asdict(judge.judge(cut))
            row["cut"] = str(cut)
            file.write(json.dumps(row) + "\n")
            with done.get_lock():
                done.value += 1
        judge.close()
