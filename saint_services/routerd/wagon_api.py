"""Passes requests about the wagon to its role and waits for the outcome. Not here: whether it may
be armed (role_wagond).
"""

import asyncio
import math
import random

from ..lib.api import Done, wagon
from ..lib.api.endpoint import Nothing
from ..lib.api.wagon import WagonEvents, WagonGainsRequest, WagonInfo, wagon_info
from ..lib.bus import Bus, Sample
from ..lib.clock import monotonic_s, wall_s
from ..lib.errors import Code, SaintError
from ..lib.generated import topics
from ..lib.generated.saint_msgs import WagonReply, WagonRequest, WagonState
from ..lib.ipc import Api, Call
from ..lib.stall import StallWatch
from .estop.proven_roles import ProvenRoles
from .inputs.late_requests import check_in_time
from .logic import Router
from .wagon_history import WagonHistory

TARGET = "wagon"
ANSWER_S = 2.0  # the role waits 0.5 s for the board
OLD_S = 0.5  # of a state, which comes 20 times a second


class WagonApi:
    """Answers requests. Only replies and states of the proven role count."""

    def __init__(self, bus: Bus, router: Router, proven: ProvenRoles, stalls: StallWatch) -> None:
        self._router = router
        self._stalls = stalls
        self._proven = proven
        self._waiting: dict[int, asyncio.Future[WagonReply]] = {}
        self._state: WagonState | None = None
        self._state_s = -math.inf
        self._history = WagonHistory()
        self._has_wagon = TARGET in router.robot.fields
        if self._has_wagon:
            self._requests = bus.publisher(topics.WAGON_REQUEST)
            bus.subscribe(topics.WAGON_STATE, self._on_state)
            bus.subscribe(topics.WAGON_REPLY, self._on_reply)

    def add_to(self, api: Api) -> Api:
        """Bind all rows; a robot without a wagon answers that it has none."""
        api.bind(wagon.GET_STATUS, self.get_status)
        api.bind(wagon.GET_EVENTS, self.get_events)
        api.bind(wagon.ARM, self.arm)
        api.bind(wagon.DISARM, self.disarm)
        api.bind(wagon.SET_GAINS, self.set_gains)
        return api

    async def get_status(self, _: Call[Nothing]) -> WagonInfo:
        self._check()
        if self._state is None or monotonic_s() - self._state_s > OLD_S:
            return WagonInfo(state="absent", why="no role drives the wagon now")
        return wagon_info(self._state)

    async def get_events(self, _: Call[Nothing]) -> WagonEvents:
        self._check()
        return WagonEvents(events=self._history.events())

    async def arm(self, _: Call[Nothing]) -> Done:
        """Arm. Refused during a stop before anything is published."""
        self._check()
        check_in_time(self._stalls, "the wagon was not armed")
        if self._router.latch.active:
            raise SaintError(
                Code.REFUSED, "the robot is stopped, so the wagon was not armed",
                fix="Clear the e-stop first.",
            )  # fmt: skip
        return await self._request(WagonRequest(action="arm"))

    async def disarm(self, _: Call[Nothing]) -> Done:
        self._check()
        return await self._request(WagonRequest(action="disarm"))

    async def set_gains(self, call: Call[WagonGainsRequest]) -> Done:
        self._check()
        gains = call.body
        return await self._request(
            WagonRequest(action="gains", kp=gains.kp, ki=gains.ki, kd=gains.kd)
        )

    async def _request(self, message: WagonRequest) -> Done:
        number = message.id = random.getrandbits(32)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._requests.publish(message)
            async with asyncio.timeout(ANSWER_S):
                reply = await self._waiting[number]
        except TimeoutError as err:
            raise SaintError(
                Code.BUS_TIMEOUT, f"the role of the wagon did not answer within {ANSWER_S:g} s",
                fix="Look at its node; the pilot's arm switch and the red button always stop it.",
            ) from err  # fmt: skip
        finally:
            del self._waiting[number]
        if not reply.is_done:
            raise SaintError(Code.REFUSED, f"the wagon refused: {reply.text}")
        return Done(message=reply.text)

    def _check(self) -> None:
        if not self._has_wagon:
            raise SaintError(Code.NOT_FOUND, "this robot has no wagon")

    def _on_reply(self, sample: Sample[WagonReply]) -> None:
        waiting = self._waiting.get(sample.message.id)
        is_proven = self._proven.is_role(sample.origin, TARGET, monotonic_s())
        if waiting is not None and not waiting.done() and is_proven:
            waiting.set_result(sample.message)

    def _on_state(self, sample: Sample[WagonState]) -> None:
        if self._proven.is_role(sample.origin, TARGET, monotonic_s()):
            self._state, self._state_s = sample.message, sample.received_s
            self._history.see(sample.message, wall_s())
