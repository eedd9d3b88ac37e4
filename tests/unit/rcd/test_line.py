"""One receiver's line, on the event loop that the daemons run on."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from saint_services.rcd.adapters import Listener, ReceiverLine
from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import Failsafe, ReceiverConnection
from saint_services.rcd.logic import Outcome, Receiver
from tests.unit.rcd.rig import FRAME, Line

PAUSE_S = 0.1  # shorter than the time-out
STALL_S = 0.2  # longer than it


class Ear:
    """Notes what a line tells. With the first frame its process gets no time for a while, and the
    transmitter goes on sending.
    """

    def __init__(self, line: Line, stall_s: float) -> None:
        self.heard: list[str] = []
        self._stall_s = stall_s
        self.lost = asyncio.Event()
        self._line = line
        self.listener = Listener(self._on_frame, self._on_quiet, lambda _: None, lambda _, __: None)

    def _on_frame(self, _: ReceiverLine, outcome: Outcome) -> None:
        self.heard.append(outcome.name)
        if outcome is Outcome.LOST:
            self.lost.set()
        if len(self.heard) > 1:
            return
        ended_s = time.monotonic() + self._stall_s
        while time.monotonic() < ended_s:
            self._line.send(FRAME)
            time.sleep(0.01)

    def _on_quiet(self, _: ReceiverLine) -> None:
        self.heard.append("QUIET")


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "receiver")
    yield made
    made.unplug()


def heard_over(line: Line, stall_s: float) -> list[str]:
    """The line's outcomes, until the signal is lost."""

    async def listen() -> list[str]:
        ear = Ear(line, stall_s)
        connection = ReceiverConnection.model_validate({"uart": {"device": str(line.path)}})
        receiver = Receiver(Normalizer([]), Failsafe(), needs_steady_start=False)
        made = ReceiverLine(connection, receiver, ear.listener)
        made.start()
        line.send(FRAME)
        async with asyncio.timeout(5):
            await ear.lost.wait()
        made.close("the test is over")
        return ear.heard

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(listen())


@pytest.mark.timed
def test_frames_that_arrive_while_the_process_gets_no_time_are_no_loss(line: Line) -> None:
    heard = heard_over(line, PAUSE_S)
    live = heard.count(Outcome.LIVE.name)
    assert live > 5 and heard[:live] == [Outcome.LIVE.name] * live  # one loss, at the end


def test_frames_that_waited_out_a_stall_are_dropped(line: Line) -> None:
    heard = heard_over(line, STALL_S)
    assert heard.count(Outcome.LIVE.name) == 1  # the one before
    assert heard[-1] == Outcome.LOST.name
