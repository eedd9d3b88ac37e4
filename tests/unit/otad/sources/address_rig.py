"""A server of releases on loopback with TLS, whose authority the test makes, and the job that
fetches from it: systemd's part is played by a socket that starts one for each connection.
"""

import asyncio
import hashlib
import json
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from aiohttp import web

from saint_services.otad import fetch_job
from saint_services.otad.sources.fetch_order import SOCKET
from tests.unit.otad.ota_rig import Robot

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=20)


@dataclass(frozen=True)
class TestAuthority:
    """An authority and what it signed, as files."""

    __test__ = False
    folder: Path

    @property
    def pem(self) -> str:
        return (self.folder / "ca.pem").read_text()

    def context(self, name: str = "good", days: int = 30) -> ssl.SSLContext:
        """A certificate for 127.0.0.1 and localhost, or for another name."""
        pem = self.folder / f"{name}.pem"
        if not pem.exists():
            host = "DNS:elsewhere.invalid" if name == "elsewhere" else "DNS:localhost,IP:127.0.0.1"
            self._sign(name, host, days)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem, self.folder / f"{name}.key")
        return context

    def _sign(self, name: str, host: str, days: int) -> None:
        at = self.folder
        extensions = f"subjectAltName={host}\nbasicConstraints=CA:false\n"
        (at / f"{name}.ext").write_text(extensions + "authorityKeyIdentifier=keyid\n")
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                 "-batch", "-keyout", f"{at}/{name}.key", "-out", f"{at}/{name}.csr",
                 "-subj", f"/CN={name}")  # fmt: skip
        serial = str(1 + len(list(at.glob("*.csr"))))
        _openssl("x509", "-req", "-in", f"{at}/{name}.csr", "-CA", f"{at}/ca.pem", "-CAkey",
                 f"{at}/ca.key", "-set_serial", serial, "-extfile", f"{at}/{name}.ext",
                 "-days", str(days), "-out", f"{at}/{name}.pem")  # fmt: skip


@cache
def authority(name: str = "ours") -> TestAuthority:
    """One for the whole run."""
    folder = Path(mkdtemp(prefix=f"saint-ca-{name}-"))
    _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-batch", "-keyout", f"{folder}/ca.key", "-out", f"{folder}/ca.pem", "-days", "30",
             "-subj", f"/CN=Test authority {name}", "-addext", "keyUsage=critical,keyCertSign"
             )  # fmt: skip
    return TestAuthority(folder)


@dataclass
class ReleaseServer:
    """An owner's server: any static one. Tests make it fail."""

    files: dict[str, bytes] = field(default_factory=dict)  # by path
    cut_after: list[int] = field(default_factory=list)  # bytes of the next answers with a bundle
    has_ranges: bool = True
    sent_bytes: int = 0  # of bundles
    requests: list[str] = field(default_factory=list)
    handler: Handler | None = None  # answers instead
    port: int = 0

    @property
    def address(self) -> str:
        return f"https://127.0.0.1:{self.port}/robots"

    def publish(self, release: str, bundle: bytes, **changes: object) -> None:
        """A folder as tools.release publish writes it."""
        facts = {
            "version": release, "checksum_sha256": hashlib.sha256(bundle).hexdigest(),
            "size_bytes": len(bundle), "release_date": "2026-11-24", "min_hardware_rev": "",
            "changelog": "",
        } | changes  # fmt: skip
        manifest = {"firmware": facts, "configs": {}, "supported_roles": []}
        self.files["/robots/manifest.json"] = json.dumps(manifest).encode()
        self.files[f"/robots/archive/v{release}/saint_node.img"] = bundle

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(f"{request.path} {request.headers.get('Range', '')}".strip())
        if self.handler:
            return await self.handler(request)
        content = self.files.get(request.path)
        if content is None:
            raise web.HTTPNotFound
        if request.path.endswith(".json"):
            return web.Response(body=content)
        return await self._bundle(request, content)

    async def _bundle(self, request: web.Request, content: bytes) -> web.StreamResponse:
        tag = f'"{hash(content) & 0xFFFFFFFF:x}"'
        offset = 0
        response = web.StreamResponse(headers={"ETag": tag})
        wanted = request.headers.get("Range", "")
        if wanted and self.has_ranges and request.headers.get("If-Range", tag) == tag:
            offset = int(wanted.removeprefix("bytes=").removesuffix("-"))
            response.set_status(206)
            whole = len(content)
            response.headers["Content-Range"] = f"bytes {offset}-{whole - 1}/{whole}"
        rest = content[offset:]
        response.content_length = len(rest)
        await response.prepare(request)
        cut = self.cut_after.pop(0) if self.cut_after else len(rest)
        await response.write(rest[:cut])
        self.sent_bytes += min(cut, len(rest))
        if cut < len(rest):
            await response.drain()
            assert request.transport
            request.transport.close()
        return response


@asynccontextmanager
async def release_server(context: ssl.SSLContext | None = None) -> AsyncIterator[ReleaseServer]:
    """The server, running."""
    found = ReleaseServer()
    runner = web.ServerRunner(web.Server(found.answer), shutdown_timeout=0.2)
    await runner.setup()
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    found.port = listening.getsockname()[1]
    trusted = context or await asyncio.to_thread(authority().context)
    await web.SockSite(runner, listening, ssl_context=trusted).start()
    try:
        yield found
    finally:
        await runner.cleanup()


@asynccontextmanager
async def fetch_jobs(runtime: Path) -> AsyncIterator[list[asyncio.Task[None]]]:
    """saint-otad-fetch.socket: one job for each connection."""
    await asyncio.to_thread(runtime.mkdir, parents=True, exist_ok=True)
    (runtime / SOCKET).unlink(missing_ok=True)  # no disk
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(runtime / SOCKET))
    listening.listen()
    listening.setblocking(False)
    jobs: list[asyncio.Task[None]] = []

    async def accept() -> None:
        loop = asyncio.get_running_loop()
        while True:
            connection, _ = await loop.sock_accept(listening)
            connection.setblocking(False)
            jobs.append(asyncio.create_task(fetch_job.serve(connection)))

    accepting = asyncio.create_task(accept())
    try:
        yield jobs
    finally:
        for task in (accepting, *jobs):
            task.cancel()
        await asyncio.gather(accepting, *jobs, return_exceptions=True)
        listening.close()


async def bundle(robot: Robot, version: str, **changes: object) -> bytes:
    """The bytes of a signed one."""
    path = await asyncio.to_thread(lambda: robot.bundle(version, **changes))
    return await asyncio.to_thread(path.read_bytes)
