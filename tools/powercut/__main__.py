"""`python -m tools.powercut`: record, cut, judge, boot. `make test-powercut` does all of it.

    record   run the sessions of scenarios.py in a virtual machine whose disk is recorded
    judge    every moment of the recordings, and more states of it, without booting
    boot     some of the judged cuts in a virtual machine, to the end
    show     one cut: what it lost, what is wrong with it
    all      the three in their order, then the result as a table

What was recorded and judged is kept in build/powercut; a run that was broken off goes on.
"""

import argparse
import sys
from pathlib import Path

from . import commands
from .scenarios import SESSIONS, USUAL

_ROOT = Path(__file__).resolve().parents[2]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.powercut",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs="?", default="all", choices=sorted(commands.COMMANDS))
    parser.add_argument("cut", nargs="*", help="show: the recording and the cut")
    parser.add_argument("--only", default="", help="these sessions, with commas")
    parser.add_argument("--cuts", type=int, default=12_000, help="how many, over all recordings")
    parser.add_argument("--boots", type=int, default=30, help="how many of them are booted")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=_ROOT / "build" / "powercut")
    parser.add_argument("--again", action="store_true", help="record again what is there")
    return parser.parse_args()


def main() -> int:
    chosen = _arguments()
    names = [name for name in chosen.only.split(",") if name] or list(USUAL)
    unknown = sorted(set(names) - set(SESSIONS))
    if unknown:
        print(f"There is no session {unknown[0]!r}; there are: {', '.join(SESSIONS)}")
        return 2
    work = commands.Work(
        chosen.folder, tuple(names), chosen.seed, chosen.cuts, chosen.boots, chosen.processes
    )
    return commands.COMMANDS[chosen.command](work, chosen)


if __name__ == "__main__":
    sys.exit(main())
