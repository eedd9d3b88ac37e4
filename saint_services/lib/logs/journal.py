"""Reads journald's entries with `journalctl -o json`, which needs the group systemd-journal. Not
here: parsing entries (lines.py).
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Sequence

from ..api.logs import LogFilter, LogLine, LogNames, LogPage, LogQuery
from ..errors import Code, SaintError
from ..machine import settings_request
from .lines import is_wanted, journal_line, source_name

MOST_READ = 20_000  # entries read for one page, also if a search finds nothing
_LIMIT_S = 5.0
_BEAT_S = 1.0
_NOTHING = "filter for units: No data available"  # none of the units has entries
_OUTPUT = ("--output=json", "--all", "--no-pager")
_LONGEST_ENTRY_BYTES = 1 << 20
_PRIORITY = {"DEBUG": "debug", "INFO": "info", "WARNING": "warning", "ERROR": "err"}
_FIX = "Add the user to the group systemd-journal, or ask root."


class Journal:
    """This machine's journal, or its entries of some units."""

    def __init__(self, program: str = "journalctl", units: str = "") -> None:
        self._program = program
        self._units = [f"--unit={units}"] if units else []

    def of_our_units(self) -> "Journal":
        """Return our units only: without logins and other programs."""
        return Journal(self._program, "saint-*")

    async def host(self) -> str:
        """Return this machine's current name."""
        return await asyncio.to_thread(settings_request.hostname)

    async def page(self, query: LogQuery) -> LogPage:
        """Return one page, newest first."""
        arguments = [*_matching(query), "--reverse", f"--lines={MOST_READ}"]
        if query.before:
            arguments.append(f"--after-cursor={query.before}")
        lines: list[LogLine] = []
        read, last = 0, ""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LIMIT_S), contextlib.aclosing(self._run(arguments)) as all_:
                async for line in all_:
                    if line is None:
                        continue
                    if len(lines) == query.limit:
                        return LogPage(lines=lines, older=lines[-1].cursor)
                    read, last = read + 1, line.cursor
                    if is_wanted(line, query):
                        lines.append(line)
                return LogPage(lines=lines, older=last if read >= MOST_READ else "")
        return LogPage(lines=lines, older=last)

    async def names(self) -> LogNames:
        """Return every program with entries since the last start."""
        arguments = ["--field=SYSLOG_IDENTIFIER", "--quiet", "--no-pager"]
        try:
            async with self._process(arguments) as process, asyncio.timeout(_LIMIT_S):
                out, _ = await process.communicate()
        except TimeoutError as err:
            message = f"the journal did not name its programs within {_LIMIT_S:g} s"
            raise SaintError(Code.REFUSED, message, fix="Try again in a moment.") from err
        found = {source_name(name) for name in out.decode(errors="replace").split("\n") if name}
        host = await self.host()
        scope = f"The journal of {host} since its last start."
        return LogNames(sources=sorted(found), nodes=[host], scope=scope, home=host)

    async def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Yield new lines."""
        arguments = [*_matching(wanted), "--follow", "--lines=0"]
        async with contextlib.aclosing(self._run(arguments)) as lines:
            async for line in lines:
                if line is None or is_wanted(line, wanted):
                    yield line

    async def _run(self, arguments: Sequence[str]) -> AsyncGenerator[LogLine | None]:
        """Yield each entry; None if none arrives for a while."""
        async with self._process([*_OUTPUT, *self._units, *arguments]) as process:
            assert process.stdout is not None
            reading = asyncio.ensure_future(process.stdout.readline())
            try:
                yield None
                while True:
                    done, _ = await asyncio.wait({reading}, timeout=_BEAT_S)
                    if not done:
                        yield None
                        continue
                    try:
                        raw = reading.result()
                    except ValueError:  # the entry is too long
                        raw = b"{}\n"
                    if not raw:
                        await _check_end(process)
                        return
                    reading = asyncio.ensure_future(process.stdout.readline())
                    if (line := _line(raw)) is not None:
                        yield line
            finally:
                reading.cancel()

    @contextlib.asynccontextmanager
    async def _process(
        self, arguments: Sequence[str]
    ) -> AsyncGenerator[asyncio.subprocess.Process]:
        try:
            process = await asyncio.create_subprocess_exec(
                self._program,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_LONGEST_ENTRY_BYTES,
            )
        except OSError as err:
            message = f"{self._program} cannot be started: {err.strerror}"
            raise SaintError(Code.NOT_FOUND, message, fix="Read the logs on a robot.") from err
        try:
            yield process
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()


async def _check_end(process: asyncio.subprocess.Process) -> None:
    """Raise if journalctl failed: without permission, or for a cursor that no longer exists."""
    assert process.stderr is not None
    said = (await process.stderr.read()).decode(errors="replace").strip()
    if await process.wait() and not said.endswith(_NOTHING):
        first = said.partition("\n")[0][:200] or f"exit code {process.returncode}"
        raise SaintError(Code.REFUSED, f"the journal cannot be read: {first}", fix=_FIX)


def _matching(wanted: LogFilter) -> list[str]:
    arguments = [f"--priority={_PRIORITY[wanted.level]}"]
    if wanted.source:  # with and without our prefix
        arguments.append(f"SYSLOG_IDENTIFIER={wanted.source}")
        arguments.append(f"SYSLOG_IDENTIFIER=saint-{wanted.source}")
    return arguments


def _line(raw: bytes) -> LogLine | None:
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return journal_line(entry) if isinstance(entry, dict) else None
