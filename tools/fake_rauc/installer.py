"""The object of de.pengutronix.rauc: the methods, signals and words of RAUC 1.13, for one
simulated machine. Not here: what a bundle must be (bundle.py), the boot loader's rules (slots.py).
"""

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dbus_fast import Variant
from dbus_fast.aio import MessageBus

from . import bundle as bundles
from .answers import described, installed, now, slot_name
from .bundle import Manifest, Source, UnusableError
from .bus_object import PROPERTIES, BusObjects, Interface, Method, RefusalError
from .faults import Fault, Faults
from .slots import LETTERS, Slots, save

NAME = "de.pengutronix.rauc"
INTERFACE = "de.pengutronix.rauc.Installer"
PATH = "/"
# GLib's name for an error without a D-Bus name: G_IO_ERROR_FAILED_HANDLED.
_ERROR = "org.gtk.GDBus.UnmappedGError.Quark._g_2dio_2derror_2dquark.Code30"
_COPY_FROM, _COPY_TO = 46, 99  # percent of an installation that copying takes
_SLOW_S = 20.0


class Installer:
    """One machine's RAUC. `slots` is shared with the program that boots the machine."""

    def __init__(
        self,
        folder: Path,
        slots: Slots,
        keyring: Path,
        compatible: str,
        *,
        copy_takes_s: float = 0.0,
        on_power_cut: Callable[[], None] = lambda: None,
    ) -> None:
        self.slots = slots
        self._folder = folder
        self._keyring = keyring
        self._compatible = compatible
        self._copy_takes_s = copy_takes_s
        self._on_power_cut = on_power_cut
        self._faults = Faults(folder)
        self._objects: BusObjects | None = None
        self._work: asyncio.Task[None] | None = None
        self._operation = "idle"
        self._last_error = ""
        self._progress: tuple[int, str, int] = (0, "", 0)
        self._interface = Interface(
            INTERFACE,
            {
                "Install": Method("s", "", lambda place: self._install(place, {})),
                "InstallBundle": Method("sa{sv}", "", self._install),
                "Info": Method("s", "ss", self._info),
                "InspectBundle": Method("sa{sv}", "a{sv}", self._inspect),
                "Mark": Method("ss", "ss", self._mark),
                "GetSlotStatus": Method("", "a(sa{sv})", self._slot_status),
                "GetArtifactStatus": Method("", "aa{sv}", self._artifact_status),
                "GetPrimary": Method("", "s", self._primary),
            },
            self._properties,
        )

    async def serve(self, bus: MessageBus) -> None:
        """Answer on this connection."""
        self._objects = BusObjects(bus, lambda path: [self._interface] if path == PATH else [])
        await bus.request_name(NAME)

    async def close(self) -> None:
        """A running installation ends where it is, as in a power cut."""
        if self._work:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)
        if self._objects:
            await self._objects.close()

    def cut_power(self) -> None:
        """What was being done is lost; what is on the disk stays."""
        if self._work:
            self._work.cancel()
        self._operation, self._last_error, self._progress = "idle", "", (0, "", 0)

    def boot(self) -> str:
        """One start of the boot loader; returns the slot's letter."""
        letter = self.slots.boot()
        self.keep()
        return letter

    def keep(self) -> None:
        """To the disk."""
        save(self._folder, self.slots)

    def _properties(self) -> dict[str, Variant]:
        return {
            "Operation": Variant("s", self._operation),
            "LastError": Variant("s", self._last_error),
            "Progress": Variant("(isi)", list(self._progress)),
            "Compatible": Variant("s", self._compatible),
            "Variant": Variant("s", ""),
            "BootSlot": Variant("s", self.slots.booted),
        }

    def _emit(self, *names: str) -> None:
        if self._objects:
            now = self._properties()
            changed = {name: now[name] for name in names}
            self._objects.signal(
                PATH, PROPERTIES, "PropertiesChanged", "sa{sv}as", INTERFACE, changed, []
            )

    def _set_operation(self, operation: str) -> None:
        self._operation = operation
        self._emit("Operation")

    def _step(self, percent: int, text: str, depth: int) -> None:
        self._progress = (percent, text, depth)
        self._emit("Progress")

    def _refuse_while_busy(self) -> None:
        if self._operation != "idle":
            raise RefusalError(_ERROR, "Already processing a different method")

    async def _install(self, place: str, options: dict[str, Variant]) -> list[Any]:
        self._refuse_while_busy()
        known = {"ignore-compatible", "ignore-version-limit", "require-manifest-hash",
                 "transaction-id", "http-headers", "tls-no-verify"}  # fmt: skip
        for name in options:
            if name not in known:
                raise RefusalError(_ERROR, f"Unsupported key: {name}")
        self._set_operation("installing")
        self._work = asyncio.get_running_loop().create_task(self._run(place))
        return []

    async def _run(self, place: str) -> None:
        self._last_error = ""
        self._progress = (0, "Installing", 1)
        self._emit("Progress", "LastError")
        bundle = bundles.source(place)
        try:
            await self._install_from(bundle)
        except (UnusableError, OSError) as err:
            said = str(err) or type(err).__name__
            self._step(100, "Installing failed.", 1)
            self._last_error = said
            self._emit("LastError")
            self._complete(1)
        else:
            self._step(100, "Installing done.", 1)
            self._complete(0)
        finally:
            with contextlib.suppress(asyncio.CancelledError):
                await bundle.close()

    def _complete(self, result: int) -> None:
        if self._objects:
            self._objects.signal(PATH, INTERFACE, "Completed", "i", result)
        self._set_operation("idle")

    async def _install_from(self, bundle: Source) -> None:
        fault = self._faults.take()
        self._step(0, "Determining slot states", 2)
        self._step(10, "Determining slot states done.", 2)
        self._step(10, "Checking bundle", 2)
        self._step(10, "Verifying signature", 3)
        manifest = await bundles.inspect(bundle, self._keyring)
        self._step(20, "Verifying signature done.", 3)
        self._step(20, "Checking bundle done.", 2)
        if fault is Fault.TRANSIENT:
            raise UnusableError(
                "Failed mounting bundle: Failed to load dm table: Argument list too long"
            )
        self._step(20, "Checking manifest contents", 2)
        self._step(30, "Checking manifest contents done.", 2)
        self._step(30, "Determining target install group", 2)
        self._step(40, "Determining target install group done.", 2)
        if manifest.compatible != self._compatible:
            raise UnusableError(
                f"Compatible mismatch: Expected '{self._compatible}' but bundle manifest has"
                f" '{manifest.compatible}'"
            )
        await self._write(bundle, manifest, fault)

    async def _write(self, bundle: Source, manifest: Manifest, fault: Fault | None) -> None:
        letter = self.slots.other
        label = f"{slot_name(letter)} ({letter})"
        self._step(40, "Updating slots", 2)
        self._step(40, f"Checking slot {label}", 3)
        self._step(46, f"Checking slot {label} done.", 3)
        self.slots.mark_bad(letter)  # from here on a power cut finds the old slot alone
        slot = self.slots.slot(letter)
        slot.installed = {**slot.installed, "status": "pending"}
        self.keep()
        sha256 = await self._copy(bundle, manifest, letter, fault)
        slot.version = manifest.version
        slot.breaks = manifest.meta.get("saint", {}).get("breaks", "")
        slot.installed = installed(manifest, sha256, slot.installed)
        self.slots.mark_active(letter)
        self._count_activation(letter)
        self.keep()
        self._step(99, "Updating slots done.", 2)

    async def _copy(
        self, bundle: Source, manifest: Manifest, letter: str, fault: Fault | None
    ) -> str:
        text = f"Copying image to {slot_name(letter)}"
        self._step(_COPY_FROM, text, 3)
        pieces = -(-manifest.payload_bytes // bundles.PIECE_BYTES)
        pause_s = (_SLOW_S if fault is Fault.SLOW else self._copy_takes_s) / pieces
        digest, written = hashlib.sha256(), 0
        with (self._folder / f"slot_{letter.lower()}.img").open("wb") as image:
            async for piece in bundles.content(bundle, manifest):
                image.write(piece)
                digest.update(piece)
                written += len(piece)
                share = written / manifest.payload_bytes
                self._step(_COPY_FROM + int(share * (_COPY_TO - _COPY_FROM)), text, 3)
                if share > 0.5 and fault is Fault.CUT:
                    fault = None
                    self._on_power_cut()
                await asyncio.sleep(pause_s)
            image.flush()
            os.fsync(image.fileno())
        self._step(_COPY_TO, f"{text} done.", 3)
        return digest.hexdigest()

    def _count_activation(self, letter: str) -> None:
        facts = self.slots.slot(letter).installed
        facts["activated.timestamp"] = now()
        facts["activated.count"] = int(facts.get("activated.count", 0)) + 1

    async def _info(self, place: str) -> list[Any]:
        manifest = await self._inspected(place)
        return [manifest.compatible, manifest.version]

    async def _inspect(self, place: str, _: dict[str, Variant]) -> list[Any]:
        return [described(await self._inspected(place))]

    async def _inspected(self, place: str) -> Manifest:
        self._refuse_while_busy()
        bundle = bundles.source(place)
        try:
            return await bundles.inspect(bundle, self._keyring)
        except UnusableError as err:
            raise RefusalError(_ERROR, str(err)) from err
        finally:
            await bundle.close()

    async def _mark(self, state: str, identifier: str) -> list[Any]:
        self._refuse_while_busy()
        letter = self._letter(identifier)
        name = slot_name(letter)
        match state:
            case "good":
                self.slots.mark_good(letter)
                said = f"marked slot {name} as good"
            case "bad":
                self.slots.mark_bad(letter)
                said = f"marked slot {name} as bad"
            case "active":
                self.slots.mark_active(letter)
                self._count_activation(letter)
                said = f"activated slot {name}"
            case _:
                raise RefusalError(_ERROR, f"unknown subcommand {state}")
        self.keep()
        return [name, said]

    def _letter(self, identifier: str) -> str:
        if identifier in ("booted", "other"):
            return self.slots.booted if identifier == "booted" else self.slots.other
        for letter in LETTERS:
            if identifier == slot_name(letter):
                return letter
        kind, _, index = identifier.partition(".")
        if not index:
            raise RefusalError(_ERROR, f"Invalid slot name format: '{identifier}'")
        raise RefusalError(_ERROR, f"No slot with class {kind} and name {identifier} found")

    async def _slot_status(self) -> list[Any]:
        return [[[slot_name(letter), self._status_of(letter)] for letter in reversed(LETTERS)]]

    def _status_of(self, letter: str) -> dict[str, Variant]:
        facts = {
            "class": Variant("s", "rootfs"),
            "device": Variant("s", str(self._folder / f"slot_{letter.lower()}.img")),
            "type": Variant("s", "raw"),
            "bootname": Variant("s", letter),
            "state": Variant("s", "booted" if letter == self.slots.booted else "inactive"),
            "boot-status": Variant("s", "good" if self.slots.is_good(letter) else "bad"),
        }
        numbers = {"size": "t", "installed.count": "u", "activated.count": "u"}
        for key, value in self.slots.slot(letter).installed.items():
            facts[key] = Variant(numbers.get(key, "s"), value)
        return facts

    async def _artifact_status(self) -> list[Any]:
        return [[]]

    async def _primary(self) -> list[Any]:
        if not self.slots.primary:
            raise RefusalError(
                _ERROR,
                "Failed getting primary slot: uboot backend: Unable to find primary boot slot",
            )
        return [slot_name(self.slots.primary)]
