"""What writes a release into the spare slot and keeps the boot loader's list of slots: RAUC 1.13,
asked over D-Bus (interface de.pengutronix.rauc.Installer).
Not here: when that is done (logic.py); RAUC's sentences in our words (rauc_words.py).
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
_STATUS_LIMIT_S = 15.0  # RAUC is started by the first call
_INSPECT_LIMIT_S = 60.0
_SILENCE_LIMIT_S = 30.0  # then it is asked whether it still works
_INSTALL_LIMIT_S = 3600.0  # a slow card and a slow network


class Mark(StrEnum):
    """What can be said of a slot."""

    GOOD = "good"  # it may be tried as often as a fresh one
    BAD = "bad"  # not to be booted
    ACTIVE = "active"  # to be booted next


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a signed release says of itself."""

    version: str
    compatible: str
    build: str = ""
    manifest_hash: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """One of the two places for a release."""

    name: str  # RAUC's, e.g. "rootfs.1"
    letter: str  # the boot loader's, "A" or "B"
    is_booted: bool = False
    is_bootable: bool = False  # the boot loader would take it
    is_complete: bool = True  # False while, or after, writing it was cut off
    version: str = ""  # of what was installed there; empty when it came with the flashed image
    activations: int = 0  # how often it was made the one to boot


@dataclass(frozen=True, slots=True)
class Slots:
    """Both slots and what the boot loader would do."""

    booted: Slot
    spare: Slot | None = None
    primary: str = ""  # letter of the slot that is booted next
    compatible: str = ""  # releases that this machine takes


Progress = Callable[[int, str], None]  # percent and what is being done


class Installer(Protocol):
    """Everything raises SaintError; where the installer does not answer, DAEMON_UNREACHABLE."""

    async def inspect(self, source: str) -> Bundle:
        """Check the signature of a bundle (path or URL) and tell what it holds."""

    async def install(self, source: str, on_progress: Progress) -> None:
        """Write a bundle into the spare slot and make that the one to boot. InstallError."""

    async def follow(self, on_progress: Progress) -> bool:
        """Wait for an installation that runs already; False when there is none. InstallError."""

    async def is_installing(self) -> bool:
        """True while an installation runs, whoever asked for it."""

    async def slots(self) -> Slots:
        """What the slots hold."""

    async def mark(self, mark: Mark, slot: str) -> None:
        """`slot` is "booted", "other" or a slot's name."""

    def close(self) -> None:
        """Give the connection back."""


class RaucInstaller:
    """RAUC on the system bus."""

    def __init__(self, bus: SystemBus) -> None:
        self._bus = bus

    def close(self) -> None:
        """Give the connection back."""
        self._bus.close()

    async def inspect(self, source: str) -> Bundle:
        """Check the signature of a bundle (path or URL) and tell what it holds."""
        (info,) = await self._ask("InspectBundle", "sa{sv}", source, {}, limit_s=_INSPECT_LIMIT_S)
        update = info.get("update", {})
        return Bundle(
            version=str(update.get("version", "")),
            compatible=str(update.get("compatible", "")),
            build=str(update.get("build", "")),
            manifest_hash=str(info.get("manifest-hash", "")),
        )

    async def install(self, source: str, on_progress: Progress) -> None:
        """Write a bundle into the spare slot and make that the one to boot. InstallError."""
        async with self._bus.listen(*_RULES) as signals:
            await self._ask("InstallBundle", "sa{sv}", source, {})
            await self._until_done(signals.next, on_progress)

    async def follow(self, on_progress: Progress) -> bool:
        """Wait for an installation that runs already; False when there is none. InstallError."""
        async with self._bus.listen(*_RULES) as signals:
            if not await self.is_installing():
                return False
            await self._until_done(signals.next, on_progress)
            return True

    async def slots(self) -> Slots:
        """What the slots hold."""
        (status,) = await self._ask("GetSlotStatus")
        found = [_slot(name, facts) for name, facts in status if facts.get("bootname")]
        booted = next((slot for slot in found if slot.is_booted), None)
        if booted is None:
            message = "RAUC does not know which slot runs"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix="See: rauc status.")
        spare = next((slot for slot in found if not slot.is_booted), None)
        return Slots(booted, spare, await self._primary(found), await self._property("Compatible"))

    async def mark(self, mark: Mark, slot: str) -> None:
        """`slot` is "booted", "other" or a slot's name."""
        await self._ask("Mark", "ss", mark.value, slot)

    async def _primary(self, slots: list[Slot]) -> str:
        try:
            (name,) = await self._ask("GetPrimary")
        except InstallError:
            return ""  # no slot is left that the boot loader would take
        return next((slot.letter for slot in slots if slot.name == name), "")

    async def is_installing(self) -> bool:
        """True while an installation runs, whoever asked for it."""
        return await self._property("Operation") == "installing"

    async def _property(self, name: str) -> str:
        (value,) = await self._ask("Get", "ss", RAUC.interface, name, interface=_PROPERTIES)
        return str(value)

    async def _ask(
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
        # No InstallError: the slot is still being written, and nobody may think that it is not.
        raise SaintError(Code.TOO_SLOW, f"not installed within {_INSTALL_LIMIT_S:g} s")

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
