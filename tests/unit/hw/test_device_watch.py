"""A device node that appears is noticed by the kernel's word, not by looking again and again."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.buses import serial
from saint_services.lib.hw.buses.serial import SerialLine, SerialPort, open_serial
from saint_services.lib.hw.device_watch import DeviceWatch
from tests.waiting import turns

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
LIMIT_S = 2.0


async def test_node_that_appears_is_reported(tmp_path: Path) -> None:
    seen = asyncio.Event()
    watch = DeviceWatch(tmp_path / "ttyUSB0", seen.set)
    (tmp_path / "ttyUSB0").touch()
    async with asyncio.timeout(LIMIT_S):
        await seen.wait()
    watch.close()


async def test_folders_on_the_way_may_come_later(tmp_path: Path) -> None:
    path = tmp_path / "serial" / "by-id" / "usb-adapter"
    seen = asyncio.Event()
    watch = DeviceWatch(path, seen.set)
    async with asyncio.timeout(LIMIT_S):
        for step in (path.parent.parent, path.parent):
            seen.clear()
            step.mkdir()
            await seen.wait()
        seen.clear()
        path.symlink_to("/dev/null")
        await seen.wait()
    watch.close()


async def test_other_nodes_are_nobody_s_business(tmp_path: Path) -> None:
    calls: list[str] = []
    seen = asyncio.Event()
    watch = DeviceWatch(tmp_path / "wanted", lambda: calls.append("wanted"))
    last = DeviceWatch(tmp_path / "last", seen.set)
    for name in ("other", "wanted2", "last"):
        (tmp_path / name).touch()
    async with asyncio.timeout(LIMIT_S):
        await seen.wait()
    assert calls == []
    watch.close()
    last.close()


async def test_closed_watch_is_silent_and_may_be_closed_again(tmp_path: Path) -> None:
    watch = DeviceWatch(tmp_path / "x", lambda: pytest.fail("it is closed"))
    watch.close()
    watch.close()
    (tmp_path / "x").touch()
    await turns(1)


async def test_plugged_line_is_opened_long_before_its_next_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial, "PAUSES_S", (3600.0,))
    link = tmp_path / "receiver"
    opened = asyncio.Event()
    lost: list[SaintError] = []
    ours, theirs = os.openpty()

    def open_link() -> SerialPort:
        return open_serial(str(link), 115_200)

    line = SerialLine(open_link, lambda _, __: None, opened.set, lost.append, str(link))
    line.start()
    assert [error.code for error in lost] == [Code.HARDWARE_MISSING]
    link.symlink_to(os.ttyname(theirs))
    async with asyncio.timeout(LIMIT_S):
        await opened.wait()
    assert line.is_open and line.write(b"abc") and os.read(ours, 10) == b"abc"
    line.close()
    assert not line.write(b"abc")
    os.close(theirs)
    os.close(ours)


def test_line_that_cannot_run_at_the_speed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    settings = serial._TERMIOS2.pack(0, 0, 0, 0, bytes(20), 400_000, 400_000)
    monkeypatch.setattr(serial.fcntl, "ioctl", lambda *_: settings)
    with pytest.raises(SaintError, match="it runs at 400000 baud where 420000 are needed"):
        serial._check_speed(ours, "/dev/x", 420_000)
    serial._check_speed(ours, "/dev/x", 409_000)  # near enough
    monkeypatch.undo()
    open_serial(os.ttyname(theirs), 420_000).close()
    os.close(theirs)
    os.close(ours)
