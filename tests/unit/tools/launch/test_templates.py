"""Units of templates, as systemctl enables them."""

from pathlib import Path

from tools.launch.unit_files import units

PART = "[Unit]\nPartOf=saint.target\n"
SERVICE = f"{PART}[Service]\nExecStart=/bin/true\nStateDirectory=saint/x@%i\nEnvironment=N=%i\n"
SOCKET = (
    f"{PART}[Socket]\nListenStream=/run/saint/x@%i.sock\nFileDescriptorName=api\n"
    "[Install]\nWantedBy=saint.target\n"
)


def loaded(folder: Path, **files: str) -> units.UnitFolder:
    for name, text in {"saint.target": "[Unit]\n", **files}.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return units.load(folder)


def test_socket_with_a_default_instance_starts_that_instance_of_its_service(tmp_path: Path) -> None:
    socket = f"{SOCKET}DefaultInstance=2\n"
    found = loaded(tmp_path, **{"saint-x@.socket": socket, "saint-x@.service": SERVICE})
    service = found.services["saint-x@2.service"]
    assert (service.state_directory, service.environment) == ("saint/x@2", {"N": "2"})
    (opened,) = found.sockets_of("saint-x@2.service")
    assert (opened.streams, opened.wanted_by) == (("/run/saint/x@2.sock",), ("saint.target",))
    assert (set(found.services), set(found.sockets)) == (
        {"saint-x@2.service"},
        {"saint-x@2.socket"},
    )


def test_template_without_a_default_instance_starts_nothing(tmp_path: Path) -> None:
    found = loaded(tmp_path, **{"saint-x@.socket": SOCKET, "saint-x@.service": SERVICE})
    assert (found.services, found.sockets) == ({}, {})


def test_drop_ins_of_all_and_of_the_template_reach_an_instance(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        **{
            "saint-x@.socket": f"{SOCKET}DefaultInstance=2\n",
            "saint-x@.service": SERVICE,
            "saint-.service.d__10-all.conf": "[Service]\nWatchdogSec=5s\n",
            "saint-x@.service.d__20-own.conf": "[Service]\nTimeoutStopSec=7s\n",
            "saint-x.service.d__30-plain.conf": "[Service]\nTimeoutStartSec=1s\n",
        },
    )
    service = found.services["saint-x@2.service"]
    assert (service.watchdog_s, service.stop_s, service.start_s) == (5.0, 7.0, 90.0)
