"""The shape that every daemon has, and which imports are allowed, in the web pages too.

Each check yields one sentence per fault, naming the file and what to do.
"""

import ast
import functools
import graphlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools import web_layout

ROOT = Path(__file__).parents[1]
SERVICES = ROOT / "saint_services"
NOT_DAEMONS = {"client", "lib", "saintctl", "setup"}
NEEDED = {"README.md", "__init__.py", "__main__.py", "daemon.py", "config.py"}
BAD_NAMES = {"utils", "helpers", "common", "misc", "manager"}
HARDWARE = {"smbus2", "serial", "spidev", "pigpio", "picamera2", "gpiod", "lgpio", "luma"}
WORLD = {"asyncio", "socket", "time", "os", "random", "logging", "pathlib", "subprocess", "aiohttp"}
LONGEST_FILE = 500
SHARED_CLASS_NAMES = {"Config"}  # each daemon has one
_REPLACES_GENERATED = "lib/bus/dds/humble.py"  # used in place of a generated module, by name


def faults() -> Iterator[str]:
    """Every fault of the tree."""
    daemons = yaml.safe_load((ROOT / "manifests" / "daemons.yaml").read_text())
    yield from _table_matches_folders(daemons)
    for name in daemons:
        yield from _shape(name)
        yield from _units(name)
    for path in sorted(SERVICES.rglob("*.py")):
        yield from _file(path, set(daemons))
    yield from _circle()
    yield from _class_names()
    yield from web_layout.faults(ROOT / "web")


def _table_matches_folders(daemons: dict[str, object]) -> Iterator[str]:
    folders = {p.parent.name for p in SERVICES.glob("*/__init__.py")} - NOT_DAEMONS
    for name in sorted(folders ^ set(daemons)):
        yield f"saint_services/{name} and manifests/daemons.yaml disagree: add or remove one"


def _shape(name: str) -> Iterator[str]:
    folder = SERVICES / name
    for needed in sorted(NEEDED):
        if not (folder / needed).exists():
            yield f"saint_services/{name}/{needed} is missing"


def _units(name: str) -> Iterator[str]:
    unit = f"saint-{name.replace('_', '-')}"
    for ending in ("service", "socket"):
        if not (ROOT / "systemd" / f"{unit}.{ending}").exists():
            yield f"systemd/{unit}.{ending} is missing"


def _file(path: Path, daemons: set[str]) -> Iterator[str]:
    shown = path.relative_to(ROOT)
    text = path.read_text()
    if path.stem in BAD_NAMES:
        yield f"{shown}: say what it holds, not that it is {path.stem}"
    if "generated" in path.parts:
        return
    if text.count("\n") > LONGEST_FILE:
        yield f"{shown} has over {LONGEST_FILE} lines: split it by what is decided"
    source = _source(path)
    if not source.docstring:
        yield f"{shown} does not say what it is responsible for"
    owner = path.relative_to(SERVICES).parts[0]
    for module in source.imports:
        yield from _import(shown, owner, path, module, daemons)


def _imports(tree: ast.Module, path: Path) -> Iterator[str]:
    """Absolute names of all imported modules, inside functions too."""
    package = path.relative_to(ROOT).parent.parts
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@dataclass(frozen=True)
class _Source:
    """What the checks need of a file, which is read once. Its whole tree would fill the memory."""

    docstring: str | None
    imports: tuple[str, ...]
    classes: tuple[str, ...]


@functools.cache
def _source(path: Path) -> _Source:
    tree = ast.parse(path.read_text())
    classes = tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    return _Source(ast.get_docstring(tree), tuple(_imports(tree, path)), classes)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what may be an import: all statements, however deep, and none of their expressions."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, name, ()):
            yield node
            yield from _statements(node)


def _circle() -> Iterator[str]:
    """The first circle of files that import each other. That a folder's __init__ names its files,
    and these it, is none.
    """
    files = {_module(path): path for path in SERVICES.rglob("*.py")}
    imports = {
        name: {
            other
            for other in _source(path).imports
            if other in files and not f"{name}.".startswith(f"{other}.")
        }
        for name, path in files.items()
        if "generated" not in path.parts
    }
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as err:
        yield f"{' <- '.join(err.args[1])}: a circle; put what both need below both"


def _class_names() -> Iterator[str]:
    """Yield public classes that share a name: a name must be clear without its module."""
    places: dict[str, list[str]] = {}
    for path in sorted(SERVICES.rglob("*.py")):
        shown = str(path.relative_to(ROOT))
        if "generated" in path.parts or shown.endswith(_REPLACES_GENERATED):
            continue
        for name in _source(path).classes:
            if not name.startswith("_"):
                places.setdefault(name, []).append(shown)
    for name, files in places.items():
        if len(files) > 1 and name not in SHARED_CLASS_NAMES:
            yield f"class {name} is in {' and '.join(files)}: give each a name of its own"


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def _import(shown: Path, owner: str, path: Path, module: str, daemons: set[str]) -> Iterator[str]:
    parts = module.split(".")
    if parts[0] in ("tools", "tests"):
        yield f"{shown} imports {module}: what ships must run without the source checkout"
    other = parts[1] if parts[0] == "saint_services" and len(parts) > 1 else ""
    if other in daemons and owner == "lib":
        yield f"{shown} imports {module}: lib knows no daemon"
    if other in daemons and owner in daemons and other != owner:
        yield f"{shown} imports {module}: daemons meet on sockets and topics only"
    if parts[0] in HARDWARE and SERVICES / "lib" / "hw" not in path.parents:
        yield f"{shown} imports {module}: hardware libraries belong in lib/hw"
    if parts[0] == "rclpy" and path.parent.name != "ros":
        yield f"{shown} imports {module}: rclpy belongs in lib/bus/ros"
    if path.name == "logic.py" and parts[0] in WORLD:
        yield f"{shown} imports {module}: rules do not touch the world"


if __name__ == "__main__":
    found = sorted(set(faults()))
    print("\n".join(found) or "the layout holds")
    sys.exit(bool(found))
