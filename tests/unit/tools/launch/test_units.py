"""Units from files: drop-ins, lists, times, references, unknown directives."""

from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.launch.unit_files import units

SERVICE = "[Unit]\nPartOf=saint.target\n[Service]\nExecStart=/bin/true -a 'b c'\n"
PART = "[Unit]\nPartOf=saint.target\n"
SOCKET = PART + "[Socket]\nListenStream=/run/saint/x.sock\nFileDescriptorName=api\n"


def _folder(root: Path, **files: str) -> Path:
    for name, text in {"saint.target": "[Unit]\n", **files}.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_service_has_systemds_defaults(tmp_path: Path) -> None:
    unit = units.load(_folder(tmp_path, **{"saint-x.service": SERVICE})).services["saint-x.service"]
    assert unit.command == ("/bin/true", "-a", "b c")
    assert (unit.notifies, unit.restarts, unit.watchdog_s) == (False, False, 0.0)
    assert (unit.restart_s, unit.start_s, unit.stop_s) == (0.1, 90.0, 90.0)


def test_more_specific_drop_in_wins_and_lists_add_up(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        **{
            "saint-role-x.service": SERVICE + "Environment=A=1\nRestartPreventExitStatus=2\n",
            "saint-.service.d__10-all.conf": "[Service]\nWatchdogSec=5s\nEnvironment=B=2\n",
            "saint-role-.service.d__20-role.conf": "[Service]\nWatchdogSec=300ms\n",
            "saint-role-.service.d__10-all.conf": "[Service]\nEnvironment=C=3 'D=4 5'\n",
            "saint-role-x.service.d__30-x.conf": "[Service]\nRestartPreventExitStatus=\n",
        },
    )
    unit = units.load(folder).services["saint-role-x.service"]
    assert unit.watchdog_s == 0.3
    assert unit.environment == {"A": "1", "C": "3", "D": "4 5"}
    assert unit.final_exit_codes == frozenset()


def test_socket_finds_its_service_by_name_or_by_setting(tmp_path: Path) -> None:
    service = SERVICE + "Sockets=saint-x.socket saint-x-udp.socket\n"
    udp = "[Unit]\nPartOf=saint.target\n[Socket]\nListenDatagram=11111\nService=saint-x.service\n"
    folder = _folder(
        tmp_path,
        **{"saint-x.service": service, "saint-x.socket": SOCKET, "saint-x-udp.socket": udp},
    )
    found = units.load(folder).sockets_of("saint-x.service")
    assert [(s.fd_name, s.streams, s.datagrams) for s in found] == [
        ("saint-x-udp.socket", (), ("11111",)),
        ("api", ("/run/saint/x.sock",), ()),
    ]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"saint-x.service": SERVICE + "RestartSecs=1\n"}, "line 5: .*did you mean RestartSec"),
        ({"saint-x.service": SERVICE + "[Socket]\nA=1\n"}, r"no section \[Socket\]"),
        ({"saint-x.service": SERVICE + "WatchdogSec=soon\n"}, "is not a time"),
        ({"saint-x.service": SERVICE + "RestartSteps=many\n"}, "is not a number"),
        ({"saint-x.service": SERVICE + "Type=forking\n"}, "only as simple or exec or notify"),
        ({"saint-x.service": SERVICE + "Restart=always\n"}, "only as no or on-failure"),
        ({"saint-x.service": SERVICE + "[Install]\nWantedBy=b.target\n"}, "names b.target"),
        (
            {"saint-x.service": "[Unit]\nPartOf=saint.target\n[Service]\nUser=x\n"},
            "ExecStart is missing",
        ),
        ({"saint-y.socket": SOCKET}, "there is no saint-y.service"),
        (
            {"saint-x.service": SERVICE, "saint-x-b.socket": SOCKET + "Service=saint-x.service\n"},
            "Sockets= must name all of saint-x-b.socket",
        ),
        (
            {"saint-x.service": "[Unit]\nStartLimitIntervalSec=10\n" + SERVICE},
            "StartLimitIntervalSec= only as 0",
        ),
    ],
)
def test_fault_is_one_sentence_with_its_place(
    tmp_path: Path, files: dict[str, str], words: str
) -> None:
    with pytest.raises(SaintError, match=words) as caught:
        units.load(_folder(tmp_path, **files))
    assert str(tmp_path) in caught.value.message
    assert "\n" not in caught.value.message


def test_unit_of_the_device_alone_is_left_out(tmp_path: Path) -> None:
    files = {"saint-x.service": SERVICE, "saint-grow.service": "[Service]\nFancy=yes\n"}
    assert set(units.load(_folder(tmp_path, **files)).services) == {"saint-x.service"}
