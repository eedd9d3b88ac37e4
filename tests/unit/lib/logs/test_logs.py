"""Log lines of journald and of the launcher: time, level and origin."""

import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.logs import LogFilter, LogLine, LogQuery
from saint_services.lib.errors import SaintError
from saint_services.lib.logs import journal, source_at
from saint_services.lib.logs.files import LauncherFiles
from saint_services.lib.logs.journal import Journal
from saint_services.lib.logs.lines import Origin, is_wanted, journal_line, launcher_lines

NOON = time.mktime((2026, 11, 22, 12, 0, 0, 0, 0, -1))
ENTRY = {
    "__CURSOR": "s=1;i=2", "__REALTIME_TIMESTAMP": "1764000000500000", "PRIORITY": "4",
    "MESSAGE": "node went offline", "SYSLOG_IDENTIFIER": "saint-adoptiond", "_HOSTNAME": "server",
    "SAINT_DAEMON": "adoptiond", "SAINT_LOGGER": "saint.adoptiond", "SAINT_NODE": "pi_1",
}  # fmt: skip


def test_journal_entry_becomes_a_line_with_its_fields() -> None:
    assert journal_line(ENTRY) == LogLine(
        time=1764000000.5, level="WARNING", source="adoptiond", node="server",
        text="node went offline node=pi_1", cursor="s=1;i=2",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("priority", "level"),
    [
        ("0", "ERROR"),
        ("3", "ERROR"),
        ("4", "WARNING"),
        ("5", "INFO"),
        ("6", "INFO"),
        ("7", "DEBUG"),
    ],
)
def test_journal_priority_becomes_a_level(priority: str, level: str) -> None:
    line = journal_line(ENTRY | {"PRIORITY": priority})
    assert line is not None and line.level == level


def test_journal_entry_that_is_no_utf8_is_read() -> None:
    line = journal_line(ENTRY | {"MESSAGE": [0x67, 0xFF, 0x6F]})
    assert line is not None and line.text.startswith("g\ufffdo")


@given(st.dictionaries(st.sampled_from(sorted(ENTRY)), st.none() | st.text() | st.integers()))
def test_journal_entry_of_any_kind_is_a_line_or_nothing(changes: dict[str, object]) -> None:
    line = journal_line(ENTRY | changes)
    assert line is None or line.text


def test_launcher_lines_have_the_day_that_fits() -> None:
    text = "23:59:59.000 rcd info: before midnight\n00:00:01.500 rcd error: after it\n"
    midnight = time.mktime((2026, 11, 22, 0, 0, 2, 0, 0, -1))
    first, second = launcher_lines(text, Origin("server", "rcd"), midnight)
    assert (first.time, second.time) == (midnight - 3, midnight - 0.5)
    assert (first.level, second.level, second.text) == ("INFO", "ERROR", "after it")


def test_launcher_line_without_a_time_has_that_of_the_next() -> None:
    text = "Traceback (most recent call last):\n11:59:59.000 rcd error: it ended\n"
    first, second = launcher_lines(text, Origin("server", "rcd"), NOON)
    assert first.time == second.time and first.text.startswith("Traceback")


@given(st.text())
def test_launcher_file_of_any_text_is_read(text: str) -> None:
    lines = list(launcher_lines(text, Origin("server", "rcd"), NOON))
    assert [line.time for line in lines] == sorted(line.time for line in lines)


def test_filter_lets_through_what_fits_in_every_field() -> None:
    line = LogLine(time=0, level="WARNING", source="rcd", node="server", text="Signal LOST")
    assert is_wanted(line, LogFilter(level="INFO", source="rcd", node="server", search="lost"))
    for other in ({"level": "ERROR"}, {"source": "rc"}, {"node": "head"}, {"search": "found"}):
        assert not is_wanted(line, LogFilter.model_validate(other))


def log(folder: Path, name: str, *rows: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{row}\n" for row in rows))
    os.utime(path, (NOON, NOON))
    return path


async def test_pages_of_all_files_hold_every_line_once_newest_first(tmp_path: Path) -> None:
    log(tmp_path, "server-rcd.log.1", "11:00:00.000 rcd info: a")
    log(tmp_path, "server-rcd.log", "11:30:00.000 rcd info: c", "11:50:00.000 rcd info: e")
    log(tmp_path, "head-noded.log", "11:10:00.000 noded info: b", "11:40:00.000 noded info: d")
    texts, before = [], ""
    for _ in range(10):
        page = await LauncherFiles(tmp_path).page(LogQuery(before=before, limit=2))
        texts += [line.text for line in page.lines]
        before = page.older
        if not before:
            break
    assert texts == ["e", "d", "c", "b", "a"]


async def test_follow_reads_on_in_a_file_that_was_replaced(tmp_path: Path) -> None:
    path = log(tmp_path, "server-rcd.log", "11:00:00.000 rcd info: old")
    following = LauncherFiles(tmp_path).follow(LogFilter())
    assert await anext(following) is None
    path.rename(tmp_path / "server-rcd.log.1")
    log(tmp_path, "server-rcd.log", "11:00:01.000 rcd info: new")
    while (line := await anext(following)) is None:
        pass
    assert line.text == "new"
    await following.aclose()


STAND_IN = """#!{python}
import sys, json
arguments = sys.argv[1:]
if "--field=SYSLOG_IDENTIFIER" in arguments:
    print("saint-rcd\\nkernel")
    sys.exit()
if "--after-cursor=gone" in arguments:
    print("Failed to seek to cursor: Invalid argument", file=sys.stderr)
    sys.exit(1)
if "--unit=saint-*" in arguments and "--priority=err" in arguments:
    print("Failed to add filter for units: No data available", file=sys.stderr)
    sys.exit(1)
for number in range(5):
    entry = {{"MESSAGE": f"line {{number}}", "PRIORITY": "6", "SYSLOG_IDENTIFIER": "saint-rcd",
             "__REALTIME_TIMESTAMP": str(10 ** 15 - number), "__CURSOR": f"c{{number}}",
             "SAINT_ARGUMENTS": " ".join(arguments)}}
    print(json.dumps(entry))
"""


@pytest.fixture
def journalctl(tmp_path: Path) -> str:
    """A stand-in for journalctl that returns its arguments."""
    path = tmp_path / "journalctl"
    path.write_text(STAND_IN.format(python=sys.executable))
    path.chmod(0o755)
    return str(path)


async def test_journal_page_requests_the_filter(journalctl: str) -> None:
    query = LogQuery(level="INFO", source="rcd", limit=3, before="c9")
    page = await Journal(journalctl).page(query)
    assert [line.text.split(" arguments")[0] for line in page.lines] == [
        "line 0",
        "line 1",
        "line 2",
    ]
    assert page.older == "c2"
    arguments = page.lines[0].text
    for argument in (
        "--priority=info", "SYSLOG_IDENTIFIER=saint-rcd", "--reverse", "--after-cursor=c9",
    ):  # fmt: skip
        assert argument in arguments


async def test_journal_of_our_units_requests_no_others(journalctl: str) -> None:
    page = await Journal(journalctl).of_our_units().page(LogQuery(source="rcd", limit=1))
    assert "--unit=saint-*" in page.lines[0].text and "IDENTIFIER=rcd" in page.lines[0].text


async def test_journal_without_entries_of_our_units_is_empty(journalctl: str) -> None:
    assert (await Journal(journalctl).of_our_units().page(LogQuery(level="ERROR"))).lines == []


async def test_launcher_files_of_one_machine_hold_no_other_ones_lines(tmp_path: Path) -> None:
    log(tmp_path, "server-rcd.log", "11:00:00.000 rcd info: a")
    log(tmp_path, "head-noded.log", "11:10:00.000 noded info: b")
    page = await LauncherFiles(tmp_path).of_machine("head").page(LogQuery())
    assert [line.text for line in page.lines] == ["b"]


@pytest.mark.parametrize(("node", "text"), [("sim_arm", "b"), ("sim_left_arm", "c"), ("arm", "b")])
async def test_node_of_the_registry_has_the_lines_of_its_machine(
    tmp_path: Path, node: str, text: str
) -> None:
    log(tmp_path, "server-rcd.log", "11:00:00.000 rcd info: a")
    log(tmp_path, "arm-noded.log", "11:10:00.000 noded info: b")
    log(tmp_path, "left_arm-noded.log", "11:10:00.000 noded info: c")
    page = await LauncherFiles(tmp_path).page(LogQuery(node=node))
    assert [(line.node, line.text) for line in page.lines] == [(node, text)]


async def test_machine_without_logs_is_refused_with_those_that_have_some(tmp_path: Path) -> None:
    log(tmp_path, "server-rcd.log", "11:00:00.000 rcd info: a")
    log(tmp_path, "head-noded.log", "11:10:00.000 noded info: b")
    with pytest.raises(SaintError, match=r"no logs of a machine 'sim_tail'.* of head, server"):
        await LauncherFiles(tmp_path).page(LogQuery(node="sim_tail"))
    with pytest.raises(SaintError, match="sim_tail"):
        await anext(LauncherFiles(tmp_path).follow(LogFilter(node="sim_tail")))


async def test_journal_page_at_the_end_has_no_older_one(journalctl: str) -> None:
    assert (await Journal(journalctl).page(LogQuery(limit=50))).older == ""


async def test_journal_that_refuses_is_quoted(journalctl: str) -> None:
    with pytest.raises(SaintError, match="Failed to seek to cursor"):
        await Journal(journalctl).page(LogQuery(before="gone"))


async def test_journal_without_program_says_so() -> None:
    with pytest.raises(SaintError, match="cannot be started"):
        await Journal("/nowhere/journalctl").page(LogQuery())


async def test_journal_names_are_those_of_our_daemons(journalctl: str) -> None:
    assert (await Journal(journalctl).names()).sources == ["kernel", "rcd"]


def test_source_of_a_simulated_robot_is_its_launcher(tmp_path: Path) -> None:
    run = tmp_path / "server" / "run"
    run.mkdir(parents=True)
    assert isinstance(source_at(run, {}), Journal)
    (tmp_path / "log").mkdir()
    log(tmp_path / "log", "server-rcd.log", "11:00:00.000 rcd info: a")
    assert isinstance(source_at(run, {}), LauncherFiles)


async def test_journal_that_is_too_slow_to_name_programs_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journalctl"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    monkeypatch.setattr(journal, "_LIMIT_S", 0.05)
    with pytest.raises(SaintError, match="did not name its programs"):
        await Journal(str(path)).names()
