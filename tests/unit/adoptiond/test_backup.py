"""The registry in a backup: nodes that are there keep what they are, and get their names back."""

from saint_services.adoptiond.backup import restored
from saint_services.adoptiond.registry import Node, Registry
from saint_services.adoptiond.state import SavedNode, SavedRegistry

NOW_S = 100.0


def test_node_that_is_there_keeps_its_role_and_gets_its_name_back() -> None:
    online = Node("pi_1", SavedNode(display_name="X", role="head"), seen_s=NOW_S)
    saved = SavedRegistry(nodes={"pi_1": SavedNode(display_name="Head", role="tracks")})
    kept = restored(Registry({"pi_1": online}), saved, NOW_S).nodes["pi_1"].kept
    assert (kept.display_name, kept.role) == ("Head", "head")


def test_node_that_is_away_is_as_it_was_saved_or_forgotten() -> None:
    away = Node("pi_1", SavedNode(role="head"))
    gone = Node("pi_2", SavedNode(role="tracks"))
    saved = SavedRegistry(nodes={"pi_1": SavedNode(role="console"), "no token!": SavedNode()})
    nodes = restored(Registry({"pi_1": away, "pi_2": gone}), saved, NOW_S).nodes
    assert {name: node.kept.role for name, node in nodes.items()} == {"pi_1": "console"}
