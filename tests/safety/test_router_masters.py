"""Masters of an arm: a leader by its clutch, takeover, a soft start where the joints stand."""

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.fields.masters import sequence_source
from tests.unit.routerd.rig import DIRECT, Rig, route

LEAD = route("leader", "leader", "*")
PLAY = route("autonomous", "autonomous", "*", priority=50)
LEFT, ARM = "leader:left", "arms.left"
JOINT = "arms.left.joint_0"  # 120 degrees a second


def lead(
    rig: Rig, seconds: float = 0.02, clutch: float = 0.0, joint_0: float = 30.0, name: str = LEFT
) -> None:
    """Send a pose and a clutch every 10 ms."""
    for _ in range(round(seconds * 100)):
        rig.send(name, clutch=clutch)
        rig.send(name, ARM, joint_0=joint_0)
        rig.wait(0.01)


def engaged(place: float | None = 0.0) -> Rig:
    """Return a robot whose arm follows its leader."""
    rig = Rig(LEAD, DIRECT, PLAY)
    rig.router.masters.places_of = lambda _: {} if place is None else {"joint_0": place}
    lead(rig)
    lead(rig, clutch=1.0)
    return rig


def test_leader_drives_nothing_before_its_clutch_is_closed() -> None:
    rig = Rig(LEAD)
    lead(rig, 0.1)
    output = rig.output(JOINT)
    assert (output.winner, [each.reason for each in output.rivals]) == (
        "",
        ["waits for its clutch"],
    )


def test_closed_clutch_locks_the_arm_and_status_says_since_when() -> None:
    rig = engaged()
    lead(rig, 0.5, clutch=1.0)
    (held,) = rig.status().control
    assert (held.target, held.holder, held.held_ms) == (ARM, LEFT, 520)
    assert rig.output(JOINT).source == LEFT


def test_follower_begins_softly_where_it_stands_then_follows_at_full_rate() -> None:
    rig = engaged(place=-10.0)
    assert rig.value(JOINT) == pytest.approx(-10.0, abs=1.0)
    lead(rig, 0.5, clutch=1.0)
    assert rig.value(JOINT) == pytest.approx(-10.0 + 0.5 * 0.25 * 120.0, abs=2.0)
    lead(rig, 1.5, clutch=1.0)
    assert rig.value(JOINT) == 30.0
    before = 30.0
    lead(rig, 0.1, clutch=1.0, joint_0=90.0)
    assert (rig.value(JOINT) or 0.0) - before == pytest.approx(12.0, abs=1.5)


def test_opened_clutch_releases_the_arm_at_once_and_the_joint_stays() -> None:
    rig = engaged()
    lead(rig, 3.0, clutch=1.0)
    rig.send(LEFT, clutch=0.0)
    assert (rig.status().control, rig.output(JOINT).policy) == ([], "hold")
    lead(rig, 0.2, joint_0=80.0)
    assert rig.value(JOINT) == 30.0


def test_lost_leader_ends_at_its_time_out_and_must_open_its_clutch_first() -> None:
    rig = engaged()
    lead(rig, 3.0, clutch=1.0)
    since = rig.now - 0.01
    rig.wait(since + 0.299 - rig.now)
    assert rig.output(JOINT).policy == "live"
    rig.wait(since + 0.301 - rig.now)
    assert (rig.output(JOINT).policy, rig.status().control) == ("hold", [])
    lead(rig, 0.5, clutch=1.0, joint_0=-60.0)  # as before the loss
    assert rig.value(JOINT) == 30.0
    lead(rig, 0.1, clutch=0.0, joint_0=-60.0)
    lead(rig, 0.1, clutch=1.0, joint_0=-60.0)
    assert rig.output(JOINT).source == LEFT


def test_failsafe_of_a_leader_ends_its_lock_at_once() -> None:
    rig = engaged()
    lead(rig, 0.1, clutch=1.0)
    rig.send(LEFT, failsafe=True)
    assert (rig.status().control, rig.output(JOINT).policy) == ([], "hold")


def test_clutch_takes_no_arm_from_a_person_and_says_so() -> None:
    rig = Rig(LEAD, DIRECT)
    rig.router.take_control(ARM, "websocket:page", 5.0, rig.now)
    lead(rig)
    lead(rig, clutch=1.0)
    assert [each.holder for each in rig.status().control] == ["websocket:page"]
    assert rig.status().refused == {"clutch: arms.left is locked by websocket:page": 1}
    assert rig.output(JOINT).rivals[0].reason == "panel locked by websocket:page"


def test_clutch_ends_a_sequence() -> None:
    rig = Rig(LEAD, PLAY)
    player = sequence_source(ARM)
    lead(rig)
    rig.router.take_control(ARM, player, 1.0, rig.now)
    rig.send(player, ARM, joint_0=5.0)
    lead(rig, clutch=1.0)
    assert [each.holder for each in rig.status().control] == [LEFT]


def test_person_takes_over_from_a_leader_by_request_alone() -> None:
    rig = engaged()
    lead(rig, 3.0, clutch=1.0)
    with pytest.raises(SaintError) as err:
        rig.router.take_control(ARM, "websocket:page", 5.0, rig.now)
    assert err.value.code is Code.CONFLICT
    rig.router.take_control(ARM, "websocket:page", 5.0, rig.now, takes_over=True)
    before = rig.value(JOINT)
    rig.send("websocket:page", ARM, joint_0=-90.0)
    assert rig.value(JOINT) == pytest.approx(before, abs=1.0)
    lead(rig, 0.1, clutch=1.0)
    assert [each.holder for each in rig.status().control] == ["websocket:page"]


def test_leader_of_joints_whose_place_is_not_known_leaves_their_way_to_the_role() -> None:
    rig = engaged(place=None)
    lead(rig, 0.1, clutch=1.0)
    assert rig.is_driven(JOINT)  # the role moves from where it is, at its own rate


def test_estop_holds_the_lock_and_the_leader_must_move_again() -> None:
    rig = engaged()
    lead(rig, 0.1, clutch=1.0)
    rig.router.raise_estop("a person", "", rig.now)
    lead(rig, 0.1, clutch=1.0)
    assert [each.holder for each in rig.status().control] == [LEFT]
    rig.clear("a person", rig.now)
    lead(rig, 0.1, clutch=1.0)
    assert not rig.is_driven(JOINT)
    lead(rig, 0.1, clutch=1.0, joint_0=40.0)
    assert rig.is_driven(JOINT)


REMOTE = "websocket:remote:bench"


def command(rig: Rig, seconds: float, joint_0: float) -> None:
    """Command a pose as a remote master does, every 10 ms."""
    for _ in range(round(seconds * 100)):
        rig.send(REMOTE, ARM, joint_0=joint_0)
        rig.wait(0.01)


def test_remote_master_begins_softly_and_holds_when_it_is_lost() -> None:
    rig = Rig(LEAD, DIRECT, PLAY)
    rig.router.masters.places_of = lambda _: {"joint_0": -10.0}
    rig.router.take_control(ARM, REMOTE, 5.0, rig.now)
    command(rig, 0.5, 80.0)
    assert rig.value(JOINT) == pytest.approx(-10.0 + 0.5 * 0.25 * 120.0, abs=2.0)
    rig.wait(0.301)
    assert rig.output(JOINT).policy == "hold"


def test_leader_takes_no_arm_from_a_remote_master_and_a_stop_ends_its_lock() -> None:
    rig = Rig(LEAD, DIRECT, PLAY)
    rig.router.take_control(ARM, REMOTE, 5.0, rig.now)
    command(rig, 0.1, 20.0)
    lead(rig)
    lead(rig, clutch=1.0)
    assert [each.holder for each in rig.status().control] == [REMOTE]
    rig.router.raise_estop("a person", "", rig.now)
    assert [each.holder for each in rig.status().control] == []
    before = rig.value(JOINT)
    command(rig, 0.1, 90.0)
    assert rig.value(JOINT) == before
