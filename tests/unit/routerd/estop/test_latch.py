"""The latch by itself: what a press and a clear leave in it, and how a clear is refused.
Numbers are typed by hand.
"""

from saint_services.routerd.estop.latch import (
    MOST_SENDERS,
    Latch,
    Press,
    PressEdges,
    cleared,
    objection,
    raised,
    stamped,
    unseen,
)
from saint_services.routerd.fields.claims import InputStream
from saint_services.routerd.inputs.sources import InputSource

LONG = "x" * 300
STOPPED = raised(Latch(generation=7), "A", "first")


def test_texts_of_a_press_are_shortened() -> None:
    latch = raised(Latch(), LONG, LONG)
    assert (len(latch.source), len(latch.reason)) == (128, 300)
    assert (len(latch.presses[0].source), len(latch.presses[0].reason)) == (128, 300)
    assert len(cleared(latch, LONG).source) == 128


def test_texts_of_a_press_are_such_as_every_message_can_hold() -> None:
    latch = raised(Latch(), "web\0socket", "help\0me\ud800\n")
    assert (latch.source, latch.reason) == ("web\ufffdsocket", "help\ufffdme\ufffd\ufffd")
    assert cleared(latch, "a\0").source == "a\ufffd"


def test_next_generation_is_above_those_that_the_process_before_may_have_published() -> None:
    assert Latch(generation=7, ahead=1000).following == 1008
    assert raised(Latch(generation=7, ahead=1000), "A", "").generation == 1008


def test_press_of_the_same_person_for_the_same_reason_counts_again() -> None:
    again = raised(STOPPED, "A", "first")
    assert [each.generation for each in again.presses] == [8, 9]


def test_time_of_a_press_is_set_once() -> None:
    early = stamped(STOPPED, "2026-11-23T10:00:00Z")
    assert [each.since for each in early.presses] == ["2026-11-23T10:00:00Z"]
    late = stamped(raised(early, "B", "second"), "2026-11-23T11:00:00Z")
    assert [each.since for each in late.presses] == ["2026-11-23T10:00:00Z", "2026-11-23T11:00:00Z"]
    assert stamped(late, "2026-11-23T12:00:00Z") is late  # nothing to store


def test_clear_of_another_stop_says_so() -> None:
    # It names a generation above that of every press: of another start, or of a stop before.
    assert unseen(STOPPED, 9) == (
        "it was pressed and cleared since, or the named press belongs to an earlier start"
    )


def test_clear_that_saw_nothing_is_answered_with_every_press() -> None:
    assert unseen(STOPPED, 7) == "none of its presses was seen: A: first"


def test_clear_that_saw_the_first_press_is_answered_with_the_second() -> None:
    two = raised(STOPPED, "", "")
    assert unseen(two, 8) == "it was pressed again since: unknown: no reason"
    assert unseen(two, 9) == ""


def test_active_latch_has_its_first_press() -> None:
    latch = Latch(True, "A", "r", 8)
    assert latch.presses == (Press("A", "r", generation=8),)


def test_receiver_that_requests_the_stop_bars_the_clear_while_it_is_live() -> None:
    receiver = InputSource("rc", "rc", 0.12, received=100.0, wants_stop=True)
    assert objection([], [receiver], 100.119) == (
        "rc has lost its signal; switch its transmitter on, or the receiver off"
    )
    assert objection([], [receiver], 100.121) == ""


def test_switch_that_is_on_bars_the_clear_while_it_is_live() -> None:
    receiver = InputSource("rc", "rc", 0.125)
    stream = InputStream("rc", "", ("switch",), (1.0,), received=100.0)
    stream.stops = ((0, lambda x: x > 0.5, "rc_stop"),)
    receiver.streams["", ("switch",)] = stream
    assert objection([], [receiver], 100.124) == "switch of rc still requests the stop"
    assert objection([], [receiver], 100.125) == ""


def test_first_true_of_each_sender_is_a_press_a_repeated_one_is_not() -> None:
    edges = PressEdges()
    assert [edges.is_edge(origin, True) for origin in "aabba"] == [
        True, False, True, False, False,
    ]  # fmt: skip


def test_true_after_false_is_a_press_again() -> None:
    edges = PressEdges()
    assert [edges.is_edge("a", data) for data in (False, True, False, True)] == [
        False, True, False, True,
    ]  # fmt: skip


def test_list_of_senders_is_bounded_and_a_dropped_sender_counts_as_new() -> None:
    edges = PressEdges()
    for number in range(MOST_SENDERS + 1):
        assert edges.is_edge(str(number), True)
    assert not edges.is_edge("1", True)
    assert edges.is_edge("0", True)


def test_64_senders_are_remembered_and_the_oldest_is_forgotten_first() -> None:
    edges = PressEdges()
    for number in range(64):
        assert edges.is_edge(str(number), True)
    assert not edges.is_edge("0", True)
    assert not edges.is_edge("new", False)  # takes no place
    assert edges.is_edge("64", True)
    assert not edges.is_edge("1", True)
    assert edges.is_edge("0", True)
    assert edges.is_edge("1", True)
