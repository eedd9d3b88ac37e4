"""A robot with 128 outputs that 64 input values drive: SAINT's own and so many more arms, 16 RC
channels and a subject of 48 values. Not here: what is measured, and what else is around it.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from saint_services.lib.api.routing import Route

ROOT = Path(__file__).resolve().parents[2]
OUTPUTS = 128
SUBJECT_VALUES = 48  # RC has the other 16
SUBJECT = "Bench"
PERIOD_S = 1 / 60  # of the subject
_MANIFESTS = ROOT / "manifests"
_ARM, _SIDE = "roles/arms_left.yaml", "left"
_RC = [
    {"from": "channel_2", "to": "linear", "deadzone": 0.05, "scale": 1.5},
    {"from": "channel_1", "to": "angular", "deadzone": 0.05, "scale": -3.0},
]
_STOP = [{"from": "channel_6", "to": "estop", "mode": "switch", "threshold": 0.5}]


def share(folder: Path) -> Path:
    """A folder for SAINT_SHARE: this checkout's, with the wide robot in the place of saint."""
    folder.mkdir()
    (folder / "web").symlink_to(ROOT / "web")
    manifests = folder / "manifests"
    manifests.mkdir()
    for path in _MANIFESTS.iterdir():
        if path.name not in ("robots", "roles", "routes"):
            (manifests / path.name).symlink_to(path)
    robot, roles = _robot()
    _write(manifests / "robots/saint.yaml", robot)
    for place, role in roles.items():
        _write(manifests / place, role)
    _write(manifests / "routes/default.yaml", {"routes": list(_routes(list(roles.values())))})
    return folder


def filtered(routes: list[Route]) -> list[Route]:
    """The same routes with a filter in each mapping to an output: low-pass for sticks, one-euro for
    the subject.
    """
    return [_filtered(route) for route in routes]


def _filtered(route: Route) -> Route:
    kind = "low_pass" if route.input.source == "rc" else "one_euro"
    assert route.mapping != "passthrough"
    mapping = [
        each if each.to == "estop" else each.model_copy(update={"filter": kind})
        for each in route.mapping
    ]
    return route.model_copy(update={"mapping": mapping})


def by_sticks(routes: list[Route], channels: Sequence[str]) -> list[Route]:
    """The same routes, of whose first outputs RC channels drive one each instead of the subject."""
    left = iter(channels)
    moved: list[Route] = []
    for route in routes:
        assert route.mapping != "passthrough"
        if route.input.source == "rc":
            continue
        arrows = [
            arrow.model_copy(update={"from_": channel})
            for arrow, channel in zip(route.mapping, left, strict=False)
        ]
        rc = route.input.model_copy(update={"source": "rc"})
        name = f"sticks_{route.id}"
        moved.append(route.model_copy(update={"id": name, "input": rc, "mapping": arrows}))
    return [*routes, *moved]


def datagrams() -> list[bytes]:
    """The subject in two poses, so near to each other that no output has to slow down."""
    names = [f"v{number:02}" for number in range(SUBJECT_VALUES)]
    return [
        json.dumps(
            {SUBJECT: {"Parameter": [{"Name": name, "Value": value} for name in names]}}
        ).encode()
        for value in (0.500, 0.505)
    ]


def added_topics() -> list[tuple[str, str]]:
    """Name and type of every command of the arms that SAINT does not have."""
    own = {each["config"] for each in _read("robots/saint.yaml")["roles"]}
    return [
        (command["topic"], command["type"])
        for path, role in _robot()[1].items()
        if path not in own
        for command in role["commands"].values()
    ]


def _robot() -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Its manifest, and its roles by path."""
    robot = _read("robots/saint.yaml")
    roles = {each["config"]: _read(each["config"]) for each in robot["roles"]}
    missing = OUTPUTS - sum(len(role.get("fields", {})) for role in roles.values())
    for number in itertools.count(1):
        if missing <= 0:
            return robot, roles
        arm = _arm(f"bench_{number:02}", missing)
        missing -= len(arm["fields"])
        path = f"roles/{arm['instance']}.yaml"
        roles[path] = arm
        robot["roles"].append({"role": "arms", "instance": arm["instance"], "config": path})
    raise AssertionError("unreachable")


def _arm(name: str, most: int) -> dict[str, Any]:
    """One more arm like the left one, with at most so many fields and nothing but these."""
    text = (_MANIFESTS / _ARM).read_text(encoding="utf-8")
    arm: dict[str, Any] = yaml.safe_load(text.replace(f"/arms/{_SIDE}", f"/arms/{name}"))
    kept = ("role", "version", "topic_prefix", "deadline_ms")
    fields = dict(itertools.islice(arm["fields"].items(), most))
    used = {field["command"] for field in fields.values()}
    commands = {key: command for key, command in arm["commands"].items() if key in used}
    mine = {"instance": name, "commands": commands, "fields": fields}
    return {key: arm[key] for key in kept} | mine


def _routes(roles: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """RC drives the tracks and stops; the subject drives all else."""
    yield _route("rc_drive", {"source": "rc"}, "tracks", _RC)
    yield _route("rc_estop", {"source": "rc"}, "*", _STOP, priority=1000)
    values = itertools.cycle(f"v{number:02}" for number in range(SUBJECT_VALUES))
    for role in roles:
        target = ".".join(filter(None, (role["role"], role.get("instance", ""))))
        if target != "tracks" and role.get("fields"):
            arrows = [_arrow(next(values), *item) for item in role["fields"].items()]
            yield _route(f"subject_{target}", {"source": "livelink"}, target, arrows)


def _arrow(value: str, name: str, field: dict[str, Any]) -> dict[str, Any]:
    """The middle fifth of the field's range."""
    low, high = field["limits"]
    return {
        "from": value,
        "to": name,
        "scale": 0.2 * (high - low),
        "offset": 0.9 * low + 0.1 * high,
    }


def _route(
    name: str, source: dict[str, str], target: str, mapping: object, **more: object
) -> dict[str, Any]:
    return {"id": name, "input": source, "output": {"target": target}, "mapping": mapping} | more


def _read(path: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((_MANIFESTS / path).read_text(encoding="utf-8"))
    return found


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
