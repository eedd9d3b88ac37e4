"""The text of the display, by state and time."""

from saint_services.role_consoled.logic import ConsoleStatus, Screen

STATUS = ConsoleStatus("SAINT-01", "pi_1", "console", is_estop=False, has_router=True)
STOPPED = ConsoleStatus("SAINT-01", "pi_1", "console", is_estop=True, has_router=True)


def screen() -> Screen:
    return Screen(rows=8, columns=21)


def test_status_page_names_robot_node_role_and_state() -> None:
    assert screen().lines(STATUS, 0.0) == ("SAINT-01", "pi_1", "console", "", "running")


def test_missing_router_is_shown() -> None:
    lonely = ConsoleStatus("SAINT-01", "pi_1", "console", is_estop=False, has_router=False)
    assert "no router" in screen().lines(lonely, 0.0)


def test_page_of_a_program_goes_away_after_its_time() -> None:
    shown = screen()
    assert shown.display(("hello",), 2.0, 10.0)
    assert shown.lines(STATUS, 11.9) == ("hello",)
    assert shown.lines(STATUS, 12.0)[0] == "SAINT-01"


def test_page_without_duration_stays_until_an_empty_one() -> None:
    shown = screen()
    shown.display(("hello",), 0.0, 10.0)
    assert shown.lines(STATUS, 1e9) == ("hello",)
    shown.display((), 0.0, 11.0)
    assert shown.lines(STATUS, 11.0)[0] == "SAINT-01"


def test_page_that_does_not_fit_is_refused() -> None:
    shown = screen()
    assert not shown.display(("x",) * 9, 1.0, 0.0)
    assert not shown.display(("x",), -1.0, 0.0)
    assert not shown.display(("x",), float("nan"), 0.0)
    assert shown.lines(STATUS, 0.0)[0] == "SAINT-01"


def test_long_lines_are_cut() -> None:
    shown = screen()
    shown.display(("x" * 1000,), 1.0, 0.0)
    assert shown.lines(STATUS, 0.0) == ("x" * 21,)


def test_alert_stands_before_a_page_for_10_seconds() -> None:
    shown = screen()
    shown.display(("hello",), 0.0, 0.0)
    shown.alert("error", "hardware_missing", "no PCA9685 answers at I2C address 0x40", 0.0)
    lines = shown.lines(STATUS, 9.9)
    assert lines == ("ERROR", "hardware_missing", "no PCA9685 answers at", "I2C address 0x40")
    assert shown.lines(STATUS, 10.0) == ("hello",)


def test_lesser_alert_does_not_hide_a_worse_one() -> None:
    shown = screen()
    shown.alert("error", "internal", "worse", 0.0)
    shown.alert("info", "internal", "lesser", 1.0)
    assert shown.lines(STATUS, 2.0)[0] == "ERROR"
    shown.alert("critical", "internal", "worst", 2.0)
    assert shown.lines(STATUS, 1e9)[0] == "CRITICAL"
    assert shown.acknowledge()
    assert shown.lines(STATUS, 1e9)[0] == "SAINT-01"


def test_unknown_severity_is_refused() -> None:
    assert not screen().alert("funny", "", "", 0.0)


def test_estop_stands_before_everything() -> None:
    shown = screen()
    shown.alert("critical", "internal", "worst", 0.0)
    assert shown.lines(STOPPED, 0.0)[-1] == "*** E-STOP ***"
