"""Calibrations of the fake robot's roles: adoptiond's own store, without nodes."""

import functools
from pathlib import Path

from saint_services.adoptiond.adapters import load_catalog
from saint_services.adoptiond.calibration_store import CalibrationStore
from saint_services.adoptiond.registry import RoleKey
from saint_services.lib.api.calibration import (
    CALIBRATE,
    GET_CALIBRATION,
    Calibrate,
    CalibrationReply,
    GetCalibration,
)
from saint_services.lib.errors import SaintError
from saint_services.lib.health import Health
from saint_services.lib.ipc import Api, Call

_catalog = functools.cache(load_catalog)


class FakeCalibrations:
    """Records the requested changes; refuses the next one on a test's demand."""

    def __init__(self, manifests: Path, state: Path) -> None:
        state.mkdir(parents=True, exist_ok=True)
        self._kept = CalibrationStore(state, Health("adoptiond"), _catalog(manifests, "saint"))
        self.asked: list[Calibrate] = []
        self.refusal: SaintError | None = None

    def add_to(self, api: Api) -> None:
        """Answer for adoptiond."""
        api.bind(GET_CALIBRATION, self._show)
        api.bind(CALIBRATE, self._change)

    def at(self, target: str) -> CalibrationReply:
        """Return the active calibration of a target."""
        return self._kept.show(target)

    async def _show(self, call: Call[GetCalibration]) -> CalibrationReply:
        return self._kept.show(call.body.target)

    async def _change(self, call: Call[Calibrate]) -> CalibrationReply:
        self.asked.append(call.body)
        if self.refusal:
            raise self.refusal
        return await self._kept.change(call.body, self._notify)

    async def _notify(self, key: RoleKey) -> str:
        return f"saved; {key} applies it as soon as its outputs are safe"
