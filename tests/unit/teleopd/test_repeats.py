"""Which lost packets are sent again, by the rule and through aiortc's own sender."""

from typing import Any

from aiortc import RTCPeerConnection, VideoStreamTrack
from aiortc.rtp import RTCP_RTPFB_NACK, RtcpReceiverInfo, RtcpRtpfbPacket, RtpPacket
from hypothesis import given
from hypothesis import strategies as st

from saint_services.teleopd.feedback import LossMeter, limit_repeats
from saint_services.teleopd.repeats import MOST_AT_ONCE, SHARE, Repeat, RepeatRule


def requested(
    rule: RepeatRule, number: int, now_s: float = 0.0, *, sent: int = 0,
    round_trip_s: float | None = 0.1,
) -> Repeat:  # fmt: skip
    return rule.requested(number, range(sent - 128, sent), sent, now_s, round_trip_s)


def test_packet_is_repeated_when_the_last_repetition_had_time_to_arrive() -> None:
    rule = RepeatRule()
    found = [requested(rule, 7, each / 16, round_trip_s=0.125) for each in range(8)]
    now, wait = Repeat.NOW, Repeat.NOT_NOW
    assert found == [now, wait, now, wait, wait, wait, now, wait]  # 1, then 2 round trips


def test_without_a_known_round_trip_a_twentieth_of_a_second_has_to_pass() -> None:
    rule = RepeatRule()
    requested(rule, 7, round_trip_s=None)
    assert requested(rule, 7, 0.04, round_trip_s=None) is Repeat.NOT_NOW
    assert requested(rule, 7, 0.05, round_trip_s=None) is Repeat.NOW


def test_what_is_beyond_the_share_is_given_up_with_all_before_it() -> None:
    rule = RepeatRule()
    for number in range(MOST_AT_ONCE):
        assert requested(rule, number, sent=0) is Repeat.NOW
    assert rule.requested(90, range(128), 0, 0.0, 0.1) is Repeat.GIVEN_UP
    assert rule.requested(91, range(128), 20, 0.1, 0.1) is Repeat.NOT_NOW  # a key picture comes
    assert rule.requested(130, range(20, 148), 20, 0.1, 0.1) is Repeat.NOW


def test_one_key_picture_a_second_takes_the_place_of_all_that_is_lost() -> None:
    rule = RepeatRule()
    found = [requested(rule, number, number / 100) for number in range(300)]
    assert found.count(Repeat.GIVEN_UP) == 3


def test_number_that_was_given_up_is_of_another_packet_later() -> None:
    rule = RepeatRule()
    for number in range(MOST_AT_ONCE + 1):
        requested(rule, 1000 + number, sent=0)
    rule.requested(5, range(128), 0, 0.0, 0.1)
    assert rule.requested(5, range(128), 1 << 16, 400.0, 0.1) is Repeat.NOW


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 40)), max_size=300))
def test_repetitions_are_a_share_of_what_is_sent(course: list[tuple[int, int]]) -> None:
    rule, repeated, sent = RepeatRule(), 0, 0
    for step, (number, more) in enumerate(course):
        sent += more
        repeated += requested(rule, number, step / 50, sent=sent) is Repeat.NOW
    assert repeated <= MOST_AT_ONCE + SHARE * sent


def report(highest: int, lost: int, share: int = 0) -> RtcpReceiverInfo:
    return RtcpReceiverInfo(
        ssrc=1, fraction_lost=share, packets_lost=lost, highest_sequence=highest,
        jitter=0, lsr=0, dlsr=0,
    )  # fmt: skip


def test_loss_is_of_half_a_second_however_often_a_receiver_reports() -> None:
    meter = LossMeter()
    assert meter.reported(report(1000, 0, 64), 0.0) == 0.25  # all there is to know
    assert meter.reported(report(1010, 8, 204), 0.1) is None
    assert meter.reported(report(1040, 8), 0.4) is None
    assert meter.reported(report(1100, 10), 0.6) == 0.1
    assert meter.reported(report(1100, 10), 1.2) is None  # nothing was sent


def test_loss_of_a_receiver_that_begins_again_or_sends_nonsense() -> None:
    meter = LossMeter()
    meter.reported(report(5000, 100), 0.0)
    assert meter.reported(report(20, 0, 128), 1.0) == 0.5
    assert meter.reported(report(30, -5), 2.0) == 0.0
    assert meter.reported(report(40, 1 << 22), 3.0) == 1.0


async def test_receiver_that_requests_all_again_and_again_gets_a_share() -> None:
    """Through aiortc's own sender, with a history of 100 packets."""
    connection, repeated, keys = RTCPeerConnection(), list[int](), list[bool]()
    sender: Any = connection.addTrack(VideoStreamTrack())
    history = {each: RtpPacket(sequence_number=each) for each in range(100)}
    sender._RTCRtpSender__rtp_history.update(history)
    sender._RTCRtpSender__packet_count = 100

    async def note(number: int) -> None:
        repeated.append(number)

    sender._retransmit = note
    limit_repeats(sender, lambda: None, lambda: keys.append(True))
    for _ in range(20):
        lost = RtcpRtpfbPacket(RTCP_RTPFB_NACK, 1, sender._ssrc, list(range(100)))
        await sender._handle_rtcp_packet(lost)
    assert repeated == list(range(MOST_AT_ONCE))
    assert keys == [True]
    await connection.close()
