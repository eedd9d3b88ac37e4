"""The order in which services end, on invented and on shipped units."""

from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.launch.unit_files import end_order, units
from tools.launch.unit_files.end_order import After

ROOT = Path(__file__).resolve().parents[4]
NODE: After = {
    "guard": ("network.target",),
    "node": ("guard",),
    "head": ("guard", "node"),
    "tracks": ("guard", "node"),
    "router": (),
}
OWN_S = {"guard": 3.0, "node": 2.0, "head": 5.0, "tracks": 4.0, "router": 9.0}


def test_roles_end_before_the_node_and_the_guard() -> None:
    assert end_order.due(NODE, set()) == ["head", "tracks", "router"]
    assert end_order.due(NODE, {"head", "router"}) == ["tracks"]
    assert end_order.due(NODE, {"head", "router", "tracks"}) == ["node"]
    assert end_order.due(NODE, {"head", "router", "tracks", "node"}) == ["guard"]
    assert end_order.due(NODE, set(NODE)) == []


def test_limit_is_that_of_the_longest_chain() -> None:
    assert end_order.limit_s(NODE, OWN_S) == 10.0
    assert end_order.limit_s(NODE, OWN_S | {"router": 11.0}) == 11.0
    assert end_order.limit_s({}, {}) == 0.0


def test_circle_is_found_and_named() -> None:
    assert end_order.circle(NODE) == []
    assert end_order.circle({**NODE, "guard": ("head",)}) in (
        ["guard", "head"],
        ["guard", "head", "node"],
    )


def test_units_in_a_circle_are_refused(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        text = f"[Unit]\nPartOf=x.target\nAfter={other}.service\n[Service]\nExecStart=/bin/{name}\n"
        (tmp_path / f"{name}.service").write_text(text, encoding="utf-8")
    (tmp_path / "x.target").write_text("[Unit]\n", encoding="utf-8")
    with pytest.raises(SaintError, match=r"a\.service.*circle: a\.service, b\.service"):
        units.load(tmp_path)


def test_shipped_guard_outlasts_the_node_and_the_node_its_roles() -> None:
    shipped = units.load(ROOT / "systemd").services
    node = {n: u.after for n, u in shipped.items() if "saint-node.target" in _targets(n)}
    roles = {name for name in node if "role-" in name}
    assert set(end_order.due(node, set())) == roles
    assert end_order.due(node, roles) == ["saint-noded.service"]
    assert end_order.due(node, {*roles, "saint-noded.service"}) == ["saint-guardd.service"]


def _targets(name: str) -> tuple[str, ...]:
    folder = units.load(ROOT / "systemd")
    wanting = [folder.services[name].wanted_by, *(s.wanted_by for s in folder.sockets_of(name))]
    return tuple(target for targets in wanting for target in targets)
