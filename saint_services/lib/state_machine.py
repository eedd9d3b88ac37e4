"""Runs a pure state machine, `step(state, event) -> (state, actions)`: applies one event at a time,
saves a state before its actions run if needed, and lets a request wait for its answer among the
actions. Not here: carrying out the actions.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

S = TypeVar("S")
E = TypeVar("E")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of the request with this number; an action of the machine."""

    request: int
    success: bool
    message: str


R = TypeVar("R", bound=Answer)


class Runner(Generic[S, E, A]):
    """Runs one machine."""

    def __init__(self, state: S, step: Callable[[S, E], tuple[S, tuple[A, ...]]]) -> None:
        self.state = state
        self._step = step
        self._turn = asyncio.Lock()  # saving takes time, so events wait for each other
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    def apply(self, event: E) -> tuple[A, ...]:
        """Apply an event; return the actions in order."""
        self.state, actions = self._step(self.state, event)
        return actions

    async def apply_saved(
        self, event: E, save: Callable[[S], Awaitable[None]] | None = None
    ) -> tuple[A, ...]:
        """Apply an event after those before it. If `save` fails, the step is undone: the state
        stays as before, and the exception is raised. Without `save`, a later step saves the state.
        """
        async with self._turn:
            state, actions = self._step(self.state, event)
            if save:
                await save(state)
            self.state = state
        return actions

    async def request(
        self,
        make_event: Callable[[int], E],
        handle: Callable[[E], object],
        limit_s: float,
        answer: type[R],
    ) -> R:
        """Have the owner handle an event, and wait for the machine's answer, which is returned as
        this class. Without an answer in time the request fails.
        """
        number = next(self._numbers)
        waiting: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            handle(make_event(number))
            async with asyncio.timeout(limit_s):
                return await waiting
        except TimeoutError:
            return answer(number, False, f"no outcome within {limit_s:g} s")
        finally:
            del self._waiting[number]

    def answer(self, answer: Answer) -> None:
        """Deliver an answer to its request, if that is still waiting."""
        waiting = self._waiting.get(answer.request)
        if waiting and not waiting.done():
            waiting.set_result(answer)
