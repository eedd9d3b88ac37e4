"""The result of a whole run: a table for people, result.json for those who compare runs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .boots import Boot
from .disks.recording import Recording
from .judge import Verdict


@dataclass(frozen=True)
class Row:
    """One chapter of one recording."""

    name: str
    date: str
    version: str
    changes: int
    flushes: int
    cuts: int
    data_states: int  # different data partitions among the cuts
    environment_states: int
    repaired: int  # cuts after which e2fsck had to do more than replay the journal
    untidy: int  # cuts after which the FAT has lost clusters, or its settings file
    bad: int
    boots: int
    bad_boots: int


@dataclass(frozen=True)
class Result:
    """All recordings."""

    seed: int
    rows: tuple[Row, ...]

    @classmethod
    def of(
        cls,
        recordings: Mapping[str, Recording],
        verdicts: Mapping[str, Sequence[Verdict]],
        boots: Sequence[Boot],
        seed: int,
    ) -> "Result":
        rows = []
        for name, recording in recordings.items():
            first = 0
            for chapter in recording.info.chapters:
                mine = [
                    verdict
                    for verdict in verdicts[name]
                    if recording.info.chapter(verdict.cut.position) == chapter.name
                ]
                its_boots = [
                    one
                    for one in boots
                    if one.recording == name
                    and recording.info.chapter(one.cut.position) == chapter.name
                ]
                rows.append(_row(chapter.name, recording, (first, chapter.end), mine, its_boots))
                first = chapter.end
        return cls(seed, tuple(rows))

    @property
    def is_good(self) -> bool:
        return not any(row.bad or row.bad_boots for row in self.rows)


def _row(
    name: str,
    recording: Recording,
    part: tuple[int, int],
    verdicts: Sequence[Verdict],
    boots: Sequence[Boot],
) -> Row:
    requests = recording.requests[slice(*part)]
    changes = sum(request.is_change for request in requests)
    return Row(
        name,
        recording.info.date,
        recording.info.version,
        changes,
        len(requests) - changes,
        len(verdicts),
        len({verdict.data_state for verdict in verdicts}),
        len({verdict.environment_state for verdict in verdicts}),
        sum(verdict.is_repaired for verdict in verdicts),
        sum(verdict.is_untidy for verdict in verdicts),
        sum(bool(verdict.faults) for verdict in verdicts),
        len(boots),
        sum(bool(one.faults) for one in boots),
    )


def write_result(path: Path, result: Result) -> None:
    path.write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")


_COLUMNS = (
    ("recording", "name"),
    ("writes", "changes"),
    ("flushes", "flushes"),
    ("cuts judged", "cuts"),
    ("data states", "data_states"),
    ("boot env states", "environment_states"),
    ("repaired", "repaired"),
    ("FAT untidy", "untidy"),
    ("bad", "bad"),
    ("booted", "boots"),
    ("bad boots", "bad_boots"),
)


def print_result(result: Result) -> None:
    """The closing table."""
    table = Table(title=f"Power cuts, seed {result.seed}")
    for title, name in _COLUMNS:
        table.add_column(title, justify="left" if name == "name" else "right", no_wrap=True)
    for row in result.rows:
        table.add_row(*(str(getattr(row, name)) for _, name in _COLUMNS))
    sums = [str(sum(getattr(row, name) for row in result.rows)) for _, name in _COLUMNS[1:]]
    table.add_section()
    table.add_row("all", *sums)
    Console(width=140).print(table)
