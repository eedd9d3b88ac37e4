"""What the owner decides about updates: otad.yaml, and over it, setting by setting, what an admin
has chosen on the page or a terminal. Not here: what follows from it (rollout/offers.py, sources).
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator, model_validator

from ..lib.api.update_policy import OfferPolicy, RolloutPolicy, SetUpdatePolicy, UpdatePolicy
from ..lib.backup.sections import Section
from ..lib.config import Settings, validation
from ..lib.errors import Code, SaintError
from ..lib.state import Migration, StateStore
from ..lib.strict import StrictModel
from .rollout.offers import Window
from .sources import address, authority

VERSION = 2
MIGRATIONS: Mapping[int, Migration] = {1: dict}  # added: USB sticks
FILE = "policy.json"


class OwnerPolicy(Settings):
    """The settings; part of otad.yaml."""

    # Whether nodes that boot or rest take the offered release by themselves ("ask": they do not),
    # and at which time of day ("02:00-05:00", UTC, an hour at least; empty: any).
    offers: OfferPolicy = OfferPolicy.AUTOMATIC
    window: str = Field(default="", max_length=11)
    # "automatic": the newest release on the server, from wherever it came, is rolled out without
    # a user's request, within the window, one node first. Once: never again after a halt.
    roll_out: RolloutPolicy = RolloutPolicy.BY_USER
    # A folder of the owner's with new releases (https://...); empty: off. How often it is looked
    # at, and the authority (PEM) that its certificate must have instead of a public one.
    releases_from: str = Field(default="", max_length=address.LONGEST)
    check_every_h: int = Field(default=24, ge=1, le=720)
    authority: str = Field(default="", max_length=65536, repr=False)
    # Whether releases of a stick that is plugged into the server are stored. Off: anyone at its
    # sockets could have machines update at their next start.
    usb_stick: bool = False

    @field_validator("window")
    @classmethod
    def _is_window(cls, text: str) -> str:
        Window.parse(text)
        return text

    @field_validator("releases_from")
    @classmethod
    def _is_address(cls, text: str) -> str:
        return address.checked(text)

    @field_validator("authority")
    @classmethod
    def _is_authority(cls, text: str) -> str:
        return authority.checked(text)


class SavedPolicy(StrictModel):
    """policy.json: only what an admin has set over otad.yaml."""

    offers: OfferPolicy | None = None
    window: str | None = None
    roll_out: RolloutPolicy | None = None
    releases_from: str | None = None
    check_every_h: int | None = None
    authority: str | None = Field(default=None, repr=False)
    usb_stick: bool | None = None

    @model_validator(mode="after")
    def _is_valid(self) -> "SavedPolicy":
        OwnerPolicy.model_validate(self.model_dump(exclude_none=True))
        return self


class PolicyStore:
    """The settings in force; `on_change` is called after each change."""

    def __init__(self, shipped: OwnerPolicy, folder: Path) -> None:
        names = OwnerPolicy.model_fields
        self._shipped = {name: getattr(shipped, name) for name in names}
        self._store = StateStore(
            folder / FILE, SavedPolicy, VERSION, MIGRATIONS, keeps_last_good=True
        )
        self._saved = SavedPolicy()
        self._turn = asyncio.Lock()
        self.in_force = OwnerPolicy.model_validate(self._shipped)
        self.on_change: Callable[[], None] = lambda: None

    async def load(self) -> SaintError | None:
        """Load what was chosen. Return why it is not what was saved last."""
        try:
            self._saved = await asyncio.to_thread(self._store.load)
        except SaintError as err:  # of a newer release; otad.yaml alone counts
            return err
        self.in_force = self._merged(self._saved)
        return self._store.problem

    async def change(self, wanted: SetUpdatePolicy) -> UpdatePolicy:
        """Change the named settings. Raises request_invalid; then nothing is changed."""
        given = wanted.model_dump(exclude_none=True)
        async with self._turn:
            try:
                merged = OwnerPolicy.model_validate(self.in_force.model_dump() | given)
            except ValidationError as err:
                fault = validation.faults(err, OwnerPolicy, given)[0]
                raise SaintError(Code.REQUEST_INVALID, str(fault)) from err
            chosen: dict[str, Any] = {name: getattr(merged, name) for name in given}
            await self._use(self._saved.model_copy(update=chosen))
        return self.shown()

    def shown(self) -> UpdatePolicy:
        """Return the settings for users."""
        policy = self.in_force
        return UpdatePolicy(
            offers=policy.offers,
            roll_out=policy.roll_out,
            window=policy.window,
            releases_from=policy.releases_from,
            check_every_h=policy.check_every_h,
            has_authority=bool(policy.authority),
            usb_stick=policy.usb_stick,
        )

    def section(self) -> Section[SavedPolicy]:
        """Return the settings as a part of a backup."""

        async def current() -> SavedPolicy:
            return self._saved

        async def check(_: SavedPolicy) -> list[str]:
            return []

        async def apply(saved: SavedPolicy) -> None:
            async with self._turn:
                await self._use(saved)

        return Section("policy", SavedPolicy, VERSION, current, check, apply, MIGRATIONS)

    async def _use(self, saved: SavedPolicy) -> None:
        await asyncio.to_thread(self._store.save, saved)
        self._saved = saved
        self.in_force = self._merged(saved)
        self.on_change()

    def _merged(self, saved: SavedPolicy) -> OwnerPolicy:
        return OwnerPolicy.model_validate(self._shipped | saved.model_dump(exclude_none=True))
