"""Requests that press and clear the e-stop. Not here: when a clear is refused (latch.py), storage
(latch_store.py).
"""

import asyncio
from collections.abc import Callable

from ...lib.api import routing
from ...lib.api.routing import EStopClear, EStopInfo, EStopRequest
from ...lib.clock import monotonic_s
from ...lib.ipc import Api, Call
from .. import report
from ..logic import Router
from .confirmations import Confirmations
from .latch_store import LatchClearing, LatchStore


class EStopApi:
    """Answers requests. `settle` acts on what a request changed in the router."""

    def __init__(
        self,
        router: Router,
        store: LatchStore,
        clearing: LatchClearing,
        confirmations: Confirmations,
        settle: Callable[[], None],
    ) -> None:
        self._router = router
        self._store = store
        self._clearing = clearing
        self._confirmations = confirmations
        self._settle = settle

    def add_to(self, api: Api) -> Api:
        api.bind(routing.ESTOP, self.estop)
        api.bind(routing.CLEAR_ESTOP, self.clear_estop)
        return api

    async def estop(self, call: Call[EStopRequest]) -> EStopInfo:
        """Stop the robot at once. The reply waits for the disk and for the confirmations, and names
        what is not stored and which roles have not confirmed.
        """
        self._router.raise_estop(call.body.source, call.body.reason, monotonic_s())
        self._settle()
        problem, _ = await asyncio.gather(self._store.settled(), self._confirmations.settled())
        return self._info(problem)

    async def clear_estop(self, call: Call[EStopClear]) -> EStopInfo:
        problem = await self._clearing.clear(call.body.source, call.body.generation)
        return self._info(problem)

    def _info(self, problem: str) -> EStopInfo:
        return report.estop_info(self._router.latch, problem, self._confirmations.listed())
