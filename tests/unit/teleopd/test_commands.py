"""What a message commands, and why it is refused. The bytes are packed here with struct alone."""

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.teleop.velocity import VelocityTarget, velocity_target
from saint_services.teleopd.commands import (
    DAMP_FIRST,
    GAP_S,
    MALFORMED,
    NOT_OPERATOR,
    RELEASE_FIRST,
    CommandStream,
    ReportAnswer,
)

TRACKS = VelocityTarget("tracks", {"vx": "linear", "vyaw": "angular"})
_COMMAND = struct.Struct("<BfffBBB")  # mode, vx, vy, vyaw, gait, enable, stop: 16 bytes


def command(vx: float = 0.0, vyaw: float = 0.0, *, mode: int = 2, enable: int = 1,
            stop: int = 0) -> bytes:  # fmt: skip
    data = _COMMAND.pack(mode, vx, 0.0, vyaw, 0, enable, stop)
    assert len(data) == 16
    return data


def named(seq: int, t_ms: float, **targets: dict[str, float]) -> str:
    message: dict[str, Any] = {"v": 1, "seq": seq, "t": t_ms}
    return json.dumps(message | ({"targets": targets} if targets else {}))


def test_packet_of_the_document_drives_the_tracks() -> None:
    decision = CommandStream(TRACKS).binary(command(0.5, -1.0), 0.0, is_operator=True)
    assert decision.values == {"tracks": {"linear": 0.5, "angular": -1.0}}
    assert decision.is_beat


@pytest.mark.parametrize("data", [command(0.5, mode=1), command(0.5, mode=0),
                                  command(0.5, enable=0), command(0.5, stop=1)])  # fmt: skip
def test_velocity_counts_enabled_in_mode_move_only(data: bytes) -> None:
    decision = CommandStream(TRACKS).binary(data, 0.0, is_operator=True)
    assert decision.values == {"tracks": {"linear": 0.0, "angular": 0.0}}


def test_stop_of_a_viewer_stops_once_until_it_is_released() -> None:
    stream = CommandStream(TRACKS)
    stops = [stream.binary(command(stop=bit), 0.0, is_operator=False).is_stop
             for bit in (1, 1, 0, 1)]  # fmt: skip
    assert stops == [True, False, False, True]


@pytest.mark.parametrize(
    "data", [command(float("nan"), stop=1), command(vyaw=float("inf"), stop=1),
             command(mode=7, stop=1), command(mode=255, enable=9, stop=255)],
)  # fmt: skip
@pytest.mark.parametrize("is_operator", [True, False])
def test_stop_counts_also_in_a_malformed_command(data: bytes, *, is_operator: bool) -> None:
    stream = CommandStream(TRACKS)
    pressed = [stream.binary(each, 0.0, is_operator=is_operator) for each in (data, data)]
    assert [(each.is_stop, each.values, each.count) for each in pressed] == [
        (True, {}, "malformed"),
        (False, {}, "malformed"),
    ]
    assert not stream.binary(data[:-1], 0.0, is_operator=is_operator).is_stop


def test_viewer_is_refused_and_notified_in_both_forms() -> None:
    stream = CommandStream(TRACKS)
    binary = stream.binary(command(0.5), 0.0, is_operator=False)
    text = stream.named(named(1, 0.0, tracks={"linear": 0.5}), 0.0, is_operator=False)
    for decision in (binary, text):
        assert (decision.values, decision.refusal) == ({}, NOT_OPERATOR)
        assert decision.count == "not_operator"


def test_held_command_is_sent_again_with_each_heartbeat() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    for number in range(1, 20):
        decision = stream.named(named(number, number * 100.0), number * 0.1, is_operator=True)
        assert decision.values["tracks"]["linear"] == 0.5


def test_held_command_counts_no_more_after_a_gap() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    assert stream.named(named(1, 310.0), 0.31, is_operator=True).values == {}
    refused = stream.binary(command(0.5), 0.4, is_operator=True)
    assert not refused.values
    assert refused.refusal.startswith("Nothing arrived for a while. Send no motion for 0.4 s")
    assert stream.binary(command(0.0), 0.5, is_operator=True).values
    assert not stream.binary(command(0.5), 0.6, is_operator=True).values  # the gap was longer
    stream.binary(command(0.0), 0.7, is_operator=True)
    for number in range(2, 8):  # held, and repeated by heartbeats
        now_s = 0.4 + number * 0.1
        stream.named(named(number, now_s * 1000), now_s, is_operator=True)
    moved = stream.binary(command(0.5), 1.15, is_operator=True)
    assert moved.values["tracks"]["linear"] == 0.5


def delivered(
    hand: list[bytes], cuts: list[tuple[int, int]], apart_s: float
) -> list[tuple[float, float, bytes]]:
    """Return when each command of a hand (one in 20 ms) arrives over a reliable channel, and when
    it was sent: of what is sent in a cut nothing arrives before its end, then one in `apart_s`.
    """
    arrivals, before_s = [], -1.0
    for n, data in enumerate(hand):
        sent_s = arrives_s = n * 0.02
        for begin, end in cuts:
            if begin * 0.02 <= max(arrives_s, before_s) < end * 0.02:
                arrives_s = end * 0.02
        before_s = max(arrives_s, before_s + apart_s)
        arrivals.append((before_s, sent_s, data))
    return arrivals


def oldest_motion(
    hand: list[bytes], cuts: list[tuple[int, int]], velocity: VelocityTarget, apart_s: float = 0.001
) -> float:
    """Return how old the oldest command was that moved anything, or requested to stand."""
    stream, ages = CommandStream(velocity), [0.0]
    stream.opened(0.0)
    for now_s, sent_s, data in delivered(hand, cuts, apart_s):
        values = stream.binary(data, now_s, is_operator=True).values
        if values and any(values[velocity.target].values()):
            ages.append(now_s - sent_s)
    return max(ages)


DRIVE, REST, STAND, DAMPED = [command(0.5)], [command()], [command(mode=1)], [command(mode=0)]
LEGS = VelocityTarget("legs", {"vx": "vx"}, has_mode=True)


@pytest.mark.parametrize(
    ("hand", "cuts", "velocity"),
    [
        # a release of long ago; released before; again and again; a short one
        (DRIVE * 200 + REST * 100 + DRIVE * 300, [(10, 510)], TRACKS),
        (REST * 100 + DRIVE * 50 + REST * 450, [(50, 550)], TRACKS),
        (DRIVE * 300 + REST * 10 + DRIVE * 500, [(10, 300), (301, 360), (361, 420)], TRACKS),
        (DRIVE * 40 + REST * 5 + DRIVE * 300, [(20, 60)], TRACKS),
        (DRIVE * 20 + REST * 450 + DRIVE * 300, [(20, 600), (601, 620)], TRACKS),  # they add up
        # opened, and nothing of it for ten seconds
        (REST * 50 + DRIVE * 150 + REST * 350, [(0, 500)], TRACKS),
        # a mode, and a step on the spot, that were thought better of
        (DAMPED * 100 + STAND * 50 + DAMPED * 450, [(50, 550)], LEGS),
        (STAND * 100 + REST * 50 + DAMPED * 450, [(50, 550)], LEGS),
    ],
)
def test_command_that_a_stall_held_back_moves_nothing(
    hand: list[bytes], cuts: list[tuple[int, int]], velocity: VelocityTarget
) -> None:
    assert oldest_motion(hand, cuts, velocity) <= GAP_S


@given(
    st.lists(
        st.tuples(st.sampled_from([DRIVE, REST, STAND, DAMPED]), st.integers(1, 200)),
        min_size=1, max_size=8,
    ),
    st.lists(st.tuples(st.integers(0, 600), st.integers(16, 500)), min_size=1, max_size=5),
    st.sampled_from([TRACKS, LEGS]),
)  # fmt: skip
def test_no_order_of_stalls_and_releases_moves_by_an_old_command(
    runs: list[tuple[list[bytes], int]], stalls: list[tuple[int, int]], velocity: VelocityTarget
) -> None:
    hand = [data for run, count in runs for data in run * count]
    cuts = [(begin, begin + count) for begin, count in sorted(stalls)]
    assert oldest_motion(hand, cuts, velocity) <= GAP_S


@given(
    st.lists(
        st.tuples(st.sampled_from([DRIVE, REST, STAND, DAMPED]), st.integers(1, 100)),
        min_size=1, max_size=8,
    ),
    st.lists(st.tuples(st.integers(0, 300), st.integers(16, 70)), min_size=1, max_size=2),
    st.sampled_from([TRACKS, LEGS]),
    st.floats(0.002, 0.0095),
)  # fmt: skip
def test_nor_does_one_that_catches_up_at_twice_the_speed_of_the_hand(
    runs: list[tuple[list[bytes], int]], stalls: list[tuple[int, int]], velocity: VelocityTarget,
    apart_s: float,
) -> None:  # fmt: skip
    hand = [data for run, count in runs for data in run * count]
    cuts = [(begin, begin + count) for begin, count in sorted(stalls)]
    assert oldest_motion(hand, cuts, velocity, apart_s) <= 0.02


def test_held_mode_of_a_walker_ends_with_a_gap() -> None:
    stream = CommandStream(LEGS)
    stream.binary(command(mode=1), 0.0, is_operator=True)
    assert stream.named(named(1, 0.0), 0.1, is_operator=True).values["legs"]["mode"] == 1.0
    assert not stream.named(named(2, 900.0), 1.0, is_operator=True).values
    refused = stream.binary(command(mode=1), 1.1, is_operator=True)
    assert not refused.values
    assert "Send damp for 0.9 s" in refused.refusal


def test_mode_that_a_new_operator_holds_has_a_damped_walker_lie() -> None:
    stream = CommandStream(LEGS)
    stream.binary(command(mode=1), 0.0, is_operator=False)
    stream.control_changed(0.05)
    assert stream.binary(command(mode=1), 0.1, is_operator=True).refusal == DAMP_FIRST
    assert stream.binary(command(mode=0), 0.2, is_operator=True).values
    assert stream.binary(command(mode=1), 0.3, is_operator=True).values["legs"]["mode"] == 1.0


def test_walker_whose_picture_ends_stands_until_its_control_was_released() -> None:
    stream = CommandStream(LEGS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    stream.picture_ended(0.01)
    for n in range(1, 50):  # with heartbeats between
        blind = stream.binary(command(0.5), n * 0.02, is_operator=True)
        assert (blind.values, blind.refusal) == ({"legs": {"mode": 3.0, "vx": 0.0}}, RELEASE_FIRST)
        beat = stream.named(named(n, n * 20.0), n * 0.02, is_operator=True)
        assert (beat.values, beat.refusal) == (blind.values, RELEASE_FIRST)
    stream.binary(command(0.0), 1.0, is_operator=True)
    assert stream.binary(command(0.5), 1.02, is_operator=True).values["legs"]["vx"] == 0.5


def test_walker_of_the_named_form_stands_when_its_picture_ends() -> None:
    stream, walk = CommandStream(LEGS), {"mode": 3.0, "vx": 0.5}
    stream.named(named(0, 0.0, legs=walk, head={"pan": 5.0}), 0.0, is_operator=True)
    stream.picture_ended(0.01)
    blind = stream.named(named(1, 20.0, legs=walk, head={"pan": 5.0}), 0.02, is_operator=True)
    assert (blind.values, blind.refusal) == ({"legs": {"mode": 3.0, "vx": 0.0}}, RELEASE_FIRST)
    for n in range(2, 20):
        stream.named(named(n, n * 20.0, legs={"mode": 3.0, "vx": 0.0}), n * 0.02, is_operator=True)
    again = stream.named(named(20, 400.0, legs=walk), 0.40, is_operator=True)
    assert again.values == {"legs": walk}


def test_position_beside_it_leaves_a_held_mode() -> None:
    stream = CommandStream(LEGS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    stream.picture_ended(0.01)
    stream.named(named(1, 20.0, head={"pan": 5.0}), 0.02, is_operator=True)
    beat = stream.named(named(2, 40.0), 0.04, is_operator=True)
    assert beat.values == {"legs": {"mode": 3.0, "vx": 0.0}}


def test_mode_of_the_named_form_counts_no_more_after_a_gap_until_damp() -> None:
    """The walker has damped meanwhile: what stood before must not have it rise."""
    stream, stand = CommandStream(LEGS), {"mode": 1.0, "vx": 0.0}
    for n in range(60):
        targets = {"legs": stand} if n else {}
        stream.named(named(n, n * 20.0, **targets), n * 0.02, is_operator=True)
    for n in range(160, 200):
        late = stream.named(named(n, n * 20.0, legs=stand), n * 0.02, is_operator=True)
        assert (late.values, late.refusal) == ({}, DAMP_FIRST)
    for n in range(200, 220):
        damp = {"mode": 0.0, "vx": 0.0}
        assert stream.named(named(n, n * 20.0, legs=damp), n * 0.02, is_operator=True).values
    assert stream.named(named(220, 4400.0, legs=stand), 4.40, is_operator=True).values


def test_named_command_that_waited_since_the_link_was_opened_moves_nothing() -> None:
    stream = CommandStream(TRACKS)
    stream.opened(0.0)
    stream.control_changed(0.0)
    for n in range(200):  # of a stall of 4 s, four times as fast as it was sent
        targets = {} if 50 <= n < 130 else {"tracks": {"linear": 0.5}}
        late = stream.named(named(n, n * 20.0, **targets), 4.0 + n * 0.005, is_operator=True)
        assert not late.values


def test_what_a_viewer_owed_has_ended_by_the_time_of_its_control() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(), 0.0, is_operator=False)
    for n in range(251):  # a gap of 5 s, then 5 s without one
        stream.binary(command(), 5.0 + n * 0.02, is_operator=False)
    stream.control_changed(10.01)
    stream.binary(command(), 10.02, is_operator=True)
    assert stream.binary(command(0.5), 10.04, is_operator=True).values


@pytest.mark.parametrize("between_s", [0.7, 1.5, 3.0])
def test_link_with_a_gap_every_few_seconds_lets_a_patient_hand_drive(between_s: float) -> None:
    stream, now_s = CommandStream(TRACKS), 3.0
    stream.binary(command(), 0.0, is_operator=True)  # a long gap comes first
    for period in range(10):
        for step in range(round(between_s / 0.02)):
            now_s = 3.0 + period * (between_s + 0.35) + step * 0.02
            stream.binary(command(), now_s, is_operator=True)
    assert stream.binary(command(0.5), now_s + 0.02, is_operator=True).values


def test_control_that_was_released_for_as_long_as_the_gap_drives_again() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    for n in range(60):
        assert stream.binary(command(0.0), 1.0 + n * 0.02, is_operator=True).values
    assert stream.binary(command(0.5), 2.2, is_operator=True).values["tracks"]["linear"] == 0.5


def test_release_never_takes_more_than_three_seconds() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(0.0), 0.0, is_operator=True)
    for n in range(152):
        stream.binary(command(0.0), 600.0 + n * 0.02, is_operator=True)
    assert stream.binary(command(0.5), 603.04, is_operator=True).values


def test_named_command_that_a_long_stall_held_back_moves_nothing() -> None:
    stream = CommandStream(TRACKS)
    for n in range(50):
        stream.named(named(n, n * 20.0, tracks={"linear": 0.5}), n * 0.02, is_operator=True)
    for n in range(50, 600):  # released now and then, as a hand does
        targets = {} if n % 40 < 20 else {"tracks": {"linear": 0.5}}
        late = stream.named(named(n, n * 20.0, **targets), 13.0 + n * 0.001, is_operator=True)
        assert (late.count, late.values, late.is_beat) == ("stale", {}, False)
    assert stream.named(named(700, 14_000.0), 14.0, is_operator=True).is_beat


def test_named_command_counts_no_more_after_a_gap_until_released() -> None:
    stream = CommandStream(TRACKS)
    drive = {"linear": 0.5}
    assert stream.named(named(1, 0.0, tracks=drive), 0.0, is_operator=True).values
    late = stream.named(named(2, 400.0, tracks=drive), 0.4, is_operator=True)
    assert (late.values, late.refusal) == ({}, RELEASE_FIRST)
    for number in range(3, 8):
        now_s = 0.2 + number * 0.1
        stream.named(named(number, now_s * 1000), now_s, is_operator=True)
    assert stream.named(named(8, 950.0, tracks=drive), 0.95, is_operator=True).values


def page(stream: CommandStream, begin_s: float, end_s: float, *, is_held: bool) -> list[bool]:
    """Send what the page of remote operation does: a heartbeat in 100 ms, what is held in 20 ms.
    Return which of the latter moved anything.
    """
    moved = []
    for n in range(round(begin_s * 50), round(end_s * 50)):
        drive = {"tracks": {"linear": 0.5}}
        for targets in ([{}] if n % 5 == 0 else []) + ([drive] if is_held else []):
            text = json.dumps({"v": 1, "seq": 2 * n + bool(targets), "t": n * 20.0,
                               "targets": targets})  # fmt: skip
            values = stream.named(text, n * 0.02, is_operator=True).values
            assert targets or not any(any(each.values()) for each in values.values())
            moved += [bool(values)] if targets else []
    return moved


@pytest.mark.parametrize("end_s", [0.98, 1.0, 1.02, 1.04])  # before, with, after a heartbeat
@pytest.mark.parametrize("gap_s", [0.4, 1.9])
def test_key_that_was_held_over_a_gap_moves_nothing(end_s: float, gap_s: float) -> None:
    stream, again_s = CommandStream(TRACKS), end_s + gap_s
    assert any(page(stream, 0.0, end_s, is_held=True))
    assert not any(page(stream, again_s, again_s + 2.0, is_held=True))
    assert stream.is_owing
    assert not any(page(stream, again_s + 2.0, again_s + 2.5, is_held=False))
    assert not stream.is_owing
    assert all(page(stream, again_s + 2.5, again_s + 2.6, is_held=True))


def test_key_that_was_held_when_the_picture_ended_moves_nothing() -> None:
    stream = CommandStream(TRACKS)
    page(stream, 0.0, 1.0, is_held=True)
    stream.picture_ended(1.0)
    assert not any(page(stream, 1.0, 3.0, is_held=True))
    page(stream, 3.0, 3.5, is_held=False)
    assert any(page(stream, 3.5, 3.6, is_held=True))


def test_nor_does_it_when_all_commands_between_two_heartbeats_are_lost() -> None:
    stream = CommandStream(TRACKS)
    page(stream, 0.0, 1.0, is_held=True)
    page(stream, 1.5, 2.0, is_held=True)
    stream.named(named(200, 2000.0), 2.0, is_operator=True)
    stream.named(named(228, 2280.0), 2.28, is_operator=True)  # too short for a gap
    assert not any(page(stream, 2.3 + 0.02, 4.0, is_held=True))


def test_binary_command_of_long_ago_requires_no_release_of_the_named_form() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    page(stream, 0.02, 1.0, is_held=True)
    page(stream, 1.0, 1.5, is_held=False)
    assert all(page(stream, 2.0, 2.1, is_held=True))


def resting(seq: int, now_s: float) -> str:
    return json.dumps({"v": 1, "seq": seq, "t": now_s * 1000, "rest": True})


def test_heartbeat_that_says_so_releases_at_once() -> None:
    stream = CommandStream(TRACKS)
    page(stream, 0.0, 1.0, is_held=True)
    page(stream, 1.5, 2.0, is_held=True)
    stream.named(resting(200, 2.0), 2.0, is_operator=True)
    assert not stream.is_owing
    assert all(page(stream, 2.02, 2.1, is_held=True))


def test_heartbeat_that_says_that_a_control_is_held_releases_nothing() -> None:
    """A viewer who holds a game pad sends no command, and the grant comes earlier than it knows."""
    stream = CommandStream(TRACKS)
    stream.control_changed(10.0)
    for n in range(20):
        now_s = 10.0 + n * 0.1
        text = json.dumps({"v": 1, "seq": n, "t": now_s * 1000, "rest": False})
        assert not stream.named(text, now_s, is_operator=True).values
    drive = named(20, 12_000.0, tracks={"linear": 0.5})
    assert stream.named(drive, 12.0, is_operator=True).refusal == RELEASE_FIRST


def test_stop_is_no_release_of_the_stick_that_is_held_beside_it() -> None:
    stream = CommandStream(TRACKS)
    stream.control_changed(0.0)
    stop = stream.binary(command(0.5, stop=1), 0.02, is_operator=True)
    assert stop.is_stop
    assert stream.binary(command(0.5), 0.04, is_operator=True).refusal == RELEASE_FIRST
    stream.binary(command(0.0, stop=1), 0.06, is_operator=True)
    assert stream.binary(command(0.5), 0.08, is_operator=True).values


def test_rest_is_no_damp_of_a_walker_whose_mode_is_held_all_the_time() -> None:
    stream, stand = CommandStream(LEGS), {"mode": 1.0, "vx": 0.0}
    stream.control_changed(0.0)
    for n in range(1, 100):
        text = resting(2 * n, n * 0.02) if n % 5 == 0 else named(2 * n, n * 20.0, legs=stand)
        assert not stream.named(text, n * 0.02, is_operator=True).values


def test_control_that_was_taken_while_nothing_arrived_in_time_is_not_released() -> None:
    stream = CommandStream(TRACKS)
    page(stream, 0.0, 0.5, is_held=False)
    stream.named(resting(50, 0.5), 0.5, is_operator=True)
    late_s = 0.6  # slower by so much from now on
    for n in range(30, 1000):
        text = json.dumps(
            {"v": 1, "seq": 2 * n, "t": n * 20.0, "targets": {"tracks": {"linear": 0.5}}}
        )
        assert not stream.named(text, n * 0.02 + late_s, is_operator=True).values


def test_rest_that_was_said_before_a_gap_counts_after_it() -> None:
    stream = CommandStream(TRACKS)
    page(stream, 0.0, 1.5, is_held=True)
    stream.named(resting(150, 1.5), 1.5, is_operator=True)
    assert all(page(stream, 2.0, 2.1, is_held=True))


def test_what_it_says_does_not_count_where_nothing_says_how_old_it_is() -> None:
    stream = CommandStream(TRACKS)
    stream.opened(0.0)
    stream.named(resting(1, 2.0), 2.0, is_operator=True)
    drive = named(2, 2020.0, tracks={"linear": 0.5})
    assert stream.named(drive, 2.02, is_operator=True).refusal.startswith("Nothing arrived")


def test_picture_that_ends_after_a_release_shows_no_refusal_of_long_ago() -> None:
    stream = CommandStream(TRACKS)
    page(stream, 0.0, 1.0, is_held=True)
    page(stream, 1.5, 2.0, is_held=True)
    page(stream, 2.0, 2.5, is_held=False)
    stream.picture_ended(2.5)
    assert not stream.is_owing


def test_release_that_heartbeats_repeat_ends_the_refusal() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    stream.binary(command(0.5), 0.4, is_operator=True)
    stream.binary(command(), 0.42, is_operator=True)
    assert stream.is_owing
    page(stream, 0.5, 1.0, is_held=False)
    assert not stream.is_owing


def test_refusal_of_one_form_is_shown_no_more_when_the_other_drives() -> None:
    stream = CommandStream(LEGS)
    stream.control_changed(0.0)
    assert stream.binary(command(mode=1), 0.01, is_operator=True).refusal
    assert stream.is_owing
    page(stream, 0.02, 0.5, is_held=False)
    assert stream.is_owing
    stand = named(1000, 500.0, legs={"mode": 1.0, "vx": 0.0})
    assert stream.named(stand, 0.5, is_operator=True).values
    assert not stream.is_owing


def test_key_that_was_released_before_a_gap_moves_at_once() -> None:
    stream = CommandStream(TRACKS)
    page(stream, 0.0, 1.0, is_held=True)
    page(stream, 1.0, 1.5, is_held=False)
    assert all(page(stream, 2.0, 2.1, is_held=True))


def test_refusal_is_shown_until_the_control_was_released_for_long_enough() -> None:
    stream = CommandStream(TRACKS)
    stream.binary(command(0.5), 0.0, is_operator=True)
    assert stream.binary(command(0.5), 1.0, is_operator=True).refusal
    owing = []
    for n in range(60):
        stream.binary(command(), 1.02 + n * 0.02, is_operator=True)
        owing.append(stream.is_owing)
    assert owing.index(False) == 50


def test_new_operator_has_to_release_first() -> None:
    stream = CommandStream(TRACKS)
    stream.control_changed(0.0)
    assert not stream.named(named(1, 0.0, tracks={"linear": 1.0}), 0.0, is_operator=True).values
    assert not stream.binary(command(0.5), 0.0, is_operator=True).values


def test_overtaken_and_stale_messages_are_dropped() -> None:
    stream = CommandStream(TRACKS)
    drive = {"linear": 0.5}
    stream.named(named(5, 0.0), 0.0, is_operator=True)
    assert stream.named(named(4, 20.0, tracks=drive), 0.02, is_operator=True).count == "overtaken"
    stale = stream.named(named(6, 40.0, tracks=drive), 0.25, is_operator=True)
    assert (stale.count, stale.is_beat, stale.values) == ("stale", False, {})


def test_late_message_answers_its_report_and_does_nothing_else() -> None:
    """How late it was is what the delay is measured by."""
    stream = CommandStream(TRACKS)
    stream.named(named(1, 0.0), 0.0, is_operator=True)
    text = json.dumps({"v": 1, "seq": 2, "t": 20.0, "ack": 7, "ack_ms": 5.0, "picture_ms": 80.0})
    late = stream.named(text, 0.45, is_operator=True)
    assert (late.count, late.is_beat, late.values) == ("stale", False, {})
    assert late.answer == ReportAnswer(7, 5.0, 80.0)
    assert (stream.echo_t, stream.echo_s) == (20.0, 0.45)  # its sender learns how late it was


@pytest.mark.parametrize("text", ["", "{", "[]", '{"v": 2, "seq": 1, "t": 1}', named(1, -1.0),
    '{"v": 1, "seq": 1, "t": 1, "targets": {"tracks": {"linear": NaN}}}', "x" * 5000,
    '{"v": 1, "seq": 1.5, "t": 1}', '{"v": 1, "seq": 1, "t": 1, "more": 1}'])  # fmt: skip
def test_malformed_text_is_refused(text: str) -> None:
    decision = CommandStream(TRACKS).named(text, 0.0, is_operator=True)
    assert (decision.refusal, decision.is_beat, decision.values) == (MALFORMED, False, {})


@given(data=st.binary(max_size=40), text=st.text(max_size=80), is_operator=st.booleans())
def test_no_message_of_a_viewer_commands_anything(
    data: bytes, text: str, is_operator: bool
) -> None:
    stream = CommandStream(TRACKS)
    for decision in (
        stream.binary(data, 0.0, is_operator=is_operator),
        stream.named(text, 0.0, is_operator=is_operator),
        stream.named(data, 0.0, is_operator=is_operator),
    ):
        assert is_operator or not decision.values


def test_only_250_messages_of_a_second_count() -> None:
    stream = CommandStream(TRACKS)
    floods = [stream.is_flood(number / 1000) for number in range(1000)]
    assert floods.index(True) == 250
    assert not stream.is_flood(1.0)


def test_velocity_that_is_not_finite_is_refused() -> None:
    decision = CommandStream(TRACKS).binary(command(float("nan")), 0.0, is_operator=True)
    assert (decision.values, decision.refusal) == ({}, MALFORMED)


def test_fields_of_the_robot_are_found_by_their_names() -> None:
    assert velocity_target({"head": {"pan"}, "tracks": {"linear", "angular"}}) == TRACKS
    legs = velocity_target({"legs": {"vx", "vy", "vyaw"}})
    assert legs == VelocityTarget("legs", {"vx": "vx", "vy": "vy", "vyaw": "vyaw"})
    legs = velocity_target({"legs": {"mode", "vx", "vy", "vyaw"}})
    assert legs == VelocityTarget("legs", {"vx": "vx", "vy": "vy", "vyaw": "vyaw"}, has_mode=True)


@pytest.mark.parametrize(
    ("data", "mode", "vx"),
    [
        (command(0.5, mode=0), 0.0, 0.0),
        (command(0.5, mode=1), 1.0, 0.0),
        (command(0.5, mode=2), 3.0, 0.5),
        (command(0.5, mode=2, enable=0), 0.0, 0.0),
        (command(0.5, mode=1, enable=0), 0.0, 0.0),
        (command(0.5, mode=2, stop=1), 0.0, 0.0),
    ],
)
def test_mode_is_a_request_of_legs(data: bytes, mode: float, vx: float) -> None:
    decision = CommandStream(LEGS).binary(data, 0.0, is_operator=True)
    assert decision.values == {"legs": {"mode": mode, "vx": vx}}


def test_mode_of_an_operator_without_heartbeats_counts_no_more() -> None:
    stream = CommandStream(LEGS)
    stream.binary(command(0.5, mode=2), 0.0, is_operator=True)
    assert stream.named(named(1, 310.0), 0.31, is_operator=True).values == {}
    assert stream.named(named(2, 330.0), 0.33, is_operator=True).values == {}
    assert velocity_target({"head": {"pan"}}) is None
