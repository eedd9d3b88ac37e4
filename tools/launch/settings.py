"""The settings of a simulated robot that differ from a real one's. A file that is there stays: it
may have been edited.
"""

import json
from pathlib import Path

USB = "usb"  # below the robot's folder: stands for the places where a USB stick shows up
# How long a new release may take to be well: a laptop boots in seconds, and a user watches.
_QUICK = "health_timeout_s: 60\nhealth_settle_s: 1\n"
_SOUND = "microphone: default\nloudspeaker: default\n"
_FORMATS = ("llf", "json", "vmc", "ifacialmocap", "lines")
_NOTE = "# Written by make run for the simulation; yours to edit (--fresh writes it again)."


def server(
    rc_tty: Path, root: Path, named: str = "", *, is_locked: bool = False, preset: str = ""
) -> dict[str, str]:
    """Of the server's daemons; `named`: a robot other than SAINT; `is_locked`: its pages require a
    sign-in, as those of a robot that was just flashed; `preset`: of its first routes.
    """
    others = robot(named, "adoptiond", "routerd", "teleopd") if named else {}
    others["teleopd.yaml"] = others.get("teleopd.yaml", "") + _SOUND
    if preset:
        others["routerd.yaml"] = others.get("routerd.yaml", "") + f"preset: {preset}\n"
    return others | {
        "rcd.yaml": (
            "rc_receiver:\n  enabled: true\n  protocol: crsf\n"
            f"  uart:\n    device: {json.dumps(str(rc_tty))}\n"
            # A simulated transmitter comes and goes; then the page and programs drive.
            "  failsafe:\n    action: passthrough\n"
        ),
        # Programs on this computer, such as --feed, may send faces; a phone is accepted once.
        "livelinkd.yaml": "senders:\n"
        + "".join(f"  - {{format: {each}, address: 127.0.0.1}}\n" for each in _FORMATS),
        "webd.yaml": pages(named, is_locked=is_locked),
        "otad.yaml": (
            f"address: 127.0.0.1\nimport_folders:\n  - {json.dumps(str(root / USB))}\n{_QUICK}"
        ),
    }


def pages(named: str, *, is_locked: bool) -> str:
    """Of webd. The pages are reachable from this computer only, so no sign-in is needed."""
    required = "true" if is_locked else "false"
    return (f"robot: {named}\n" if named else "") + f"auth:\n  required: {required}\n"


def robot(name: str, *daemons: str) -> dict[str, str]:
    """Which manifest below manifests/robots/ is theirs."""
    return {f"{daemon}.yaml": f"robot: {name}\n" for daemon in daemons}


def node() -> dict[str, str]:
    """Of a node's daemons."""
    return {"noded.yaml": _QUICK}


def board(base: Path) -> dict[str, str]:
    """Of a simulated board that rides on the tracks of another one."""
    return {"board.yaml": f"base: {json.dumps(str(base))}\n"}


def write(config: Path, files: dict[str, str]) -> None:
    """Into a machine's folder for settings."""
    config.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        if not (config / name).exists():
            (config / name).write_text(f"{_NOTE}\n{text}", encoding="utf-8")


def lock_pages(config: Path, named: str, *, is_locked: bool) -> None:
    """Switch the sign-in of a file that make run wrote; one that was edited stays."""
    file = config / "webd.yaml"
    other = f"{_NOTE}\n{pages(named, is_locked=not is_locked)}"
    if file.exists() and file.read_text(encoding="utf-8") == other:
        file.unlink()
