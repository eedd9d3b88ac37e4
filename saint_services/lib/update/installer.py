"""Writes a release into the spare slot and changes the boot loader's list of slots, with RAUC 1.13
over D-Bus (interface de.pengutronix.rauc.Installer). Not here: when (logic.py); RAUC's messages as
sentences (rauc_errors.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from ..clock import monotonic_s
from ..errors import Code, SaintError
from .dbus import CallError, Peer, Signal, SystemBus
from .rauc_errors import InstallError, explained

RAUC = Peer("de.pengutronix.rauc", "/", "de.pengutronix.rauc.Installer")

_PROPERTIES = "org.freedesktop.DBus.Properties"
_RULES = (
    f"type='signal',sender='{RAUC.name}',path='{RAUC.path}'",
    f"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{RAUC.name}'",
)
_STATUS_LIMIT_S = 15.0  # the first call starts RAUC
_INSPECT_LIMIT_S = 60.0
_SILENCE_LIMIT_S = 30.0  # after that its state is queried
_INSTALL_LIMIT_S = 3600.0  # a slow card and a slow network


class SlotMark(StrEnum):
    """A mark of a slot in the boot loader's list."""

    GOOD = "good"  # all tries of the boot loader are available again
    BAD = "bad"  # not to be booted
    ACTIVE = "active"  # to be booted next


@dataclass(frozen=True, slots=True)
class BundleInfo:
    """The description inside a signed release."""

    version: str
    compatible: str
    build: str = ""
    manifest_hash: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """One of the two places for a release."""

    name: str  # RAUC's name, e.g. "rootfs.1"
    letter: str  # the boot loader's name, "A" or "B"
    is_booted: bool = False
    is_bootable: bool = False  # the boot loader would boot it
    is_complete: bool = True  # False while it is written, or after writing was interrupted
    version: str = ""  # of the installed release; empty when it came with the flashed image
    activations: int = 0  # how often it was selected for boot


@dataclass(frozen=True, slots=True)
class Slots:
    """Both slots and the boot loader's choice."""

    booted: Slot
    spare: Slot | None = None
    primary: str = ""  # letter of the slot that is booted next
    compatible: str = ""  # the `compatible` of releases for this machine


Progress = Callable[[int, str], None]  # percent and current step


class Installer(Protocol):
    """Installs releases. Each method raises SaintError; DAEMON_UNREACHABLE where the installer does
    not answer."""

    async def inspect(self, source: str) -> BundleInfo:
        """Check the signature of a bundle (path or URL) and return its description."""

    async def install(self, source: str, on_progress: Progress) -> None:
        """Write a bundle into the spare slot and boot that slot next. Raises InstallError."""

    async def follow(self, on_progress: Progress) -> bool:
        """Wait for an installation that runs already; return False when there is none. Raises
        InstallError."""

    async def is_installing(self) -> bool:
        """Whether an installation runs, whichever process requested it."""

    async def slots(self) -> Slots:
        """Return the contents of the slots."""

    async def mark(self, mark: SlotMark, slot: str) -> None:
        """Mark a slot: "booted", "other" or a slot's name."""

    def close(self) -> None:
        """Close the connection."""


class RaucInstaller:
    """RAUC on the system bus."""

    def __init__(self, bus: SystemBus) -> None:
        self._bus = bus

    def close(self) -> None:
        self._bus.close()

    async def inspect(self, source: str) -> BundleInfo:
        (info,) = await self._request(
            "InspectBundle", "sa{sv}", source, {}, limit_s=_INSPECT_LIMIT_S
        )
        update = info.get("update", {})
        return BundleInfo(
            version=str(update.get("version", "")),
            compatible=str(update.get("compatible", "")),
            build=str(update.get("build", "")),
            manifest_hash=str(info.get("manifest-hash", "")),
        )

    async def install(self, source: str, on_progress: Progress) -> None:
        async with self._bus.listen(*_RULES) as signals:
            await self._request("InstallBundle", "sa{sv}", source, {})
            await self._until_done(signals.next, on_progress)

    async def follow(self, on_progress: Progress) -> bool:
        async with self._bus.listen(*_RULES) as signals:
            if not await self.is_installing():
                return False
            await self._until_done(signals.next, on_progress)
            return True

    async def slots(self) -> Slots:
        (status,) = await self._request("GetSlotStatus")
        found = [_slot(name, facts) for name, facts in status if facts.get("bootname")]
        booted = next((slot for slot in found if slot.is_booted), None)
        if booted is None:
            message = "RAUC does not know the running slot"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix="See: rauc status.")
        spare = next((slot for slot in found if not slot.is_booted), None)
        return Slots(booted, spare, await self._primary(found), await self._property("Compatible"))

    async def mark(self, mark: SlotMark, slot: str) -> None:
        await self._request("Mark", "ss", mark.value, slot)

    async def _primary(self, slots: list[Slot]) -> str:
        try:
            (name,) = await self._request("GetPrimary")
        except InstallError:
            return ""  # the boot loader would boot none of the slots
        return next((slot.letter for slot in slots if slot.name == name), "")

    async def is_installing(self) -> bool:
        return await self._property("Operation") == "installing"

    async def _property(self, name: str) -> str:
        (value,) = await self._request("Get", "ss", RAUC.interface, name, interface=_PROPERTIES)
        return str(value)

    async def _request(
        self,
        member: str,
        signature: str = "",
        *body: Any,
        limit_s: float = _STATUS_LIMIT_S,
        interface: str = RAUC.interface,
    ) -> tuple[Any, ...]:
        try:
            peer = RAUC.at(RAUC.path, interface)
            return await self._bus.call(peer, member, signature, *body, limit_s=limit_s)
        except CallError as err:
            raise explained(err.text, err.name) from err

    async def _until_done(self, following: "Callable[[float], Any]", on_progress: Progress) -> None:
        deadline_s = monotonic_s() + _INSTALL_LIMIT_S
        while (rest_s := deadline_s - monotonic_s()) > 0:
            signal: Signal | None = await following(min(rest_s, _SILENCE_LIMIT_S))
            if signal is None:
                if await self.is_installing():
                    continue
                return await self._judge()
            match signal.member, signal.body:
                case "Completed", (0, *_):
                    return None
                case "Completed", _:
                    return await self._judge(is_failure=True)
                case "NameOwnerChanged", (_, _, ""):
                    raise InstallError(
                        Code.RELEASE_INVALID, "RAUC ended while it installed", is_transient=True
                    )
                case "PropertiesChanged", (_, {"Progress": (percent, text, *_)}, *_):
                    on_progress(int(percent), str(text))
        # No InstallError: the slot is still being written and must not count as free.
        raise SaintError(
            Code.TOO_SLOW, f"the installation was not done within {_INSTALL_LIMIT_S:g} s"
        )

    async def _judge(self, *, is_failure: bool = False) -> None:
        if text := await self._property("LastError"):
            raise explained(text)
        if is_failure:
            raise InstallError(Code.INTERNAL, "RAUC failed without giving a reason")


def _slot(name: str, facts: dict[str, Any]) -> Slot:
    return Slot(
        name=name,
        letter=str(facts["bootname"]),
        is_booted=facts.get("state") == "booted",
        is_bootable=facts.get("boot-status") == "good",
        is_complete=facts.get("status", "ok") == "ok",
        version=str(facts.get("bundle.version", "")),
        activations=int(facts.get("activated.count", 0)),
    )
