"""Shows what the build is doing, how long each stage took, and what came out."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_MIB = 1 << 20
_CHUNK = 1 << 20
_SHOWN_DIGITS = 12
_WHOLE_HASHES = "Whole hashes: the .sha256 files (sha256sum -c), manifest.json"


@dataclass(frozen=True, slots=True)
class Artefact:
    """A file that was built."""

    path: Path
    what: str
    sha256: str

    @property
    def size_bytes(self) -> int:
        """Its length."""
        return self.path.stat().st_size


class Progress:
    """One line per stage while it runs; a table of times at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, hint: str = "", log: Path | None = None) -> Iterator[None]:
        """A spinner while the block runs, with the last line of `log`; then its time."""
        begin = time.monotonic()
        if not self._console.is_terminal:
            self._console.print(f"... {name} {hint}", highlight=False)
        with self._console.status(_shown(name, hint)) as status, ExitStack() as ending:
            if log and self._console.is_terminal:
                ending.enter_context(
                    _following(log, lambda line: status.update(_shown(name, line)))
                )
            yield
        took_s = self.seconds[name] = time.monotonic() - begin
        self._console.print(f"[green]done[/] {name} [dim]{took_s:.1f} s[/]", highlight=False)

    def say(self, sentence: str, *, is_warning: bool = False) -> None:
        """Print a fact about the build; nothing where there is none."""
        if not sentence:
            return
        style = "yellow" if is_warning else None
        self._console.print(sentence, style=style, highlight=False, markup=False)

    def close(self, version: str, artefacts: list[Artefact]) -> None:
        """The closing tables."""
        self._console.print(times_table(self.seconds))
        self._console.print(artefact_table(version, artefacts))


def _shown(name: str, detail: str) -> str:
    return f"{name} [dim]{escape(detail)}[/]"


@contextmanager
def _following(log: Path, show: Callable[[str], None]) -> Iterator[None]:
    """Show the last line of a growing file once a second, in a thread of its own."""
    ended = Event()

    def follow() -> None:
        while not ended.wait(1.0):
            show(last_line(log))

    thread = Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=5.0)


def last_line(log: Path) -> str:
    """The end of a log, short enough for one line of a terminal."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 1000))
            lines = file.read().decode(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1].strip()[:70] if lines else ""


def artefact_table(version: str, artefacts: list[Artefact]) -> Table:
    """What was built, within 80 columns: enough of each hash to distinguish two builds by eye."""
    table = Table(title=f"SAINT.OS {version}", title_justify="left", box=None, pad_edge=False)
    table.caption, table.caption_justify = _WHOLE_HASHES, "left"
    table.add_column("artefact", no_wrap=True)
    table.add_column("what")
    table.add_column("MB", justify="right", no_wrap=True)
    table.add_column("sha256", no_wrap=True)
    for item in artefacts:
        megabytes = f"{item.size_bytes / 1_000_000:.1f}"
        table.add_row(item.path.name, item.what, megabytes, item.sha256[:_SHOWN_DIGITS])
    return table


def times_table(seconds: dict[str, float]) -> Table:
    """Where the time went."""
    table = Table("stage", "s", show_footer=True)
    table.columns[0].footer = "all"
    table.columns[1].footer = f"{sum(seconds.values()):.1f}"
    table.columns[1].justify = "right"
    for name, took_s in seconds.items():
        table.add_row(name, f"{took_s:.1f}")
    return table


def sha256(path: Path) -> str:
    """Of the whole file, in hexadecimal."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            total.update(chunk)
    return total.hexdigest()


def finished(path: Path, what: str) -> Artefact:
    """Hash an artefact and write the side file that `sha256sum -c` reads."""
    found = Artefact(path, what, sha256(path))
    path.with_name(path.name + ".sha256").write_text(f"{found.sha256}  {path.name}\n")
    return found
