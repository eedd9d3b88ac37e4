"""What goes to clients, and when: one per turn, bounded, newest states, answers between them."""

import asyncio
from collections import Counter

import pytest

from saint_services.webd.websocket import outbox
from saint_services.webd.websocket.outbox import HIGH_BYTES, MOST_PER_TURN, Outbox, Turns
from tests.waiting import turns

STATE = b"s" * 1000


class Pipe:
    """Takes everything, or nothing."""

    def __init__(self, order: list[str], name: str = "", is_stuck: bool = False) -> None:
        self.order = order
        self.name = name
        self.is_stuck = is_stuck
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.order.append(self.name)
        self.written.append(data)

    def unsent_bytes(self) -> int:
        return sum(map(len, self.written)) if self.is_stuck else 0


class Desk:
    """Outboxes that share the turns."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.turns = Turns()
        self.counters: Counter[str] = Counter()
        self.cut_off: list[str] = []
        self.was_cut = asyncio.Event()

    def _cut(self, name: str) -> None:
        self.cut_off.append(name)
        self.was_cut.set()

    def box(self, name: str, *, is_stuck: bool = False) -> tuple[Outbox, Pipe]:
        pipe = Pipe(self.order, name, is_stuck)
        box = Outbox(pipe, lambda _: STATE, self.counters, lambda: self._cut(name), self.turns)
        return box, pipe


async def test_states_for_many_go_out_turn_by_turn_and_an_answer_between_them() -> None:
    desk = Desk()
    for n in range(50):
        box, _ = desk.box(f"client {n}")
        box.subscribe("head", 0)
        box.offer("head")
    command, _ = desk.box("command")
    await turns(1)
    command.reply(b"answer")
    per_turn = []
    while len(desk.order) < 51:
        before = len(desk.order)
        await turns(1)
        per_turn.append(len(desk.order) - before)
    assert desk.order.index("command") <= 3 * MOST_PER_TURN
    assert max(per_turn) <= MOST_PER_TURN + 1
    assert set(desk.order) == {f"client {n}" for n in range(50)} | {"command"}


async def test_waiting_clients_are_served_in_their_order() -> None:
    desk = Desk()
    for n in range(12):
        box, _ = desk.box(str(n))
        box.subscribe("head", 0)
        box.offer("head")
    await turns(14)
    assert desk.order == [str(n) for n in range(12)]


async def test_what_one_client_gets_in_one_turn_is_one_write() -> None:
    desk = Desk()
    box, pipe = desk.box("a")
    box.subscribe("head", 0)
    box.offer("head")
    box.reply(b"answer")
    box.offer("head")
    await turns(1)
    assert pipe.written == [STATE + b"answer" + STATE]


async def test_stuck_client_holds_a_bounded_number_of_bytes() -> None:
    desk = Desk()
    box, pipe = desk.box("stuck", is_stuck=True)
    box.subscribe("head", 0)
    for _ in range(1000):
        box.offer("head")
        await turns(1)
    assert sum(map(len, pipe.written)) <= HIGH_BYTES + len(STATE)
    assert desk.counters["states_replaced"] > 900
    box.close()


@pytest.mark.parametrize(("size", "most"), [(10, 65), (300_000, 5)])
async def test_client_that_takes_no_answers_is_cut_off(size: int, most: int) -> None:
    desk = Desk()
    box, pipe = desk.box("stuck", is_stuck=True)
    pipe.written.append(bytes(HIGH_BYTES + 1))
    count = 0
    while not desk.cut_off:
        box.reply(bytes(size))
        count += 1
        assert count <= most
    assert desk.counters["clients_too_slow"] == 1


async def test_client_that_stays_slow_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "STALLED_S", 0.05)
    monkeypatch.setattr(outbox, "RETRY_S", 0.01)
    desk = Desk()
    box, pipe = desk.box("stuck", is_stuck=True)
    pipe.written.append(bytes(HIGH_BYTES + 1))
    box.subscribe("head", 0)
    box.offer("head")
    async with asyncio.timeout(5):
        await desk.was_cut.wait()
    assert len(pipe.written) == 1


async def test_client_that_has_gone_is_written_to_no_more() -> None:
    desk = Desk()
    box, pipe = desk.box("a")
    box.subscribe("head", 0)
    box.offer("head")
    box.reply(b"answer")
    box.close()
    await turns(3)
    assert pipe.written == []
