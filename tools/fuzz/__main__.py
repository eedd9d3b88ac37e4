"""`make fuzz`: every parser, or those named, for a while. Exit code 1 when one crashed, hung, took
too much memory or gave a value out of range; the input that did it is kept and named.

    make fuzz ARGS="--seconds 60 crsf messages"
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

from tools.fuzz.corpus import ROOT, seeds
from tools.fuzz.targets import TARGETS

FOLDER = ROOT / "build" / "fuzz"
LIBRARY = FOLDER / "lib"  # atheris lies here and not in .venv
HANG_S = 5
MEMORY_MB = 1024
LONGEST_BYTES = 4096


def run(name: str, seconds: int) -> list[Path]:
    """Fuzz one parser; inputs that broke it."""
    corpus, crashes = FOLDER / "corpus" / name, FOLDER / "crashes"
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds(name)):
        (corpus / f"seed-{number}").write_bytes(data)
    before = set(crashes.glob(f"{name}-*"))
    command = [
        sys.executable, "-m", "tools.fuzz.run", name, str(corpus),
        f"-artifact_prefix={crashes / name}-", f"-max_total_time={seconds}",
        f"-timeout={HANG_S}", f"-rss_limit_mb={MEMORY_MB}", f"-max_len={LONGEST_BYTES}",
        "-verbosity=0", "-print_final_stats=1",
    ]  # fmt: skip
    paths = os.pathsep.join((str(ROOT), str(LIBRARY)))
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True,
        timeout=seconds * 2 + 120, check=False,
    )  # fmt: skip
    found = sorted(set(crashes.glob(f"{name}-*")) - before)
    runs = _number(done.stderr, "stat::number_of_executed_units:")
    print(f"{name:14}{runs:>10} inputs, {len(list(corpus.iterdir())):>5} kept", flush=True)
    if done.returncode or found:
        print(done.stdout[-2000:] + done.stderr[-4000:], file=sys.stderr)
        return found or [corpus]
    return []


def _number(text: str, label: str) -> int:
    after = text.rpartition(label)[2].split()
    return int(after[0]) if label in text and after else 0


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=30, help="for each parser")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in TARGETS]:
        parser.error(f"there is no parser {unknown[0]!r}; there are {', '.join(TARGETS)}")
    sys.path.append(str(LIBRARY))
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed; say `make fuzz` (Linux, x86_64)", file=sys.stderr)
        return 3
    began_s = time.monotonic()
    broken = {name: run(name, options.seconds) for name in options.names or TARGETS}
    failed = {name: paths for name, paths in broken.items() if paths}
    for name, paths in failed.items():
        print(f"{name} was broken by {', '.join(map(str, paths))}")
    print(f"took {time.monotonic() - began_s:.0f} s, {len(failed)} of {len(broken)} broken")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
