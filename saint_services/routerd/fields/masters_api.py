"""Requests about masters: who controls each target, and a leader that gets one by request instead
of by its clutch. Not here: the rules (masters.py, locks.py).
"""

from collections.abc import Callable
from typing import Literal

from ...lib.api import masters
from ...lib.api.endpoint import Nothing
from ...lib.api.masters import EngageLeader, LeaderInfo, MasterInfo, MasterList
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.ipc import Api, Call
from ...lib.stall import StallWatch
from ..inputs.late_requests import check_in_time
from ..inputs.source_classes import kind_of
from ..inputs.sources import InputSource
from ..logic import Router
from .masters import CLUTCH, REMOTE, SEQUENCE

Kind = Literal["none", "leader", "sequence", "remote", "client", "other"]


class MastersApi:
    """Answers requests. `settle` acts on what a request changed in the router."""

    def __init__(self, router: Router, stalls: StallWatch, settle: Callable[[], None]) -> None:
        self._router = router
        self._stalls = stalls
        self._settle = settle

    def add_to(self, api: Api) -> Api:
        api.bind(masters.LIST_MASTERS, self.list_masters)
        api.bind(masters.ENGAGE_LEADER, self.engage_leader)
        return api

    async def list_masters(self, _: Call[Nothing]) -> MasterList:
        return self._listed()

    async def engage_leader(self, call: Call[EngageLeader]) -> MasterList:
        check_in_time(self._stalls, "the leader leads nobody by it")
        body, now_s = call.body, monotonic_s()
        source = self._router.sources.get(f"leader:{body.leader}")
        if source is None or body.target not in self._router.masters.led_by(source, now_s):
            raise SaintError(
                Code.REFUSED,
                f"leader {body.leader} does not lead {body.target} now",
                fix="Check the leader's node, and the targets in its configuration.",
            )
        self._router.take_control(
            body.target, source.name, source.timeout_s, now_s, takes_over=body.takeover
        )
        self._settle()
        return self._listed()

    def _listed(self) -> MasterList:
        now_s = monotonic_s()
        found: dict[str, list[LeaderInfo]] = {}
        for source in self._router.sources.values():
            if source.kind == "leader" and source.is_known:
                for target in self._router.masters.led_by(source, now_s):
                    found.setdefault(target, []).append(_leader(source))
        targets = self._router.robot.fields
        return MasterList(
            masters=[self._master(target, found.get(target, []), now_s) for target in targets]
        )

    def _master(self, target: str, leaders: list[LeaderInfo], now_s: float) -> MasterInfo:
        lock = self._router.locks.held.get(target)
        if lock is None:
            return MasterInfo(target=target, kind="none", leaders=leaders)
        return MasterInfo(
            target=target,
            kind=_kind(lock.holder),
            holder=lock.holder,
            held_ms=round(1000 * max(0.0, now_s - lock.since)),
            remaining_ms=round(1000 * max(0.0, lock.until - now_s)),
            leaders=leaders,
        )


def _kind(holder: str) -> Kind:
    if holder.startswith(SEQUENCE):
        return "sequence"
    if holder.startswith(REMOTE):
        return "remote"
    kinds: dict[str | None, Kind] = {"leader": "leader", "websocket": "client"}
    return kinds.get(kind_of(holder), "other")


def _leader(source: InputSource) -> LeaderInfo:
    clutch = source.streams.get(("", CLUTCH))
    is_closed = clutch is not None and bool(clutch.values) and bool(clutch.values[0])
    return LeaderInfo(name=source.subject, is_closed=is_closed)
