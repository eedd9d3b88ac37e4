"""The job that fetches releases, started for each connection as systemd does it."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.otad.adapters.fetch_socket import FetchSocket
from saint_services.otad.sources.fetch_order import SOCKET, FetchOrder
from tests.unit.otad.sources.address_rig import authority, release_server
from tools.launch.machines.fetch_jobs import FetchJobs


async def test_real_job_fetches_over_its_connection(tmp_path: Path) -> None:
    jobs = FetchJobs(tmp_path)
    jobs.open()
    pem = await asyncio.to_thread(lambda: authority().pem)
    try:
        async with release_server() as server:
            server.files["/robots/manifest.json"] = b"found"
            order = FetchOrder(
                address=f"{server.address}/manifest.json", authority=pem, most_bytes=99
            )
            assert await FetchSocket(tmp_path / SOCKET).read(order) == b"found"
            plain = order.model_copy(update={"authority": ""})
            with pytest.raises(SaintError, match="not signed by an authority"):
                await FetchSocket(tmp_path / SOCKET).read(plain)
    finally:
        await jobs.close()


async def test_end_of_the_robot_ends_its_jobs(tmp_path: Path) -> None:
    jobs = FetchJobs(tmp_path)
    jobs.open()
    _, writer = await asyncio.open_unix_connection(str(tmp_path / SOCKET))
    await jobs.close()
    writer.close()
