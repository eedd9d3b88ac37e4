"""Which commands leave in which turn: few, the newest first, and none is left behind."""

from hypothesis import given
from hypothesis import strategies as st

from saint_services.routerd.fields.command_queue import CommandQueue

TRACKS = 30


def test_stick_leaves_before_the_rest_of_a_face() -> None:
    pending = CommandQueue(31)
    pending.ask(range(30))
    first = pending.take()
    assert len(first) == 4
    pending.ask([TRACKS])
    assert pending.take()[0] == TRACKS


def test_command_that_is_asked_for_again_leaves_once() -> None:
    pending = CommandQueue(10)
    for _ in range(3):
        pending.ask([7])
    assert pending.take() == [7]
    assert not pending
    assert pending.take() == []


def test_command_that_is_asked_for_again_leaves_first() -> None:
    pending = CommandQueue(6)
    pending.ask(range(6))
    pending.ask([2])
    assert pending.take()[0] == 2


def test_repeated_commands_come_after_new_ones() -> None:
    pending = CommandQueue(8)
    pending.ask([2])
    pending.repeat()
    sent = [index for _ in range(2) for index in pending.take()]
    assert sent[0] == 2
    assert sorted(sent) == list(range(8))


def test_nothing_leaves_after_clear() -> None:
    pending = CommandQueue(8)
    pending.repeat()
    pending.clear()
    assert not pending
    assert pending.take() == []


@given(st.lists(st.sets(st.integers(0, 19), max_size=3), max_size=60))
def test_nobody_waits_for_ever_beside_three_new_ones_a_turn(asked: list[set[int]]) -> None:
    pending = CommandQueue(20)
    pending.ask(range(20))
    left = set(range(20))
    for indexes in asked:
        pending.ask(indexes)
        left -= set(pending.take())
    assert len(left) <= max(0, 20 - len(asked))


@given(st.sets(st.integers(0, 39)))
def test_each_leaves_exactly_once(asked: set[int]) -> None:
    pending = CommandQueue(40)
    pending.ask(asked)
    taken: list[int] = []
    while pending:
        turn = pending.take()
        assert 1 <= len(turn) <= 4
        taken += turn
    assert sorted(taken) == sorted(asked)
