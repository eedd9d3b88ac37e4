"""otad as a process of its own, on uvloop: killed while a bundle comes in, read by many at once."""

import asyncio
import contextlib
import hashlib
import io
import os
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from saint_services.lib.api.firmware import FirmwareReport
from saint_services.lib.daemon import bind_tcp
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from tests.waiting import until
from tools.fake_rauc.bundle_writer import Release, write_bundle
from tools.fake_rauc.rig import FakeMachine, fake_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(90)]
ROOT = Path(__file__).parents[2]


@dataclass
class LocalMachine:
    """Folders and port of one otad that is started again and again."""

    folder: Path
    machine: FakeMachine
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/firmware"

    @contextlib.asynccontextmanager
    async def otad(self) -> AsyncIterator[Process]:
        """Started; killed at the end if it still runs."""
        places = {
            "STATE_DIRECTORY": "state", "RUNTIME_DIRECTORY": "run", "CONFIGURATION_DIRECTORY": "etc"
        }  # fmt: skip
        environment = {name: str(self.folder / where) for name, where in places.items()}
        environment |= {"DBUS_SYSTEM_BUS_ADDRESS": self.machine.address}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "saint_services.otad",
            cwd=ROOT, env=dict(os.environ) | environment, stdout=DEVNULL,
        )  # fmt: skip
        try:
            await self.status()
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def status(self) -> FirmwareReport:
        """As soon as it answers."""
        async with Client(self.folder / "run/otad.sock") as client:

            async def answer() -> FirmwareReport | None:
                with contextlib.suppress(SaintError):
                    return await client.get("/status", FirmwareReport)
                return None

            return await until(answer, 30.0)

    async def upload(self, data: bytes) -> int:
        connector = aiohttp.UnixConnector(str(self.folder / "run/otad-files.sock"))
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.post("http://otad/releases", data=io.BytesIO(data)) as answer,
        ):
            return answer.status

    async def bundle(self, version: str, payload: bytes = b"x") -> bytes:
        path = self.folder / "made"
        release = Release(version=version, payload=payload)
        await asyncio.to_thread(write_bundle, path, release, self.machine.keys)
        return await asyncio.to_thread(path.read_bytes)


@pytest.fixture
async def place() -> AsyncIterator[LocalMachine]:
    with tempfile.TemporaryDirectory(prefix="ota") as short:
        folder = Path(short)
        for name in ("state", "run", "etc"):
            (folder / name).mkdir()
        free = bind_tcp("127.0.0.1", 0)
        port = int(free.getsockname()[1])
        free.close()
        (folder / "etc/otad.yaml").write_text(f"listen: {{port: {port}}}\nreserve_bytes: 0\n")
        async with fake_machine(folder, "1.0.0") as machine:
            yield LocalMachine(folder, machine, port)


async def test_http_library_is_loaded_by_the_first_visitor(place: LocalMachine):
    async with place.otad() as process, aiohttp.ClientSession() as session:
        maps = Path(f"/proc/{process.pid}/maps")
        before = await asyncio.to_thread(maps.read_text)
        async with session.get(f"{place.url}/manifest.json") as answer:
            assert answer.status == 200
        after = await asyncio.to_thread(maps.read_text)
    assert "aiohttp" not in before
    assert "aiohttp" in after


async def test_killed_while_a_bundle_comes_in_it_starts_clean(place: LocalMachine):
    data = await place.bundle("1.1.0", b"y" * 3_000_000)
    incoming = place.folder / "state/incoming"
    async with place.otad() as process:
        _, writer = await asyncio.open_unix_connection(place.folder / "run/otad-files.sock")
        head = f"POST /releases HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data[:1_000_000])
        await until(incoming.exists)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        writer.close()
    assert incoming.exists()
    async with place.otad():
        assert not incoming.exists()
        assert (await place.status()).releases == []
        assert await place.upload(data) == 200
    async with place.otad():
        assert [release.version for release in (await place.status()).releases] == ["1.1.0"]


async def test_many_read_at_once_whole_and_in_parts(place: LocalMachine):
    data = await place.bundle("1.1.0", os.urandom(5_000_000))
    url = f"{place.url}/archive/v1.1.0/saint_node.img"

    async def read(session: aiohttp.ClientSession, start: int) -> bytes:
        async with session.get(url, headers={"Range": f"bytes={start}-"}) as answer:
            assert answer.status == 206
            return await answer.read()

    async with place.otad(), aiohttp.ClientSession() as session:
        assert await place.upload(data) == 200
        starts = [number * 100_001 for number in range(12)]
        parts = await asyncio.gather(*(read(session, start) for start in starts))
    sums = [hashlib.sha256(part).digest() for part in parts]
    assert sums == [hashlib.sha256(data[start:]).digest() for start in starts]


async def test_it_ends_in_order_while_a_client_reads(place: LocalMachine):
    data = await place.bundle("1.1.0", os.urandom(8_000_000))
    async with place.otad() as process:
        assert await place.upload(data) == 200
        _, writer = await asyncio.open_connection("127.0.0.1", place.port)
        writer.write(b"GET /firmware/archive/v1.1.0/saint_node.img HTTP/1.1\r\nHost: x\r\n\r\n")
        await writer.drain()
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10.0):
            assert await process.wait() == 0
        writer.close()
