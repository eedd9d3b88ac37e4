"""What stopped the wagon, as it is remembered."""

from saint_services.lib.generated.saint_msgs import WagonState
from saint_services.routerd.wagon_history import MOST, WagonHistory


def state(name: str = "armed", fault: str = "", pitch: float = 0.0) -> WagonState:
    return WagonState(state=name, fault=fault, pitch=pitch)


def test_stop_has_begin_end_and_largest_pitch() -> None:
    history = WagonHistory()
    history.see(state(), 100.0)
    history.see(state("tilt", pitch=26.0), 101.0)
    history.see(state("tilt", pitch=40.0), 102.0)
    (lasting,) = history.events()
    assert (lasting.time, lasting.until) == (101.0, None)
    history.see(state("disarmed", pitch=2.0), 105.0)
    (event,) = history.events()
    assert (event.time, event.until, event.pitch) == (101.0, 105.0, 40.0)
    assert "25 degrees" in event.text


def test_normal_states_are_no_events() -> None:
    history = WagonHistory()
    for name in ("disarmed", "armed", "disarmed"):
        history.see(state(name), 1.0)
    assert history.events() == []


def test_fault_and_stop_are_two_events() -> None:
    history = WagonHistory()
    history.see(state("fault", "a motor controller does not report"), 1.0)
    assert len(history.events()) == 2
    history.see(state("fault", "the battery is empty"), 2.0)
    ended = [each for each in history.events() if each.until]
    assert [each.text for each in ended] == ["a motor controller does not report"]


def test_memory_is_bounded() -> None:
    history = WagonHistory()
    for number in range(3 * MOST):
        history.see(state(fault=f"fault {number}"), float(number))
    assert len(history.events()) == MOST
    assert history.events()[1].text == f"fault {3 * MOST - 2}"


def test_unknown_pitch_is_none() -> None:
    history = WagonHistory()
    history.see(state("silent", pitch=float("nan")), 1.0)
    assert history.events()[0].pitch is None
