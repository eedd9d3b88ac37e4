"""The units in systemd/ against manifests/daemons.yaml and against systemd itself."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
import yaml

from saint_services.lib.role_config.model import RoleName
from saint_services.lib.role_config.resources import PROCESSES
from saint_services.noded.adapters.role_process import daemon_of
from tools.launch.unit_files import units
from tools.launch.unit_files.units import UnitFolder

ROOT = Path(__file__).resolve().parents[4]
FOLDER = ROOT / "systemd"
DAEMONS = yaml.safe_load((ROOT / "manifests/daemons.yaml").read_text(encoding="utf-8"))
# systemd 254 brought these; older ones restart with the shortest pause.
_NEWER = re.compile(r"Unknown key.*'?(RestartSteps|RestartMaxDelaySec)")


@pytest.fixture(scope="module")
def shipped() -> UnitFolder:
    return units.load(FOLDER)


@pytest.mark.parametrize("package", DAEMONS)
def test_daemon_has_its_units(shipped: UnitFolder, package: str) -> None:
    name, row = package.replace("_", "-"), DAEMONS[package]
    service = shipped.services[f"saint-{name}.service"]
    target = f"saint-{row['runs_on']}.target"
    assert service.command == ("/usr/bin/python3", "-m", f"saint_services.{package}")
    # The guard keeps nothing over a restart of the machine, and is watched much more closely.
    is_guard = name == "guardd"
    own = service.state_directory.split()[:1]  # adoptiond has the robot beside it
    assert own == ([] if is_guard else [f"saint/{name}"])
    assert service.notifies
    assert service.watchdog_s == (0.15 if is_guard else 5.0)
    assert service.final_exit_codes == {2}
    assert service.wanted_by == ((target,) if row["starts"] == "at boot" else ())
    for socket in shipped.sockets_of(service.name):
        assert socket.wanted_by == (target,)


def test_sockets_have_the_agreed_names(shipped: UnitFolder) -> None:
    found = {
        (unit.service.removeprefix("saint-").removesuffix(".service"), unit.fd_name): address
        for unit in shipped.sockets.values()
        for address in (*unit.streams, *unit.datagrams)
    }
    names = [package.replace("_", "-") for package in DAEMONS]
    names += [f"{name}@2" for name in names if name.startswith("role-")]
    assert found == {(name, "api"): f"/run/saint/{name}.sock" for name in names} | {
        ("otad", "files"): "/run/saint/otad-files.sock",
        ("otad", "firmware"): "8080",
        ("webd", "http"): "80",
        ("webd", "https"): "443",
        ("webd", "saint"): "9090",
        ("webd", "audit"): "/run/saint/audit.sock",
        ("livelinkd", "llf"): "11111",
        ("livelinkd", "json"): "54321",
        ("livelinkd", "vmc"): "39539",
        ("livelinkd", "ifacialmocap"): "49983",
        ("livelinkd", "lines"): "54322",
    }


def test_no_unit_without_a_daemon(shipped: UnitFolder) -> None:
    names = [package.replace("_", "-") for package in DAEMONS]
    names += [f"{name}@2" for name in names if name.startswith("role-")]
    assert set(shipped.services) == {f"saint-{name}.service" for name in names}


@pytest.mark.parametrize("role", get_args(RoleName))
def test_second_process_of_a_role_is_as_the_first_but_for_its_name(
    shipped: UnitFolder, role: str
) -> None:
    first, second = (shipped.services[f"saint-{name}.service"] for name in processes(role))
    assert second.environment == {**first.environment, "SAINT_PROCESS": "2"}
    assert second.state_directory == f"{first.state_directory}@2"
    hand = ("/usr/bin/python3", "-m", "saint_services.guardd.rescue")
    for unit in (first, second):
        assert unit.after_end == (*hand, unit.name.removesuffix(".service"))
    own = {"name": "", "environment": {}, "state_directory": "", "after_end": ()}
    assert replace(second, **own) == replace(first, **own)


def processes(role: str) -> list[str]:
    """As noded calls them."""
    return [daemon_of(role, number + 1) for number in range(PROCESSES)]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.*t")) + sorted(FOLDER.glob("*.service")))
def test_unit_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 25


def test_every_user_is_declared() -> None:
    declared = ROOT / "overlays/common/usr/lib/sysusers.d/saint.conf"
    jobs = [
        path
        for overlay in ("common", "server")
        for path in sorted(
            (ROOT / "overlays" / overlay).glob("usr/lib/systemd/system/saint-*.service")
        )
    ]
    users = re.findall(r"^u (\S+)", declared.read_text(encoding="utf-8"), re.MULTILINE)
    named = [
        re.search(r"^User=(\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        for path in (*sorted(FOLDER.glob("*.service")), *jobs)
    ]
    assert list(dict.fromkeys(match[1] for match in named if match)) == users


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_no_fault() -> None:
    paths = [str(p) for p in sorted(FOLDER.iterdir()) if p.is_file() and p.suffix != ".md"]
    paths = [path.replace("@.", "@2.") for path in paths]
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *paths],
        capture_output=True, text=True, timeout=15, check=False,
        env={"SYSTEMD_UNIT_PATH": f"{FOLDER}:", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    ours = [line for line in result.stderr.splitlines() if "saint-" in line]
    assert [line for line in ours if not _NEWER.search(line)] == []
