"""A machine with Raspberry Pi OS: every act of an update is refused with what to do instead, and
nothing looks for an installer.
"""

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.update import boot, updater
from saint_services.lib.update.events import WantedRelease
from saint_services.lib.update.installer import SlotMark
from saint_services.lib.update.no_slots import REASON, NoSlots
from tests.unit.lib.update.machine_rig import Machine
from tests.waiting import stays, until

OFF = f"updates are off on this machine: {REASON}"


async def test_every_act_is_refused_with_what_to_do_instead(machine: Machine) -> None:
    machine.is_without_slots = True
    async with machine.running() as running:
        await until(lambda: bool(machine.owner.statuses))
        assert machine.owner.last.blocked_by == OFF
        assert (machine.owner.last.slot, machine.owner.last.state) == ("", "idle")
        for answer in (
            await running.install(WantedRelease("1.1", "/releases/1.1.raucb")),
            await running.rollback(),
        ):
            assert not answer.success
            assert REASON in answer.message
        assert not running.offer(WantedRelease("1.1"))
        assert not machine.request.exists(), "nothing restarts it"


async def test_state_that_never_changes_is_not_read_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.is_without_slots = True
    monkeypatch.setattr(updater, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(updater, "_LONGEST_PAUSE_S", 0.001)
    reads = []
    real = NoSlots.slots

    async def counted(self: NoSlots) -> object:
        reads.append(1)
        return await real(self)

    monkeypatch.setattr(NoSlots, "slots", counted)
    async with machine.running():
        await until(lambda: bool(machine.owner.statuses))
        await stays(lambda: len(reads) == 1, 0.2)


async def test_installer_that_is_none_refuses_everything() -> None:
    none = NoSlots()
    for refused in (
        none.inspect("/a.raucb"),
        none.install("/a.raucb", lambda *_: None),
        none.slots(),
        none.mark(SlotMark.GOOD, "booted"),
    ):
        with pytest.raises(SaintError, match="no slots") as caught:
            await refused
        assert caught.value.code is Code.REFUSED
        assert "apt" in caught.value.fix
    assert not await none.is_installing()
    assert not await none.follow(lambda *_: None)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"SAINT_SYSTEM": "raspberry-pi-os"}, True),
        ({"SAINT_SYSTEM": "debian"}, False),
        ({}, False),
    ],
)
def test_release_says_whether_there_are_slots(environment: dict[str, str], expected: bool) -> None:
    assert boot.is_without_slots(environment) is expected
