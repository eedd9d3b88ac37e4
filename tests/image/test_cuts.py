"""A few power cuts of a first boot: judged without booting, two of them booted.

The whole, with updates, is `make test-powercut`.
"""

from argparse import Namespace
from pathlib import Path

import pytest

from tests.image.report import Report
from tools.powercut import commands
from tools.powercut.boots import read_boots
from tools.powercut.workers import read_verdicts

_CUTS, _BOOTS, _SEED = 800, 2, 1  # more than the moments alone: torn and lost writes too


@pytest.mark.usefixtures("artefacts")
def test_first_boot_comes_back_after_every_cut(tmp_path: Path, report: Report) -> None:
    work = commands.Work(tmp_path, ("first-boot",), _SEED, _CUTS, _BOOTS, processes=2)
    nothing = Namespace(again=False)
    assert commands.COMMANDS["record"](work, nothing) == 0
    commands.COMMANDS["judge"](work, nothing)
    verdicts = read_verdicts(work.task("first-boot"))
    assert len(verdicts) >= _CUTS
    assert [(str(one.cut), one.faults) for one in verdicts if one.faults] == []
    commands.COMMANDS["boot"](work, nothing)
    boots = read_boots(tmp_path / f"boots-{_SEED}.jsonl")
    assert len(boots) == _BOOTS
    assert [(str(one.cut), one.faults) for one in boots if one.faults] == []
    report.number("power cuts of a first boot, judged", len(verdicts), "cuts")
    report.number("power cuts of a first boot, booted", len(boots), "cuts")
