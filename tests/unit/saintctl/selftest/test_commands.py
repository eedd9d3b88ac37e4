"""`saintctl selftest`: the report as a table, a file and JSON; the question before a wire."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.api import selftest as rows
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.selftest import RunNodeSelfTest, RunSelfTest, SelfTestReport
from saint_services.lib.daemon import bind
from saint_services.lib.ipc import Api, Call
from saint_services.lib.selftest.result import failed, passed
from saint_services.saintctl.app import app
from saint_services.saintctl.selftest import local

CHECKS = [passed("board", "A board."), failed("supply", "Too low [now].", "Use another.")]


class FakeNode:
    """noded and adoptiond, as far as the self-test needs them."""

    def __init__(self) -> None:
        self.requests: list[RunSelfTest] = []
        self.report = SelfTestReport(
            machine="Pi", began="2026-01-01T00:00:00+00:00", checks=CHECKS, document="THE REPORT\n"
        )

    async def run(self, call: Call[RunSelfTest]) -> SelfTestReport:
        self.requests.append(call.body)
        return self.report

    async def run_node(self, call: Call[RunNodeSelfTest]) -> SelfTestReport:
        self.requests.append(call.body)
        return self.report

    async def last(self, _: Call[Nothing]) -> SelfTestReport:
        return self.report

    @asynccontextmanager
    async def serving(self, runtime: Path) -> AsyncIterator[None]:
        api = Api()
        api.bind(rows.RUN_HERE, self.run)
        api.bind(rows.LAST_HERE, self.last)
        server = Api()
        server.bind(rows.RUN, self.run_node)
        node = await api.serve([bind(runtime, "noded")])
        adoptiond = await server.serve([bind(runtime, "adoptiond")])
        try:
            yield
        finally:
            await node.close()
            await adoptiond.close()


@pytest.fixture
async def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeNode]:
    monkeypatch.chdir(tmp_path)
    found = FakeNode()
    async with found.serving(tmp_path / "run"):
        yield found


async def saintctl(*words: str, typed: str = "") -> Result:
    line = ["--run", "run", "selftest", *words]
    return await asyncio.to_thread(CliRunner().invoke, app, line, input=typed)


async def test_fault_is_shown_with_what_to_do_and_the_report_is_written(
    node: FakeNode, tmp_path: Path
) -> None:
    done = await saintctl()
    assert done.exit_code == 1
    assert "Too low [now]." in done.output and "Use another." in done.output
    assert "1 pass, 1 fail" in done.output
    assert (tmp_path / "saint-selftest.txt").read_text() == "THE REPORT\n"
    assert node.requests == [RunSelfTest()]


async def test_without_a_fault_the_exit_code_is_0(node: FakeNode) -> None:
    node.report = node.report.model_copy(update={"checks": CHECKS[:1]})
    assert (await saintctl()).exit_code == 0


@pytest.mark.parametrize("typed", ["n\n", "\n", ""])
async def test_without_a_yes_no_wire_is_tested(node: FakeNode, typed: str) -> None:
    done = await saintctl("--jumper", "serial", typed=typed)
    assert done.exit_code != 0
    assert "GPIO14 (pin 8) and GPIO15 (pin 10)" in done.output
    assert node.requests == []


async def test_yes_confirms_that_only_the_wire_is_there(node: FakeNode) -> None:
    await saintctl("--jumper", "pwm0", typed="y\n")
    await saintctl("--jumper", "pwm1", "--yes")
    assert [(each.jumper, each.only_jumper) for each in node.requests] == [
        ("pwm0", True), ("pwm1", True),
    ]  # fmt: skip


async def test_named_node_is_tested_by_the_server(node: FakeNode) -> None:
    await saintctl("sim_head")
    assert node.requests == [RunNodeSelfTest(node_id="sim_head")]


async def test_json_writes_no_file_unless_one_is_named(node: FakeNode, tmp_path: Path) -> None:
    done = await saintctl("--json")
    assert json.loads(done.output)["machine"] == "Pi"
    assert not (tmp_path / "saint-selftest.txt").exists()
    await saintctl("--json", "--report", "mine.txt")
    assert (tmp_path / "mine.txt").exists()


async def test_last_report_runs_nothing(node: FakeNode) -> None:
    assert (await saintctl("--last")).exit_code == 1
    assert node.requests == []


async def test_never_tested_node_says_so(node: FakeNode, tmp_path: Path) -> None:
    node.report = SelfTestReport()
    done = await saintctl("--last")
    assert (done.exit_code, "was not tested" in done.output) == (0, True)
    assert not (tmp_path / "saint-selftest.txt").exists()


async def test_computer_without_a_node_names_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    done = await saintctl()
    assert done.exit_code == 7
    assert "saintctl selftest NODE" in done.output


async def test_server_without_a_node_is_tested_by_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(local, "is_device", lambda: True)
    here = local.self_tested
    monkeypatch.setattr(
        local, "self_tested", lambda: here(f"sim:{tmp_path / 'hw'}", tmp_path / "x")
    )
    done = await saintctl()
    assert "Raspberry Pi 4 Model B" in (tmp_path / "saint-selftest.txt").read_text()
    assert "this user must not write to the card" in done.output
    refused = await saintctl("--jumper", "serial", "--yes")
    assert refused.exit_code == 7
