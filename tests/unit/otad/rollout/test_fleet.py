"""What is known of the machines from their reports and from the registry."""

from saint_services.lib.api.adoption import NodeInfo, NodeState
from saint_services.lib.generated.saint_msgs import FirmwareStatus
from saint_services.otad.rollout import fleet, readings
from saint_services.otad.rollout.fleet import Fleet


def test_machine_that_vanished_at_work_does_not_count_as_updating_without_limit():
    status = FirmwareStatus(node_id="n", state="installing", version="1.0.0")
    known = fleet.report_received(Fleet(), "n", status, 0.0)
    assert known
    gone = [NodeInfo(node_id="n", display_name="", state=NodeState.OFFLINE)]
    known = fleet.register(known, gone, 10.0)
    assert readings.is_busy(fleet.machines(known, 60.0, 100.0)["n"])
    assert not readings.is_busy(fleet.machines(known, 111.0, 100.0)["n"])


def test_node_that_the_registry_forgot_is_forgotten():
    here = [NodeInfo(node_id="n", display_name="", state=NodeState.ACTIVE)]
    known = fleet.register(Fleet(), here, 0.0)
    assert set(known.known) == {"n"}
    assert set(fleet.register(known, [], 1.0).known) == set()


def test_live_outputs_of_any_node_keep_the_server_from_restarting():
    nodes = [
        NodeInfo(node_id="a", display_name="", state=NodeState.ACTIVE, outputs_safe=False),
        NodeInfo(node_id="b", display_name="", state=NodeState.OFFLINE, outputs_safe=False),
    ]
    assert fleet.live_outputs(nodes) == "outputs are live on a"
    assert fleet.live_outputs(nodes[1:]) == ""
