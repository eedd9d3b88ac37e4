"""The rows of the specification (tests/spec_rows.yaml): each is shown by tests that exist, decided
otherwise by an entry that exists in DECISIONS.md, or says openly what is missing.
"""

import re
from functools import cache
from pathlib import Path
from typing import Annotated

import pytest
import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

ROOT = Path(__file__).parents[3]
ROWS = 265  # of the audit; a row is never removed, it becomes shown or decided


def as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Row(BaseModel):
    """One demand of the specification in our own words, and what became of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    says: str = Field(min_length=3, max_length=100)
    shown_by: Annotated[list[str], BeforeValidator(as_list)] = []
    decision: str = ""
    open: str = ""


@cache
def rows() -> dict[int, Row]:
    text = (ROOT / "tests" / "spec_rows.yaml").read_text(encoding="utf-8")
    table = yaml.load(text, Loader=yaml.CSafeLoader)["rows"]
    return {number: Row.model_validate(row) for number, row in table.items()}


@cache
def names_in(path: str) -> set[str]:
    """Return the names of the tests of a file, none where there is no such file."""
    file = ROOT / path
    if not file.is_file():
        return set()
    text = file.read_text(encoding="utf-8")
    return set(re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE))


def problems(row: Row, decisions: set[str]) -> list[str]:
    """Return what is wrong with a row, in sentences."""
    found = [
        f"{test} does not exist"
        for test in row.shown_by
        if test.partition("::")[2] not in names_in(test.partition("::")[0])
    ]
    if row.decision and row.decision not in decisions:
        found.append(f"DECISIONS.md has no entry {row.decision!r}")
    if row.decision and row.open:
        found.append("is decided and open at once")
    if not (row.shown_by or row.decision or row.open):
        found.append("is neither shown, nor decided, nor open")
    return found


def decisions() -> set[str]:
    text = (ROOT / "DECISIONS.md").read_text(encoding="utf-8")
    entries = re.findall(r"^- \*\*\d{4}-\d\d-\d\d (.+?)\*\*", text, re.MULTILINE | re.DOTALL)
    return {" ".join(entry.split()) for entry in entries}


def test_every_row_is_shown_decided_or_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(rows()) == list(range(1, ROWS + 1))
    known = decisions()
    wrong = {number: said for number, row in rows().items() if (said := problems(row, known))}
    assert not wrong
    missing = [number for number, row in rows().items() if row.open]
    with capsys.disabled():
        print(f"\n{len(missing)} of {ROWS} rows of the specification are open: {missing}")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Row(says="nothing is said"), "is neither shown, nor decided, nor open"),
        (Row(says="lost", shown_by=["tests/unit/tools/test_spec_rows.py::test_no"]), "not exist"),
        (Row(says="lost", shown_by=["tests/unit/nowhere.py::test_no"]), "does not exist"),
        (Row(says="decided", decision="Never written."), "has no entry 'Never written.'"),
        (Row(says="both", decision="Known.", open="all of it"), "decided and open at once"),
    ],
)
def test_row_without_evidence_is_found(row: Row, said: str) -> None:
    assert [text for text in problems(row, {"Known."}) if said in text]
