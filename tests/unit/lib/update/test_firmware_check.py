"""What "check for updates" says."""

from saint_services.lib.api.firmware import FirmwareReport, MachineFirmware, Release
from saint_services.lib.update.firmware_check import check


def report(newest: str, off: str = "", **machines: str) -> FirmwareReport:
    """Machines by name with what they run; an empty version: away."""
    releases = [
        Release(version=newest, release_date="", compatible="", checksum_sha256="", size_bytes=1)
    ]
    return FirmwareReport(
        robot_version="",
        releases=releases if newest else [],
        machines=[
            MachineFirmware(node_id=name, version=version, is_online=bool(version))
            for name, version in machines.items()
        ],
        updates_off=off,
    )


def test_machine_with_another_release_is_named() -> None:
    found = check(report("0.2.0", head="0.1.0", arms="0.2.0"), "now")
    assert (found.newest, found.behind) == ("0.2.0", ["head"])
    assert "head does not run it yet" in found.message


def test_all_that_are_there_run_the_newest() -> None:
    found = check(report("0.2.0", head="0.2.0", arms=""), "now")
    assert found.behind == [] and found.away == ["arms"]
    assert "All machines run 0.2.0" in found.message
    assert "offline: arms" in found.message


def test_no_release_on_the_server_says_how_one_comes() -> None:
    assert "by upload" in check(report("", head="0.1.0"), "now").message


def test_server_that_takes_no_release_says_why() -> None:
    found = check(report("0.2.0", off="the data partition is full", head="0.1.0"), "now")
    assert "the data partition is full" in found.message
