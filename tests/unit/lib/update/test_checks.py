"""How systemd reports units, and the lines that the journal has for them."""

import asyncio
import socket
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.update.checks import Services, UnitProblems, log_excerpt
from saint_services.lib.update.dbus import SystemBus
from tests.unit.lib.update.machine_rig import Machine
from tools.fake_rauc.systemd import Unit


async def units(machine: Machine) -> UnitProblems:
    bus = SystemBus(machine.fake.address)
    try:
        return await Services(bus).units()
    finally:
        bus.close()


async def test_units_that_work_are_not_listed(machine: Machine):
    machine.fake.units = [
        Unit("saint-webd.service"),
        Unit("saint-rcd.service", "inactive", "dead"),
        Unit("ssh.service", restarts=40),
        Unit("saint-head.socket", "listening"),
        Unit("apt.service", "activating", "start"),
    ]
    assert await units(machine) == UnitProblems()


async def test_units_that_fail_wait_or_restart_are_distinguished(machine: Machine):
    machine.fake.units = [
        Unit("ssh.service", "failed", "failed"),
        Unit("saint-webd.service", "activating", "start"),
        Unit("saint-rcd.service", "activating", "auto-restart", restarts=2),
        Unit("saint-role-headd.service", restarts=3),
    ]
    assert await units(machine) == UnitProblems(
        failed=("ssh.service",),
        waiting=("saint-rcd.service", "saint-webd.service"),
        restarting=("saint-role-headd.service",),
    )


async def test_programs_and_sticks_of_the_owner_do_not_judge_a_release(machine: Machine):
    machine.fake.units = [
        Unit("saint-program@patrol.service", restarts=40),
        Unit("saint-program@lamp.service", "failed", "failed"),
        Unit("saint-usb-import@dev-sda1.service", "failed", "failed"),
        Unit("saint-usb-import@dev-sdb1.service", "activating", "start"),
        Unit("saint-programs.service", "failed", "failed"),
    ]
    assert await units(machine) == UnitProblems(failed=("saint-programs.service",))


async def test_machine_without_systemd_is_a_sentence(tmp_path: Path):
    address = f"unix:path={tmp_path}/none"
    with pytest.raises(SaintError, match=f"the system bus: there is no bus at {address}") as caught:
        await Services(SystemBus(address)).units()
    assert "systemctl status dbus" in caught.value.fix
    assert "apt install dbus-daemon" in caught.value.fix


async def test_bus_that_ends_the_connection_is_a_sentence(tmp_path: Path):
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    path = tmp_path / "bus"
    async with await asyncio.start_unix_server(hang_up, path):
        with pytest.raises(SaintError, match=f"{path} ended the connection"):
            await Services(SystemBus(f"unix:path={path}")).units()


async def test_bus_that_nobody_serves_any_more_is_a_sentence(tmp_path: Path):
    path = tmp_path / "bus"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(path))
    with pytest.raises(SaintError, match=f"no bus listens at unix:path={path}"):
        await Services(SystemBus(f"unix:path={path}")).units()


async def test_address_of_a_bus_that_is_none_is_a_sentence():
    with pytest.raises(SaintError, match="'rubbish' is not a bus address") as caught:
        await Services(SystemBus("rubbish")).units()
    assert "DBUS_SYSTEM_BUS_ADDRESS" in caught.value.fix


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "journalctl"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return program


def answer(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


async def test_log_is_the_end_in_whole_lines_and_at_most_4_kib(journal: Path):
    answer(journal, 'seq -f "line %06g ööööööööööööö" 1000')
    text = await log_excerpt(("saint-webd.service",))
    assert len(text.encode()) <= 4096
    assert text.splitlines()[0].startswith("line ")
    assert text.splitlines()[-1].startswith("line 001000")


async def test_log_of_no_unit_is_the_machines_warnings(journal: Path):
    answer(journal, 'echo "$@"')
    assert "--priority=warning" in await log_excerpt(())


async def test_log_cannot_write_to_a_terminal(journal: Path):
    answer(journal, r"printf 'red \033[31m and \377 bytes\n'")
    assert await log_excerpt(("x",)) == "red ?[31m and ? bytes".replace("and ?", "and \ufffd")


async def test_journal_that_hangs_is_left(journal: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("saint_services.lib.update.checks._LOG_LIMIT_S", 0.2)
    answer(journal, "exec sleep 60")
    async with asyncio.timeout(5):
        assert await log_excerpt(("x",)) == ""


async def test_machine_without_a_journal_has_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await log_excerpt(("x",)) == ""


async def test_rule_that_the_bus_refuses_is_an_error_that_people_can_read(machine: Machine):
    bus = SystemBus(machine.fake.address)
    with pytest.raises(SaintError, match="the system bus"):
        async with bus.listen("type='nonsense'"):
            pass
    bus.close()
