"""When the dead-man of the initrd ends a boot, and which slot gets its tries back: the initrd's own
lines, run by the shell of the initrd over records as the updates write them.
"""

import ast
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from saint_services.lib.state import StateStore
from saint_services.lib.update.boot import DEADMAN_S, deadman_s
from saint_services.lib.update.record import (
    PendingUpdate,
    UpdateKind,
    UpdatePhase,
    UpdateRecord,
    WatchedRelease,
    store,
)
from saint_services.otad.adapters.server_update import RECORD_FOLDER

ROOT = Path(__file__).resolve().parents[4]
INIT = (ROOT / "image/initrd/init").read_text(encoding="utf-8")
UNITS = ROOT / "overlays/common/usr/lib/systemd/system"
RULE = re.compile(r"^# Only a release on trial .*?^fi$", re.MULTILINE | re.DOTALL)
WORDS = re.compile(r"^DISK= .*?(?=^# The dead-man reboots)", re.MULTILINE | re.DOTALL)
# Where the owners of a machine's update keep its record, below /data/saint.
OWNERS = {"noded/update.py": "noded", "otad/adapters/server_update.py": f"otad/{RECORD_FOLDER}"}

pytestmark = pytest.mark.skipif(shutil.which("busybox") is None, reason="needs busybox")


@dataclass(frozen=True)
class Boot:
    """What the initrd leaves behind."""

    disarmed_by: str  # what the dead-man reads; nothing: it stays armed
    is_proven: bool
    is_watched: bool = False


def boot(folder: Path, letter: str, version: str) -> Boot:
    """Run the rule for a slot of this letter that holds this release."""
    (folder / "slot/usr/lib/saint").mkdir(parents=True, exist_ok=True)
    (folder / "slot/usr/lib/saint/release.env").write_text(f"SAINT_VERSION={version}\n")
    (folder / "run").mkdir(exist_ok=True)
    (folder / "run/saint-proven").unlink(missing_ok=True)
    (folder / "run/saint-watched").unlink(missing_ok=True)
    (folder / "run/saint-deadman").unlink(missing_ok=True)
    os.mkfifo(folder / "run/saint-deadman")
    found = RULE.search(INIT)
    assert found, "the initrd has the rule"
    lines = found[0].replace("/newroot/data", f"{folder}/data").replace("/run/", f"{folder}/run/")
    script = f"say() {{ :; }}\nLETTER={letter}\n{lines.replace('/newroot', f'{folder}/slot')}\n"
    reader = os.open(folder / "run/saint-deadman", os.O_RDONLY | os.O_NONBLOCK)
    try:
        subprocess.run(["busybox", "ash", "-c", script], check=True, timeout=10)
        try:
            said = os.read(reader, 100).decode()
        except BlockingIOError:
            said = ""
    finally:
        os.close(reader)
    marks = [(folder / f"run/saint-{mark}").exists() for mark in ("proven", "watched")]
    return Boot(said.strip(), *marks)


def noted(folder: Path, record: UpdateRecord, owner: str = "noded") -> None:
    state = folder / "data/saint" / owner
    state.mkdir(parents=True, exist_ok=True)
    store(state).save(record)


def pending(phase: UpdatePhase) -> UpdateRecord:
    update = PendingUpdate(
        kind=UpdateKind.INSTALL, phase=phase, version="0.2.0", from_version="0.1.0",
        from_slot="A", to_slot="B", attempt=1,
    )  # fmt: skip
    return UpdateRecord(pending=update, slots={"A": "0.1.0"})


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("saint.deadman=300 saint.deadman=600", 600.0),
        ("saint.deadman=300 saint.deadman=100", 100.0),
        ("saint.deadman=300 saint.deadman=999999", 999999.0),
        *(
            (f"saint.deadman=3600 saint.deadman={word}", DEADMAN_S)
            for word in ("0", "5", "60", "010", "0300", "1000000", "10m", "600s", "abc", "-300", "")
        ),
        ("saint.deadman=10m saint.deadman=600", 600.0),
        ("", DEADMAN_S),
    ],
)
def test_time_that_ends_every_boot_does_not_count(
    tmp_path: Path, words: str, seconds: float
) -> None:
    """A dead-man that fires before the slot is mounted would reboot both slots without end."""
    line = tmp_path / "cmdline"
    line.write_text(f"root=PARTUUID=20240001-03 rauc.slot=B {words}\n")
    found = WORDS.search(INIT)
    assert found, "the initrd reads the kernel line"
    lines = found[0].replace("/proc/cmdline", str(line))
    script = f'say() {{ echo "$*" >&2; }}\n{lines}\necho "$DEADMAN"'
    run = subprocess.run(
        ["busybox", "ash", "-c", script], check=True, timeout=10, capture_output=True, text=True
    )
    assert float(run.stdout) == seconds == deadman_s(line)
    last = words.rpartition(" ")[2].removeprefix("saint.deadman=")
    is_refused = bool(words) and last != f"{seconds:g}"
    assert is_refused is ("300 s count" in run.stderr)


@pytest.mark.parametrize("owner", OWNERS.values())
@pytest.mark.parametrize("phase", UpdatePhase)
def test_release_on_trial_keeps_the_deadman(tmp_path: Path, phase: UpdatePhase, owner: str) -> None:
    noted(tmp_path, pending(phase), owner)
    assert boot(tmp_path, "B", "0.2.0") == Boot("", is_proven=False)


@pytest.mark.parametrize("phase", UpdatePhase)
def test_old_slot_of_an_update_is_proven_meanwhile(tmp_path: Path, phase: UpdatePhase) -> None:
    noted(tmp_path, pending(phase))
    assert boot(tmp_path, "A", "0.1.0") == Boot("slot A is not on trial", is_proven=True)


def test_every_owner_of_an_update_is_among_those() -> None:
    """One that kept its record elsewhere would never be on trial, and never be proven."""
    services = ROOT / "saint_services"
    found = set()
    for path in services.rglob("*.py"):
        if "Updater(" in (text := path.read_text(encoding="utf-8")):
            calls = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call))
            if any(ast.unparse(call.func) == "Updater" for call in calls):
                found.add(str(path.relative_to(services)))
    assert found == set(OWNERS)


@pytest.mark.parametrize("owner", OWNERS.values())
def test_proven_slot_is_never_rebooted_by_the_deadman(tmp_path: Path, owner: str) -> None:
    noted(tmp_path, UpdateRecord(slots={"A": "0.1.0", "B": "0.2.0"}), owner)
    assert boot(tmp_path, "B", "0.2.0") == Boot("slot B is not on trial", is_proven=True)


def test_release_in_the_hour_after_its_trial_is_proven_and_watched(tmp_path: Path) -> None:
    watched = WatchedRelease(
        kind=UpdateKind.INSTALL, version="0.2.0", slot="B", back_version="0.1.0", back_slot="A",
        attempt=1, left_s=1800,
    )  # fmt: skip
    noted(tmp_path, UpdateRecord(watched=watched, slots={"A": "0.1.0", "B": "0.2.0"}))
    said = "slot B is not on trial"
    assert boot(tmp_path, "B", "0.2.0") == Boot(said, is_proven=True, is_watched=True)
    assert not boot(tmp_path, "A", "0.1.0").is_watched
    assert not boot(tmp_path, "B", "0.3.0").is_proven


def test_boot_files_follow_a_proven_release_that_is_no_longer_watched() -> None:
    """The release before would start with them: a pair that was never tried."""
    for unit in ("saint-boot-files.service", "saint-boot-files.timer"):
        text = (UNITS / unit).read_text(encoding="utf-8")
        found = re.findall(r"^ConditionPathExists=(.*)$", text, re.MULTILINE)
        assert found == ["/run/saint-proven", "!/run/saint-watched"], unit


def test_first_boot_of_a_card_is_not_rebooted_either(tmp_path: Path) -> None:
    assert boot(tmp_path, "A", "0.1.0") == Boot("slot A is not on trial", is_proven=False)


def test_record_of_an_older_release_counts_while_it_replaces_the_newer_one(tmp_path: Path) -> None:
    """Release 0.2.0 has a newer format. After its rollback 0.1.0 keeps its own beside that."""
    noted(tmp_path, pending(UpdatePhase.SWITCHED))
    state = tmp_path / "data/saint/noded"
    newer = StateStore(state / "update.json", UpdateRecord, 100, dict.fromkeys(range(100), dict))
    newer.load()
    newer.save(UpdateRecord(slots={"A": "0.1.0"}))
    assert boot(tmp_path, "B", "0.2.0").disarmed_by
    for version in ("0.1.0", "0.1.1"):
        noted(tmp_path, UpdateRecord(slots={"A": version}))
    assert boot(tmp_path, "A", "0.1.1").is_proven
    noted(tmp_path, pending(UpdatePhase.SWITCHED))
    assert boot(tmp_path, "B", "0.2.0") == Boot("", is_proven=False)
    newer.load()
    newer.save(UpdateRecord(slots={"A": "0.1.0", "B": "0.2.0"}))
    assert boot(tmp_path, "B", "0.2.0") == Boot("slot B is not on trial", is_proven=True)


def test_damaged_record_puts_nothing_on_trial(tmp_path: Path) -> None:
    noted(tmp_path, pending(UpdatePhase.SWITCHED))
    file = tmp_path / "data/saint/noded/update.json"
    file.write_bytes(file.read_bytes()[:20])
    assert boot(tmp_path, "B", "0.2.0") == Boot("slot B is not on trial", is_proven=False)


def test_release_that_never_passed_here_gets_no_tries_back(tmp_path: Path) -> None:
    """It is the boot loader's last resort, or was written by hand: the daemon judges."""
    noted(tmp_path, UpdateRecord(slots={"A": "0.1.0", "B": "0.2.0"}))
    for letter, version in (("B", "0.3.0"), ("B", "0.2"), ("A", "0.2.0"), ("A", "0.1x0")):
        assert not boot(tmp_path, letter, version).is_proven


def test_slot_whose_release_is_unknown_gets_no_tries_back(tmp_path: Path) -> None:
    noted(tmp_path, UpdateRecord(slots={"A": "0.1.0"}))
    assert not boot(tmp_path, "A", "").is_proven


def test_tries_come_back_without_any_daemon_of_ours() -> None:
    """No settings file and no missing hardware keeps this unit from its work."""
    text = (UNITS / "saint-proven.service").read_text(encoding="utf-8")
    assert re.findall(r"^ConditionPathExists=(.*)$", text, re.MULTILINE) == ["/run/saint-proven"]
    assert re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE) == ["/usr/bin/rauc status mark-good"]
    waits_for = re.findall(r"^(?:After|Requires|Wants|BindsTo)=(.*)$", text, re.MULTILINE)
    assert waits_for == ["dbus.service"]
    assert re.findall(r"^WantedBy=(.*)$", text, re.MULTILINE) == ["multi-user.target"]


def test_nothing_of_ours_reboots_when_a_unit_fails() -> None:
    """Neither a failed unit nor its start limit may end a boot: that is the trial's decision."""
    forbidden = re.compile(
        r"^(FailureAction|StartLimitAction|JobTimeoutAction|SuccessAction)=", re.M
    )
    for folder in (ROOT / "systemd", ROOT / "overlays"):
        for path in folder.rglob("*"):
            if path.suffix in (".service", ".conf", ".target", ".timer", ".mount"):
                assert not forbidden.search(path.read_text(encoding="utf-8")), path.name


def test_greeting_names_each_wrong_file_once_and_is_silent_else(tmp_path: Path) -> None:
    script = (ROOT / "overlays/common/etc/update-motd.d/20-saint").read_text(encoding="utf-8")
    script = script.replace("/run/saint", f"{tmp_path}/run").replace("/var/lib", f"{tmp_path}/var")

    def greeting() -> str:
        said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
        return said.stdout

    assert greeting() == ""
    for name in ("role-armsd", "role-armsd@2"):
        (tmp_path / "var/saint" / name).mkdir(parents=True)
        (tmp_path / "var/saint" / name / "settings-problem").write_text("armsd.yaml, line 2: odd\n")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/settings-problem").write_text("saint.yaml, line 1: role\n")
    assert greeting().splitlines()[1:] == ["armsd.yaml, line 2: odd", "saint.yaml, line 1: role"]
