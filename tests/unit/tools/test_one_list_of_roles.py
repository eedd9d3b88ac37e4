"""The roles stand in one table, manifests/daemons.yaml; nobody keeps a list of his own."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from saint_services.lib.generated.roles import ROLES

ROOT = Path(__file__).resolve().parents[3]
TABLE = "manifests/daemons.yaml"
GENERATED = ("saint_services/lib/generated/roles.py", "web/lib/robot/roles.js")
# Topics of the pages: most roles have one of their name, a leader has none.
TOPICS = (
    "saint_services/lib/api/states.py",
    "saint_services/webd/daemon.py",
    "saint_services/webd/topics/feeds.py",
)
SUFFIXES = (".py", ".js", ".yaml", ".msg", ".srv", ".toml", ".sh")
WINDOW = 14  # lines that a list may have
# All roles but one: a list that was not extended.
SEVERAL = len(ROLES) - 1


def files() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True, timeout=20
    )
    for name in listed.stdout.split():
        is_test = name.startswith("tests/")
        if name.endswith(SUFFIXES) and not is_test and name not in (TABLE, *GENERATED, *TOPICS):
            yield ROOT / name


def lists_of(text: str) -> Iterator[int]:
    """Yield the lines at which almost all roles are named within a few lines, each by a string or
    as a key."""
    names = "|".join(ROLES)
    pattern = re.compile(rf"[\"'](?:role-)?({names})d?[\"']|^\s*[\"']?({names})[\"']?: ")
    named = [
        {found[1] or found[2] for found in pattern.finditer(line)} for line in text.splitlines()
    ]
    for start in range(len(named)):
        if named[start] and len(set().union(*named[start : start + WINDOW])) >= SEVERAL:
            yield start + 1


def test_second_list_of_roles_is_found() -> None:
    one_line = ", ".join(f'"{role}"' for role in ROLES[:-1])
    keys = "\n".join(f"  {role}: 1," for role in ROLES)
    daemons = "\n".join(f'    "role-{role}d",' for role in ROLES)
    for text in (f"ROLES = [{one_line}]", f"const DUTIES = {{\n{keys}\n}}", daemons):
        assert list(lists_of(text)), text
    assert not list(lists_of('topics: ["head", "arms", "tracks", "parts"]'))


def test_no_other_file_lists_the_roles() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in files()
        if path.exists()
        for line in lists_of(path.read_text(encoding="utf-8"))
    ]
    assert found == []
