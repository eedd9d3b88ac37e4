"""Our bus between real processes, over real DDS on loopback."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.bus import NodeView, Qos, Sample, Topic
from saint_services.lib.bus.dds import settings
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.errors import Code
from saint_services.lib.generated.saint_msgs import ResetNode_Request, ResetNode_Response
from saint_services.lib.generated.std_msgs import String
from tests.integration.bus_rig import DOMAIN, WAIT_S, opened
from tests.integration.bus_topics import ANSWER, LATCHED, QUESTION, RESET
from tests.waiting import every, stays, until

REPOSITORY = Path(__file__).parents[2]
BURST = Topic("/burst", String, Qos(depth=2000))


@asynccontextmanager
async def echo(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.bus_echo",
        *arguments,
        cwd=REPOSITORY,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
    )
    assert process.stdin
    assert process.stdout
    try:
        async with asyncio.timeout(WAIT_S):
            await process.stdout.readline()
        yield process
    finally:
        process.stdin.close()
        async with asyncio.timeout(WAIT_S):
            await process.wait()


async def test_publisher_knows_whether_another_process_reads() -> None:
    async with opened("asker", "listener") as [asker, listener]:
        question, alone = asker.publisher(QUESTION), asker.publisher(BURST)
        assert not question.has_readers
        async with echo():  # answers QUESTION
            await until(lambda: question.has_readers)
            assert not alone.has_readers
        await until(lambda: not question.has_readers)
        reading = listener.subscribe(BURST, lambda _: None)
        await until(lambda: alone.has_readers)
        reading.close()
        await until(lambda: not alone.has_readers)
        alone.close()
        assert not alone.has_readers


async def test_samples_go_there_and_back_and_name_their_origin() -> None:
    async with opened("asker") as [bus], echo():
        got: list[Sample[String]] = []
        bus.subscribe(ANSWER, got.append, own=False)
        question = bus.publisher(QUESTION)
        async for _ in every(0.02, until=lambda: got):
            question.publish(String("who am I?"))
        assert got[0].message.data == f"who am I? {bus.origin}"
        assert got[0].origin not in ("", bus.origin)
        assert abs(got[0].received_s - time.monotonic()) < 1.0
        assert -0.1 < got[0].age_s < 1.0


async def test_latched_sample_of_another_process_reaches_late_subscriber() -> None:
    async with echo(), opened("late") as [bus]:
        got: list[Sample[String]] = []
        bus.subscribe(LATCHED, got.append)
        await until(lambda: got)
        assert got[0].message == String("from echo")


async def test_calls_at_once_get_their_own_answers() -> None:
    async with opened("caller") as [bus], echo():
        requests = [ResetNode_Request(f"pi_{number}", number % 2 == 0) for number in range(10)]
        answers = await asyncio.gather(*(bus.call(RESET, one, 5.0) for one in requests))
        assert answers == [ResetNode_Response(True, one.node_id) for one in requests]


async def test_server_that_is_not_meant_sends_no_reply() -> None:
    async def silent(request: ResetNode_Request) -> ResetNode_Response | None:
        requested.append(request.node_id)

    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    requested: list[str] = []
    async with opened("caller", "foreign") as [bus, foreign], echo():
        foreign.serve(RESET, silent)
        while "pi_1" not in requested:  # until the caller knows both servers
            answer = await bus.call(RESET, ResetNode_Request("pi_1"), 5.0)
            assert answer == ResetNode_Response(True, "pi_1")
    assert faults == []


async def test_call_without_server_times_out_and_works_when_it_comes() -> None:
    async with opened("caller") as [bus]:
        with pytest.raises(SaintError, match="has no server") as caught:
            await bus.call(RESET, ResetNode_Request("pi_1"), 0.1)
        assert caught.value.code is Code.BUS_TIMEOUT
        async with echo():
            answer = await bus.call(RESET, ResetNode_Request("pi_2"), 5.0)
        assert answer.message == "pi_2"


async def test_graph_follows_processes() -> None:
    async with opened("watcher") as [bus]:
        async with echo():
            await until(lambda: NodeView("/", "echo") in bus.graph().nodes)
            await until(lambda: "/saint/nodes/reset" in bus.graph().services)
            assert bus.graph().topics["/question"] == ("std_msgs/msg/String",)
        await until(lambda: NodeView("/", "echo") not in bus.graph().nodes)
        assert bus.graph().nodes == (NodeView("/", "watcher"),)


async def test_killed_process_disturbs_nobody() -> None:
    async with opened("survivor") as [bus]:
        got: list[Sample[String]] = []
        bus.subscribe(ANSWER, got.append)
        question = bus.publisher(QUESTION)
        async with echo() as first:
            first.kill()
        for _ in range(50):  # reliable, and the reader will never acknowledge
            question.publish(String("gone?"))
        async with echo():
            async for _ in every(0.02, until=lambda: got):
                question.publish(String("back?"))
        assert got[0].message.data.startswith(("back?", "gone?"))


async def test_process_that_does_not_close_its_bus_ends() -> None:
    async with echo("--leave-open") as process:
        pass
    assert process.returncode == 0


async def test_burst_arrives_whole_and_in_order() -> None:
    async with opened("sender", "receiver") as [sender, receiver]:
        got: list[str] = []
        receiver.subscribe(BURST, lambda sample: got.append(sample.message.data))
        publisher = sender.publisher(BURST)
        for number in range(1000):
            publisher.publish(String(str(number)))
        await until(lambda: len(got) == 1000)
        assert got == [str(number) for number in range(1000)]


async def test_polled_samples_wait_for_the_read_and_arrive_in_order() -> None:
    async with opened("sender", "receiver") as [sender, receiver]:
        polled: list[str] = []
        woken: list[str] = []
        newest = receiver.poll(BURST, lambda sample: polled.append(sample.message.data), depth=3)
        receiver.subscribe(BURST, lambda sample: woken.append(sample.message.data))
        publisher = sender.publisher(BURST)
        for text in "abcde":
            publisher.publish(String(text))
        await until(lambda: len(woken) == 5)
        assert polled == []
        newest.read()
        assert polled == ["c", "d", "e"]
        newest.read()
        assert polled == ["c", "d", "e"]
        newest.close()
        newest.read()
        assert len(polled) == 3


async def test_callback_that_raises_stops_no_other() -> None:
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with opened("careless") as [bus]:
        got: list[str] = []

        def careless(sample: Sample[String]) -> None:
            if sample.message.data == "bad":
                raise ValueError("programming fault")
            got.append(sample.message.data)

        others: list[str] = []
        bus.subscribe(BURST, careless)
        bus.subscribe(BURST, lambda sample: others.append(sample.message.data))
        publisher = bus.publisher(BURST)
        for text in ("a", "bad", "b", "bad", "c"):
            publisher.publish(String(text))
        await until(lambda: len(got) == 3 and len(others) == 5)
        assert got == ["a", "b", "c"]
        assert [type(fault["exception"]) for fault in faults] == [ValueError, ValueError]


async def test_subscription_closed_in_its_callback_gets_nothing_more() -> None:
    async with opened("fickle") as [bus]:
        got: list[str] = []

        def once(sample: Sample[String]) -> None:
            got.append(sample.message.data)
            subscription.close()

        subscription = bus.subscribe(BURST, once)
        others: list[str] = []
        bus.subscribe(BURST, lambda sample: others.append(sample.message.data))
        publisher = bus.publisher(BURST)
        for text in ("a", "b", "c"):
            publisher.publish(String(text))
        await until(lambda: len(others) == 3)
        assert got == ["a"]


async def test_own_samples_are_left_out_on_request() -> None:
    async with opened("one", "two") as [one, two]:
        got: list[Sample[String]] = []
        one.subscribe(BURST, got.append, own=False)
        one.publisher(BURST).publish(String("mine"))
        two.publisher(BURST).publish(String("theirs"))
        await until(lambda: got)
        assert [sample.message.data for sample in got] == ["theirs"]
        assert got[0].origin == two.origin


async def test_close_right_after_a_subscription_is_quiet() -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    for _ in range(5):
        async with opened("brief") as [bus]:
            bus.subscribe(BURST, lambda _sample: None)
    await stays(lambda: faults == [], 0.02)


async def test_close_is_quick_and_leaves_no_thread() -> None:
    # The loop's own worker threads (asyncio_0, ...) come with a bus and stay.
    def threads() -> set[threading.Thread]:
        return {t for t in threading.enumerate() if not t.name.startswith("asyncio_")}

    before = threads()
    async with opened("one", "two") as [one, two]:
        two.subscribe(BURST, lambda _sample: None)
        publisher = one.publisher(BURST)
        publisher.publish(String("x"))
        started = time.monotonic()
    assert time.monotonic() - started < 0.5
    await until(lambda: threads() <= before)
    publisher.publish(String("after the end"))  # says nothing, does nothing
    with pytest.raises(SaintError, match="closed"):
        one.publisher(BURST)
    await one.close()


async def test_handler_that_raises_lets_caller_time_out() -> None:
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with opened("one") as [bus]:

        async def handle(_request: ResetNode_Request) -> ResetNode_Response:
            raise ValueError("programming fault")

        bus.serve(RESET, handle)
        with pytest.raises(SaintError, match="did not answer"):
            await bus.call(RESET, ResetNode_Request(), 0.3)
        assert isinstance(faults[0]["exception"], ValueError)


async def test_open_bus_on_missing_interface_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAINT_DDS_INTERFACE", "nosuch0")
    # Early in a boot a process waits 45 s for its interface.
    monkeypatch.setattr(settings.when_addressed, "__defaults__", (os.environ, 0.3))
    with pytest.raises(SaintError) as caught:
        async with opened("nobody"):
            pass
    assert caught.value.code is Code.BUS_UNAVAILABLE
