"""The e-stop on routerd's socket: presses and clears. Not here: what may be cleared (estop.py), how
it is stored (latch_store.py).
"""

from collections.abc import Callable

from ..lib.api.routing import EStopClear, EStopInfo, StopRequest
from ..lib.clock import monotonic_s
from ..lib.ipc import Api, Call
from . import report
from .latch_store import Clearing, LatchStore
from .logic import Router


class EStopControl:
    """Answers requests. `settle` makes the daemon act on what a request changed."""

    def __init__(
        self, router: Router, store: LatchStore, clearing: Clearing, settle: Callable[[], None]
    ) -> None:
        self._router = router
        self._store = store
        self._clearing = clearing
        self._settle = settle

    def add_to(self, api: Api) -> Api:
        """Both paths."""
        api.post("/estop", self._press, StopRequest)
        api.post("/estop/clear", self._clear, EStopClear)
        return api

    async def _press(self, call: Call[StopRequest]) -> EStopInfo:
        """The stop has not waited for the disk; the answer does, and says what is not stored."""
        self._router.raise_estop(call.body.source, call.body.reason, monotonic_s())
        self._settle()
        problem = await self._store.settled()
        return report.estop_info(self._router.latch, problem)

    async def _clear(self, call: Call[EStopClear]) -> EStopInfo:
        problem = await self._clearing.clear(call.body.source, call.body.generation)
        return report.estop_info(self._router.latch, problem)
