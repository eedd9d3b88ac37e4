"""What a round of random faults promises, and how it is judged."""

from tests.faults.rounds import Outcome, Plan
from tests.faults.runner import faults_of, percentile


def plan(*victims: tuple[str, str], way: str = "rc", is_held: bool = True) -> Plan:
    return Plan(1, way, victims, is_held, 0.1)  # type: ignore[arg-type]


def test_same_seed_plans_the_same_round() -> None:
    assert Plan.of(3, 7, ("kill", "freeze")) == Plan.of(3, 7, ("kill", "freeze"))
    assert Plan.of(3, 7, ("kill", "freeze")) != Plan.of(4, 7, ("kill", "freeze"))


def test_harm_to_the_way_from_stick_to_motor_must_stop_within_250_ms() -> None:
    for name in ("role-tracksd", "guardd", "routerd", "rcd"):
        assert plan((name, "kill")).limit_s == plan((name, "freeze")).limit_s == 0.250
    assert plan(("noded", "kill")).limit_s == 0.250


def test_silent_browser_counts_for_300_ms_more() -> None:
    assert plan(("webd", "freeze"), way="web").limit_s == 0.550
    assert plan(("adoptiond", "kill"), way="web", is_held=False).limit_s == 0.550


def test_harm_to_bystanders_need_not_stop_an_operator_who_goes_on() -> None:
    assert plan(("adoptiond", "kill"), ("webd", "freeze")).limit_s is None
    assert plan(("noded", "freeze")).limit_s is None
    assert plan(("adoptiond", "kill"), is_held=False).limit_s == 0.250


def outcome(stopped_s: float, *, moved: float = 0.0, late_s: float = 0.0) -> Outcome:
    return Outcome(plan(("routerd", "kill")), stopped_s, late_s, moved, 0.1)


def test_motion_afterwards_is_a_fault_however_small() -> None:
    assert "moved afterwards" in faults_of([outcome(0.1, moved=0.01)])[0]


def test_round_beyond_400_ms_is_a_fault_unless_the_computer_itself_was_late() -> None:
    assert "outputs live for 401 ms" in faults_of([outcome(0.401)])[0]
    assert faults_of([outcome(0.401, late_s=0.16)]) == []


def test_slow_hundredth_of_all_rounds_is_a_fault() -> None:
    quick = [outcome(0.1)] * 100
    assert faults_of([*quick, outcome(0.26)]) == []
    assert "p99 is 260 ms" in faults_of([*quick, outcome(0.26), outcome(0.26)])[0]


def test_percentile_of_nothing_is_nothing() -> None:
    assert percentile([], 0.99) == 0.0
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
