"""What a button's edges mean."""

from saint_services.lib.hw.pins.button import Button, ButtonEvent

PRESSED = ButtonEvent("pressed")


def test_press_is_reported_at_once() -> None:
    assert Button().level(True, 10.0) == [PRESSED]


def test_bounces_are_one_press() -> None:
    button = Button()
    button.level(True, 10.0)
    events = [button.level(bool(edge % 2), 10.0 + edge / 1000) for edge in range(2, 12)]
    assert events == [[]] * 10
    assert button.due_s() == 10.0 + 5.0


def test_release_during_the_bounce_time_is_reported_at_its_end() -> None:
    button = Button()
    button.level(True, 10.0)
    assert button.level(False, 10.005) == []
    assert button.due_s() == 10.02
    (event,) = button.tick(10.02)
    assert event.event == "released"


def test_release_reports_how_long_it_was_held() -> None:
    button = Button()
    button.level(True, 10.0)
    assert button.level(False, 11.5) == [ButtonEvent("released", 1.5)]


def test_held_is_reported_once_after_5_seconds() -> None:
    button = Button()
    button.level(True, 10.0)
    assert button.due_s() == 15.0
    assert button.tick(14.999) == []
    assert button.tick(15.0) == [ButtonEvent("held", 5.0)]
    assert button.tick(20.0) == []
    assert button.due_s() is None


def test_button_at_rest_needs_no_time() -> None:
    assert Button().due_s() is None
