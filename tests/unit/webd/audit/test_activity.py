"""The activity log: what is worth a line."""

from saint_services.lib.api.adoption import NodeList, NodeState
from saint_services.lib.generated.saint_msgs import EStop, RCReceiverState
from saint_services.webd.audit import activity
from saint_services.webd.audit.activity import ActivityLog, Event
from tests.web.fakes.robot import node


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events]


def test_only_changes_of_the_latch_are_logged() -> None:
    on = EStop(active=True, source="websocket:desk", reason="smoke")
    off = EStop(active=False, source="websocket:desk")
    assert activity.estop_events(None, off) == []
    assert texts(activity.estop_events(None, on)) == ["Emergency stop by Client desk: smoke"]
    assert activity.estop_events(on, on) == []
    assert texts(activity.estop_events(on, off)) == ["Emergency stop cleared by Client desk"]


def test_receiver_coming_and_going_is_logged() -> None:
    live = RCReceiverState(protocol="crsf", connected=True)
    failsafe = RCReceiverState(protocol="crsf", connected=True, failsafe=True)
    silent = RCReceiverState(protocol="crsf")
    assert activity.rc_events(None, silent) == []
    assert texts(activity.rc_events(None, live)) == ["RC signal acquired (CRSF)"]
    assert texts(activity.rc_events(live, failsafe)) == ["RC failsafe"]
    assert texts(activity.rc_events(live, silent)) == ["RC receiver timed out"]


def test_nodes_that_come_go_and_change_are_logged() -> None:
    head, gone, spare = node("pi_1", "head"), node("pi_2", "tracks"), node("pi_3")
    before = NodeList(nodes=[head, gone])
    offline = head.model_copy(update={"state": NodeState.OFFLINE})
    now = NodeList(nodes=[offline, spare])
    assert activity.node_events(None, now) == []
    assert activity.node_events(before, before) == []
    assert texts(activity.node_events(before, now)) == [
        "pi_1 is offline",
        "pi_3 was found",
        "pi_2 was removed",
    ]


def test_restarted_role_is_logged() -> None:
    head = node("pi_1", "head")
    again = head.model_copy(update={"role_restarts": 1})
    events = activity.node_events(NodeList(nodes=[head]), NodeList(nodes=[again]))
    assert texts(events) == ["pi_1: its role restarted"]


def test_same_event_from_two_is_logged_once() -> None:
    log = ActivityLog()
    for source, time in (("pi_1", 10.0), ("console", 10.5), ("pi_1", 60.0)):
        log.add(Event("ERROR", source, "Head is offline"), time)
    assert [entry["time"] for entry in log.newest(10)] == [60.0, 10.0]


def test_log_is_bounded_filtered_and_newest_first() -> None:
    log = ActivityLog()
    for n in range(activity.MOST_ENTRIES + 10):
        log.add(Event("ERROR" if n % 2 else "INFO", "rc" if n % 3 else "router", str(n)), 1.0)
    assert len(log.newest(1000)) == activity.MOST_ENTRIES
    assert log.newest(1)[0]["text"] == str(activity.MOST_ENTRIES + 9)
    assert {entry["level"] for entry in log.newest(50, level="WARNING")} == {"ERROR"}
    assert {entry["source"] for entry in log.newest(50, source="rc")} == {"rc"}
    assert log.newest(2, offset=1)[0]["number"] == activity.MOST_ENTRIES + 9
