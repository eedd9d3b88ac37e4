"""GET /api/robot/model/...: how this robot looks, for those who draw it: its URDF, and the shapes
and pictures that stand beside that file or in folders below. Not here: which joint shows which
field (the action `system describe` tells it).
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.errors import Code, SaintError
from ..accounts.gate import Gate
from ..actions.system import MODEL_PATH

_TYPES = {
    ".urdf": "application/xml",
    ".stl": "model/stl",
    ".dae": "model/vnd.collada+xml",
    ".obj": "model/obj",
    ".glb": "model/gltf-binary",
    ".png": "image/png",
    ".jpg": "image/jpeg",
}


class ModelFiles:
    """The folder that the robot's URDF is in; nothing outside it and no other kind of file."""

    def __init__(self, gate: Gate, urdf: Path | None) -> None:
        self._gate = gate
        self._folder = urdf.parent if urdf else None

    def routes(self) -> Sequence[web.RouteDef]:
        """One path for all files."""
        return [web.get(MODEL_PATH + "{path:.+}", self._sent)]

    async def close(self) -> None:
        """Nothing stays open."""

    async def _sent(self, request: web.Request) -> web.StreamResponse:
        self._gate.admit(request, Level.VIEWER)
        name = request.match_info["path"]
        path = await asyncio.to_thread(self._found, name)
        if path is None:
            raise SaintError(Code.NOT_FOUND, f"this robot's model has no file {name}")
        headers = {"Cache-Control": "no-cache", "Content-Type": _TYPES[path.suffix.lower()]}
        return web.FileResponse(path, headers=headers)

    def _found(self, name: str) -> Path | None:
        if self._folder is None or "\0" in name or "\\" in name:
            return None
        folder = self._folder.resolve()
        path = (folder / name).resolve()
        is_ours = path.is_relative_to(folder) and path.suffix.lower() in _TYPES
        return path if is_ours and path.is_file() else None
