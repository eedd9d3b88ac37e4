"""Where an arm or a leader arm is: the newest pose that its role reports, which is refused as soon
as it is old or a joint is not measured. Degrees; ratios as 0 to 100, as LeRobot counts a gripper.
Not here: moving it (arm_stream.py).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

from ..lib.api.states import PartsState, RolePartsState
from ..lib.errors import Code, SaintError
from ..lib.remote.joints import PERCENT

Watch = Callable[[type[PartsState], float], AsyncIterator[PartsState]]

OLD_S: Final = 0.5  # a role reports 20 times a second
FIRST_S: Final = 5.0
_POSITION: Final = "_position"


class ArmPose:
    """The newest pose: `async with robot.pose("leader.hand") as pose: pose.newest()`."""

    def __init__(self, watch: Watch, target: str) -> None:
        self.target = target
        self._watch = watch
        self._state: RolePartsState | None = None
        self._seen: frozenset[str] = frozenset()
        self._received_s = 0.0
        self._first = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Wait for the first pose. Raises not_found for a target that reports none."""
        self._work = asyncio.create_task(self._follow(), name=f"pose {self.target}")
        with ExitStack() as undoing:
            undoing.callback(self._end)
            try:
                async with asyncio.timeout(FIRST_S):
                    await self._first.wait()
            except TimeoutError:
                seen = ", ".join(sorted(self._seen)) or "none"
                text = (
                    f"no arm {self.target} reports its joints within {FIRST_S:g} s;"
                    f" here are: {seen}"
                )
                fix = "Name one of those, and check that its node is there."
                raise SaintError(Code.NOT_FOUND, text, fix=fix) from None
            undoing.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that have a servo, in the order of the robot."""
        sensors = self._state.sensors if self._state else {}
        return tuple(n.removesuffix(_POSITION) for n in sensors if n.endswith(_POSITION))

    def is_share(self, joint: str) -> bool:
        """Return whether a joint is a ratio, which counts 0 to 100 here."""
        assert self._state
        return self._state.sensors[joint + _POSITION].unit == "ratio"

    def newest(self) -> dict[str, float]:
        """Return the place of each joint. Raises stale while the robot does not report, and
        hardware_missing for a joint that is not measured.
        """
        state, now_s = self._state, time.monotonic()
        assert state
        age_s = now_s - self._received_s + state.age_ms / 1000
        if age_s > OLD_S:
            text = f"{self.target} has not reported its joints for {age_s:.1f} s"
            fix = "Check the network and the node of the arm. The arm stops by itself meanwhile."
            raise SaintError(Code.DAEMON_UNREACHABLE, text, fix=fix)
        return {joint: self._place(state, joint) for joint in self.joints}

    def _place(self, state: RolePartsState, joint: str) -> float:
        found = state.sensors[joint + _POSITION]
        if found.value is None:
            text = f"{joint} of {self.target} is not measured: its servo does not answer"
            raise SaintError(Code.HARDWARE_MISSING, text, fix="See the page Arms.")
        return found.value * PERCENT if found.unit == "ratio" else found.value

    async def _follow(self) -> None:
        async for parts in self._watch(PartsState, 0.0):
            self._seen = frozenset(parts.targets)
            found = parts.targets.get(self.target)
            if found is None or not any(name.endswith(_POSITION) for name in found.sensors):
                continue
            self._state, self._received_s = found, time.monotonic()
            self._first.set()

    def _end(self) -> None:
        if self._work:
            self._work.cancel()
