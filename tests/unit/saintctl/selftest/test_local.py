"""The self-test by the program of a user whom the kernel refuses some devices."""

import errno
import os
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw import open_board
from saint_services.lib.machine.root_access import AS_ROOT
from saint_services.lib.selftest import passive
from saint_services.lib.selftest.result import failed, not_connected
from saint_services.saintctl.selftest import local
from tools.image.places import ROOT

REFUSED = os.strerror(errno.EACCES)
KERNEL_FILES = {
    "video4linux/v4l-subdev0/name": "imx708 10-001a",
    "sound/card2/id": "Device",
    "sound/pcmC2D0c/dev": "",
}


class RefusedDevice:
    """A camera or a sound device of which the kernel refuses the opening."""

    def open(self) -> None:
        raise SaintError(Code.HARDWARE_MISSING, f"it cannot be opened: {REFUSED}")

    def close(self) -> None:
        pass


def test_device_that_this_user_must_not_open_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("open_source", "open_microphone", "open_loudspeaker"):
        monkeypatch.setattr(passive, name, lambda *_: RefusedDevice())
    hardware = f"sim:{tmp_path / 'hw'}"
    board = open_board(hardware)
    for name, content in KERNEL_FILES.items():
        path = board.root() / "sys/class" / name
        path.parent.mkdir(parents=True)
        path.write_text(content)
    board.close()
    found = {check.name: check for check in local.self_tested(hardware, tmp_path).checks}
    for name in ("camera", "sound"):
        assert (found[name].state, REFUSED in found[name].text) == ("skipped", True), found[name]
        assert AS_ROOT in found[name].fix


def test_other_results_stay() -> None:
    for check in (failed("sound", "It is gone.", "Plug it in."), not_connected("camera", REFUSED)):
        assert local.without_refusals(check) == check


def test_owner_may_open_what_the_self_test_opens() -> None:
    text = (ROOT / "overlays/common/usr/lib/sysusers.d/saint-people.conf.j2").read_text()
    groups = {line.split()[-1] for line in text.splitlines() if line.startswith("m ")}
    assert {"gpio", "i2c", "spi", "dialout", "video", "audio"} <= groups
