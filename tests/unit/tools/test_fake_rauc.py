"""The imitated RAUC, called as a program on the bus does: signatures, order, messages of RAUC 1.13
(noted from the real service).
"""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from tools.fake_rauc.bundle_writer import Keys, Release, make_keys, write_bundle
from tools.fake_rauc.faults import Fault
from tools.fake_rauc.rig import FakeMachine, fake_machine
from tools.fake_rauc.systemd import Unit

pytestmark = pytest.mark.skipif(
    not (shutil.which("dbus-daemon") and shutil.which("openssl")),
    reason="needs dbus-daemon and openssl",
)
RAUC = "de.pengutronix.rauc"
INSTALLER = "de.pengutronix.rauc.Installer"
_VARYING = ("device", "bundle.hash", "sha256", "installed.transaction", "installed.timestamp",
            "activated.timestamp")  # fmt: skip
GLIB_ERROR = "org.gtk.GDBus.UnmappedGError.Quark._g_2dio_2derror_2dquark.Code30"


class Client:
    """A program on the machine's bus."""

    def __init__(self, bus: MessageBus, machine: FakeMachine, folder: Path) -> None:
        self.bus, self.machine, self.folder = bus, machine, folder
        self.signals: list[Message] = []
        self.completed: asyncio.Queue[int] = asyncio.Queue()
        bus.add_message_handler(self._receive)

    def _receive(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.path == "/":
            self.signals.append(message)
            if message.member == "Completed":
                self.completed.put_nowait(message.body[0])

    async def call(self, member: str, signature: str = "", *body: Any, **where: str) -> Message:
        target = {"destination": RAUC, "path": "/", "interface": INSTALLER} | where
        reply = await self.bus.call(
            Message(member=member, signature=signature, body=list(body), **target)
        )
        assert reply is not None
        return reply

    async def get(self, name: str) -> Any:
        interface = "org.freedesktop.DBus.Properties"
        reply = await self.call("Get", "ss", INSTALLER, name, interface=interface)
        return reply.body[0].value

    async def install(self, place: str | Path) -> int:
        reply = await self.call("InstallBundle", "sa{sv}", str(place), {})
        assert (reply.signature, reply.error_name) == ("", None)
        async with asyncio.timeout(10):
            return await self.completed.get()

    async def bundle(self, version: str = "0.2.0", **more: Any) -> Path:
        path = self.folder / f"{version}.raucb"
        release = Release(version=version, payload=bytes(1 << 20), **more)
        return await asyncio.to_thread(write_bundle, path, release, self.machine.keys)

    def steps(self) -> list[tuple[int, str, int]]:
        """Progress in order, without repeated ones while the image is copied."""
        found: list[tuple[int, str, int]] = []
        for signal in self.signals:
            if signal.member == "PropertiesChanged" and "Progress" in signal.body[1]:
                step = tuple(signal.body[1]["Progress"].value)
                if not found or step[1:] != found[-1][1:]:
                    found.append(step)
        return found


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
async def client(keys: Keys) -> AsyncIterator[Client]:
    with tempfile.TemporaryDirectory(prefix="saint-", dir="/tmp") as name:
        async with fake_machine(Path(name), given=keys) as machine:
            bus = await MessageBus(bus_address=machine.address).connect()
            found = Client(bus, machine, Path(name))
            await bus.call(
                Message(
                    destination="org.freedesktop.DBus",
                    path="/org/freedesktop/DBus",
                    interface="org.freedesktop.DBus",
                    member="AddMatch",
                    signature="s",
                    body=["type='signal',path='/'"],
                )
            )
            yield found
            bus.disconnect()


async def test_install_fills_the_spare_slot_and_makes_it_the_next(client: Client) -> None:
    assert await client.install(await client.bundle()) == 0
    reply = await client.call("GetSlotStatus")
    assert reply.signature == "a(sa{sv})"
    facts = dict(reply.body[0])
    spare, booted = facts["rootfs.1"], facts["rootfs.0"]
    assert {key: (v.signature, v.value) for key, v in spare.items()} | dict.fromkeys(
        _VARYING, ("s", "any")
    ) == {
        "class": ("s", "rootfs"),
        "type": ("s", "raw"),
        "bootname": ("s", "B"),
        "state": ("s", "inactive"),
        "boot-status": ("s", "good"),
        "bundle.compatible": ("s", "saint-os-rpi-arm64"),
        "bundle.version": ("s", "0.2.0"),
        "status": ("s", "ok"),
        "size": ("t", 1 << 20),
        "installed.count": ("u", 1),
        "activated.count": ("u", 1),
        **dict.fromkeys(_VARYING, ("s", "any")),
    }
    assert set(booted) == {"class", "device", "type", "bootname", "state", "boot-status"}
    assert (await client.call("GetPrimary")).body == ["rootfs.1"]
    assert await client.get("BootSlot") == "A"


async def test_progress_is_reported_in_raucs_words(client: Client) -> None:
    await client.install(await client.bundle())
    assert client.steps() == [
        (0, "Installing", 1),
        (0, "Determining slot states", 2),
        (10, "Determining slot states done.", 2),
        (10, "Checking bundle", 2),
        (10, "Verifying signature", 3),
        (20, "Verifying signature done.", 3),
        (20, "Checking bundle done.", 2),
        (20, "Checking manifest contents", 2),
        (30, "Checking manifest contents done.", 2),
        (30, "Determining target install group", 2),
        (40, "Determining target install group done.", 2),
        (40, "Updating slots", 2),
        (40, "Checking slot rootfs.1 (B)", 3),
        (46, "Checking slot rootfs.1 (B) done.", 3),
        (46, "Copying image to rootfs.1", 3),
        (99, "Copying image to rootfs.1 done.", 3),
        (99, "Updating slots done.", 2),
        (100, "Installing done.", 1),
    ]
    assert client.signals[-2].member == "Completed"
    assert client.signals[-1].body[1]["Operation"].value == "idle"


async def test_inspect_answers_in_raucs_types(client: Client) -> None:
    reply = await client.call("InspectBundle", "sa{sv}", str(await client.bundle()), {})
    assert reply.signature == "a{sv}"
    info = reply.body[0]
    assert {key: value.signature for key, value in info.items()} == {
        "update": "v", "images": "v", "manifest-hash": "s", "bundle": "v", "meta": "v",
    }  # fmt: skip
    assert info["update"].value.signature == "a{sv}"
    assert info["update"].value.value["version"].value == "0.2.0"
    assert info["images"].value.signature == "aa{sv}"
    assert (await client.call("Info", "s", str(await client.bundle()))).body == [
        "saint-os-rpi-arm64", "0.2.0",
    ]  # fmt: skip


async def test_bundle_of_a_foreign_key_is_refused(client: Client) -> None:
    foreign = await asyncio.to_thread(make_keys, client.folder / "foreign")
    path = client.folder / "x.raucb"
    await asyncio.to_thread(write_bundle, path, Release(version="0.2.0"), foreign)
    # Another authority of the same name: with another name it is "unable to get local issuer".
    said = "signature verification failed: Verify error: certificate signature failure"
    await _refused(client, path, said)


async def test_bundle_for_other_machines_is_refused_before_the_slot_is_touched(
    client: Client,
) -> None:
    path = await client.bundle(compatible="toaster")
    assert await client.install(path) == 1
    expected = "Expected 'saint-os-rpi-arm64' but bundle manifest has 'toaster'"
    assert await client.get("LastError") == f"Compatible mismatch: {expected}"
    assert client.machine.installer.slots.order == ["A", "B"]


async def test_changed_signature_is_refused(client: Client) -> None:
    path = await client.bundle()
    data = bytearray(path.read_bytes())
    data[-30] ^= 0xFF
    path.write_bytes(data)
    reply = await client.call("InspectBundle", "sa{sv}", str(path), {})
    assert reply.error_name == GLIB_ERROR
    assert reply.body[0].startswith("signature verification failed: ")


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (100, "Failed mounting bundle: Unexpected dm-verity status 'C'"),
        (700_000, "Failed updating slot rootfs: Input/output error"),
    ],
)
async def test_changed_content_is_refused(client: Client, at: int, said: str) -> None:
    path = await client.bundle()
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)
    assert await client.install(path) == 1
    assert await client.get("LastError") == said
    assert client.machine.installer.slots.primary == "A"
    assert client.machine.installer.slots.a.version == "0.1.0"


async def test_cut_off_bundle_is_refused(client: Client) -> None:
    path = await client.bundle()
    path.write_bytes(path.read_bytes()[:-500])
    reply = await client.call("InspectBundle", "sa{sv}", str(path), {})
    assert reply.error_name == GLIB_ERROR
    assert reply.body[0].startswith("Invalid bundle format: Signature size (")


async def test_missing_bundle_is_reported(client: Client) -> None:
    await _refused(
        client, Path("/nowhere/x.raucb"),
        "Invalid bundle format: Failed to open bundle for reading: Error opening file"
        " /nowhere/x.raucb: No such file or directory",
    )  # fmt: skip


async def test_server_that_is_away_is_reported(client: Client) -> None:
    assert await client.install("http://127.0.0.1:1/x.raucb") == 1
    assert await client.get("LastError") == (
        "Failed to stream bundle http://127.0.0.1:1/x.raucb:"
        " failed to configure streaming: server not responding"
    )


async def test_second_installation_is_refused_while_one_runs(client: Client) -> None:
    path = await client.bundle()
    await client.call("InstallBundle", "sa{sv}", str(path), {})
    for member, signature, body in (
        ("InstallBundle", "sa{sv}", (str(path), {})),
        ("Mark", "ss", ("good", "booted")),
    ):
        reply = await client.call(member, signature, *body)
        assert (reply.error_name, reply.body) == (
            GLIB_ERROR, ["Already processing a different method"],
        )  # fmt: skip
    assert await client.completed.get() == 0


async def test_transient_fault_passes_at_the_second_try(client: Client) -> None:
    client.machine.faults.ask_for(Fault.TRANSIENT)
    path = await client.bundle()
    assert await client.install(path) == 1
    assert "Failed to load dm table: Argument list too long" in await client.get("LastError")
    assert await client.install(path) == 0


async def test_power_cut_while_writing_leaves_the_old_slot_alone(client: Client) -> None:
    client.machine.faults.ask_for(Fault.CUT)
    await client.call("InstallBundle", "sa{sv}", str(await client.bundle()), {})
    async with asyncio.timeout(10):
        await client.machine.power_was_cut.wait()
    installer = client.machine.installer
    installer.cut_power()
    assert installer.slots.order == ["A"]
    assert installer.slots.b.installed == {"status": "pending"}
    assert installer.boot() == "A"


@pytest.mark.parametrize(
    ("state", "slot", "said", "order", "left"),
    [
        ("good", "booted", ["rootfs.0", "marked slot rootfs.0 as good"], ["A", "B"], (3, 3)),
        ("bad", "other", ["rootfs.1", "marked slot rootfs.1 as bad"], ["A"], (2, 0)),
        ("active", "rootfs.1", ["rootfs.1", "activated slot rootfs.1"], ["B", "A"], (2, 3)),
        ("bad", "booted", ["rootfs.0", "marked slot rootfs.0 as bad"], ["B"], (0, 3)),
    ],
)
async def test_mark_changes_order_and_tries(
    client: Client, state: str, slot: str, said: list[str], order: list[str], left: tuple[int, int]
) -> None:
    slots = client.machine.installer.slots
    slots.a.left = 2
    assert (await client.call("Mark", "ss", state, slot)).body == said
    assert (slots.order, (slots.a.left, slots.b.left)) == (order, left)


@pytest.mark.parametrize(
    ("state", "slot", "said"),
    [
        ("good", "nonsense", "Invalid slot name format: 'nonsense'"),
        ("good", "rootfs.9", "No slot with class rootfs and name rootfs.9 found"),
        ("ugly", "booted", "unknown subcommand ugly"),
    ],
)
async def test_nonsense_is_not_marked(client: Client, state: str, slot: str, said: str) -> None:
    reply = await client.call("Mark", "ss", state, slot)
    assert (reply.error_name, reply.body) == (GLIB_ERROR, [said])


async def test_wrong_types_are_refused(client: Client) -> None:
    reply = await client.call("InstallBundle", "sa{ss}", "x", {})
    assert reply.error_name == "org.freedesktop.DBus.Error.InvalidArgs"


async def test_slot_without_tries_is_not_primary(client: Client) -> None:
    slots = client.machine.installer.slots
    slots.mark_bad("A")
    slots.mark_bad("B")
    reply = await client.call("GetPrimary")
    assert reply.body == [
        "Failed getting primary slot: uboot backend: Unable to find primary boot slot"
    ]


async def test_boot_takes_tries_until_the_old_slot_is_back(client: Client) -> None:
    await client.install(await client.bundle(meta={"breaks": "boot"}))
    installer = client.machine.installer
    assert installer.slots.b.breaks == "boot"
    assert [installer.boot() for _ in range(4)] == ["B", "B", "B", "A"]


async def test_failed_units_are_listed(client: Client) -> None:
    client.machine.units = [
        Unit("saint-noded.service"),
        Unit("saint-role-tracksd.service", "activating", "auto-restart", 4, "exit-code", 1),
        Unit("chrony.service", "failed", "failed"),
    ]
    where = {
        "destination": "org.freedesktop.systemd1",
        "path": "/org/freedesktop/systemd1",
        "interface": "org.freedesktop.systemd1.Manager",
    }
    failed = await client.call("ListUnitsFiltered", "as", ["failed"], **where)
    assert failed.signature == "a(ssssssouso)"
    assert [row[0] for row in failed.body[0]] == ["chrony.service"]
    ours = await client.call("ListUnitsByPatterns", "asas", [], ["saint-*"], **where)
    restarting = [row for row in ours.body[0] if row[4] == "auto-restart"]
    where = {"destination": "org.freedesktop.systemd1", "path": restarting[0][6]}
    service = "org.freedesktop.systemd1.Service"
    properties = "org.freedesktop.DBus.Properties"
    reply = await client.call("Get", "ss", service, "NRestarts", interface=properties, **where)
    assert reply.body == [Variant("u", 4)]


async def _refused(client: Client, path: Path, said: str) -> None:
    reply = await client.call("InspectBundle", "sa{sv}", str(path), {})
    assert (reply.error_name, reply.body) == (GLIB_ERROR, [said])
    assert await client.install(path) == 1
    assert await client.get("LastError") == said
    assert client.machine.installer.slots.order == ["A", "B"]
