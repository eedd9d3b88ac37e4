"""Boards of simulated machines: reboots, slots that do not start, dead-man, power cuts."""

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.waiting import until
from tools.fake_rauc import slots
from tools.launch.launcher import Launcher
from tools.launch.machines import board as boards
from tools.launch.machines.board import Board, environment_of
from tools.launch.machines.machine import Folders, Plan
from tools.launch.services.life_cycle import Phase
from tools.launch.unit_files.units import ServiceUnit, UnitFolder

LIMIT_S = 20.0
SAYS = ("/bin/sh", "-c", 'echo "runs $SAINT_VERSION"; exec sleep 1000')


class Stage:
    """One machine with one service on one board."""

    def __init__(self, root: Path) -> None:
        self.news: list[str] = []
        self.received = asyncio.Event()
        self.folders = Folders("head", root)
        self.board = Board(self.folders, "0.1.0", self.receive)
        service = ServiceUnit("saint-says.service", SAYS, wanted_by=("saint.target",))
        units = UnitFolder({service.name: service}, {}, frozenset({"saint.target"}))
        self.launcher = Launcher(units, root / "robot.json", on_news=self.receive)
        plan = Plan(self.folders, "saint.target", environment_of(self.folders, self.board.slots))
        self.machine = self.launcher.add(plan)
        self.launcher.start()
        self.board.watch(self.machine)

    def receive(self, text: str) -> None:
        self.news.append(text)
        self.received.set()

    async def until_said(self, words: str) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not any(words in line for line in self.news):
                self.received.clear()
                await self.received.wait()

    def install(self, version: str, breaks: str = "") -> None:
        """As the installer would."""
        spare = self.board.slots.slot(self.board.slots.other)
        spare.version, spare.breaks = version, breaks
        self.board.slots.mark_active(self.board.slots.other)

    def ask_for_reboot(self, reason: str, change: str = "request") -> None:
        """As a daemon does: aside, then renamed."""
        folder = Path(environment_of(self.folders, self.board.slots)["SAINT_REBOOT_DIR"])
        (folder / ".new").write_text(f"{reason}\n")
        (folder / ".new").rename(folder / change)


@pytest.fixture
async def stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    monkeypatch.setattr(boards, "_FAILED_BOOT_S", 0.01)
    monkeypatch.setattr(Board, "_changed", lambda _, unit: unit)  # no daemon of ours runs here
    with tempfile.TemporaryDirectory(prefix="saint-", dir="/tmp") as root:
        built = Stage(Path(root))
        yield built
        await built.board.close()
        await built.launcher.stop(3.0)


async def test_reboot_starts_the_new_slot_and_shows_its_release(stage: Stage) -> None:
    stage.install("0.2.0")
    before = stage.machine.services["says"].pid
    stage.ask_for_reboot("update to 0.2.0")
    await stage.until_said("head started slot B, release 0.2.0")
    assert "head restarts: update to 0.2.0" in stage.news
    assert stage.machine.services["says"].pid not in (0, before)
    assert stage.machine.services["says"].place.environment["SAINT_VERSION"] == "0.2.0"
    kept = slots.load(stage.folders.home, "")
    assert (kept.booted, kept.b.left) == ("B", slots.ATTEMPTS - 1)


@pytest.mark.parametrize("breaks", ["boot", "hang"])
async def test_slot_that_never_starts_is_left_after_its_tries(stage: Stage, breaks: str) -> None:
    stage.install("0.2.0", breaks)
    stage.ask_for_reboot("update")
    await stage.until_said("head started slot A, release 0.1.0")
    assert stage.board.slots.b.left == 0


async def test_power_cut_ends_and_starts_everything(stage: Stage) -> None:
    before = stage.machine.services["says"].pid
    stage.board.cut_power()
    await stage.until_said("head started slot A")
    assert "head lost its power" in stage.news
    assert stage.machine.services["says"].pid not in (0, before)


async def test_deadman_restarts_who_does_not_answer(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "_DEADMAN_S", 0.05)
    stage.ask_for_reboot("a new boot arms it")
    await stage.until_said("no report of health within 0.05 s")
    await stage.until_said("head lost its power")


async def test_word_in_the_fifo_disarms_the_deadman(stage: Stage) -> None:
    path = Path(environment_of(stage.folders, stage.board.slots)["SAINT_DEADMAN"])
    assert stage.board.is_armed
    writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.write(writer, b"good\n")
    os.close(writer)
    await until(lambda: not stage.board.is_armed)
    assert stage.machine.services["says"].phase is Phase.RUNNING


async def test_stand_in_for_journalctl_shows_the_last_lines_of_a_unit(stage: Stage) -> None:
    log = stage.folders.log_of("role-headd")
    log.write_text("".join(f"line {number}\n" for number in range(9)))
    program = stage.folders.home / "bin" / "journalctl"
    command = [str(program), "--quiet", "--boot", "--lines=2", "--unit=saint-role-headd.service"]
    said = await asyncio.to_thread(subprocess.check_output, command, text=True, timeout=10)
    assert said == "line 7\nline 8\n"


async def test_restart_of_the_services_keeps_slot_and_release(stage: Stage) -> None:
    stage.install("0.2.0")  # waits for a reboot, which this is none
    stage.ask_for_reboot("requested by desk", "restart")
    await stage.until_said("starts its services again: requested by desk")
    log = stage.folders.log_of("says")
    await until(lambda: log.read_text().count("runs 0.1.0") >= 2)
    assert stage.board.slots.booted == "A"


async def test_machine_that_was_switched_off_runs_nothing(stage: Stage) -> None:
    stage.ask_for_reboot("requested by desk", "poweroff")
    await stage.until_said("is switched off")
    await until(lambda: stage.machine.services["says"].phase is Phase.STOPPED)
    assert not stage.board.is_armed


async def test_request_of_an_earlier_robot_is_forgotten(stage: Stage) -> None:
    request = stage.folders.home / "reboot" / "request"
    request.write_text("from long ago")
    Board(stage.folders, "0.1.0", stage.receive)
    assert not request.exists()
