"""The hands of an operator who drives all the time as the page "Remote" lets one: stops when the
reports stop, comes back with a new session that keeps the seat when they stay away or nothing
arrives at the robot, takes the control in hand again (web/lib/control). Notes what was sent and
what arrives. Not here: the network, the rules.
"""

import asyncio
import contextlib
import math
import random
import time
from typing import Any

import aiohttp

from tests.teleop_peer import Request, TeleopPeer
from tests.udp_relay import NetworkFaults, udp_relay
from tests.waiting import every, let_pass
from tools.bench.link_judge import Notes

# As in web/lib/control/remote-link.js.
_SILENT_S, _AGAIN_S, _RETURN_LIMIT_S, _AGAIN_PAUSE_S = 0.3, 2.0, 5.0, 1.0
_BEAT_S, _RENEW_S, _NO_PICTURE_S = 0.1, 5.0, 0.38
_PERIOD_S = 0.02
_GRIP_S = 0.6  # until a hand that had to release holds the control again
_HOLD_S, _REST_S = (2.0, 8.0), (0.1, 0.6)  # between two releases of its own accord
_ASK_S = 1.0  # as a viewer, until control is requested
_STEP_DEG, _STEPS = 1 / 1024, 1 << 14  # exact in what a sample carries
_KEPT_REPORTS = 8


class PageOperator:
    """One person; runs until cancelled."""

    def __init__(self, request: Request, faults: NetworkFaults, notes: Notes, seed: int) -> None:
        self.sessions = self.asked = self.left = 0
        self._request = request
        self._faults = faults
        self._notes = notes
        self._random = random.Random(seed)
        self._report: dict[str, Any] = {}
        self._report_s = 0.0
        self._answered_s = 0.0  # when a report has said that another message has arrived
        self._holds = False
        self._changes_s = 0.0
        self._tasks: set[asyncio.Task[Any]] = set()

    async def run(self) -> None:
        """Operate; whenever the link is lost, come back."""
        replaces, tries = "", 0
        while True:
            async with udp_relay(self._random.randrange(1 << 30)) as relay:
                relay.faults = self._faults
                peer = TeleopPeer(relay.between(self._signal))
                try:
                    if await self._is_connected(peer, replaces):
                        tries = 0
                        await self._operate(peer)
                    else:
                        tries += 1
                finally:
                    replaces = peer.session or replaces
                    relay.close()  # a page says nothing on a link that it has lost
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(peer.close(), 1.0)
            if tries:
                await let_pass(_AGAIN_PAUSE_S * tries)

    async def _signal(self, action: str, **params: Any) -> dict[str, Any]:
        """Requests take the same network: there are none while it is cut."""
        if self._faults.is_cut:
            raise ConnectionError("the network is cut")
        await let_pass(2 * self._faults.delay_s)
        return await self._request(action, **params)

    async def _is_connected(self, peer: TeleopPeer, replaces: str) -> bool:
        peer.state.on("message", lambda _: self._note_state(peer))
        peer.fields.on("message", lambda _: self._note(peer))
        peer.answers, self._report, self._report_s = True, {}, time.monotonic()
        try:
            async with asyncio.timeout(_RETURN_LIMIT_S):
                await peer.connect(wants_control=True, replaces=replaces)
        except (OSError, TimeoutError, AssertionError, aiohttp.ClientError):
            return False
        self.sessions += 1
        self._notes.linked.append(time.monotonic())
        self._report_s = self._answered_s = time.monotonic()
        return True

    async def _operate(self, peer: TeleopPeer) -> None:
        """Drive until no report has come for long, or the robot has ended the session."""
        beat_s = renew_s = watched_s = time.monotonic()
        self._release(_GRIP_S)
        async for _ in every(_PERIOD_S):
            now_s = time.monotonic()
            silent_s = now_s - self._report_s
            if peer.fields.readyState != "open":
                self.left += 1
                return
            if max(silent_s, now_s - self._answered_s) > _AGAIN_S:
                return
            is_operator = self._report.get("seat") == "operator"
            if silent_s > _SILENT_S or not is_operator or "Release" in self._report["why"]:
                self._release(_GRIP_S)
            elif now_s >= self._changes_s:
                self._holds = not self._holds
                span = _HOLD_S if self._holds else _REST_S
                self._changes_s = now_s + self._random.uniform(*span)
            peer.picture_ms = self._picture_ms(now_s)
            if self._holds:
                self._command(peer)
            if now_s - beat_s >= _BEAT_S:
                beat_s = now_s
                peer.send()
            if now_s - renew_s >= _RENEW_S:
                renew_s = now_s
                self._spawn("renew", peer.session)
            if is_operator or not self._report:
                watched_s = now_s
            elif now_s - watched_s >= _ASK_S:
                watched_s, self.asked = now_s, self.asked + 1
                self._spawn("request_control", peer.session)

    def _release(self, seconds: float) -> None:
        self._holds, self._changes_s = False, time.monotonic() + seconds

    def _command(self, peer: TeleopPeer) -> None:
        """Send the next command; the angle of the head is its number."""
        now_s, number = time.monotonic(), len(self._notes.sent)
        self._notes.sent.append(now_s)
        peer.send(
            tracks={"linear": 0.3 + 0.1 * math.sin(now_s), "angular": 0.2 * math.sin(3 * now_s)},
            head={"pan": angle_of(number)},
        )

    def _picture_ms(self, now_s: float) -> float | None:
        """Return the age of the picture as the page names it."""
        age_ms, echo_ms = self._report.get("picture", {}).get("age_ms"), self._report.get("echo")
        if age_ms is None or echo_ms is None or not self._notes.frames:
            return None
        missing_s = now_s - self._notes.frames[-1]
        trip_ms = self._report_s * 1000 - echo_ms - (self._report["echo_age_ms"] or 0.0)
        late_ms = missing_s * 1000 if missing_s > _NO_PICTURE_S else 0.0
        return float(max(0.0, age_ms + trip_ms / 2 + late_ms))

    def _note_state(self, peer: TeleopPeer) -> None:
        self._notes.states.append(time.monotonic())
        peer.states.clear()

    def _note(self, peer: TeleopPeer) -> None:
        report = peer.reports[-1]
        del peer.reports[:-_KEPT_REPORTS]
        if report["seq"] > self._report.get("seq", 0):
            is_answer = report["echo"] != self._report.get("echo")
            self._report, self._report_s = report, time.monotonic()
            self._answered_s = self._report_s if is_answer else self._answered_s
            self._notes.rates.append((self._report_s, float(report["picture"]["kbps"])))

    def _spawn(self, action: str, session: str) -> None:
        async def send() -> None:
            with contextlib.suppress(OSError, AssertionError, aiohttp.ClientError):
                await self._signal(action, session=session)

        task = asyncio.create_task(send())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def angle_of(number: int) -> float:
    """Return the angle that carries a command's number."""
    return number % _STEPS * _STEP_DEG


def number_of(angle: float, newest: int) -> int:
    """Return the newest number that the angle may carry."""
    place = round(angle / _STEP_DEG)
    return newest - (newest - place) % _STEPS
