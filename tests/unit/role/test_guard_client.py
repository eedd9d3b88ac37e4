"""The role's connection to its guard: what may be driven, and when the guard is lost."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.guard.will import Will, Write, WriteKind
from saint_services.lib.records import Records
from saint_services.lib.role.guard_client import GuardClient
from tests.guard_rig import guarded
from tests.waiting import every, until

MS = 1_000_000


class Part:
    """A role with one output."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.is_moving = False
        self.lost: list[str] = []
        self.ahead_ns = 0
        self.will = Will("role-x", "x", (Write(WriteKind.RECORD, str(root / "pins"), 12),))

    def guard(self) -> GuardClient:
        from time import monotonic_ns

        return GuardClient(
            asyncio.get_running_loop(), lambda: self.is_moving, self.lost.append,
            lambda: monotonic_ns() + self.ahead_ns,
        )  # fmt: skip


@pytest.fixture
def part(tmp_path: Path) -> Part:
    return Part(tmp_path)


async def test_nothing_may_be_driven_before_the_will_is_left(part: Part) -> None:
    assert not part.guard().may_drive()


async def test_missing_guard_is_a_fault_that_says_so(part: Part) -> None:
    guard = part.guard()
    with pytest.raises(SaintError, match="nothing may move"):
        await guard.open(part.root / "run" / "guardd.sock", part.will)
    assert not guard.may_drive()


async def test_guarded_output_may_be_driven_until_the_guard_ends(part: Part) -> None:
    guard = part.guard()
    async with guarded(part.root / "run"):
        await guard.open(part.root / "run" / "guardd.sock", part.will)
        assert guard.may_drive()
    await until(lambda: bool(part.lost))
    assert part.lost == ["the guard of this machine has ended"]
    assert not guard.may_drive()


async def test_role_that_beats_keeps_its_output(part: Part) -> None:
    guard = part.guard()
    async with guarded(part.root / "run"):
        await guard.open(part.root / "run" / "guardd.sock", part.will)
        part.is_moving = True
        async for _ in every(0.02, times=20):
            assert guard.may_drive()
        assert part.lost == []
        part.is_moving = False
        guard.close()


async def test_process_that_stood_still_drives_nothing_of_what_waited(part: Part) -> None:
    guard = part.guard()
    async with guarded(part.root / "run"):
        await guard.open(part.root / "run" / "guardd.sock", part.will)
        part.is_moving = True
        assert guard.may_drive()
        part.ahead_ns = 151 * MS
        assert not guard.may_drive()
        assert len(part.lost) == 1
        assert part.lost[0].startswith("this process stood still for")


async def test_role_that_the_guard_has_stopped_drives_nothing(part: Part) -> None:
    guard = part.guard()
    async with guarded(part.root / "run") as real:
        await guard.open(part.root / "run" / "guardd.sock", part.will)
        assert guard.may_drive()
        (each,) = real._roles.values()
        each.role.beat.trip()
        assert not guard.may_drive()
        assert part.lost == ["the guard has stopped the outputs"]


async def test_role_whose_guard_stands_still_drives_nothing(part: Part) -> None:
    guard = part.guard()
    async with guarded(part.root / "run"):
        await guard.open(part.root / "run" / "guardd.sock", part.will)
        part.ahead_ns = 400 * MS  # the guard's newest beat is 400 ms old; this process just woke
        assert not guard.may_drive()
        assert part.lost == ["the guard of this machine does not answer any more"]


async def test_will_is_carried_out_when_the_role_moves_and_is_gone(part: Part) -> None:
    pins = await asyncio.to_thread(Records, part.root / "pins", 28)
    guard = part.guard()
    async with guarded(part.root / "run"):
        await guard.open(part.root / "run" / "guardd.sock", part.will)
        part.is_moving = True
        assert guard.may_drive()
        pins.write(12, 0.7)
        assert guard._connection
        guard._loop().remove_reader(guard._connection)
        guard._connection.close()
        await until(lambda: pins.read(12).value == 0.0)
