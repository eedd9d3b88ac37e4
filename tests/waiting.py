"""Waits for the tests: the one place where they sleep.

A test waits for a fact: `until` looks until it is so and fails with what it waited for. That
nothing happens is seen with `stays`, which looks all the time. `every` gives a sender its rate,
`turns` lets the loop go round. Only where time itself is tested does it pass: `let_pass`,
`stand_still`. What has no loop uses `block_until` and `block_while`; `seconds_until` measures.
"""

import inspect
import itertools
import time
from asyncio import sleep as _sleep  # bound here: a test may replace that of asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from time import sleep as _block
from typing import Any, NoReturn, TypeVar, overload

LIMIT_S = 20.0  # far more than any wait takes on a busy computer; only failures wait so long
PAUSE_S = 0.005
BLOCKING_PAUSE_S = 0.02  # what is looked at without a loop are files and replies of processes

Found = TypeVar("Found")
Explain = Callable[[], str]


@overload
async def until(
    condition: Callable[[], Coroutine[Any, Any, Found | None]],
    limit_s: float = ...,
    explain: Explain = ...,
    *,
    pause_s: float = ...,
) -> Found: ...
@overload
async def until(
    condition: Callable[[], Found | None],
    limit_s: float = ...,
    explain: Explain = ...,
    *,
    pause_s: float = ...,
) -> Found: ...
async def until(
    condition: Callable[[], Any],
    limit_s: float = LIMIT_S,
    explain: Explain = str,
    *,
    pause_s: float = PAUSE_S,
) -> Any:
    """Look again and again until the condition is true, and return what it found.

    The condition may be a coroutine function. After `limit_s` this fails with the condition, what
    it found last and `explain()`.
    """
    deadline_s = time.monotonic() + limit_s
    while not (found := await _looked(condition)):
        if time.monotonic() > deadline_s:
            _fail(f"not within {limit_s:g} s", condition, found, explain)
        await _sleep(pause_s)
    return found


def block_until(
    condition: Callable[[], Found],
    limit_s: float = LIMIT_S,
    explain: Explain = str,
    *,
    pause_s: float = BLOCKING_PAUSE_S,
) -> Found:
    """Do what `until` does, where no loop runs."""
    deadline_s = time.monotonic() + limit_s
    while not (found := condition()):
        if time.monotonic() > deadline_s:
            _fail(f"not within {limit_s:g} s", condition, found, explain)
        _block(pause_s)
    return found


async def stays(
    condition: Callable[[], object],
    for_s: float,
    explain: Explain = str,
    *,
    pause_s: float = PAUSE_S,
) -> None:
    """Look for `for_s` and once more at its end; fail as soon as the condition is false."""
    async for _ in every(pause_s, for_s=for_s):
        if not (found := condition()):
            _fail(f"did not stay for {for_s:g} s", condition, found, explain)


def block_while(
    condition: Callable[[], object],
    for_s: float,
    explain: Explain = str,
    *,
    pause_s: float = BLOCKING_PAUSE_S,
) -> None:
    """Do what `stays` does, where no loop runs."""
    for _ in every(pause_s, for_s=for_s):
        if not (found := condition()):
            _fail(f"did not stay for {for_s:g} s", condition, found, explain)


def seconds_until(condition: Callable[[], object], limit_s: float) -> float:
    """Measure how long it takes from now, to a millisecond; `limit_s` when it never comes."""
    began_s = time.monotonic()
    for _ in every(0.001, for_s=limit_s):
        if condition():
            return time.monotonic() - began_s
    return limit_s


class Beats(Iterator[int], AsyncIterator[int]):
    """Turns of a `for` or an `async for`, counted from 0; see `every`."""

    def __init__(self, period_s: float, may_go_on: Callable[[int], bool]) -> None:
        self._period_s = period_s
        self._may_go_on = may_go_on
        self._numbers = itertools.count()

    def __next__(self) -> int:
        number = next(self._numbers)
        if number:
            _block(self._period_s)
        if not self._may_go_on(number):
            raise StopIteration
        return number

    async def __anext__(self) -> int:
        number = next(self._numbers)
        if number:
            await _sleep(self._period_s)
        if not self._may_go_on(number):
            raise StopAsyncIteration
        return number


def every(
    period_s: float,
    *,
    times: int | None = None,
    for_s: float | None = None,
    until: Callable[[], object] | None = None,
    limit_s: float = LIMIT_S,
    explain: Explain = str,
) -> Beats:
    """Give a loop its turns, with a pause of `period_s` between them, and one after the last.

    They end after `times` of them, after `for_s` (with one turn at its end), or when `until` is
    true before a turn, which fails like the function `until` after `limit_s`. Else they go on. A
    late computer takes fewer turns, not a burst.
    """
    began_s = time.monotonic()
    is_last = False

    def may_go_on(number: int) -> bool:
        nonlocal is_last
        passed_s = time.monotonic() - began_s
        if until is not None:
            if found := until():
                return False
            if passed_s > limit_s:
                _fail(f"not within {limit_s:g} s", until, found, explain)
        if is_last or (times is not None and number >= times):
            return False
        is_last = for_s is not None and passed_s >= for_s
        return True

    return Beats(period_s, may_go_on)


async def turns(count: int = 20) -> None:
    """Let the loop go round so often: what is due is done, however slow this computer is."""
    for _ in range(count):
        await _sleep(0)


async def let_pass(seconds: float) -> None:
    """Let real time pass where time is what is tested; a comment at the call says which."""
    await _sleep(seconds)


def stand_still(seconds: float) -> None:
    """Block this thread and the loop in it: a stall under test, or time that must pass."""
    _block(seconds)


async def _looked(condition: Callable[[], Any]) -> Any:
    found = condition()
    return await found if inspect.isawaitable(found) else found


def _fail(what: str, condition: Callable[[], object], found: object, explain: Explain) -> NoReturn:
    words = f"{what}: {_source(condition)}\nlast: {found!r}\n{explain()}"
    raise AssertionError(words.rstrip())


def _source(condition: Callable[[], object]) -> str:
    """The name of a function, the lines of a lambda."""
    name = getattr(condition, "__qualname__", repr(condition))
    if not name.endswith("<lambda>"):
        return name
    try:
        return inspect.getsource(condition).strip()
    except OSError:  # its file is gone
        return name
