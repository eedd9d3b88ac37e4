"""No program of the device runs as another user than the one who starts it."""

import re
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image import privileges
from tools.image.places import ROOT


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A device with one plain program, one setuid and one setgid."""
    for name, mode in (("ls", 0o755), ("su", 0o4755), ("expiry", 0o2755)):
        path = tmp_path / "root/usr/bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        path.chmod(mode)
    (tmp_path / "root/usr/bin/link").symlink_to("su")
    (tmp_path / "root/shared").mkdir()
    (tmp_path / "root/shared").chmod(0o2775)  # a folder that passes on its group starts nothing
    return tmp_path / "root"


def listing(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "privileged.list"
    path.write_text("# why\n\n" + "".join(f"{line}\n" for line in lines))
    return path


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_listed_programs_lose_their_bits_and_nothing_else(tree: Path, tmp_path: Path) -> None:
    privileges.drop(tree, listing(tmp_path, "/usr/bin/su  # no", "/usr/bin/expiry # no"))
    assert privileges.privileged(tree) == set()
    assert [mode(tree / f"usr/bin/{name}") for name in ("ls", "su", "expiry")] == [0o755] * 3


def test_new_setuid_program_ends_the_build(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(SaintError, match=r": /usr/bin/su$"):
        privileges.drop(tree, listing(tmp_path, "/usr/bin/expiry  # no"))
    assert mode(tree / "usr/bin/expiry") == 0o2755


def test_program_that_is_gone_must_leave_the_list(tree: Path, tmp_path: Path) -> None:
    lines = ("/usr/bin/su  # no", "/usr/bin/expiry  # no", "/usr/bin/ls  # no")
    with pytest.raises(SaintError, match=r"not privileged: /usr/bin/ls$"):
        privileges.drop(tree, listing(tmp_path, *lines))


@pytest.mark.parametrize("line", ["/usr/bin/su", "usr/bin/su # x", "/usr/bin/su /x  # x"])
def test_line_without_path_and_reason_is_refused(tree: Path, tmp_path: Path, line: str) -> None:
    with pytest.raises(SaintError, match="line 3"):
        privileges.drop(tree, listing(tmp_path, line))


def test_capabilities_of_a_file_count_as_well(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "os.listxattr",
        lambda path, follow_symlinks: ["security.capability"] if Path(path).name == "ls" else [],
    )
    with pytest.raises(SaintError, match="/usr/bin/ls"):
        privileges.drop(tree, listing(tmp_path, "/usr/bin/su # no", "/usr/bin/expiry # no"))


def test_shipped_list_gives_a_reason_for_each() -> None:
    text = (ROOT / "image/privileged.list").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("/")]
    assert lines and all(re.fullmatch(r"/\S+ +# \S.*", line) for line in lines)
