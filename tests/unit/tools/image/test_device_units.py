"""The units that only a device has, together with those of all machines, as systemd reads them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from saint_services.lib.api import endpoint
from saint_services.lib.generated import roles
from saint_services.lib.programs import manifest
from saint_services.lib.robot.source import FOLDER
from saint_services.otad.sources import fetch_order

ROOT = Path(__file__).resolve().parents[4]
OVERLAYS = ROOT / "overlays"
UNITS = "usr/lib/systemd/system"
MOST_EXPOSED = 2.5
_ON_USB = 'SUBSYSTEM=="block", SUBSYSTEMS=="usb"'
OURS = sorted(path for path in OVERLAYS.glob(f"*/{UNITS}/saint-*.service") if "@" not in path.name)
PATHS = sorted(OVERLAYS.glob(f"*/{UNITS}/saint-*.path"))


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All units of ours in one folder, as the image has them."""
    folder = tmp_path_factory.mktemp("units")
    shutil.copytree(ROOT / "systemd", folder, dirs_exist_ok=True)
    for overlay in sorted(OVERLAYS.glob(f"*/{UNITS}")):
        shutil.copytree(overlay, folder, dirs_exist_ok=True)
    return folder


def analyze(merged: Path, *arguments: str) -> str:
    """What systemd-analyze says, reading our units first and the system's after them."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    done = subprocess.run(
        ["systemd-analyze", *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={"SYSTEMD_UNIT_PATH": f"{merged}:", "PATH": os.environ["PATH"], "SYSTEMD_COLORS": "0"},
    )
    return done.stdout + done.stderr


def test_no_unit_of_ours_is_exposed(merged: Path) -> None:
    names = sorted(path.name for path in merged.glob("saint-*.service") if "@" not in path.name)
    rates: dict[str, float] = {}
    for name in names:
        said = analyze(merged, "security", "--offline=true", str(merged / name))
        found = re.search(r"exposure level for \S+: ([\d.]+)", said)
        if found is None:
            pytest.skip("this systemd-analyze does not rate unit files")
        rates[name] = float(found[1])
    assert len(rates) >= 15
    assert {name: rate for name, rate in rates.items() if rate > MOST_EXPOSED} == {}


DAEMONS = [f"role-{role}d" for role in roles.ROLES]
ROLES = [f"{daemon}{at}" for daemon in DAEMONS for at in ("", "@")]
# Who opens a socket that is another daemon's. Users of the device differ; in a simulated robot all
# have one, so that a refused connection shows here or on a device alone.
OPENED_BY = {
    "saint-guardd.socket": [*ROLES, "noded"],
    "saint-webd-audit.socket": ["noded", *(each for each in endpoint.MODULES if each != "noded")],
    "saint-role-headd.socket": ["noded"],
    "saint-noded.socket": ["webd"],
    "saint-routerd.socket": ["webd", "rcd", "livelinkd"],
    "saint-adoptiond.socket": ["webd", "otad"],
}


def _setting(merged: Path, unit: str, key: str) -> list[str]:
    """The values of a setting in a unit and in what is dropped in for its prefixes."""
    stem, kind = unit.rsplit(".", 1)
    parts = stem.rstrip("@").split("-")
    prefixes = ["-".join(parts[:count]) + "-" for count in range(1, len(parts))]
    folders = [merged / f"{prefix}.{kind}.d" for prefix in prefixes] + [merged / f"{unit}.d"]
    dropped_in = [file for folder in folders for file in folder.glob("*.conf")]
    files = [merged / unit, *sorted(dropped_in, key=lambda file: file.name)]  # the last one counts
    text = "\n".join(file.read_text() for file in files)
    return " ".join(re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)).split()


@pytest.mark.parametrize(("socket", "peers"), OPENED_BY.items(), ids=OPENED_BY)
def test_who_connects_is_in_the_group_of_the_socket(
    merged: Path, socket: str, peers: list[str]
) -> None:
    group = _setting(merged, socket, "SocketGroup")[-1]
    closed = [
        peer
        for peer in peers
        if group not in _setting(merged, f"saint-{peer}.service", "SupplementaryGroups")
    ]
    assert closed == []


@pytest.mark.parametrize("role", DAEMONS)
def test_second_process_of_a_role_has_the_sandbox_of_all(merged: Path, role: str) -> None:
    """systemd finds saint-.service.d and saint-role-.service.d for a template's instance too."""
    said = analyze(merged, "security", "--offline=true", f"saint-{role}@2.service")
    found = re.search(r"exposure level for \S+@2\S+: ([\d.]+)", said)
    if found is None:
        pytest.skip("this systemd-analyze does not rate unit files")
    assert float(found[1]) <= MOST_EXPOSED


def test_program_of_the_owner_has_less_than_any_daemon(merged: Path) -> None:
    unit = "saint-program@patrol.service"
    said = analyze(merged, "security", "--offline=true", unit)
    found = re.search(r"exposure level for \S+@patrol\S+: ([\d.]+)", said)
    if found is None:
        pytest.skip("this systemd-analyze does not rate unit files")
    assert float(found[1]) <= 1.5
    template = "saint-program@.service"
    assert _setting(merged, template, "SupplementaryGroups") == []
    assert _setting(merged, template, "DynamicUser") == ["yes"]
    # A user for each: systemd would take one for all, and each could read another's token.
    assert _setting(merged, template, "User")[-1] == "p-%i"
    longest = f"p-{'a' * 29}"
    assert manifest.is_name(longest.removeprefix("p-"))
    assert not manifest.is_name(f"{longest.removeprefix('p-')}a")
    assert len(longest) == 31  # of a user's name, for systemd
    assert _setting(merged, template, "SocketBindDeny") == ["any"]
    assert "~@aio" in _setting(merged, template, "SystemCallFilter")
    hidden = " ".join(_setting(merged, template, "InaccessiblePaths")).split()
    assert {"-/run/saint", "-/run/systemd/journal", "-/run/systemd/resolve"} <= set(hidden)
    assert _setting(merged, template, "IPAddressAllow") == ["127.0.0.0/8"]
    # No daemon's start, watchdog and crash reports: a crash loop writes nothing to the card.
    for name in ("05-daemon.conf", "06-crash.conf"):
        assert "[" not in (merged / f"{template}.d" / name).read_text()
    # First to end when memory is short, after everything that controls the robot.
    assert _setting(merged, template, "OOMScoreAdjust") == ["1000"]
    assert _setting(merged, template, "StartLimitIntervalSec")[-1] == "0"
    said = analyze(merged, "verify", "--man=no", unit, "saint-programs.slice")
    newer = re.compile(r"Restart(Steps|MaxDelaySec)")  # systemd 254 brought these
    faults = [line for line in said.splitlines() if "Unknown" in line or "Failed to parse" in line]
    assert [line for line in faults if not newer.search(line)] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_request_that_comes_often_is_still_carried_out(merged: Path, path: Path) -> None:
    """At its start limit a service takes its path unit with it, and nothing is carried out then."""
    unit = path.with_suffix(".service").name
    is_last = _setting(merged, unit, "RemainAfterExit") == ["yes"]  # the machine goes down
    burst = [int(number) for number in _setting(merged, unit, "StartLimitBurst")]
    assert is_last or burst == [100], unit


def test_job_that_fetches_releases_has_the_network_and_nothing_else(merged: Path) -> None:
    unit = "saint-otad-fetch@1.service"
    said = analyze(merged, "security", "--offline=true", unit)
    found = re.search(r"exposure level for \S+@1\S+: ([\d.]+)", said)
    if found is None:
        pytest.skip("this systemd-analyze does not rate unit files")
    assert float(found[1]) <= 2.0
    template = "saint-otad-fetch@.service"
    # No group of ours, so no socket but the connection that started it; and none to be seen.
    assert _setting(merged, template, "SupplementaryGroups") == []
    assert _setting(merged, template, "Group") == []
    assert _setting(merged, template, "StateDirectory") == []
    assert _setting(merged, template, "ReadWritePaths") == []
    assert _setting(merged, template, "CapabilityBoundingSet") == []
    hidden = _setting(merged, template, "InaccessiblePaths")
    assert {"-/run/saint", "-/etc/saint", "-/var/lib/saint", "-/data"} <= set(hidden)
    assert _setting(merged, template, "RestrictAddressFamilies")[-3:] == [
        "AF_UNIX", "AF_INET", "AF_INET6",
    ]  # fmt: skip
    for name in ("05-daemon.conf", "06-crash.conf"):
        assert "[" not in (merged / f"{template}.d" / name).read_text()
    said = analyze(merged, "verify", "--man=no", unit, "saint-otad-fetch.socket")
    newer = re.compile(r"Restart(Steps|MaxDelaySec)")  # systemd 254 brought these
    faults = [line for line in said.splitlines() if "Unknown" in line or "Failed to parse" in line]
    assert [line for line in faults if not newer.search(line)] == []


def test_only_otad_orders_a_download(merged: Path) -> None:
    unit = "saint-otad-fetch.socket"
    assert _setting(merged, unit, "SocketUser")[-1] == "saint-otad"
    assert _setting(merged, unit, "SocketGroup")[-1] == "saint-otad"
    assert _setting(merged, unit, "SocketMode")[-1] == "0600"
    assert _setting(merged, unit, "Accept") == ["yes"]
    assert _setting(merged, unit, "ListenStream") == [f"/run/saint/{fetch_order.SOCKET}"]


@pytest.mark.skipif(shutil.which("systemctl") is None, reason="needs systemctl")
def test_socket_of_a_second_process_is_enabled_by_the_image(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "systemd", tmp_path / UNITS)
    presets = "usr/lib/systemd/system-preset"
    shutil.copytree(OVERLAYS / "common" / presets, tmp_path / presets)
    subprocess.run(
        ["systemctl", f"--root={tmp_path}", "preset-all"],
        capture_output=True, timeout=30, check=True,
    )  # fmt: skip
    wanted = tmp_path / "etc/systemd/system/saint-node.target.wants"
    found = {path.name for path in wanted.glob("saint-role-*.socket")}
    assert found == {f"saint-{role}{n}.socket" for role in DAEMONS for n in ("", "@2")}


def test_job_that_keeps_last_words_is_not_exposed_and_starts_no_other(merged: Path) -> None:
    unit = merged / "saint-crash@saint-webd.service"
    shutil.copy(merged / "saint-crash@.service", unit)
    try:
        said = analyze(merged, "security", "--offline=true", str(unit))
    finally:
        unit.unlink()
    found = re.search(r"exposure level for \S+: ([\d.]+)", said)
    if found is None:
        pytest.skip("this systemd-analyze does not rate unit files")
    assert float(found[1]) <= MOST_EXPOSED
    drop_in = "06-crash.conf"
    assert "OnFailure=saint-crash@%N.service" in (merged / "saint-.service.d" / drop_in).read_text()
    assert "[" not in (merged / "saint-crash@.service.d" / drop_in).read_text()
    # A unit that had failed would speak against a release that is on trial.
    assert "ExecStartPre=-" in (merged / "saint-crash@.service").read_text()


def test_units_have_no_cycle_and_no_unknown_line(merged: Path) -> None:
    units = [
        str(path) for path in sorted(merged.iterdir()) if path.suffix in (".service", ".mount")
    ]
    said = analyze(merged, "verify", "--man=no", *(unit for unit in units if "@" not in unit))
    newer = re.compile(r"Restart(Steps|MaxDelaySec)")  # systemd 254 brought these
    faults = [
        line
        for line in said.splitlines()
        if ("cycle" in line or "Unknown" in line or "Failed to parse" in line)
        and not newer.search(line)
    ]
    assert faults == []


def test_release_of_the_card_is_stored_after_the_data_partition_has_grown(merged: Path) -> None:
    """Before that there is no room for the bundle beside its copy, and otad tries it once."""
    assert "saint-grow.service" in _setting(merged, "saint-otad.service", "After")
    growth = (merged / "saint-grow.service").read_text()
    assert "\nTimeoutStartSec=5min\n" in growth, "systemd has no limit for a job"


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_job_is_not_treated_as_a_daemon(path: Path) -> None:
    """The shared drop-in says Type=notify: a job that does not hide it would never be ready."""
    assert "Type=oneshot" in path.read_text(encoding="utf-8")
    hidden = path.with_name(f"{path.name}.d") / "05-daemon.conf"
    assert "[" not in hidden.read_text(encoding="utf-8")


def test_privileges_of_jobs_stand_after_the_sandbox() -> None:
    """In a unit itself they would be taken back by the shared drop-in, without a word."""
    taken_back = re.compile(r"^(CapabilityBoundingSet|PrivateTmp|RestrictAddressFamilies)=", re.M)
    for path in OURS:
        assert not taken_back.search(path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize("path", sorted(OVERLAYS.glob(f"*/{UNITS}/*.mount")), ids=lambda p: p.name)
def test_mount_is_named_after_its_place_and_has_a_reason(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    where = re.search(r"^Where=/(.*)$", text, re.MULTILINE)
    reason = re.search(r"^Description=(.*)$", text, re.MULTILINE)
    assert where
    assert path.name == where[1].replace("/", "-") + ".mount"
    assert reason
    assert len(reason[1].split()) >= 5


def test_users_have_numbers_of_their_own() -> None:
    text = (OVERLAYS / "common/usr/lib/sysusers.d/saint.conf").read_text(encoding="utf-8")
    numbers = re.findall(r"^[gu] \S+ (\S+)", text, re.MULTILINE)
    assert numbers
    assert all(number.isdigit() and 700 <= int(number) < 800 for number in numbers)
    assert len(set(numbers)) == len(numbers)


def test_nothing_starts_that_is_not_listed() -> None:
    preset = OVERLAYS / "common/usr/lib/systemd/system-preset/00-saint.preset"
    lines = [line for line in preset.read_text().splitlines() if line and not line.startswith("#")]
    assert lines[-1] == "disable *"
    assert "enable systemd-timesyncd.service" not in lines  # chrony has the clock


def test_boot_script_and_fw_env_name_the_same_place() -> None:
    script = (ROOT / "image/boot/boot.cmd").read_text(encoding="utf-8")
    found = re.search(r"setenv env_copy_1 (0x[0-9a-f]+)", script)
    assert found
    environment = (OVERLAYS / "common/etc/fw_env.config").read_text(encoding="utf-8")
    device, offset, size = environment.splitlines()[-1].split()
    assert int(found[1], 16) * 512 == int(offset, 16) == 1 << 20
    assert int(size, 16) == 0x20 * 512
    assert device == "/dev/saint-disk"


def test_second_card_in_a_usb_reader_gets_none_of_our_names() -> None:
    """Every card of ours has the same identifiers: marks and slots would go to the wrong one."""
    rules = OVERLAYS / "common/usr/lib/udev/rules.d/70-saint.rules"
    lines = [line for line in rules.read_text().splitlines() if not line.startswith("#")]
    ours = 'ENV{ID_PART_TABLE_UUID}=="20240001"'
    name = '"disk/by-partuuid/$env{ID_PART_ENTRY_UUID}"'
    without, skip, named, end = lines[:4]
    assert without == f'{_ON_USB}, ENV{{DEVTYPE}}=="partition", {ours}, SYMLINK-={name}'
    assert skip == f'{_ON_USB}, GOTO="saint_disk_end"'
    assert named == f'SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", {ours}, SYMLINK+="saint-disk"'
    assert end == 'LABEL="saint_disk_end"'
    # What runs from a disk on USB would lose them too: the initrd starts from none.
    modules = (ROOT / "image/initrd/modules").read_text(encoding="utf-8")
    assert not re.search("usb|uas|xhci|dwc2", modules)


@pytest.mark.skipif(shutil.which("busybox") is None, reason="needs busybox")
def test_initrd_is_what_its_shell_can_read() -> None:
    done = subprocess.run(
        ["busybox", "ash", "-n", str(ROOT / "image/initrd/init")],
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_initrd_has_every_program_that_it_calls() -> None:
    text = (ROOT / "image/initrd/init").read_text(encoding="utf-8")
    listed = (ROOT / "image/initrd/busybox").read_text(encoding="utf-8").split("\n")
    known = {line for line in listed if line and not line.startswith("#")}
    called = set(
        re.findall(
            r"\b(mount|umount|mkdir|mkfifo|dd|grep|hexdump|readlink|stat|date|tr|mv|sync)\b", text
        )
    )
    assert called <= known


def test_folders_of_the_data_partition_can_be_made_within_the_sandbox() -> None:
    """saint-data.service may not set the bits that the sandbox of all units forbids."""
    sandbox = (ROOT / "systemd/saint-.service.d/10-sandbox.conf").read_text()
    assert "RestrictSUIDSGID=yes" in sandbox
    listed = (OVERLAYS / "common/usr/lib/tmpfiles.d/saint-data.conf.j2").read_text()
    modes = re.findall(r"^[a-zA-Z]\S* \S+ (\d+) ", listed, re.MULTILINE)
    assert modes
    assert [mode for mode in modes if int(mode, 8) & 0o6000] == []


def test_robot_that_other_daemons_read_is_in_no_closed_folder() -> None:
    """systemd makes a StateDirectory with a mode that keeps others out."""
    listed = (OVERLAYS / "common/usr/lib/tmpfiles.d/saint-data.conf.j2").read_text()
    assert f"d /data/saint/{FOLDER} 0755 saint-adoptiond saint-adoptiond -" in listed.split("\n")
    for unit in (ROOT / "systemd").rglob("*.service*"):
        if unit.is_file():
            assert f"saint/{FOLDER}" not in " ".join(
                re.findall(r"^StateDirectory=(.*)$", unit.read_text(), re.MULTILINE)
            )


@pytest.mark.parametrize("role", ROLES)
def test_role_and_teleopd_may_open_sound_devices(merged: Path, role: str) -> None:
    """A role's sound process is in the unit of the role, whose end it must not be. noded tests."""
    for unit in (f"saint-{role}.service", "saint-teleopd.service", "saint-noded.service"):
        assert "audio" in _setting(merged, unit, "SupplementaryGroups")
        assert "char-alsa" in _setting(merged, unit, "DeviceAllow")
    assert _setting(merged, f"saint-{role}.service", "OOMPolicy")[-1] == "continue"


def test_unit_with_a_camera_may_allocate_its_pictures(merged: Path) -> None:
    """libcamera takes their memory from /dev/dma_heap (dma_buf_allocator.cpp); without it there is
    no ribbon-cable camera."""
    units = {file.name for file in merged.glob("saint-*.service")}
    allowed = {unit: _setting(merged, unit, "DeviceAllow") for unit in units}
    cameras = {unit for unit, devices in allowed.items() if "char-media" in devices}
    assert cameras == {
        "saint-noded.service", "saint-role-headd.service", "saint-role-headd@.service",
    }  # fmt: skip
    assert {unit for unit, devices in allowed.items() if "char-dma_heap" in devices} == cameras


def test_no_other_unit_may_open_sound_devices(merged: Path) -> None:
    units = {file.name for file in merged.glob("saint-*.service")}
    with_sound = {unit for unit in units if "char-alsa" in _setting(merged, unit, "DeviceAllow")}
    roles_ = {f"saint-{each}.service" for each in ROLES}
    assert with_sound <= roles_ | {"saint-teleopd.service", "saint-noded.service"}


# Which driver registers a class of devices in Debian's kernel; None: one that is built in.
REGISTERED_BY = {
    "alsa": "snd",
    "dma_heap": None,
    "gpiochip": None,
    "i2c": "i2c-dev",
    "media": "mc",
    "spi": None,
    "ttyACM": "cdc-acm",
    "ttyAMA": None,
    "ttyS": None,
    "ttyUSB": "usbserial",
    "video4linux": "videodev",
}


def test_classes_of_devices_are_known_before_a_unit_allows_them(merged: Path) -> None:
    """systemd allows the number that a class has when the unit starts, or nothing. A receiver that
    is plugged in later would be refused until then."""
    units = "\n".join(path.read_text() for path in merged.rglob("*") if path.is_file())
    allowed = set(re.findall(r"^DeviceAllow=char-(\w+)", units, re.MULTILINE))
    drivers = {REGISTERED_BY[each] for each in allowed} - {None}
    listed = (OVERLAYS / "common/usr/lib/modules-load.d/saint.conf").read_text()
    assert drivers == set(re.findall(r"^[\w-]+$", listed, re.MULTILINE))
