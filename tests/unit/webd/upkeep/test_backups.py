"""Backup and restore over several daemons: all or nothing at first, and to the end in any case."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.access.person import Person
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes, SectionData
from saint_services.lib.api.keys import SealedKey
from saint_services.lib.backup.archive import pack, unpack
from saint_services.lib.errors import Code, SaintError
from saint_services.webd.upkeep.backups import Backups, KeyAccess
from tests.waiting import turns, until

NOW = "2026-11-22T10:00:00Z"
PASSPHRASE = "right words"
NO_KEY = "The server's key"
ANN = Person("ann", "admin", "10.0.0.7", "webd")
KEY = KeyAccess(PASSPHRASE, ANN)


def holding(value: str) -> DaemonBackup:
    return DaemonBackup(sections={"all": SectionData(version=1, data={"value": value})})


class Fake:
    """A daemon that may be away, or refuse."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.is_away = False
        self.is_away_at_restore = False
        self.refuses = False
        self.confirm: list[str] = []  # what a restore would take from what stops the robot

    def _reached(self) -> None:
        if self.is_away:
            raise SaintError(Code.DAEMON_UNREACHABLE, "no answer")

    async def export(self) -> DaemonBackup:
        self._reached()
        return holding(self.value)

    async def check(self, given: DaemonBackup) -> RestoreNotes:
        self._reached()
        if self.refuses:
            raise SaintError(Code.REQUEST_INVALID, "not for me")
        return RestoreNotes(notes=[f"{self.value} changes"], confirm=self.confirm)

    async def restore(self, given: DaemonBackup) -> list[str]:
        self._reached()
        if self.is_away_at_restore:
            raise SaintError(Code.DAEMON_UNREACHABLE, "no answer")
        self.value = str(given.sections["all"].data["value"])
        return []

    async def check_forget(self) -> None:
        self._reached()

    async def forget(self) -> None:
        self._reached()
        self.value = ""


class FakeKey:
    """The server's key; "right words" opens what it sealed."""

    def __init__(self) -> None:
        self.value = "old"
        self.persons: list[Person] = []

    async def seal(self, passphrase: str, person: Person) -> SealedKey:
        self.persons.append(person)
        if len(passphrase) < 3:
            raise SaintError(Code.REQUEST_INVALID, "the passphrase is too short")
        return SealedKey(sealed=f"sealed {self.value}")

    async def restore(self, sealed: SealedKey, passphrase: str, person: Person) -> None:
        self.persons.append(person)
        if passphrase != PASSPHRASE:
            raise SaintError(Code.REQUEST_INVALID, "the passphrase is wrong")
        self.value = sealed.sealed.removeprefix("sealed ")


class Robot:
    """Three daemons and a disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fakes = {"rcd": Fake("rc"), "routerd": Fake("routes"), "webd": Fake("users")}
        self.key = FakeKey()
        self.backups = self.start()

    def start(self) -> Backups:
        return Backups(self.fakes, self.key, self.folder, "1.0.0")

    @property
    def values(self) -> list[str]:
        return [fake.value for fake in self.fakes.values()]


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return Robot(tmp_path)


def file(**values: str) -> bytes:
    daemons = {name: holding(value) for name, value in values.items()}
    return pack(daemons, robot="r", version="1", created=NOW)


async def until_done(backups: Backups) -> None:
    """At the start what was begun is brought to its end."""
    working = asyncio.create_task(backups.run())
    await turns(1)
    await until(lambda: backups.state().since and not backups.state().waiting)
    working.cancel()


async def test_backup_holds_every_daemon(robot: Robot) -> None:
    content = unpack(await robot.backups.create("SAINT-01", NOW))
    assert content.daemons == {
        "rcd": holding("rc"), "routerd": holding("routes"), "webd": holding("users"),
    }  # fmt: skip


async def test_backup_without_one_daemon_is_none(robot: Robot) -> None:
    robot.fakes["routerd"].is_away = True
    with pytest.raises(SaintError) as caught:
        await robot.backups.create("SAINT-01", NOW)
    assert caught.value.code is Code.DAEMON_UNREACHABLE


async def test_restored_backup_is_in_force_everywhere(robot: Robot) -> None:
    raw = await robot.backups.create("SAINT-01", NOW)
    for fake in robot.fakes.values():
        fake.value = "changed"
    reply = await robot.backups.restore(raw, "SAINT-01", NOW)
    assert robot.values == ["rc", "routes", "users"]
    assert (reply.restored, reply.waiting) == (["rcd", "routerd", "webd"], [])
    assert len(reply.notes) == 3


@pytest.mark.parametrize("fault", ["is_away", "refuses"])
async def test_restore_that_one_daemon_would_not_take_changes_nothing(
    robot: Robot, fault: str
) -> None:
    setattr(robot.fakes["webd"], fault, True)
    with pytest.raises(SaintError):
        await robot.backups.restore(file(rcd="new", webd="new"), "SAINT-01", NOW)
    assert robot.values == ["rc", "routes", "users"]
    assert robot.start().state().waiting == []


async def test_restore_cut_by_power_is_finished_at_the_next_start(robot: Robot) -> None:
    robot.fakes["routerd"].is_away_at_restore = True
    raw = file(rcd="new", routerd="new", webd="new")
    reply = await robot.backups.restore(raw, "SAINT-01", NOW)
    assert (reply.restored, reply.waiting) == (["rcd", "webd"], ["routerd"])
    robot.fakes["rcd"].value = "edited since"
    robot.fakes["routerd"].is_away_at_restore = False
    again = robot.start()
    await until_done(again)
    assert robot.values == ["edited since", "new", "new"]


async def test_restore_begun_at_all_is_finished_after_a_cut_before_the_first_daemon(
    robot: Robot,
) -> None:
    for fake in robot.fakes.values():
        fake.is_away_at_restore = True
    await robot.backups.restore(file(rcd="new", webd="new"), "SAINT-01", NOW)
    for fake in robot.fakes.values():
        fake.is_away_at_restore = False
    await until_done(robot.start())
    assert robot.values == ["new", "routes", "new"]


async def test_undo_brings_back_what_was_before(robot: Robot) -> None:
    await robot.backups.restore(file(rcd="new"), "SAINT-01", NOW)
    await robot.backups.undo("SAINT-01", NOW)
    assert robot.values == ["rc", "routes", "users"]


async def test_undo_without_a_restore_is_not_found(robot: Robot) -> None:
    with pytest.raises(SaintError) as caught:
        await robot.backups.undo("SAINT-01", NOW)
    assert caught.value.code is Code.NOT_FOUND


async def test_reset_forgets_everything_and_can_be_undone(robot: Robot) -> None:
    await robot.backups.forget("SAINT-01", NOW)
    assert robot.values == ["", "", ""]
    await robot.backups.undo("SAINT-01", NOW)
    assert robot.values == ["rc", "routes", "users"]


async def test_backup_without_a_passphrase_holds_no_key(robot: Robot) -> None:
    content = unpack(await robot.backups.create("SAINT-01", NOW))
    assert "adoptiond" not in content.daemons
    assert any(NO_KEY in sentence for sentence in content.manifest.outside)


async def test_backup_with_a_passphrase_holds_the_sealed_key(robot: Robot) -> None:
    content = unpack(await robot.backups.create("SAINT-01", NOW, KEY))
    assert content.daemons["adoptiond"].sections["key"].data == {"sealed": "sealed old"}
    assert not any(NO_KEY in sentence for sentence in content.manifest.outside)


async def test_backup_with_a_passphrase_that_is_refused_is_none(robot: Robot) -> None:
    with pytest.raises(SaintError, match="too short"):
        await robot.backups.create("SAINT-01", NOW, KeyAccess("x", ANN))


class KeyRobot(Robot):
    """With the daemon that keeps the key."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.fakes["adoptiond"] = Fake("nodes")

    async def file(self) -> bytes:
        """A backup with the key "old"; since then everything has changed."""
        raw = await self.backups.create("SAINT-01", NOW, KEY)
        self.key.value = "new"
        for fake in self.fakes.values():
            fake.value = "changed"
        return raw


async def test_restore_with_the_passphrase_brings_the_key_back(tmp_path: Path) -> None:
    robot = KeyRobot(tmp_path)
    await robot.backups.restore(await robot.file(), "SAINT-01", NOW, (), KEY)
    assert (robot.key.value, robot.fakes["rcd"].value) == ("old", "rc")
    assert robot.key.persons == [ANN, ANN]  # of the export and of the import


async def test_restore_without_the_passphrase_leaves_the_key(tmp_path: Path) -> None:
    robot = KeyRobot(tmp_path)
    await robot.backups.restore(await robot.file(), "SAINT-01", NOW)
    assert (robot.key.value, robot.fakes["rcd"].value) == ("new", "rc")


async def test_restore_with_a_wrong_passphrase_changes_nothing(tmp_path: Path) -> None:
    robot = KeyRobot(tmp_path)
    with pytest.raises(SaintError, match="passphrase is wrong"):
        await robot.backups.restore(
            await robot.file(), "SAINT-01", NOW, (), KeyAccess("wrong words", ANN)
        )
    assert (robot.key.value, robot.fakes["rcd"].value) == ("new", "changed")
    with pytest.raises(SaintError, match="no backup was restored"):
        await robot.backups.undo("SAINT-01", NOW)


async def test_stop_is_confirmed_before_the_key_changes(tmp_path: Path) -> None:
    robot = KeyRobot(tmp_path)
    raw = await robot.file()
    robot.fakes["routerd"].confirm = ["rc_estop:channel_6"]
    with pytest.raises(SaintError, match="rc_estop:channel_6"):
        await robot.backups.restore(raw, "SAINT-01", NOW, (), KEY)
    assert robot.key.value == "new"


async def test_passphrase_for_a_backup_without_a_key_is_not_found(robot: Robot) -> None:
    with pytest.raises(SaintError, match="holds no key") as caught:
        await robot.backups.restore(file(rcd="new"), "SAINT-01", NOW, (), KEY)
    assert caught.value.code is Code.NOT_FOUND
    assert robot.values == ["rc", "routes", "users"]


async def test_backup_of_unknown_daemon_says_update_first(robot: Robot) -> None:
    with pytest.raises(SaintError) as caught:
        await robot.backups.check(file(armd="x"))
    assert caught.value.code is Code.STATE_NEWER


async def test_restore_that_takes_a_stop_away_needs_its_name(tmp_path: Path) -> None:
    robot = Robot(tmp_path)
    raw = await robot.backups.create("SAINT-01", NOW)
    robot.fakes["routerd"].confirm = ["rc_estop:channel_6"]
    robot.fakes["routerd"].value = "newer"
    assert (await robot.backups.check(raw)).confirm == ["rc_estop:channel_6"]
    for confirm in ([], ["rc_estop:channel_5"]):
        with pytest.raises(SaintError, match="rc_estop:channel_6") as caught:
            await robot.backups.restore(raw, "SAINT-01", NOW, confirm)
        assert caught.value.code is Code.STOP_CHANGED
        assert caught.value.names == ("rc_estop:channel_6",)
    assert robot.fakes["routerd"].value == "newer"
    await robot.backups.restore(raw, "SAINT-01", NOW, ["rc_estop:channel_6"])
    assert robot.fakes["routerd"].value == "routes"
