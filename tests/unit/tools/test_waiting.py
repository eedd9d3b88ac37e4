import asyncio
import time

import pytest

from tests.waiting import block_until, block_while, every, let_pass, stays, turns, until


async def test_wait_returns_what_the_condition_found() -> None:
    found: list[int] = []
    asyncio.get_running_loop().call_later(0.01, found.append, 7)
    assert await until(lambda: found) == [7]


async def test_condition_may_be_a_coroutine_function() -> None:
    looks = 0

    async def look() -> int:
        nonlocal looks
        looks += 1
        return looks if looks > 2 else 0

    assert await until(look) == 3


async def test_wait_in_vain_fails_with_what_it_waited_for() -> None:
    received = ["one"]
    with pytest.raises(AssertionError) as caught:
        await until(lambda: len(received) > 1 and received, 0.02, lambda: f"only {received}")
    said = str(caught.value)
    assert said.startswith("not within 0.02 s: await until(lambda: len(received) > 1")
    assert said.endswith("last: False\nonly ['one']")


def test_blocking_wait_in_vain_names_its_condition() -> None:
    def arrived() -> bool:
        return False

    with pytest.raises(AssertionError, match=r"not within 0\.01 s: .*arrived\nlast: False$"):
        block_until(arrived, 0.01, pause_s=0.001)


async def test_what_is_true_only_after_a_stall_beyond_the_limit_counts() -> None:
    looks = iter((False, True))

    def late() -> bool:
        return next(looks)

    assert await until(late, 0.01, pause_s=0.05)


async def test_what_changes_and_changes_back_did_not_stay() -> None:
    state = {"is_at_rest": True}
    loop = asyncio.get_running_loop()
    loop.call_later(0.02, state.update, {"is_at_rest": False})
    loop.call_later(0.06, state.update, {"is_at_rest": True})
    with pytest.raises(AssertionError, match="did not stay for 5 s"):
        await stays(lambda: state["is_at_rest"], 5.0)


async def test_stays_looks_until_the_end_and_once_there() -> None:
    looks_s: list[float] = []
    began_s = time.monotonic()
    await stays(lambda: looks_s.append(time.monotonic() - began_s) is None, 0.05, pause_s=0.2)
    assert len(looks_s) == 2
    assert looks_s[-1] >= 0.05


def test_blocking_stay_fails_at_once() -> None:
    began_s = time.monotonic()
    with pytest.raises(AssertionError, match="did not stay"):
        block_while(lambda: False, 30.0)
    assert time.monotonic() - began_s < 15.0


async def test_turns_of_a_sender_are_counted_and_paced() -> None:
    began_s = time.monotonic()
    assert [number async for number in every(0.01, times=3)] == [0, 1, 2]
    assert time.monotonic() - began_s >= 0.03
    assert list(every(0.001, times=2)) == [0, 1]


async def test_sender_sends_x() -> None:
    sent: list[int] = []
    async for number in every(0.001, until=lambda: len(sent) == 4):
        sent.append(number)
    assert sent == [0, 1, 2, 3]


async def test_sender_that_is_never_received_fails() -> None:
    with pytest.raises(AssertionError, match=r"not within 0\.02 s: .*until=lambda: False"):
        async for _ in every(0.001, until=lambda: False, limit_s=0.02):
            pass


async def test_turns_do_what_is_due_though_sleep_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def never(seconds: float) -> None:
        raise AssertionError(seconds)

    monkeypatch.setattr(asyncio, "sleep", never)
    done: list[int] = []
    asyncio.get_running_loop().call_soon(done.append, 1)
    await turns(1)
    assert done == [1]


async def test_time_passes() -> None:
    began_s = time.monotonic()
    await let_pass(0.02)
    assert time.monotonic() - began_s >= 0.019
