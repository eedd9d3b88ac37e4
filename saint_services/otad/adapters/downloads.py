"""Serves releases with ranges, the manifest and the roles' configurations to nodes on the internal
network. Every path is listed here; there is no directory listing.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...lib.errors import Code, SaintError
from ..releases.repository import CHANGELOG, Repository
from ..views import ManifestFile, RoleFile
from .http_server import HttpRoute

if TYPE_CHECKING:
    from aiohttp import web
    from aiohttp.abc import AbstractStreamWriter

BASE = "/firmware"
_TYPES = {CHANGELOG: "text/markdown; charset=utf-8"}


class Downloads:
    """Handles the requests of the HTTP server."""

    def __init__(
        self,
        repository: Repository,
        roles: Sequence[RoleFile],
        current: Callable[[], str],
        manifest: Callable[[], ManifestFile],
        counters: Counter[str],
    ) -> None:
        self._repository = repository
        self._roles = {f"{role.name}.yaml": role for role in roles}
        self._current = current
        self._manifest = manifest
        self._counters = counters

    @property
    def routes(self) -> list[HttpRoute]:
        """Return the routes; each answers GET and HEAD."""
        paths = {
            f"{BASE}/manifest.json": self._send_manifest,
            f"{BASE}/current/{{name}}": self._send_current,
            f"{BASE}/archive/v{{version}}/{{name}}": self._send_archived,
            f"{BASE}/configs/{{name}}": self._send_config,
        }
        return [
            HttpRoute(method, path, handler)
            for path, handler in paths.items()
            for method in ("GET", "HEAD")
        ]

    async def _send_manifest(self, _: "web.Request") -> "web.StreamResponse":
        from aiohttp import web

        text = self._manifest().model_dump_json(indent=2) + "\n"
        return web.Response(text=text, content_type="application/json")

    async def _send_current(self, request: "web.Request") -> "web.StreamResponse":
        return await self._send(self._current(), request)

    async def _send_archived(self, request: "web.Request") -> "web.StreamResponse":
        return await self._send(request.match_info["version"], request)

    async def _send(self, version: str, request: "web.Request") -> "web.StreamResponse":
        from aiohttp import web

        path = self._repository.file(version, request.match_info["name"])
        if path is None or not await asyncio.to_thread(path.is_file):
            raise SaintError(Code.NOT_FOUND, f"there is no file at {request.path[:200]}")
        self._counters["downloads"] += 1
        headers = {"Content-Type": _TYPES.get(path.name, "application/octet-stream")}
        if await asyncio.to_thread(_is_another, path, request.headers.get("If-Range", "")):
            return _whole_file()(path, headers=headers)
        return web.FileResponse(path, headers=headers)

    async def _send_config(self, request: "web.Request") -> "web.StreamResponse":
        from aiohttp import web

        role = self._roles.get(request.match_info["name"])
        if role is None:
            raise SaintError(Code.NOT_FOUND, f"there is no file at {request.path[:200]}")
        return web.Response(body=role.body, content_type="application/yaml")


def _is_another(path: Path, if_range: str) -> bool:
    """Whether the client has the beginning of another file. (aiohttp compares dates only.)"""
    if not if_range.startswith(('"', "W/")):
        return False
    facts = path.stat()
    return if_range != f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'  # aiohttp's ETag


def _whole_file() -> "type[web.FileResponse]":
    """Return a response class that sends the whole file, whatever range was requested."""
    from aiohttp import web

    class WholeFile(web.FileResponse):
        async def prepare(self, request: web.BaseRequest) -> "AbstractStreamWriter | None":
            headers = request.headers.copy()
            headers.popall("Range", None)
            return await super().prepare(request.clone(headers=headers))

    return WholeFile


def address_of(version: str, host: str, port: int, name: str) -> str:
    """Return the address of a release's file."""
    return f"http://{host}:{port}{BASE}/archive/v{version}/{name}"
