"""What a data partition says after a cut, read with the product's own classes.

A file that the product cannot read is a fault; what it can read becomes facts, which promises.py
holds against what was promised. Not here: how the partition comes back (filesystems.py).
"""

import configparser
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from saint_services.adoptiond.state import registry_store
from saint_services.lib.state import StateStore
from saint_services.lib.update.record import store as update_store
from saint_services.noded.state import NodeFiles, NodeIdentity
from saint_services.otad.state import SavedFirmware
from saint_services.rcd.state import store_in as rc_store
from saint_services.routerd.estop.latch_start import after_start
from saint_services.routerd.state import routes_store
from saint_services.setup.kept_settings import kept_store

T = TypeVar("T", bound=BaseModel)

# Folders of the data partition that are read; the rest (bundles, hash indexes, logs) is not state.
ROBOT = "robot"
FOLDERS = ("/system", "/ssh", "/saint", "/rauc", "/setup", f"/{ROBOT}")
ROUTE_ON, ROUTE_OFF = "on", "off"  # a route that is not there has the fact ""
SETTINGS_FILE = "saint.yaml"
_HOST_KEY = "ssh_host_ed25519_key"


@dataclass(slots=True)
class Found:
    """Facts by name, and what is wrong."""

    facts: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def read(data: Path) -> Found:
    """Everything that a copy of the data partition's files shows."""
    found = Found()
    for reader in (_machine_id, _host_keys, _rauc, _setup):
        reader(data, found)
    for name, state in _machines(data):
        found.faults += _cut_off(state)  # first: the readers set aside what they cannot read
        one = Found()
        for daemon, read_daemon in _DAEMONS.items():
            if (state / daemon).is_dir():
                read_daemon(state / daemon, one)
        found.facts |= {f"{name}{fact}": value for fact, value in one.facts.items()}
        found.faults += [f"{name}{fault}" for fault in one.faults]
    found.faults += _set_aside(data)
    return found


def _machines(data: Path) -> Iterator[tuple[str, Path]]:
    """The machine itself, and those of a simulated robot that keeps its state here."""
    yield "", data / "saint"
    for path in sorted((data / ROBOT).glob("*/state")):
        yield f"{path.parent.name}:", path


def _cut_off(state: Path) -> Iterator[str]:
    """The beginning of a YAML text is a YAML text: only its last byte shows that it is whole."""
    for path in sorted(state.rglob("*")):
        if path.suffix in _IS_WHOLE and path.is_file() and not _IS_WHOLE[path.suffix](path):
            yield f"{path.relative_to(state)} is cut off ({path.stat().st_size} bytes)"


def _is_whole_json(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


_IS_WHOLE: dict[str, Callable[[Path], bool]] = {
    ".yaml": lambda path: path.read_bytes().endswith(b"\n"),
    ".json": _is_whole_json,
    ".key": lambda path: re.fullmatch(rb"[0-9a-f]{64}\n", path.read_bytes()) is not None,
}


def _set_aside(data: Path) -> Iterator[str]:
    for path in sorted(data.rglob("*.damaged-*")):
        yield f"{path.relative_to(data)}: a state file was damaged and set aside"


def _machine_id(data: Path, found: Found) -> None:
    path = data / "system" / "machine-id"
    text = path.read_text() if path.exists() else ""
    if text and (len(text.strip()) != 32 or set(text.strip()) - set("0123456789abcdef")):
        found.faults.append(f"system/machine-id holds {text!r}")
    found.facts["machine-id"] = text.strip()


def _host_keys(data: Path, found: Found) -> None:
    """Half a pair, or a key cut off, would lock everybody out."""
    private, public = data / "ssh" / _HOST_KEY, data / "ssh" / f"{_HOST_KEY}.pub"
    if not private.exists():
        found.facts["ssh-host-key"] = ""
        return
    text = private.read_text(errors="replace")
    if not text.startswith("-----BEGIN") or not text.rstrip().endswith("PRIVATE KEY-----"):
        found.faults.append(f"ssh/{_HOST_KEY} is cut off ({len(text)} bytes)")
    found.facts["ssh-host-key"] = (
        public.read_text(errors="replace").strip() if public.exists() else ""
    )


def _rauc(data: Path, found: Found) -> None:
    """RAUC's own record. RAUC does not sync it: lost, it leaves zeroes, and RAUC begins a new
    one. Anything else must be whole."""
    for path in sorted((data / "rauc").glob("*.raucs")):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(path.read_text().strip("\0"))
        except (configparser.Error, UnicodeDecodeError) as err:
            found.faults.append(f"rauc/{path.name} cannot be read: {type(err).__name__}")


def _setup(data: Path, found: Found) -> None:
    """The settings of the card's owner, once they were taken over."""
    kept = _from(kept_store(data), found)
    claim = kept.machine.claim if kept.machine else None
    if claim:
        found.facts["claim"] = digest(claim.encode())


def claim_in(text: str) -> dict[str, str]:
    """The fact in the owner's file on the firmware partition, while it is there."""
    claim = re.search(r"^claim: (\S+)$", text, re.MULTILINE)
    return {"claim": digest(claim[1].encode())} if claim else {}


def _noded(folder: Path, found: Found) -> None:
    files = NodeFiles(folder)
    roles = files.load_roles().roles
    found.faults += [f"noded: {started.problem}" for started in roles if started.problem]
    wanted = [started.wanted for started in roles if started.wanted]
    found.facts["role"] = " ".join(f"{each.role}:{each.instance}" for each in wanted)
    if configs := [started.held.config.version for started in roles if started.held]:
        found.facts["role-config"] = " ".join(configs)
    _update(folder, found)
    identity = _stored(folder / "identity.yaml", NodeIdentity, found)
    found.facts["node-id"] = identity.node_id
    found.facts["node-name"] = identity.display_name


def _update(folder: Path, found: Found) -> None:
    record = _from(update_store(folder), found)
    if record.pending:
        found.facts["update-pending"] = record.pending.to_slot
    found.facts["update-verdict"] = f"{record.last.verdict}:{record.last.version}"
    found.facts["proven-slots"] = " ".join(sorted(record.slots))


def _adoptiond(folder: Path, found: Found) -> None:
    registry = _from(registry_store(folder), found)
    for node_id, node in registry.nodes.items():
        found.facts[f"registry.{node_id}"] = f"{node.role}:{node.instance}"


def _routerd(folder: Path, found: Found) -> None:
    latch = after_start(folder, 0).latch  # a record that the cut has torn counts as a stop
    found.facts["estop"] = "latched" if latch.active else "open"
    found.facts["estop-generation"] = str(latch.generation)
    for route in _from(routes_store(folder), found).routes or ():
        found.facts[f"route.{route.id}"] = ROUTE_ON if route.enabled else ROUTE_OFF


def _rcd(folder: Path, found: Found) -> None:
    state = _from(rc_store(folder), found)
    found.facts["rc-enabled"] = str(state.enabled).lower()


def _webd(folder: Path, found: Found) -> None:
    path = folder / "token"
    text = path.read_text(errors="replace") if path.exists() else ""
    if path.exists() and len(text.strip()) < 20:
        found.faults.append(f"webd/token is cut off ({len(text)} bytes)")
    found.facts["token"] = digest(text.strip().encode()) if text else ""


def _otad(folder: Path, found: Found) -> None:
    firmware = _stored(folder / "otad.json", SavedFirmware, found)
    found.facts["offered"] = firmware.current


_DAEMONS: dict[str, Callable[[Path, Found], None]] = {
    "noded": _noded,
    "adoptiond": _adoptiond,
    "routerd": _routerd,
    "rcd": _rcd,
    "webd": _webd,
    "otad": _otad,
}


def _stored(path: Path, model: type[T], found: Found) -> T:
    return _from(StateStore(path, model, version=1), found)


def _from(store: StateStore[T], found: Found) -> T:
    value = store.load()
    if store.problem:
        found.faults.append(f"{store.path.name}: {store.problem}")
    return value


def digest(data: bytes) -> str:
    """A short name for a content that is secret or long."""
    return hashlib.sha256(data).hexdigest()[:12]
