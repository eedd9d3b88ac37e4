"""The registry's rules. Limits are typed by hand."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.adoptiond import logic, membership, node_roles, views
from saint_services.adoptiond.registry import Catalog, PendingAdoption, Registry, RoleKey
from saint_services.adoptiond.state import registry_store
from saint_services.lib.api.adoption import NodeState
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import (
    NodeAnnouncement,
    NodeRole,
    NodeRoles,
    NodeStatus,
    NodeTrust,
    PeripheralInfo,
)

HEAD, LEFT = RoleKey("head"), RoleKey("arms", "left")
ROLES = frozenset({HEAD, LEFT})
DATE = "2026-01-20T14:30:00Z"


def announced(registry: Registry, node_id: str, now_s: float = 0.0, **fields: object) -> Registry:
    message = NodeAnnouncement(node_id=node_id, state="unadopted")
    for name, value in fields.items():
        setattr(message, name, value)
    changed = logic.announcement_received(registry, message, now_s, DATE)
    assert changed is not None
    return changed


def reported(registry: Registry, node_id: str, key: RoleKey, now_s: float = 0.0) -> Registry:
    message = NodeStatus(node_id=node_id, state="active", role=key.role, instance=key.instance)
    changed = logic.status_received(registry, node_id, message, now_s, DATE)
    assert changed is not None
    return changed


def adopt(registry: Registry, node_id: str, key: RoleKey = HEAD, now_s: float = 0.0) -> Registry:
    return logic.begin_adoption(registry, ROLES, node_id, PendingAdoption(key, "Unit"), now_s)


def refusal(
    registry: Registry, node_id: str, key: RoleKey = HEAD, now_s: float = 0.0
) -> SaintError:
    with pytest.raises(SaintError) as caught:
        adopt(registry, node_id, key, now_s)
    return caught.value


def test_node_that_is_not_known_names_the_nearest():
    registry = announced(announced(Registry(), "sim_head"), "sim_arms")
    assert refusal(registry, "sim_haed").message == (
        "node 'sim_haed' is not known; did you mean 'sim_head'?"
    )
    assert refusal(registry, "kitchen").message == "node 'kitchen' is not known"


@pytest.mark.parametrize("node_id", ["", "1pi", "pi-1", "a b", "a/b", "a__b", "é", "x" * 65, "a\0"])
def test_node_id_that_is_no_ros_token_is_refused(node_id: str):
    message = NodeAnnouncement(node_id=node_id)
    assert logic.announcement_received(Registry(), message, 0.0, DATE) is None


def test_status_on_another_nodes_topic_is_refused():
    assert logic.status_received(Registry(), "pi_1", NodeStatus(node_id="pi_2"), 0.0, DATE) is None


def test_words_and_numbers_of_nodes_are_bounded():
    node = announced(
        Registry(),
        "pi_1",
        hardware_model="x" * 10_000,
        reason="a\nb\x1b[31m" + "y" * 10_000,
        state="nonsense",
        cpu_temp=math.nan,
        cpu_usage=math.inf,
        memory_usage=1e30,
        peripherals=(PeripheralInfo(type="i2c", description="z" * 999),) * 1000,
    ).nodes["pi_1"]
    assert len(node.kept.hardware_model) == 64
    assert len(node.reason) <= 240
    assert node.reason.isprintable()
    assert (node.state, node.cpu_temp, node.cpu_usage) == (NodeState.UNADOPTED, 0.0, 0.0)
    assert node.memory_usage == 100.0
    assert len(node.peripherals) == 64
    assert len(node.peripherals[0].description) == 64


def test_registry_holds_256_nodes_and_drops_the_oldest_unknown_node():
    registry = reported(Registry(), "adopted", HEAD)
    for number in range(300):
        registry = announced(registry, f"pi_{number}", now_s=number / 100)
    assert len(registry.nodes) == 256
    assert "adopted" in registry.nodes
    assert "pi_299" in registry.nodes
    assert "pi_0" not in registry.nodes


def test_registry_full_of_adopted_nodes_refuses_unknown_nodes():
    registry = Registry()
    for number in range(256):
        registry = reported(registry, f"pi_{number}", HEAD)
    message = NodeAnnouncement(node_id="pi_new")
    assert logic.announcement_received(registry, message, 0.0, DATE) is None


def test_unadopted_nodes_are_forgotten_after_a_minute_others_never():
    registry = reported(announced(Registry(), "pi_1"), "pi_2", HEAD)
    assert set(logic.sweep(registry, 59.0).nodes) == {"pi_1", "pi_2"}
    assert set(logic.sweep(registry, 61.0).nodes) == {"pi_2"}


def test_node_wins_when_its_role_is_not_what_the_registry_thinks():
    registry = reported(Registry(), "pi_1", HEAD)
    assert reported(registry, "pi_1", LEFT).nodes["pi_1"].key == LEFT
    assert announced(registry, "pi_1").nodes["pi_1"].key is None


def test_adoption_names_the_node_when_it_is_done():
    registry = adopt(announced(Registry(), "pi_1"), "pi_1")
    assert registry.nodes["pi_1"].key is None
    assert registry.display_name("pi_1") == "Unit"
    done = logic.end_adoption(registry, "pi_1", is_adopted=True)
    assert (done.nodes["pi_1"].key, done.nodes["pi_1"].kept.display_name) == (HEAD, "Unit")
    failed = logic.end_adoption(registry, "pi_1", is_adopted=False)
    assert (failed.nodes["pi_1"].key, failed.display_name("pi_1")) == (None, "")
    assert not failed.pending


def test_node_of_another_robot_holds_no_role_of_this_one():
    registry = reported(announced(Registry(), "pi_1"), "pi_2", HEAD)
    theirs = NodeTrust("pi_2", "ab" * 32, "OTHER", "cd" * 32, "123456")
    registry = membership.trust_received(registry, "pi_2", theirs)
    wanted = PendingAdoption(HEAD, "Unit")
    ours = Catalog("SAINT", {}, "ef" * 32)
    assert views.role_choice(registry, ours, HEAD, 0.0).node_id == ""
    begun = logic.begin_adoption(registry, ROLES, "pi_1", wanted, 0.0, "ef" * 32)
    assert "pi_1" in begun.pending
    with pytest.raises(SaintError, match="already holds"):
        logic.begin_adoption(registry, ROLES, "pi_1", wanted, 0.0, "cd" * 32)


def test_adoption_refusals_explain_themselves():
    registry = reported(announced(announced(Registry(), "pi_1"), "pi_3"), "pi_2", HEAD)
    assert refusal(registry, "pi_1").message == "pi_2 already holds head"
    assert refusal(registry, "pi_2", LEFT).message == "pi_2 already holds head"
    assert refusal(registry, "pi_9").code is Code.NOT_FOUND
    unknown = refusal(registry, "pi_1", RoleKey("tail"))
    assert (unknown.message, unknown.fix) == (
        "this robot has no role 'tail'",
        "Roles: arms left, head.",
    )
    assert "offline" in refusal(registry, "pi_1", LEFT, now_s=3.1).message
    busy = adopt(registry, "pi_1", LEFT)
    assert refusal(busy, "pi_1", LEFT).message == "pi_1 is just being adopted"
    assert refusal(busy, "pi_3", LEFT).message == "pi_1 is just being adopted as arms left"


def test_role_of_an_offline_node_may_be_given_to_another():
    registry = reported(Registry(), "old", HEAD, now_s=0.0)
    registry = announced(registry, "new", now_s=10.0)
    assert adopt(registry, "new", HEAD, now_s=10.0).pending["new"].key == HEAD


def test_name_comes_back_from_the_node_but_ours_wins():
    registry = announced(Registry(), "pi_1", display_name="From Node")
    assert registry.nodes["pi_1"].kept.display_name == "From Node"
    registry = logic.rename(registry, "pi_1", "  Head Unit ")
    registry = announced(registry, "pi_1", display_name="From Node")
    assert registry.nodes["pi_1"].kept.display_name == "Head Unit"


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a\nb"])
def test_name_that_cannot_be_is_refused(name: str):
    with pytest.raises(SaintError) as caught:
        logic.checked_name(name)
    assert caught.value.code is Code.REQUEST_INVALID


def test_only_adopted_and_named_nodes_are_remembered():
    registry = reported(announced(announced(Registry(), "pi_1"), "pi_2"), "pi_3", HEAD)
    registry = logic.rename(registry, "pi_2", "Spare")
    kept = logic.saved(registry)
    assert set(kept.nodes) == {"pi_2", "pi_3"}
    again = logic.restored(kept)
    assert again.nodes["pi_3"].key == HEAD
    assert not again.nodes["pi_3"].is_online(0.0)


SAVED_1 = """{
 "version_of_format": 1,
 "nodes": {
  "pi_1": {
   "display_name": "Head Unit", "role": "head", "instance": "",
   "hardware_model": "Raspberry Pi 4", "hardware_rev": "c03114", "firmware_version": "0.1.0",
   "config_version": "1.0.0", "mac_address": "dc:a6:32:00:00:01", "address": "192.168.10.11",
   "first_seen": "2026-01-20T14:30:00Z"
  }
 }
}"""


def test_registry_of_the_release_without_keys_is_read_and_stays_for_it(tmp_path: Path):
    path = tmp_path / "nodes.json"
    path.write_text(SAVED_1)
    store = registry_store(tmp_path)
    found = store.load()
    node = found.nodes["pi_1"]
    assert (node.role, node.display_name, node.node_key) == ("head", "Head Unit", "")
    store.save(found)
    assert json.loads(path.read_text())["version_of_format"] == 4
    assert (tmp_path / "nodes.json.v1").read_text() == SAVED_1


SAVED_2 = """\
{
 "version_of_format": 2,
 "nodes": {
  "pi_1": {
   "display_name": "Head Unit", "role": "head", "instance": "",
   "hardware_model": "Raspberry Pi 4", "hardware_rev": "c03114", "firmware_version": "0.1.0",
   "config_version": "1.0.0", "mac_address": "dc:a6:32:00:00:01", "address": "192.168.10.11",
   "first_seen": "2026-01-20T14:30:00Z",
   "node_key": "5a", "code": "123 456", "is_ignored": false, "replaced_by": ""
  }
 }
}"""


def test_registry_of_the_release_with_one_role_is_read_and_stays_for_it(tmp_path: Path):
    path = tmp_path / "nodes.json"
    path.write_text(SAVED_2)
    store = registry_store(tmp_path)
    found = store.load()
    (node,) = logic.restored(found).nodes.values()
    assert (node.keys, node.knows_several) == ((HEAD,), False)
    store.save(found)
    assert (tmp_path / "nodes.json.v2").read_text() == SAVED_2


def with_roles(registry: Registry, node_id: str, release: str, *keys: RoleKey) -> Registry:
    roles = tuple(NodeRole(role=key.role, instance=key.instance, state="active") for key in keys)
    message = NodeRoles(node_id=node_id, firmware_version=release, roles=roles)
    changed = node_roles.roles_received(registry, node_id, message, DATE)
    assert changed is not None
    return changed


def test_roles_that_come_before_the_first_heartbeat_are_kept():
    node = with_roles(Registry(), "pi_1", "0.2.0", HEAD, LEFT).nodes["pi_1"]
    assert (node.keys, node.seen_s) == ((HEAD, LEFT), None)


def test_report_of_a_newer_release_is_void_after_a_rollback():
    registry = with_roles(reported(Registry(), "pi_1", HEAD), "pi_1", "", HEAD, LEFT)
    assert registry.nodes["pi_1"].keys == (HEAD, LEFT)
    older = NodeStatus(node_id="pi_1", state="active", role="head", firmware_version="0.0.9")
    changed = logic.status_received(registry, "pi_1", older, 1.0, DATE)
    assert changed is not None
    assert changed.nodes["pi_1"].keys == (HEAD,)


def test_roles_of_another_node_and_too_many_are_refused():
    assert node_roles.roles_received(Registry(), "pi_1", NodeRoles(node_id="pi_2"), DATE) is None
    many = NodeRoles(node_id="pi_1", roles=(NodeRole(role="head"),) * 9)
    assert node_roles.roles_received(Registry(), "pi_1", many, DATE) is None


def test_node_whose_release_knows_one_role_gets_no_second_role():
    registry = reported(announced(Registry(), "pi_1"), "pi_1", HEAD)
    with pytest.raises(SaintError, match="its release can hold one role only"):
        logic.begin_adoption(registry, ROLES, "pi_1", PendingAdoption(LEFT, "", adds=True), 0.0)


def test_second_role_counts_as_taken():
    registry = with_roles(reported(Registry(), "pi_1", HEAD), "pi_1", "", HEAD, LEFT)
    registry = announced(registry, "pi_2")
    assert refusal(registry, "pi_2", LEFT).message == "pi_1 already holds arms left"


def test_node_that_has_lost_its_role_file_keeps_its_roles_here():
    registry = with_roles(reported(Registry(), "pi_1", HEAD), "pi_1", "1", HEAD, LEFT)
    registry = announced(registry, "pi_1", firmware_version="1", role_lost=True)
    assert registry.nodes["pi_1"].keys == (HEAD, LEFT)
    assert membership.roles_of(registry, "pi_1", 0.0) == (HEAD, LEFT)
    registry = announced(registry, "pi_1", firmware_version="1")
    assert registry.nodes["pi_1"].keys == ()
    assert membership.roles_of(registry, "pi_1", 0.0) == ()


def test_role_that_another_node_holds_or_is_adopted_for_is_not_given_back():
    registry = announced(reported(Registry(), "pi_1", HEAD), "pi_1", role_lost=True)
    taken = reported(registry, "pi_2", HEAD)
    assert membership.roles_of(taken, "pi_1", 0.0) == ()
    assert membership.roles_of(taken, "pi_1", 10.0) == (HEAD,)  # that node is away
    registry = announced(registry, "pi_3")
    pending = replace(registry, pending={"pi_3": PendingAdoption(HEAD, "")})
    assert membership.roles_of(pending, "pi_1", 0.0) == ()
    assert membership.roles_of(registry, "pi_9", 0.0) == ()


def test_node_that_was_replaced_gets_no_role_back():
    registry = announced(reported(Registry(), "pi_1", HEAD), "pi_1", role_lost=True)
    node = registry.nodes["pi_1"]
    kept = node.kept.model_copy(update={"replaced_by": "pi_2"})
    registry = logic.with_node(registry, replace(node, kept=kept))
    assert membership.roles_of(registry, "pi_1", 0.0) == ()
