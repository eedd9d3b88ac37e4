"""The host of the board alone, without a session that would end commands earlier."""

from typing import Any

from saint_services.lib.wagon.can_frames import WagonAttitude, WagonDrive
from saint_services.lib.wagon.meanings import WagonFlag, WagonMode, WagonState
from saint_services.role_wagond.logic import WagonHost, share

FLAGS = WagonFlag.RC_ALIVE | WagonFlag.HOST_ALIVE | WagonFlag.ARM_SWITCH | WagonFlag.STICK_NEUTRAL


def attitude(state: int = WagonState.ARMED, mode: int = WagonMode.AUTONOMOUS) -> WagonAttitude:
    return WagonAttitude(0.0, 0.0, 0.0, int(state), int(FLAGS) | mode)


def driving() -> tuple[WagonHost, list[Any]]:
    sent: list[Any] = []
    host = WagonHost(sent.append)
    host.received(attitude(), 10.0)
    host.renew(10.0, is_motion=True)
    host.drive(1.0, -0.5, 10.0)
    assert sent == [WagonDrive(500, -250, 2, 1)]
    return host, sent


def test_command_counts_for_250_ms_and_not_longer() -> None:
    host, sent = driving()
    host.received(attitude(), 10.24)
    host.step(10.25)
    assert sent[-1].speed == 500
    host.step(10.271)
    assert sent[-1] == WagonDrive(0, 0, 2, 1)
    sent.clear()
    for tick in range(50):
        host.step(10.3 + tick * 0.02)
    assert len(sent) <= 10 and {each.speed for each in sent} == {0}


def test_report_that_is_not_armed_ends_the_motion_at_once() -> None:
    host, sent = driving()
    host.received(attitude(WagonState.TILT), 10.01)
    assert sent[-1] == WagonDrive(0, 0, 2, 1)


def test_report_of_rc_mode_ends_the_motion_at_once() -> None:
    host, sent = driving()
    host.received(attitude(mode=WagonMode.RC), 10.01)
    assert sent[-1] == WagonDrive(0, 0, 2, 1)


def test_reports_of_200_ms_are_too_old_afterwards() -> None:
    host, sent = driving()
    host.step(10.2)
    assert sent[-1].speed == 500
    host.step(10.23)
    assert sent[-1].speed == 0


def test_assisted_mode_drives_too() -> None:
    host, sent = driving()
    host.received(attitude(mode=WagonMode.ASSISTED), 10.01)
    host.renew(10.02, is_motion=True)
    host.drive(1.0, 0.0, 10.02)
    assert sent[-1].speed == 500


def test_share_is_a_thousandth_of_2_and_limited() -> None:
    assert share(1.0, 2.0) == 500
    assert share(-9.0, 2.0) == -1000
    assert share(float("nan"), 2.0) == 0
