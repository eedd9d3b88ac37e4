"""Releases for the simulated robot, and faults to try them with.

.venv/bin/python -m tools.fake_rauc make-release 0.2.0
.venv/bin/python -m tools.fake_rauc make-release 0.3.0 --breaks health
.venv/bin/python -m tools.fake_rauc fault head transient
.venv/bin/python -m tools.fake_rauc roll-out 0.2.0       # make, upload, install everywhere
"""

import argparse
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from .bundle_writer import Release, make_keys, write_bundle
from .faults import Fault, Faults

_ROOT = Path(__file__).resolve().parents[2] / ".run"
_BREAKS = {
    "boot": "its kernel does not start",
    "hang": "its services never come up",
    "health": "one of its units fails",
    "role": "its role programs crash",
}
_PAYLOAD_BYTES = 4 << 20
_ROLL_OUT_LIMIT_S = 1800.0


def main() -> int:
    """Command line."""
    options = _parser().parse_args()
    root = options.root.absolute()
    if options.command == "fault":
        if not (root / options.machine).is_dir():
            print(f"{root} has no machine {options.machine}", file=sys.stderr)
            return 4
        Faults(root / options.machine).ask_for(Fault(options.fault))
        return 0
    path = make_release(root, options.version, options.breaks, options.changelog)
    print(path)
    return roll_out(root, path, options.version) if options.command == "roll-out" else 0


def make_release(root: Path, version: str, breaks: str = "", changelog: str = "") -> Path:
    """A signed bundle for the robot in `root`."""
    folder = root / "releases"
    folder.mkdir(parents=True, exist_ok=True)
    release = Release(
        version=version,
        release_date=datetime.now(UTC).date().isoformat(),
        changelog=changelog or f"Simulated release {version}",
        payload=os.urandom(_PAYLOAD_BYTES),
        meta={"breaks": breaks} if breaks else {},
    )
    return write_bundle(folder / f"saint-os-{version}.raucb", release, make_keys(root / "keys"))


def roll_out(root: Path, bundle: Path, version: str) -> int:
    """As a person would, with saintctl."""
    saintctl = (sys.executable, "-m", "saint_services.saintctl", "--run", str(root / "current"))
    for words in (("upload", str(bundle)), ("rollout", version)):
        done = subprocess.run(
            [*saintctl, "firmware", *words], timeout=_ROLL_OUT_LIMIT_S, check=False
        )
        if done.returncode:
            return done.returncode
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.fake_rauc",
        description=(__doc__ or "").partition("\n")[0],
        epilog=(__doc__ or "").partition("\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, help_text in (
        ("make-release", "write a signed release; prints where"),
        ("roll-out", "the same, then bring it to the running robot and install it everywhere"),
    ):
        command = commands.add_parser(name, help=help_text)
        command.add_argument("version")
        words = "; ".join(f"{word}: {what}" for word, what in _BREAKS.items())
        command.add_argument("--breaks", choices=_BREAKS, default="", help=words)
        command.add_argument("--changelog", default="")
        command.add_argument("--root", type=Path, default=_ROOT, help="of make run")
    fault = commands.add_parser("fault", help="let the next installation on a machine go wrong")
    fault.add_argument("machine", help="head, arm_left, arm_right, tracks, console, spare, server")
    fault.add_argument("fault", choices=[fault.value for fault in Fault])
    fault.add_argument("--root", type=Path, default=_ROOT, help="of make run")
    return parser


if __name__ == "__main__":
    sys.exit(main())
