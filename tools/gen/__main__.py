"""`python -m tools.gen [--check | --documents]`: write the generated files, or list the stale ones:
modules from manifests/; the API's documents, and the types of the web pages, from webd's models.

The modules are in git, so that everyone can read them. Documents and types are not (`make setup`
writes them): they are large, and change with every row.
"""

import json
import sys
from pathlib import Path

import yaml

from saint_services.webd.api import asyncapi, openapi

from . import web_types

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "saint_services" / "lib" / "generated"


def render() -> dict[Path, str]:
    """Return every generated file with the text that it must have."""
    return modules() | documents()


def documents() -> dict[Path, str]:
    """Return the files that are not in git."""
    files = {ROOT / "web" / "lib" / "types.ts": web_types.module()}
    for name, document in (("openapi", openapi), ("asyncapi", asyncapi)):
        text = json.dumps(document.document(), indent=1, ensure_ascii=False)
        files[ROOT / "manifests" / "api" / f"{name}.json"] = text + "\n"
    return files


def modules() -> dict[Path, str]:
    """Return the modules that are in git."""
    # They need rosbags, which a robot that runs does not.
    from . import boards, definitions, messages, roles, tables

    manifests = ROOT / "manifests"
    table = yaml.safe_load((manifests / "topics.yaml").read_text())
    interfaces = definitions.read(manifests / "saint_msgs")
    wanted = interfaces.messages + tables.types_of(table)
    generated = definitions.closure(interfaces.store, wanted)
    files = {
        TARGET / f"{name}.py": text for name, text in messages.modules(interfaces, wanted).items()
    }
    files[TARGET / "topics.py"] = tables.topics(table, interfaces, generated)
    errors = yaml.safe_load((manifests / "errors.yaml").read_text())
    files[TARGET / "errors.py"] = tables.errors(errors)
    duties = roles.of(yaml.safe_load((manifests / "daemons.yaml").read_text()))
    files[TARGET / "roles.py"] = roles.module(duties)
    files[ROOT / "web" / "lib" / "robot" / "roles.js"] = roles.script(duties)
    files[ROOT / "image" / "boards" / "shared" / "tables.py"] = boards.module()
    return files


def stale(files: dict[Path, str]) -> list[Path]:
    """Return the files whose text differs from the rendered one, and files that nothing
    generates.
    """
    wrong = [p for p, text in files.items() if not p.exists() or p.read_text() != text]
    if TARGET / "topics.py" not in files:
        return wrong
    known = {*files, TARGET / "__init__.py"}
    return wrong + [p for p in TARGET.glob("*.py") if p not in known]


def main() -> int:
    """Write or check the files. Exit code 0: up to date or written; 1: stale (with --check)."""
    files = documents() if "--documents" in sys.argv else render()
    wrong = stale(files)
    if "--check" in sys.argv:
        for path in wrong:
            print(f"{path.relative_to(ROOT)} is stale: run make gen")
        return 1 if wrong else 0
    for path in wrong:
        if path in files:
            path.parent.mkdir(exist_ok=True)
            path.write_text(files[path])
        else:
            path.unlink()
    print(f"{len(files)} files, {len(wrong)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
