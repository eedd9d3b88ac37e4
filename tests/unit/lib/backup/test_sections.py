"""A daemon's side of backups, over a socket as webd requests it."""

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from saint_services.lib.api.backup import DaemonBackup, RestoreNotes, SectionData
from saint_services.lib.backup.sections import Backup, Section
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, Client


class Lamp(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    colour: str = "white"


class Kept:
    """Two sections."""

    def __init__(self) -> None:
        self.values = {"left": Lamp(colour="red"), "right": Lamp(colour="green")}

    def section(self, name: str) -> Section[Lamp]:
        async def current() -> Lamp:
            return self.values[name]

        async def check(lamp: Lamp) -> list[str]:
            if lamp.colour == "black":
                raise SaintError(Code.REQUEST_INVALID, "there is no black light")
            return ["Grey is dim."] if lamp.colour == "grey" else []

        async def apply(lamp: Lamp) -> None:
            self.values[name] = lamp

        migrations = {1: lambda data: {"colour": data["color"]}}
        return Section(name, Lamp, 2, current, check, apply, migrations)


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
async def client(kept: Kept, tmp_path: Path) -> AsyncIterator[Client]:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "lampd.sock"))
    listening.listen()
    listening.setblocking(False)
    api = Api()
    Backup(kept.section("left"), kept.section("right")).add_to(api)
    server = await api.serve([listening])
    async with Client(tmp_path / "lampd.sock") as client:
        yield client
    await server.close()


def lamps(version: int = 2, **colours: str) -> DaemonBackup:
    key = "colour" if version == 2 else "color"
    data = {name: SectionData(version=version, data={key: c}) for name, c in colours.items()}
    return DaemonBackup(sections=data)


async def test_restore_of_what_was_exported_changes_nothing(client: Client, kept: Kept) -> None:
    before = dict(kept.values)
    exported = await client.get("/backup", DaemonBackup)
    await client.put("/backup", exported, RestoreNotes)
    assert kept.values == before


async def test_restore_of_older_version_is_brought_up_to_date(client: Client, kept: Kept) -> None:
    await client.put("/backup", lamps(version=1, left="blue"), RestoreNotes)
    assert kept.values == {"left": Lamp(colour="blue"), "right": Lamp(colour="green")}


@pytest.mark.parametrize(
    "given",
    [
        lamps(left="blue", right="black"),
        lamps(left="blue", middle="red"),
        DaemonBackup(sections={"left": SectionData(version=2, data={"size": 3})}),
        DaemonBackup(sections={"left": SectionData(version=1, data={})}),
    ],
)
async def test_restore_with_one_wrong_section_changes_nothing(
    client: Client, kept: Kept, given: DaemonBackup
) -> None:
    before = dict(kept.values)
    with pytest.raises(SaintError):
        await client.put("/backup", given, RestoreNotes)
    assert kept.values == before


async def test_restore_of_newer_version_says_update_first(client: Client) -> None:
    given = DaemonBackup(sections={"left": SectionData(version=3, data={})})
    with pytest.raises(SaintError) as caught:
        await client.put("/backup", given, RestoreNotes)
    assert caught.value.code is Code.STATE_NEWER
    assert "Update this robot first" in caught.value.fix


async def test_check_reports_what_is_skipped_and_changes_nothing(
    client: Client, kept: Kept
) -> None:
    before = dict(kept.values)
    reply = await client.post("/backup/check", lamps(left="grey"), RestoreNotes)
    assert reply.notes == ["Grey is dim."]
    assert kept.values == before


async def test_forget_restores_the_initial_state(client: Client, kept: Kept) -> None:
    await client.delete("/backup", RestoreNotes)
    assert kept.values == {"left": Lamp(), "right": Lamp()}
