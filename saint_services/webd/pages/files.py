"""Files that describe the robot and its API: GET /api/robot/model/... (URDF, meshes and textures
beside it), GET /api/openapi.json and /api/asyncapi.json as `make gen` wrote them.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.errors import Code, SaintError
from ..accounts.gate import Gate
from ..actions.system import MODEL_PATH
from ..server.handlers import RequestHandlers

DOCUMENTS = ("openapi.json", "asyncapi.json")
_TYPES = {
    ".urdf": "application/xml",
    ".stl": "model/stl",
    ".dae": "model/vnd.collada+xml",
    ".obj": "model/obj",
    ".glb": "model/gltf-binary",
    ".png": "image/png",
    ".jpg": "image/jpeg",
}


class ModelFiles(RequestHandlers):
    """Serves the folder of the robot's URDF: nothing outside it, and no other kind of file."""

    def __init__(self, gate: Gate, urdf: Path | None) -> None:
        self._gate = gate
        self._folder = urdf.parent if urdf else None

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get(MODEL_PATH + "{path:.+}", self._sent)]

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


class ApiDocuments(RequestHandlers):
    """Serves the documents of the API to anyone: they describe every robot, not this one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get(f"/api/{name}", self._sent, name=name) for name in DOCUMENTS]

    async def _sent(self, request: web.Request) -> web.StreamResponse:
        path = self._folder / request.path.rpartition("/")[2]
        body = await asyncio.to_thread(path.read_bytes)
        return web.Response(body=body, content_type="application/json")
