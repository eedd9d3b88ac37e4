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

AIM_PERCENT = 95.0
ROOT = Path(__file__).parents[2]
_UNIT = "tests/unit/routerd/test_router_"
_BOARD = ("tests/safety/test_router_board.py", "tests/safety/test_router_board_loss.py")
_ALL = (
    *(f"{_UNIT}{name}.py" for name in ("arbitration", "loss", "signal", "blending", "control")),
    "tests/safety/test_router_estop.py",
    "tests/safety/test_router_after_stop.py",
    *(
        f"tests/safety/test_router_{name}.py"
        for name in ("edges", "plans", "claims", "motion", "board")
    ),
    *_BOARD,
    *(f"{_UNIT}{name}.py" for name in ("mapping", "modifiers", "routes", "sources", "reasons")),
    *(f"{_UNIT}{name}.py" for name in ("messages", "other_robots", "commands")),
    "tests/unit/saintctl/test_route_vectors.py",
    "tests/unit/saintctl/test_route_test.py",
    "tests/property/test_router_properties.py",
    "tests/safety/test_router_machine.py",
    "tests/safety/test_router_limits.py",
)
_ROLE_RIGS = ("tests/safety/test_role_tracks.py", "tests/safety/test_role_joints.py")
_ROLE = ("tests/unit/role/test_axis.py", "tests/unit/role/test_role_host.py")
_ROUTERD: dict[str, tuple[str, ...]] = {
    "mapping": ("mapping", "modifiers"),
    "claims": ("arbitration", "blending", "modifiers"),
    "motion": ("loss", "blending"),
    "arbitration": ("arbitration", "blending"),
    "board": ("loss", "blending"),
    "estop": (),
    "locks": ("control",),
    "logic": ("arbitration", "loss"),
    "plan": ("routes", "arbitration"),
    "sources": ("sources",),
    "source_classes": ("sources",),
    "intake": ("sources",),
    "routes": ("routes", "sources", "other_robots"),
    "targets": ("messages",),
    "modifiers": ("messages", "modifiers"),
    "preview": ("commands",),
    "report": ("reasons",),
}


def _stages(*stages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """What notices most in least time comes first: the first stage that fails ends it. None runs
    twice.
    """
    found: list[tuple[str, ...]] = []
    for stage in stages:
        found.append(tuple(path for path in stage if not any(path in each for each in found)))
    return tuple(stage for stage in found if stage)


def _router(name: str) -> tuple[tuple[str, ...], ...]:
    direct = {
        "claims": ("tests/safety/test_router_claims.py",),
        "arbitration": ("tests/safety/test_router_claims.py",),
        "motion": ("tests/safety/test_router_motion.py",),
        "board": _BOARD,
    }
    own = tuple(f"{_UNIT}{each}.py" for each in _ROUTERD[name])
    edges = tuple(f"tests/safety/test_router_{each}.py" for each in ("edges", "plans", "estop"))
    return _stages(direct.get(name, ()), (*own, *edges), _ALL)


TARGETS: dict[str, tuple[tuple[str, ...], ...]] = {
    **{f"saint_services/routerd/{name}.py": _router(name) for name in _ROUTERD},
    "saint_services/role_tracksd/logic.py": _stages(
        ("tests/unit/role_tracksd/test_tracks_logic.py",), (*_ROLE_RIGS, *_ROLE)
    ),
    "saint_services/lib/role/axis.py": _stages(
        ("tests/safety/test_role_axis.py", _ROLE[0]), (*_ROLE_RIGS, *_ROLE)
    ),
    "saint_services/lib/role/gate.py": _stages(
        ("tests/safety/test_role_gate.py",), (*_ROLE_RIGS, *_ROLE)
    ),
    **{
        f"saint_services/lib/role/{name}.py": _stages(
            (f"tests/unit/role/test_{name}.py",), (*_ROLE_RIGS, *_ROLE)
        )
        for name in ("trajectory", "collisions", "homing")
    },
    "saint_services/role_tracksd/stall.py": _stages(
        ("tests/unit/role_tracksd/test_stall.py",), _ROLE_RIGS
    ),
    "saint_services/lib/stall.py": _stages(
        ("tests/property/test_stall_watch.py",), ("tests/unit/routerd/test_router_stall.py",)
    ),
    "saint_services/rcd/telling.py": _stages(
        ("tests/property/test_rc_telling.py",), ("tests/safety/test_rc_limits.py",)
    ),
    "saint_services/lib/limits.py": _stages(
        ("tests/unit/lib/test_limits.py",), (*_ROLE_RIGS, *_ROLE)
    ),
}


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
        outcomes += _file(path, arguments.every, until)
    return _report(outcomes)


def _is_named(path: str, parts: list[str]) -> bool:
    return any(part in path for part in parts)


def _file(path: str, every: int, until: float) -> list[Outcome]:
    source = Path(path).read_text()
    stages = TARGETS[path]
    if judge(name_of(Path(path)), source, stages) != "survived":
        sys.exit(f"{path}: its tests fail without any change; repair them first")
    outcomes = []
    known = EQUIVALENT.get(path, {})
    made = [each for each in mutants(source) if each.what not in known][::every]
    for number, mutant in enumerate(made, start=1):
        if time.monotonic() > until:
            print(f"{path}: out of time after {number - 1} of {len(made)}")
            break
        verdict = judge(name_of(Path(path)), mutant.source, stages)
        outcomes.append(Outcome(path, mutant, verdict))
        if verdict == "survived":
            print(f"{path}:{mutant.line}: survived: {mutant.what}", flush=True)
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
