"""Bit rate, size and rate of a camera's stream by what the deciding link reports."""

import pytest

from saint_services.teleopd.rate import LEAST_KBPS, OPENING_KBPS, RateRule, VideoTarget


def run(rule: RateRule, operator: str, begin_s: float, seconds: float) -> VideoTarget:
    target = rule.target(operator, begin_s)
    for quarter in range(1, round(seconds * 4) + 1):
        target = rule.target(operator, begin_s + quarter / 4)
    return target


def opened(most_kbps: float) -> RateRule:
    """Return a rule whose links have said that they carry all of it."""
    rule = RateRule(most_kbps)
    for second in range(-9, 0):
        for each in ("op", "viewer", "a", "b"):
            rule.measured(each, second, loss=0.0)
        rule.target("op", second)
    assert rule.target("op", -0.1).kbps == most_kbps
    for each in ("viewer", "a", "b"):
        rule.forget(each)
    return rule


def test_without_reports_the_stream_stays_as_it_opened():
    assert run(RateRule(1500), "", 0.0, 3.0) == VideoTarget(OPENING_KBPS)
    assert run(RateRule(300), "", 0.0, 3.0).kbps == 300


def test_each_report_doubles_the_rate_of_an_opening_stream():
    rule, found = RateRule(1500), []
    for second in range(4):
        rule.measured("op", float(second), loss=0.05)
        found.append(run(rule, "op", float(second), 0.75).kbps)
    assert found == [1000, 1000, 1500, 1500]  # a new encoder every two seconds at most


def test_stream_opens_for_viewers_without_an_estimate_too() -> None:
    rule = RateRule(1500)
    for second in range(4):
        rule.measured("a", float(second), loss=0.0)
        target = run(rule, "operator without a picture", float(second), 0.75)
    assert target.kbps == 1500


def test_opening_ends_with_the_first_report_of_too_much():
    rule = RateRule(1500)
    rule.measured("op", 0.0, loss=0.4)
    assert run(rule, "op", 0.0, 1.0).kbps == pytest.approx(400)
    rule.measured("op", 1.0, loss=0.0)
    assert run(rule, "op", 1.0, 3.0).kbps < 500


def test_estimate_of_the_operator_counts_at_once_less_a_margin():
    rule = opened(1500)
    rule.measured("op", 0.0, estimate_kbps=600)
    rule.measured("viewer", 0.0, estimate_kbps=80)
    assert rule.target("op", 0.0) == VideoTarget(pytest.approx(510))


def test_slowest_viewer_decides_without_an_operator():
    rule = opened(1500)
    rule.measured("c", 0.0, estimate_kbps=3000)
    rule.forget("op")
    rule.measured("a", 0.0, estimate_kbps=900)
    rule.measured("b", 0.0, estimate_kbps=600)
    assert rule.target("", 0.0).kbps == pytest.approx(510)
    assert rule.target("operator without a picture", 0.25).kbps == pytest.approx(510)


def test_rise_waits_two_seconds_and_small_changes_need_no_new_encoder():
    rule = opened(1500)
    rule.measured("op", 0.0, estimate_kbps=600)
    rule.target("op", 0.0)
    rule.measured("op", 0.5, estimate_kbps=1200)
    assert rule.target("op", 0.5).kbps == pytest.approx(510)
    assert rule.target("op", 2.1).kbps == pytest.approx(1020)
    rule.measured("op", 5.0, estimate_kbps=1150)
    assert rule.target("op", 5.0).kbps == pytest.approx(1020)


def test_much_loss_reduces_once_a_second_and_little_lets_grow():
    rule = opened(1000)
    for second in range(3):
        rule.measured("op", float(second), loss=0.4)
        run(rule, "op", float(second), 0.75)
    assert rule.target("op", 2.8).kbps == pytest.approx(1000 * 0.8**3)
    rule.measured("op", 3.0, loss=0.0)
    assert run(rule, "op", 3.0, 12.0).kbps == pytest.approx(1000)


def test_one_old_report_of_loss_reduces_only_once():
    rule = opened(1000)
    rule.measured("op", 0.0, loss=0.4)
    assert run(rule, "op", 0.0, 10.0).kbps == pytest.approx(800)


def test_narrow_link_has_smaller_pictures_then_fewer():
    rule = opened(1500)
    rule.measured("op", 0.0, estimate_kbps=300)
    assert run(rule, "op", 0.0, 1.0).divisor == 1  # a moment changes no size
    assert run(rule, "op", 1.25, 2.0) == VideoTarget(pytest.approx(255), 2)
    rule.measured("op", 4.0, estimate_kbps=20)
    target = run(rule, "op", 4.0, 3.0)
    assert target == VideoTarget(LEAST_KBPS, 2, is_half_rate=True)
    rule.measured("op", 8.0, estimate_kbps=3000)
    assert run(rule, "op", 8.0, 30.0) == VideoTarget(1500)


def test_next_stream_opens_with_no_more_than_the_last_had():
    """A page that comes back over a narrow link would lose it again."""
    rule = opened(1500)
    rule.forget("op")
    assert rule.target("", 0.0).kbps == OPENING_KBPS
    rule.measured("op", 0.0, estimate_kbps=100)
    run(rule, "op", 0.0, 3.0)
    rule.forget("op")
    assert rule.target("", 9.0) == VideoTarget(85)
    for second in range(10, 20):
        rule.measured("op", float(second), loss=0.0)
        target = run(rule, "op", float(second), 0.75)
    assert target.kbps == 1500


def test_stream_that_ended_on_a_full_link_opens_with_half() -> None:
    """A page that loses its link to the queue and comes back must not fill it again."""
    rule = opened(1500)
    rule.measured("op", 0.0, round_trip_ms=20.0)
    rule.measured("op", 0.5, round_trip_ms=400.0)
    rule.forget("op")
    assert rule.target("", 1.0).kbps == OPENING_KBPS / 2
    rule.measured("next", 1.5, loss=0.0, round_trip_ms=380.0)
    rule.measured("next", 1.5, estimate_kbps=200.0)
    assert rule.target("next", 1.5).kbps < OPENING_KBPS / 2
    for _ in range(9):
        rule.measured("next", 2.0, round_trip_ms=400.0)
        rule.forget("next")
    assert rule.target("", 3.0).kbps >= LEAST_KBPS


class Narrow:
    """A link that carries so much, and a receiver that estimates as those of browsers do: little
    more than what is sent, and only creeping up after its queue grew.
    """

    def __init__(self, kbps: float) -> None:
        self.kbps = kbps
        self.overloads: list[float] = []
        self._estimate = 1500.0
        self._rate = RateRule(1500)
        self.now_s = 0.0

    def run(self, seconds: float) -> float:
        """Let the estimates of so many seconds arrive; return the rate at their end."""
        for _ in range(round(seconds * 4)):
            self.now_s += 0.25
            sent = self._rate.target("op", self.now_s).kbps
            if sent > self.kbps:
                self.overloads.append(self.now_s)
                self._estimate = 0.85 * self.kbps
            else:
                self._estimate = max(self._estimate, min(self._estimate + 1.0, 1.5 * sent + 10))
            self._rate.measured("op", self.now_s, estimate_kbps=self._estimate, loss=0.0)
        return self._rate.target("op", self.now_s).kbps


def test_rate_comes_back_soon_after_a_narrow_link():
    path = Narrow(80.0)
    narrow = path.run(60.0)
    assert narrow < 100
    path.kbps = 2000.0
    assert path.run(70.0) > 500  # the longest pause, then steps
    assert path.run(20.0) == 1500


def test_short_narrow_moment_costs_a_quarter_of_a_minute():
    path = Narrow(2000.0)
    path.run(10.0)
    path.kbps = 100.0
    path.run(2.0)
    path.kbps = 2000.0
    assert path.run(15.0) > 2 * 72
    assert path.run(20.0) > 500


def test_link_that_stays_narrow_is_overloaded_ever_more_seldom():
    path = Narrow(300.0)
    path.run(120.0)
    before = len(path.overloads)
    path.run(300.0)
    assert len(path.overloads) - before <= 300 / 20
