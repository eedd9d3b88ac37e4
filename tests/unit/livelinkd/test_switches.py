"""Formats switched on and off while livelinkd runs, and how much one sender may send."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from saint_services.lib.api import livelink
from saint_services.lib.api.backup import DaemonBackup
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import FormatList, SetFormats
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.livelinkd.config import Config
from saint_services.livelinkd.daemon import run
from tests.unit.livelinkd.rig import CAPTURE, Ears, listening
from tests.waiting import until

LINE = b'{"subject_name": "P", "property_names": ["a"], "property_values": [1]}\n'


class FormatRequest(BaseModel):
    """What a program may send."""

    model_config = ConfigDict(extra="allow")


async def switch(ears: Ears, limit: int | None = None, **formats: bool) -> FormatList:
    body = SetFormats.model_validate({"formats": formats, "datagrams_per_second": limit})
    return await ears.client.request(livelink.SET_FORMATS, body)


def on(found: FormatList) -> set[str]:
    return {each.format for each in found.formats if each.enabled}


async def test_format_that_is_switched_off_is_not_received_until_it_is_on_again(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        assert on(await switch(ears, llf=False)) == {"json", "vmc", "ifacialmocap", "lines"}
        ears.send(CAPTURE[1])
        found = await switch(ears, llf=True)
        assert found.formats[0].addresses == [f"udp 127.0.0.1:{ears.ports['llf']}"]
        ears.send(CAPTURE[2])
        await until(lambda: len(ears.samples) == 2)
        assert (
            ears.samples[1].sequence == ears.samples[0].sequence + 1
        )  # the second was not received


async def test_two_changes_at_once_are_both_kept(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await asyncio.gather(
            switch(ears, llf=False), switch(ears, lines=False), switch(ears, vmc=False)
        )
        assert on(await ears.client.request(livelink.LIST_FORMATS, Nothing())) == {
            "json", "ifacialmocap",
        }  # fmt: skip


async def test_what_came_while_a_format_was_off_is_never_received(tmp_path: Path) -> None:
    async with listening(tmp_path, formats={"llf": {"enabled": False}}) as ears:
        ears.send(CAPTURE[0])
        await switch(ears, llf=True)
        ears.send(CAPTURE[1])
        await until(lambda: bool(ears.samples))
        assert (await ears.subjects()).sources[0].frames == 1


async def test_lines_are_sent_away_while_they_are_off(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears, asyncio.timeout(5):
        before = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        before[1].write(LINE)
        await until(lambda: bool(ears.samples))
        await switch(ears, lines=False)
        assert await before[0].read() == b""
        reader, writer = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        assert json.loads(await reader.readline()) == {"refused": "lines are switched off"}
        await switch(ears, lines=True)
        again = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        again[1].write(LINE)
        await until(lambda: len(ears.samples) == 2)
        for each in (before[1], writer, again[1]):
            each.close()


async def test_switches_survive_a_restart_and_stand_above_the_file(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await switch(ears, vmc=False, limit=900)
    async with listening(tmp_path, formats={"vmc": {"enabled": True}}) as ears:
        found = await ears.client.request(livelink.LIST_FORMATS, Nothing())
        assert "vmc" not in on(found)
        assert found.datagrams_per_second == 900


async def test_limit_of_one_sender_holds_at_once(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await switch(ears, limit=1)
        ears.send(*CAPTURE[:3])
        found = await ears.refusals(1)
        assert "the sender exceeds its rate limit" in found.refused


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"formats": {"vmcc": True}}, "formats"),
        ({"formats": {"vmc": "perhaps"}}, "formats.vmc"),
        ({"datagrams_per_second": 0}, "datagrams_per_second"),
        ({"datagrams_per_second": 10_000_000}, "datagrams_per_second"),
        ({"port": 5}, "port"),
    ],
)
async def test_nonsense_is_refused_at_its_field(
    tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    async with listening(tmp_path) as ears:
        with pytest.raises(SaintError, match=field):
            await ears.client.request(livelink.SET_FORMATS, FormatRequest.model_validate(changes))
        assert len(on(await ears.client.request(livelink.LIST_FORMATS, Nothing()))) == 5


async def test_capture_mode_opens_its_own_port(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"capture": {"port": port, "discover": False}}
    async with listening(tmp_path, formats=settings, address="127.0.0.1") as ears:
        found = await switch(ears, capture=True)
        assert found.formats[-1].addresses == [f"udp 127.0.0.1:{port}"]
        await switch(ears, capture=False)
        await switch(ears, capture=True)


async def test_port_that_is_taken_is_refused_and_not_kept(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        settings = {"capture": {"port": other.getsockname()[1], "discover": False}}
        async with listening(tmp_path, formats=settings, address="127.0.0.1") as ears:
            with pytest.raises(SaintError, match="cannot be opened"):
                await switch(ears, capture=True, vmc=False)
            found = on(await ears.client.request(livelink.LIST_FORMATS, Nothing()))
            assert found == {"llf", "json", "vmc", "ifacialmocap", "lines"}


async def test_own_lines_port_is_closed_while_it_is_off(tmp_path: Path) -> None:
    """A start by hand: no socket was passed in."""
    off = {name: {"enabled": False} for name in ("llf", "json", "vmc", "ifacialmocap")}
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    formats = {**off, "lines": {"port": port}}
    config = Config.model_validate({"address": "127.0.0.1", "formats": formats})
    places = Directories(tmp_path, tmp_path, tmp_path, tmp_path)
    bus = LocalDomain().bus("livelinkd")
    async with (
        running("livelinkd", config, run, places, sockets={}, bus=bus),
        Client(tmp_path / "livelinkd.sock") as client,
    ):
        await client.request(livelink.SET_FORMATS, SetFormats(formats={"lines": False}))
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
        await client.request(livelink.SET_FORMATS, SetFormats(formats={"lines": True}))
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()


async def test_backup_holds_the_switches(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        await switch(ears, json=False)
        given = await ears.client.get("/backup", DaemonBackup)
        assert given.sections["switches"].data["formats"] == {"json": False}
