"""Files of the web pages: <share>/web, and of node_modules only the packages that web/package.json
names, at /vendor/<package>/. They are cached, and checked for changes at each request. The address
of a page (/nodes, /nodes/sim_head) is the document that opens it.
"""

import base64
import gzip
import hashlib
import json
import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

LARGEST_BYTES = 4 << 20
_TYPES = {".html", ".css", ".js", ".svg", ".png", ".ico", ".webmanifest", ".woff2", ".txt"}
_VENDORED = {".js", ".mjs", ".css", ".svg"}
_COMPRESSED = {".html", ".css", ".js", ".mjs", ".svg", ".webmanifest", ".txt"}

_PAGE = re.compile(r"([a-z]+(?:-[a-z]+)*)(?:/(?!\.{1,2}(?:/|$))[^/]+){0,4}/?")
_IMPORT_MAP = re.compile(rb'<script type="importmap">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, ready to be sent."""

    body: bytes
    zipped: bytes | None
    content_type: str
    etag: str
    stamp: tuple[int, int]


class Assets:
    """All files. Calls block: use asyncio.to_thread."""

    def __init__(self, web: Path) -> None:
        self._web = web.resolve()
        self._modules = self._web / "node_modules"
        self._packages = _packages(self._web / "package.json")
        self._known: dict[Path, Asset] = {}

    def missing(self) -> list[str]:
        """Return packages that are named but not installed; without them the pages stay empty."""
        return [name for name in self._packages if not (self._modules / name).is_dir()]

    def import_map(self) -> str:
        """Return the hash of the page's import map, for the content security policy. Browsers read
        the map only in the page itself.
        """
        asset = self.get("index.html")
        found = _IMPORT_MAP.search(asset.body) if asset else None
        if not found:
            return ""
        digest = base64.b64encode(hashlib.sha256(found.group(1)).digest()).decode()
        return f"'sha256-{digest}'"

    def get(self, url_path: str) -> Asset | None:
        """Return the file at this path of the site; None when there is none."""
        path = self._path(url_path)
        if path is None:
            return None
        try:
            found = path.stat()
            if not path.is_file() or found.st_size > LARGEST_BYTES:
                return None
            stamp = (found.st_mtime_ns, found.st_size)
            known = self._known.get(path)
            if known is None or known.stamp != stamp:
                known = self._known[path] = _load(path, stamp)
        except OSError:
            return None
        return known

    def page(self, url_path: str) -> Asset | None:
        """Return the document of the pages where this is a page's address: web/pages has a folder
        of its first part. Which node or route the rest names is the page's business.
        """
        found = _PAGE.fullmatch(url_path)
        is_page = found and (self._web / "pages" / found[1] / "page.js").is_file()
        return self.get("") if is_page else None

    def _path(self, url_path: str) -> Path | None:
        parts = PurePosixPath("/" + url_path.lstrip("/")).parts[1:]
        if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        if not parts:
            parts = ("index.html",)
        if parts[0] == "vendor":
            return self._vendored("/".join(parts[1:]))
        if parts[0] in ("node_modules", "package.json", "package-lock.json"):
            return None
        path = self._web.joinpath(*parts)
        is_ours = path.suffix in _TYPES and path.resolve().is_relative_to(self._web)
        return path if is_ours else None

    def _vendored(self, rest: str) -> Path | None:
        for package in self._packages:
            if rest.startswith(package + "/"):
                path = self._modules / rest
                root = self._modules / package
                is_inside = path.resolve().is_relative_to(root.resolve())
                return path if is_inside and path.suffix in _VENDORED else None
        return None


def _packages(path: Path) -> tuple[str, ...]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return tuple(data.get("dependencies", {}))
    except (OSError, ValueError, AttributeError):
        return ()


def _load(path: Path, stamp: tuple[int, int]) -> Asset:
    body = path.read_bytes()
    zipped = gzip.compress(body, 9, mtime=0) if path.suffix in _COMPRESSED else None
    kind = mimetypes.types_map.get(path.suffix, "application/octet-stream")
    if path.suffix == ".webmanifest":
        kind = "application/manifest+json"
    if path.suffix in (".js", ".mjs"):
        kind = "text/javascript"
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    etag = '"' + hashlib.sha256(body).hexdigest()[:24] + '"'
    return Asset(body, zipped, kind, etag, stamp)
