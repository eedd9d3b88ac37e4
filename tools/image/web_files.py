"""What of the web libraries a browser loads: what the pages name under /vendor/ or by the import
map, and what those modules import in turn. three alone has 33 MB; a browser needs less than two.

Not here: serving them (webd/pages/assets.py), fetching them (tools/npm.py).
"""

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

VENDOR = "/vendor/"
_PAGES = {".js", ".html", ".css"}
_NAMED = re.compile(r"""["'](/vendor/[^"'\s]+[^"'\s/])["']""")
_IMPORTED = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"'\s]+)["']""")
_COMMENTS = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_IMPORT_MAP = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)


def libraries(web: Path) -> list[Path]:
    """Paths below web/node_modules, sorted: the modules, and of each library its name and terms."""
    modules, names = web / "node_modules", _import_map(web)
    waiting = sorted(_named_by_pages(web, names))
    found: set[str] = set()
    while waiting:
        url = waiting.pop()
        if url in found:
            continue
        found.add(url)
        path = modules / url.removeprefix(VENDOR)
        if not path.is_file():
            text = f"the pages need {url}, which is not in {modules}"
            raise SaintError(Code.NOT_FOUND, text, fix="Say: make setup")
        if path.suffix in (".js", ".mjs"):
            waiting += _imports(path.read_text(encoding="utf-8"), url, names)
    paths = {Path(url.removeprefix(VENDOR)) for url in found}
    for library in {_library(path) for path in paths}:
        paths |= {library / path.name for path in _about(modules / library)}
    return sorted(paths)


def _named_by_pages(web: Path, names: dict[str, str]) -> set[str]:
    found: set[str] = set()
    for path in web.rglob("*"):
        if path.suffix in _PAGES and _is_own(path, web):
            text = path.read_text(encoding="utf-8")
            found |= set(_NAMED.findall(text))
            found |= {url for url in _imports(text, "/page", names) if url.startswith(VENDOR)}
    return found


def _is_own(path: Path, web: Path) -> bool:
    return "node_modules" not in path.relative_to(web).parts


def _import_map(web: Path) -> dict[str, str]:
    text = _IMPORT_MAP.search((web / "index.html").read_text(encoding="utf-8"))
    imports: dict[str, str] = json.loads(text[1])["imports"] if text else {}
    return imports


def _imports(code: str, url: str, names: dict[str, str]) -> Iterator[str]:
    for word in _IMPORTED.findall(_COMMENTS.sub("", code)):
        if word.startswith("."):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(url), word))
        elif word in names:
            yield names[word]
        else:
            for start, place in names.items():
                if start.endswith("/") and word.startswith(start):
                    yield place + word.removeprefix(start)


def _library(path: Path) -> Path:
    return Path(*path.parts[: 2 if path.parts[0].startswith("@") else 1])


def _about(library: Path) -> Iterator[Path]:
    for path in library.iterdir():
        is_terms = path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING"))
        if path.is_file() and (is_terms or path.name == "package.json"):
            yield path
