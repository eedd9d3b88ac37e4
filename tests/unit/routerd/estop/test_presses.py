"""Edges and repetitions on the e-stop topic."""

from saint_services.routerd.estop.presses import MOST_SENDERS, PressEdges


def test_first_true_of_each_sender_is_a_press_a_repeated_one_is_not() -> None:
    pressing = PressEdges()
    assert [pressing.is_edge(origin, True) for origin in "aabba"] == [
        True, False, True, False, False,
    ]  # fmt: skip


def test_true_after_false_is_a_press_again() -> None:
    pressing = PressEdges()
    assert [pressing.is_edge("a", data) for data in (False, True, False, True)] == [
        False, True, False, True,
    ]  # fmt: skip


def test_list_of_senders_is_bounded_and_who_falls_out_counts_as_new() -> None:
    pressing = PressEdges()
    for number in range(MOST_SENDERS + 1):
        assert pressing.is_edge(str(number), True)
    assert not pressing.is_edge("1", True)
    assert pressing.is_edge("0", True)


def test_64_senders_are_remembered_and_the_oldest_is_forgotten_first() -> None:
    pressing = PressEdges()
    for number in range(64):
        assert pressing.is_edge(str(number), True)
    assert not pressing.is_edge("0", True)
    assert not pressing.is_edge("new", False)  # takes no place
    assert pressing.is_edge("64", True)
    assert not pressing.is_edge("1", True)
    assert pressing.is_edge("0", True)
    assert pressing.is_edge("1", True)
