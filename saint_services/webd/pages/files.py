"""Files that describe the robot and its API: GET /api/robot/model/... (URDF, meshes and textures
beside it), GET /api/openapi.json and /api/asyncapi.json as `make gen` wrote them.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.errors import Code, SaintError
from ...lib.robot.figure.figure import FILE, Figure
from ...lib.robot.figure.store import FigureStore
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
    """Serves the robot's figure: the text of its URDF, the meshes beside a shipped one or in the
    owner's archive, and owner's figures that are not in force (figures/<checksum>/...), for the
    preview. No other file, and nothing outside their folders.
    """

    def __init__(self, gate: Gate, figure: Figure | None, figures: FigureStore) -> None:
        self._gate = gate
        self._figure = figure
        self._figures = figures
        self._folder = figure.path.parent if figure and figure.path else None

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get(MODEL_PATH + "{path:.+}", self._sent)]

    async def _sent(self, request: web.Request) -> web.StreamResponse:
        self._gate.admit(request, Level.VIEWER)
        name = request.match_info["path"]
        path = await asyncio.to_thread(self._found, name)
        if path is not None:
            return web.FileResponse(path, headers=_headers(path.name))
        data = await asyncio.to_thread(self._read, name)
        if data is None:
            raise SaintError(Code.NOT_FOUND, f"this robot's model has no file {name}")
        return web.Response(body=data, headers=_headers(name))

    def _found(self, name: str) -> Path | None:
        if self._folder is None or "\0" in name or "\\" in name:
            return None
        folder = self._folder.resolve()
        path = (folder / name).resolve()
        is_ours = path.is_relative_to(folder) and path.suffix.lower() in _TYPES
        return path if is_ours and path.is_file() else None

    def _read(self, name: str) -> bytes | None:
        """Return a file of a figure that no folder holds."""
        figure = self._figure
        if figure and figure.is_generated and name == FILE:
            return figure.text.encode()
        first, _, rest = name.partition("/")
        digest, _, file = rest.partition("/")
        if first != "figures":
            digest, file = (figure.digest if figure else ""), name
        if not digest:
            return None
        try:
            files = self._figures.read(digest).files
        except SaintError:
            return None
        if file == FILE:
            return files.page_text().encode()
        mesh = files.served.get(file)
        return files.meshes[mesh] if mesh else None


def _headers(name: str) -> dict[str, str]:
    kind = _TYPES.get(f".{name.rpartition('.')[2].lower()}", "application/octet-stream")
    return {"Cache-Control": "no-cache", "Content-Type": kind}


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
