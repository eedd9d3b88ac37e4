"""Which commands leave in which turn: few, the newest first, and none is left behind."""

from hypothesis import given
from hypothesis import strategies as st

from saint_services.routerd.fields.command_queue import CommandQueue

TRACKS = 30


def test_stick_leaves_before_the_rest_of_a_face() -> None:
    queue = CommandQueue()
    queue.put(range(30))
    first = queue.next_batch()
    assert len(first) == 4
    queue.put([TRACKS])
    assert queue.next_batch()[0] == TRACKS


def test_command_that_changes_again_leaves_once() -> None:
    queue = CommandQueue()
    for _ in range(3):
        queue.put([7])
    assert queue.next_batch() == [7]
    assert not queue
    assert queue.next_batch() == []


def test_command_that_changes_again_leaves_first() -> None:
    queue = CommandQueue()
    queue.put(range(6))
    queue.put([2])
    assert queue.next_batch()[0] == 2


def test_repeated_commands_come_after_new_ones() -> None:
    queue = CommandQueue()
    queue.put([2])
    queue.put_behind(range(8))
    sent = [index for _ in range(2) for index in queue.next_batch()]
    assert sent[0] == 2
    assert sorted(sent) == list(range(8))


def test_nothing_leaves_after_clear() -> None:
    queue = CommandQueue()
    queue.put_behind(range(8))
    queue.clear()
    assert not queue
    assert queue.next_batch() == []


@given(st.lists(st.sets(st.integers(0, 19), max_size=3), max_size=60))
def test_no_command_waits_without_end_beside_three_new_ones_a_turn(changed: list[set[int]]) -> None:
    queue = CommandQueue()
    queue.put(range(20))
    left = set(range(20))
    for indexes in changed:
        queue.put(indexes)
        left -= set(queue.next_batch())
    assert len(left) <= max(0, 20 - len(changed))


@given(st.sets(st.integers(0, 39)))
def test_each_leaves_exactly_once(changed: set[int]) -> None:
    queue = CommandQueue()
    queue.put(changed)
    sent: list[int] = []
    while queue:
        turn = queue.next_batch()
        assert 1 <= len(turn) <= 4
        sent += turn
    assert sorted(sent) == sorted(changed)
