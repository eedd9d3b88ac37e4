"""The pi-gen stage over a small Debian, as pi-gen would run it: what is there afterwards.

Raspberry Pi's own archive and the export into an image are not part of it (image/pi-gen/README.md).
Takes minutes and the network, so `make test-pigen` runs it, not `make test`.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image import apt_sources
from tools.image.names import Names
from tools.image.places import ROOT, Places
from tools.pi_gen.__main__ import left_out_paths, wanted_packages

STAGE = ROOT / "image" / "pi-gen" / "stage-saint"
STAND_IN = Path(__file__).with_name("pigen_stand_in.sh")
_MINUTES_S = 60
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_PROGRAMS = sorted(path.parent.name for path in ROOT.glob("saint_services/*/__main__.py"))
# What Raspberry Pi OS Lite has that this stage meets.
_BEFORE = "adduser,ca-certificates,systemd,systemd-sysv,systemd-timesyncd,passwd,python3-minimal"

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(20 * _MINUTES_S),
    pytest.mark.skipif(os.environ.get("SAINT_PIGEN") != "1", reason="minutes: make test-pigen"),
    pytest.mark.skipif(os.geteuid() != 0, reason="a chroot needs root"),
    pytest.mark.skipif(not shutil.which("mmdebstrap"), reason="needs mmdebstrap (apt)"),
]


def _before(release: str) -> Path:
    """A small Debian with the first user that pi-gen makes; kept in the cache."""
    base = Places.from_environment().cache / f"pigen-{release}" / "rootfs"
    if base.is_dir():
        return base
    unfinished = base.with_name("unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    command = ["mmdebstrap", "--variant=apt", f"--include={_BEFORE}", "--skip=cleanup/apt"]
    mirror = apt_sources.mirror()
    subprocess.run([*command, release, unfinished, mirror], check=True, timeout=10 * _MINUTES_S)
    user = Names.read(ROOT / "pi-gen.conf").all["FIRST_USER_NAME"]
    add = ["chroot", unfinished, "adduser", "--disabled-password", "--gecos", "", user]
    subprocess.run(add, check=True, timeout=_MINUTES_S)
    units = unfinished / "etc/systemd/system"
    (units / "theirs.service").write_text("[Service]\nExecStart=/bin/true\n")
    (units / "fancy.service.d").mkdir()
    unfinished.rename(base)
    return base


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree after the stage."""
    work = tmp_path_factory.mktemp("pigen")
    try:
        before = _before(Names.read(ROOT / "pi-gen.conf").release)
    except SaintError as err:
        pytest.skip(str(err))
    (work / "before").mkdir()
    (work / "before/rootfs").symlink_to(before)
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", STAND_IN, STAGE, work]
    env = {
        **os.environ,
        "SAINT_SOURCE": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "DEBIAN_FRONTEND": "noninteractive",
    }
    env["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    ran = subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=15 * _MINUTES_S, check=False
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]
    return work / "stage-saint" / "rootfs"


def _inside(root: Path, *command: str) -> str:
    words = ["unshare", "--mount", "--pid", "--uts", "--net", "--fork", "--kill-child"]
    words += ["--mount-proc", f"--root={root}", *command]
    env = {"PATH": _PATH, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        words, env=env, capture_output=True, text=True, timeout=_MINUTES_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_package_is_installed(root: Path) -> None:
    requested = "${Package} ${db:Status-Abbrev}\n"
    listed = _inside(root, "dpkg-query", "-W", "-f", requested).splitlines()
    installed = {line.split()[0] for line in listed if line.endswith("ii ")}
    assert set(wanted_packages(ROOT / "image/packages.list")) <= installed
    assert "rauc" not in installed


@pytest.mark.parametrize("program", _PROGRAMS)
def test_program_loads_with_the_systems_own_python(root: Path, program: str) -> None:
    _inside(root, "python3", "-c", f"import saint_services.{program}.__main__")


def test_saintctl_runs(root: Path) -> None:
    assert "image" in _inside(root, "saintctl", "--help")


def test_what_needs_slots_is_left_out(root: Path) -> None:
    ours = {"/etc/systemd/system"}  # exists without us, and is theirs
    left = [path for path in left_out_paths() if str(path) not in ours]
    assert [path for path in left if (root / path.relative_to("/")).exists()] == []


def test_units_of_theirs_are_kept_and_no_mask_of_ours_is_there(root: Path) -> None:
    units = root / "etc/systemd/system"
    assert (units / "theirs.service").is_file()
    for name in ("systemd-logind.service", "systemd-remount-fs.service"):
        assert not (units / name).is_symlink()


@pytest.mark.parametrize(
    "unit",
    ["saint-setup.service", "saint-webd.socket", "saint-noded.service", "nftables.service",
     "systemd-networkd.service", "chrony.service", "ssh.service", "var-lib-saint.mount"],
)  # fmt: skip
def test_unit_is_enabled(root: Path, unit: str) -> None:
    state = _inside(root, "systemctl", "is-enabled", unit).strip()
    assert state == "enabled"


@pytest.mark.parametrize("unit", ["NetworkManager.service", "userconfig.service"])
def test_what_would_interfere_is_masked(root: Path, unit: str) -> None:
    assert (root / "etc/systemd/system" / unit).readlink() == Path("/dev/null")


def test_daemons_have_users_and_folders(root: Path) -> None:
    names = {line.split(":")[0] for line in (root / "etc/passwd").read_text().splitlines()}
    assert {"saint-noded", "saint-otad", "saint-webd"} <= names
    assert (root / "data/saint").is_dir()


def test_root_has_no_password_and_neither_has_the_first_user(root: Path) -> None:
    shadow = dict(line.split(":")[:2] for line in (root / "etc/shadow").read_text().splitlines())
    user = Names.read(ROOT / "pi-gen.conf").all["FIRST_USER_NAME"]
    assert shadow["root"][:1] in "!*" and shadow[user][:1] in "!*"


def test_sshd_takes_its_configuration(root: Path) -> None:
    _inside(root, "mkdir", "-p", "/run/sshd", "/data/ssh")
    _inside(root, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/tmp/host-key")
    said = _inside(root, "sshd", "-T", "-h", "/tmp/host-key")
    assert "passwordauthentication no" in said


def test_units_verify(root: Path) -> None:
    words = ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no"]
    _inside(root, *words, "saint-server.target", "saint-node.target", "saint-setup.service")


def test_setup_makes_a_server_of_a_setting(root: Path) -> None:
    settings = root / "boot/firmware/saint.yaml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("role: server\n")
    _inside(root, "python3", "-m", "saint_services.setup")
    assert "SAINT_MACHINE=server" in (root / "run/saint/machine.env").read_text()
    _inside(root, "dnsmasq", "--test", "--conf-file=/run/saint/dnsmasq.conf")


def test_lent_checkout_is_gone(root: Path) -> None:
    assert not (root / "tmp/saint-os").exists()
    assert not list((root / "etc").glob("**/*.before-saint-os"))


def test_boot_files_have_our_lines(root: Path) -> None:
    config = (root / "boot/firmware/config.txt").read_text()
    assert "dtparam=uart0=on" in config


def test_machine_says_that_it_has_no_slots(root: Path) -> None:
    release = (root / "usr/lib/saint/release.env").read_text()
    assert "SAINT_SYSTEM=raspberry-pi-os\n" in release
    program = (
        "import asyncio; from saint_services.lib.update.updater import UpdateEnvironment as E; "
        "asyncio.run(E.of_this_machine().installer.slots())"
    )
    words = ["sh", "-c", f"SAINT_SYSTEM=raspberry-pi-os python3 -c '{program}' 2>&1 || true"]
    assert "apt updates the system" in _inside(root, *words)


def test_release_says_what_it_is(root: Path) -> None:
    version = Names.read(ROOT / "pi-gen.conf").version
    assert f"SAINT_VERSION={version}" in (root / "usr/lib/saint/release.env").read_text()
