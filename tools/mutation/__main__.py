"""Changes the router's logic and the clamps of the roles, one small thing at a time, and counts how
many changes some test notices. `python -m tools.mutation [FILE...]`; ends with 1 below the aim.
"""

import argparse
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from .equivalent import EQUIVALENT
from .mutants import Mutant, mutants
from .runner import Verdict, judge, name_of, warm_up
from .session import judge_all
from .targets import TARGETS

AIM_PERCENT = 95.0
ROOT = Path(__file__).parents[2]
_PLAIN = "image/boards/"  # modules that swap.py can change in place
# A mutant whose tests take this much longer than those of the unchanged file has never ended.
_PATIENCE, _LEAST_LIMIT_S = 8.0, 10.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mutant's fate."""

    path: str
    mutant: Mutant
    verdict: Verdict


def main() -> int:
    """Run, print survivors and the kill rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="only these (parts of names do)")
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant")
    parser.add_argument("--first", action="store_true", help="with the first tests of each alone")
    parser.add_argument("--minutes", type=float, default=0.0, help="end after so long")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    # Fewer random examples each, and the same ones: what they would find, the plain run finds.
    os.environ |= {"SAINT_TEST_EXAMPLES": "12", "SAINT_TEST_SEED": "1"}
    chosen = [path for path in TARGETS if not arguments.files or _is_named(path, arguments.files)]
    until = time.monotonic() + arguments.minutes * 60 if arguments.minutes else float("inf")
    warm_up()
    outcomes: list[Outcome] = []
    for path in chosen:
        stages = TARGETS[path][:1] if arguments.first else TARGETS[path]
        outcomes += _file(path, stages, arguments.every, until)
    return _report(outcomes)


def _is_named(path: str, parts: list[str]) -> bool:
    return any(part in path for part in parts)


def _file(
    path: str, stages: tuple[tuple[str, ...], ...], every: int, until: float
) -> list[Outcome]:
    if path.startswith(_PLAIN):
        return _plain_file(path, stages, every, until)
    source = Path(path).read_text()
    began_s = time.monotonic()
    if judge(name_of(Path(path)), source, stages) != "survived":
        sys.exit(f"{path}: its tests fail without any change; repair them first")
    limit_s = _LEAST_LIMIT_S + _PATIENCE * (time.monotonic() - began_s)
    outcomes = []
    known = EQUIVALENT.get(path, {})
    made = [each for each in mutants(source) if not each.is_one_of(known)][::every]
    for number, mutant in enumerate(made, start=1):
        if time.monotonic() > until:
            print(f"{path}: out of time after {number - 1} of {len(made)}")
            break
        verdict = judge(name_of(Path(path)), mutant.source, stages, limit_s)
        outcomes.append(Outcome(path, mutant, verdict))
        if verdict == "survived":
            print(f"{path}:{mutant.line}: survived: {mutant.what} in {mutant.where}", flush=True)
    print(f"{path}: {_rate(outcomes)}, {len(known)} equivalent", flush=True)
    return outcomes


def _plain_file(
    path: str, stages: tuple[tuple[str, ...], ...], every: int, until: float
) -> list[Outcome]:
    """Judge the mutants of a module without decorators: they share one collection of the tests."""
    source, name = Path(path).read_text(), name_of(Path(path))
    known = EQUIVALENT.get(path, {})
    made = [each for each in mutants(source) if not each.is_one_of(known)][::every]
    tests = [test for stage in stages for test in stage]
    found = judge_all(name, [source, *(each.source for each in made)], tests)
    if next(found)[0] != "survived":
        sys.exit(f"{path}: its tests fail without any change; repair them first")
    outcomes = []
    for mutant, (verdict, _) in zip(made, found, strict=True):
        judged = verdict or judge(name, mutant.source, stages)
        outcomes.append(Outcome(path, mutant, judged))
        if judged == "survived":
            print(f"{path}:{mutant.line}: survived: {mutant.what} in {mutant.where}", flush=True)
        if time.monotonic() > until:
            print(f"{path}: out of time after {len(outcomes)} of {len(made)}")
            break
    print(f"{path}: {_rate(outcomes)}, {len(known)} equivalent", flush=True)
    return outcomes


def _report(outcomes: list[Outcome]) -> int:
    if not outcomes:
        print("There is no such file.")
        return 2
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    print(f"all: {_rate(outcomes)}; {verdicts['timeout']} of them never ended")
    return 0 if _percent(outcomes) >= AIM_PERCENT else 1


def _rate(outcomes: list[Outcome]) -> str:
    killed = sum(outcome.verdict != "survived" for outcome in outcomes)
    return f"{killed} of {len(outcomes)} mutants killed, {_percent(outcomes):.1f} %"


def _percent(outcomes: list[Outcome]) -> float:
    killed = sum(outcome.verdict != "survived" for outcome in outcomes)
    return 100.0 * killed / max(len(outcomes), 1)


if __name__ == "__main__":
    sys.exit(main())
