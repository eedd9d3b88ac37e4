"""Running a pure state machine: answers reach their requests, a step is saved before it counts."""

import asyncio

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.state_machine import Answer, Runner
from tests.waiting import turns

Event = tuple[str, int]


def counted(state: int, event: Event) -> tuple[int, tuple[Answer, ...]]:
    """A machine that counts events and answers "answer" only."""
    name, number = event
    answers = (Answer(number, True, f"event {state + 1}"),) if name == "answer" else ()
    return state + 1, answers


class Owner:
    """Carries out the actions of that machine."""

    def __init__(self) -> None:
        self.runner: Runner[int, Event, Answer] = Runner(0, counted)

    def handle(self, event: Event) -> None:
        for action in self.runner.apply(event):
            self.runner.answer(action)

    async def request(self, name: str, limit_s: float) -> Answer:
        return await self.runner.request(lambda n: (name, n), self.handle, limit_s, Answer)


async def test_request_returns_the_answer_with_its_number():
    owner = Owner()
    waiting = asyncio.create_task(owner.request("wait", 5.0))
    await turns(1)
    other = await owner.request("answer", 5.0)
    assert (other.success, other.message) == (True, "event 2")
    owner.runner.answer(Answer(1, False, "no"))
    assert (await waiting).message == "no"


async def test_request_without_an_answer_fails_with_its_limit():
    answer = await Owner().request("wait", 0.01)
    assert (answer.success, answer.message) == (False, "no outcome within 0.01 s")


async def test_late_answer_is_dropped():
    owner = Owner()
    await owner.request("wait", 0.01)
    owner.runner.answer(Answer(1, True, "late"))
    assert owner.runner.state == 1


async def test_step_that_cannot_be_saved_has_not_happened():
    async def full(_: int) -> None:
        raise SaintError(Code.DISK_FULL, "no room")

    runner: Runner[int, Event, Answer] = Runner(0, counted)
    with pytest.raises(SaintError, match="no room"):
        await runner.apply_saved(("answer", 1), full)
    assert runner.state == 0
    assert await runner.apply_saved(("answer", 1)) == (Answer(1, True, "event 1"),)
    assert runner.state == 1


async def test_steps_are_saved_one_after_the_other():
    saved: list[int] = []

    async def slow(state: int) -> None:
        await turns(1)
        saved.append(state)

    runner: Runner[int, Event, Answer] = Runner(0, counted)
    await asyncio.gather(*(runner.apply_saved(("wait", 0), slow) for _ in range(5)))
    assert saved == [1, 2, 3, 4, 5]
