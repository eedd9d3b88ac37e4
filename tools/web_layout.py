"""Checks the structure of the web pages for check_layout: allowed imports, line length, size, and
that no JSDoc type is `any`. Not here: format and lint (Biome), types (tsc).
"""

import graphlib
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

LONGEST_LINE = 100
LONGEST_MODULE = 400  # lines; lib/types.ts is generated
NETWORK = {"lib/account.js", "lib/api.js", "lib/transfer.js"}
_ENDINGS = {".js", ".css", ".html", ".ts"}
_COMMENTS = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_IMPORTED = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']""")
_FETCHES = re.compile(r"(?<![\w.#])(?:fetch|WebSocket|XMLHttpRequest|EventSource)\(")
_TYPE = re.compile(r"@(?:type|param|returns|property|typedef)\s+\{((?:[^{}\n]|\{[^{}\n]*\})*)")
_ANY = re.compile(r"(?<![\w\".])any(?![\w\":])")


def faults(web: Path) -> Iterator[str]:
    """Yield one sentence for each fault of the web pages."""
    imports: dict[str, set[str]] = {}
    for path in sorted(web.rglob("*")):
        name = path.relative_to(web).as_posix()
        if path.suffix not in _ENDINGS or name.startswith("node_modules/"):
            continue
        text = path.read_text(encoding="utf-8")
        yield from _lines(name, text)
        if path.suffix == ".js":
            imports[name] = set(_imports(name, text))
            yield from _module(name, text, imports[name])
    yield from _circle(imports)


def _lines(name: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            yield f"web/{name}:{number} is longer than {LONGEST_LINE} columns"
        if any(_ANY.search(found) for found in _TYPE.findall(line)):
            yield f"web/{name}:{number} uses any: name the type (lib/types.ts has those of the API)"


def _imports(name: str, text: str) -> Iterator[str]:
    """Yield the modules of this site that a module loads; imports in comments name types only."""
    folder = posixpath.dirname(name)
    for word in _IMPORTED.findall(_COMMENTS.sub("", text)):
        yield posixpath.normpath(posixpath.join(folder, word))


def _module(name: str, text: str, imports: set[str]) -> Iterator[str]:
    if len(text.splitlines()) > LONGEST_MODULE:
        yield f"web/{name} is longer than {LONGEST_MODULE} lines: split it"
    for other in sorted(imports):
        if (why := _forbidden(name, other)) is not None:
            yield f"web/{name} imports {other}: {why}"
    if name not in NETWORK and _FETCHES.search(_COMMENTS.sub("", text)):
        yield f"web/{name} uses the network: call lib/api.js or lib/transfer.js"


def _forbidden(name: str, other: str) -> str | None:
    place, target = _place(name), _place(other)
    if place == "lib" and target != "lib":
        return "lib imports no part, no view and no page"
    if place == "parts" and target not in {"lib", "parts"}:
        return "parts import lib alone, no view and no page"
    if target.startswith("pages/") and place == "views":
        return "views surround every page and import none"
    if target.startswith("pages/") and place.startswith("pages/") and place != target:
        return "pages do not import each other; put what both need into parts or lib"
    return None


def _place(name: str) -> str:
    """Return "pages/nodes", "lib", "parts" or "views", and "" for a file at the top."""
    parts = name.split("/")
    if len(parts) == 1:
        return ""
    return "/".join(parts[:2]) if parts[0] == "pages" and len(parts) > 2 else parts[0]


def _circle(imports: dict[str, set[str]]) -> Iterator[str]:
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as err:
        yield f"web: {' <- '.join(err.args[1])}: import circle; move what both need below both"
