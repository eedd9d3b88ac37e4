"""Reading unit files: what is read, and which sentence a fault gets."""

from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from tools.launch.unit_files import parsing


def _write(folder: Path, text: str) -> Path:
    path = folder / "saint-x.service"
    path.write_text(text, encoding="utf-8")
    return path


def test_settings_keep_section_and_line(tmp_path: Path) -> None:
    path = _write(tmp_path, "# comment\n[Unit]\nDescription = A name\n\n[Service]\nA=1\nA=2=3\n")
    found = [(s.number, s.section, s.key, s.value) for s in parsing.read(path)]
    assert found == [
        (3, "Unit", "Description", "A name"),
        (6, "Service", "A", "1"),
        (7, "Service", "A", "2=3"),
    ]


def test_continued_line_is_joined_and_comments_inside_it_are_skipped(tmp_path: Path) -> None:
    path = _write(tmp_path, "[Service]\nExecStart=/bin/a \\\n# why\n  --b \\\n  --c\nUser=x\n")
    found = [(s.number, s.key, s.value) for s in parsing.read(path)]
    assert found == [(2, "ExecStart", "/bin/a --b --c"), (6, "User", "x")]


@pytest.mark.parametrize(
    ("text", "number", "words"),
    [
        ("[Service\n", 1, "is not a section"),
        ("[Service]\nnonsense\n", 2, "neither a section nor Key=value"),
        ("[Service]\n=1\n", 2, "neither a section nor Key=value"),
        ("A=1\n", 1, "before the first section"),
        ("[Service]\nA=1 \\\n", 2, "inside a continued line"),
    ],
)
def test_fault_names_file_and_line(tmp_path: Path, text: str, number: int, words: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(SaintError) as caught:
        parsing.read(path)
    assert caught.value.code is Code.CONFIG_INVALID
    assert f"{path}, line {number}: " in caught.value.message
    assert words in caught.value.message


def test_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "saint-x.service"
    path.write_bytes(b"[Service]\nA=\xff\xfe\n")
    with pytest.raises(SaintError, match="cannot be read"):
        parsing.read(path)
