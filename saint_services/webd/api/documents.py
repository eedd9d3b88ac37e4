"""GET /api/openapi.json and /api/asyncapi.json as `make gen` wrote them. Anyone may read them:
they tell of every robot, not of this one.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

NAMES = ("openapi.json", "asyncapi.json")


class Documents:
    """Two files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def routes(self) -> Sequence[web.RouteDef]:
        """One path each."""
        return [web.get(f"/api/{name}", self._sent, name=name) for name in NAMES]

    async def close(self) -> None:
        """Nothing stays open."""

    async def _sent(self, request: web.Request) -> web.StreamResponse:
        path = self._folder / request.path.rpartition("/")[2]
        body = await asyncio.to_thread(path.read_bytes)
        return web.Response(body=body, content_type="application/json")
