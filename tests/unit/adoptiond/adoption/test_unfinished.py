"""What the reports of nodes say of adoptions whose end was not seen. Times are typed by hand."""

from dataclasses import replace

from saint_services.adoptiond import logic, membership, views
from saint_services.adoptiond.adoption import unfinished
from saint_services.adoptiond.registry import Bond, Catalog, PendingAdoption, Registry, RoleKey
from saint_services.lib.generated.saint_msgs import NodeAnnouncement, NodeStatus

HEAD, TRACKS = RoleKey("head"), RoleKey("tracks")
WANTED = PendingAdoption(HEAD, "Head Unit", person="Ada")
KEY = "5a" * 32


def announced(registry: Registry, now_s: float, state: str = "unadopted") -> Registry:
    message = NodeAnnouncement(node_id="pi_1", state=state)
    changed = logic.announcement_received(registry, message, now_s, "")
    assert changed is not None
    return changed


def working(registry: Registry, now_s: float, key: RoleKey = HEAD) -> Registry:
    message = NodeStatus(node_id="pi_1", state="active", role=key.role)
    changed = logic.status_received(registry, "pi_1", message, now_s, "")
    assert changed is not None
    return changed


def interrupted(wanted: PendingAdoption = WANTED) -> Registry:
    """An adoption that ended at 10 s without an answer."""
    registry = announced(Registry(), 9.0)
    registry = logic.begin_adoption(registry, frozenset({HEAD, TRACKS}), "pi_1", wanted, 9.0)
    return unfinished.interrupted(registry, "pi_1", 10.0)


def judged(registry: Registry, now_s: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = unfinished.judged(registry, now_s)
    return found.adopted, found.not_adopted


def test_reports_count_from_five_seconds_after_the_end() -> None:
    assert judged(announced(interrupted(), 14.9), 14.9) == ((), ())
    assert judged(announced(interrupted(), 15.1), 15.1) == ((), ("pi_1",))
    assert judged(working(interrupted(), 15.1), 15.1) == (("pi_1",), ())


def test_node_that_is_busy_or_offline_is_not_judged() -> None:
    assert judged(announced(interrupted(), 20.0, "adopting"), 20.0) == ((), ())
    assert judged(working(interrupted(), 20.0), 30.0) == ((), ())


def test_node_that_works_in_another_role_was_not_adopted() -> None:
    assert judged(working(interrupted(), 20.0, TRACKS), 20.0) == ((), ("pi_1",))


def test_finished_adoption_has_name_and_role_and_ends_a_replacement() -> None:
    registry = interrupted(replace(WANTED, replaces="pi_0"))
    registry = working(registry, 20.0)
    old = replace(registry.nodes["pi_1"], node_id="pi_0")
    registry = replace(registry, nodes={**registry.nodes, "pi_0": old})
    done = unfinished.finished(registry, "pi_1")
    kept = done.nodes["pi_1"].kept
    assert (kept.role, kept.display_name, kept.replaced_by) == ("head", "Head Unit", "")
    assert done.nodes["pi_0"].kept.replaced_by == "pi_1"
    assert not done.unfinished and not done.pending


def test_unfinished_adoption_survives_a_restart_and_is_forgotten_with_its_node() -> None:
    again = logic.restored(logic.saved(interrupted()), 100.0)
    assert again.unfinished["pi_1"].wanted == WANTED
    assert again.unfinished["pi_1"].since_s == 100.0
    assert not logic.forget(again, "pi_1").unfinished


def test_node_that_never_comes_back_is_forgotten_as_any_other() -> None:
    assert "pi_1" in logic.sweep(interrupted(), 60.0).nodes
    swept = logic.sweep(interrupted(), 70.0)
    assert "pi_1" not in swept.nodes
    assert judged(working(swept, 80.0), 80.0) == (("pi_1",), ())  # late, but it was adopted


def test_node_is_not_reset_as_replaced_while_its_adoption_is_unfinished() -> None:
    registry = working(interrupted(), 20.0)
    node = registry.nodes["pi_1"]
    gone = node.kept.model_copy(update={"replaced_by": "pi_2"})
    registry = logic.with_node(registry, replace(node, kept=gone))
    assert membership.work(registry, KEY, 20.0).to_reset == ()
    dropped = unfinished.dropped(registry, "pi_1")
    assert membership.work(dropped, KEY, 20.0).to_reset == ("pi_1",)


def test_node_of_this_server_with_an_unknown_key_says_what_takes_it_in() -> None:
    registry = working(Registry(), 0.0)
    node = replace(registry.nodes["pi_1"], bond=Bond("ab" * 32, "SAINT-01", KEY, "123 456"))
    registry = logic.with_node(registry, node)
    catalog = Catalog("SAINT-01", {}, KEY)
    said = views.node_info(registry, catalog, node, 0.0).reason
    assert said.endswith("which does not know its key; adopt it again as head to take it in")
    kept = node.kept.model_copy(update={"node_key": "ab" * 32})
    known = replace(node, kept=kept)
    assert "does not know its key" not in views.node_info(registry, catalog, known, 0.0).reason
