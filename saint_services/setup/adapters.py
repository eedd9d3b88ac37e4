"""Accesses the boot partition, the data partition, /run, the host name and systemd for setup. All
paths lie below a root folder, so that tests use real files of their own. No rules.
"""

import contextlib
import os
import pwd
import re
import secrets
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2

from ..lib.machine import setup_report
from ..lib.machine.setup_report import SetupReport
from ..lib.state import write_atomic
from .logic import RADIO, MachineFacts, TemplateFile

_TEMPLATES = Path(__file__).with_name("templates")
_LARGEST_BYTES = 1 << 16
_COMMAND_LIMIT_S = 60.0
_SHORTEST_TOKEN = 20  # webd accepts no shorter one
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without letters that look alike


@dataclass(frozen=True, slots=True)
class SetupPaths:
    """The folders and files of setup."""

    root: Path = Path("/")

    @property
    def firmware(self) -> Path:
        return self.root / "boot/firmware"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def published(self) -> Path:
        """Files that every user may read."""
        return self.root / "run/saint"

    @property
    def report(self) -> Path:
        return self.published / setup_report.FILE

    @property
    def requests(self) -> Path:
        """webd's folder for requests; holds a password for a moment."""
        return self.root / "run/saint-settings"

    @property
    def is_data_lost(self) -> bool:
        """Whether the initrd could not mount the data partition."""
        return (self.root / "run/saint-data-lost").exists()


def read_texts(folder: Path, names: tuple[str, ...]) -> tuple[dict[str, str | None], list[str]]:
    """Return texts by file name, None and a sentence for what cannot be read."""
    texts: dict[str, str | None] = {}
    problems: list[str] = []
    if not is_boot_partition(folder):
        problems.append("the boot partition is not mounted; its last valid settings are in force")
        return dict.fromkeys(names), problems
    for name in names:
        try:
            raw = (folder / name).read_bytes()[: _LARGEST_BYTES + 1]
            if len(raw) > _LARGEST_BYTES:
                raise ValueError(f"the file is longer than {_LARGEST_BYTES} bytes")
            texts[name] = raw.decode("utf-8-sig").replace("\r\n", "\n")  # as Windows writes
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as err:
            texts[name] = None
            problems.append(
                f"{name} on the boot partition cannot be read, and is left as it is: {err}"
            )
    return texts, problems


def facts(root: Path) -> MachineFacts:
    """Return what identifies this computer, and its model."""
    model = ""
    with contextlib.suppress(OSError):
        model = _text(root / "sys/firmware/devicetree/base/model").strip("\0\n ")
    return MachineFacts(_number(root), model)


def _number(root: Path) -> str:
    """Return the serial number of a Pi, else the machine-id made at the first start of the disk."""
    with contextlib.suppress(OSError):
        found = re.search(r"^Serial\s*: 0*([0-9a-f]{4,16})$", _text(root / "proc/cpuinfo"), re.M)
        if found:
            return found[1]
    with contextlib.suppress(OSError):
        serial = _text(root / "sys/firmware/devicetree/base/serial-number").strip("\0\n ").lower()
        if re.fullmatch("[0-9a-f]{4,16}", serial) and serial.strip("0"):
            return serial
    with contextlib.suppress(OSError):
        return _text(root / "etc/machine-id").strip()[:32]
    return ""


def _text(path: Path) -> str:
    return path.read_bytes()[:_LARGEST_BYTES].decode("ascii", "replace")


def kept_secret(path: Path, length: int) -> str:
    """Return a secret of this machine, the same at every start; make it at the first."""
    found = _word(path)
    if len(found) >= length:
        return found
    made = new_secret(length)
    write_atomic(path, made.encode() + b"\n", mode=0o600)
    return made


def new_secret(length: int) -> str:
    """Return a secret that can be read from a screen and typed."""
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


def kept_token(path: Path) -> str:
    """Return webd's token; empty without one."""
    found = _word(path)
    return found if len(found) >= _SHORTEST_TOKEN else ""


def _word(path: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").strip()
    return ""


def render(file: TemplateFile) -> bytes:
    """Return the text of a template file."""
    return _templates().get_template(file.template).render(file.values).encode()


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # no HTML; config.py checks the values
    )
    environment.filters["screen"] = for_screen
    return environment


def put(path: Path, data: bytes, mode: int, owner: str | None = None) -> bool:
    """Write a file if it differs; return whether it did. `owner`: the only user that reads it."""
    with contextlib.suppress(OSError):
        if path.read_bytes() == data and path.stat().st_mode & 0o777 == mode:
            return False
    _make_folder(path.parent)
    write_atomic(path, data, mode)
    if owner is not None:
        with contextlib.suppress(KeyError, PermissionError):  # a developer's machine
            entry = pwd.getpwnam(owner)
            os.chown(path, entry.pw_uid, entry.pw_gid)
            os.chown(path.parent, entry.pw_uid, entry.pw_gid)
    return True


def _make_folder(path: Path) -> None:
    """Make a folder that every user can enter, whatever the umask: networkd and dnsmasq are other
    users. A file that holds a secret has its own mode."""
    for folder in reversed([path, *path.parents]):
        if not folder.is_dir():
            folder.mkdir()
            folder.chmod(0o755)


def account() -> str:
    """Return the login name of the image's user; the user's number is the same in every image."""
    try:
        return pwd.getpwuid(1000).pw_name
    except KeyError:
        return "saint"


def make_host_key(folder: Path) -> bool:
    """Make the ssh host key if there is none; return whether it was made. Complete or absent."""
    key = folder / "ssh_host_ed25519_key"
    if key.exists():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / ".new"
    for leftover in (fresh, folder / ".new.pub"):
        leftover.unlink(missing_ok=True)
    _run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "saint", "-f", str(fresh)])
    write_atomic(folder / f"{key.name}.pub", (folder / ".new.pub").read_bytes(), 0o644)
    write_atomic(key, fresh.read_bytes(), 0o600)
    for leftover in (fresh, folder / ".new.pub"):
        leftover.unlink(missing_ok=True)
    return True


def set_hostname(name: str) -> None:
    """Set the host name until the next boot."""
    if socket.gethostname() != name:
        socket.sethostname(name)


def start(targets: tuple[str, ...]) -> None:
    """Start systemd targets without waiting: setup is part of the boot that starts them."""
    _run(["systemctl", "--no-block", "start", *targets])


def has_radio(root: Path) -> bool:
    """Whether the Wi-Fi device exists."""
    return (root / "sys/class/net" / RADIO).exists()


@contextlib.contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Mount the boot partition writable for a moment."""
    if not os.path.ismount(folder):  # a developer's machine
        yield
        return
    _run(["mount", "-o", "remount,rw", str(folder)])
    try:
        yield
    finally:
        _run(["mount", "-o", "remount,ro", str(folder)])


def put_report(places: SetupPaths, report: SetupReport) -> None:
    """Write the report of this boot's setup, which page, nodes and doctor show."""
    put(places.report, report.model_dump_json(indent=1).encode() + b"\n", 0o644)


def for_screen(text: str) -> str:
    """Return the text as agetty is to read it, which shows a file of /run/issue.d."""
    shown = "".join(each if each.isprintable() or each == "\n" else "?" for each in text)
    return shown.replace("\\", "\\\\")


def add_problem(places: SetupPaths, sentence: str) -> None:
    """Add a sentence to the report of this boot's setup."""
    report = setup_report.read(places.published)
    with contextlib.suppress(OSError):
        put_report(places, report.model_copy(update={"problems": [*report.problems, sentence]}))


def is_boot_partition(folder: Path) -> bool:
    """Whether it is mounted: the bare mount point is empty."""
    with contextlib.suppress(OSError):
        return any(folder.iterdir())
    return False


def _run(command: list[str]) -> None:
    subprocess.run(  # its output goes to the journal
        command, check=True, timeout=_COMMAND_LIMIT_S, stdin=subprocess.DEVNULL
    )
