"""Stored state: the e-stop latch, the routes and the operators' presets."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from ..lib.api.routing import Blending, Route
from ..lib.errors import Code, SaintError
from ..lib.state import VERSION_KEY, Migration, StateStore
from ..lib.strict import StrictModel
from .estop.latch import Latch, Press

LATCH_VERSION = 1
# 2: weight, blending.fields, hysteresis_ms; source_timeout_ms counts; loaded. 3: filters, curves by
# points, conditions and combinations of mappings, which older releases would refuse.
ROUTES_VERSION = 3
PRESET_VERSION = 2  # 2: as version 3 of the routes


class SavedPress(StrictModel):
    """One request to stop."""

    source: str
    reason: str = ""
    since: str = ""
    generation: int = Field(default=0, ge=0)


class SavedLatch(StrictModel):
    """estop.latch. An open latch has its generation too: it must never fall."""

    active: bool = False
    source: str = ""
    reason: str = ""
    generation: int = Field(default=0, ge=0)
    presses: list[SavedPress] = []
    more: int = Field(default=0, ge=0)

    @classmethod
    def of(cls, latch: Latch) -> "SavedLatch":
        return cls.model_validate({name: asdict(latch)[name] for name in cls.model_fields})

    def latch(self) -> Latch:
        presses = tuple(Press(**each.model_dump()) for each in self.presses)
        return Latch(self.active, self.source, self.reason, self.generation, presses, self.more)


def encode_latch(latch: Latch) -> bytes:
    """Encode a latch, with the version of the format."""
    saved = {VERSION_KEY: LATCH_VERSION, **SavedLatch.of(latch).model_dump()}
    return json.dumps(saved, ensure_ascii=False).encode(errors="replace")


def decode_latch(record: bytes) -> Latch:
    """Decode a latch; raise SaintError if this program cannot read the record."""
    try:
        data = json.loads(record)
        version = data.pop(VERSION_KEY)
        if version != LATCH_VERSION:
            message = f"the stored e-stop has version {version}, this program reads {LATCH_VERSION}"
            raise SaintError(Code.STATE_NEWER, message)
        return SavedLatch.model_validate(data).latch()
    except (ValueError, LookupError, TypeError, AttributeError) as err:
        raise SaintError(Code.STATE_DAMAGED, "the stored e-stop is damaged") from err


class SavedRoutes(StrictModel):
    """routes.yaml, in the form of a preset. Without routes the configured preset is in force."""

    routes: list[Route] | None = None
    blending: Blending = Blending()
    loaded: str = ""  # the name of the preset that they are, until they are edited


class SavedPreset(StrictModel):
    """presets/<name>.yaml"""

    routes: list[Route] = []
    blending: Blending = Blending()


def routes_store(directory: Path) -> StateStore[SavedRoutes]:
    path = directory / "routes.yaml"
    return StateStore(path, SavedRoutes, ROUTES_VERSION, ROUTES_MIGRATIONS, keeps_last_good=True)


def preset_store(directory: Path, name: str) -> StateStore[SavedPreset]:
    path = directory / "presets" / f"{name}.yaml"
    return StateStore(path, SavedPreset, PRESET_VERSION, PRESET_MIGRATIONS)


def _obeyed_timeout(data: dict[str, Any]) -> dict[str, Any]:
    """Drop blending.source_timeout_ms, which version 1 stored and ignored: the time-outs stay as
    they were.
    """
    blending = {k: v for k, v in (data.get("blending") or {}).items() if k != "source_timeout_ms"}
    return data | {"blending": blending}


def _unfiltered(data: dict[str, Any]) -> dict[str, Any]:
    """Return the routes as they are: what version 3 adds is off unless it is written."""
    return data


ROUTES_MIGRATIONS: Final[Mapping[int, Migration]] = {1: _obeyed_timeout, 2: _unfiltered}
PRESET_MIGRATIONS: Final[Mapping[int, Migration]] = {1: _unfiltered}
