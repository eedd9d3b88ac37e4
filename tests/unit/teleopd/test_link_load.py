"""Whether a link is full, and what the rate makes of it: the estimates of a receiver that takes
every growing delay for a queue, as those of browsers do.
"""

from dataclasses import dataclass, field

import pytest

from saint_services.teleopd.link_load import LinkLoad
from saint_services.teleopd.rate import LEAST_KBPS, RateRule


def answered(load: LinkLoad, begin_s: float, *round_trips_ms: float) -> LinkLoad:
    """Have a report answered every tenth of a second."""
    for number, each in enumerate(round_trips_ms):
        load.delayed(each, begin_s + number / 10)
    return load


def test_without_a_known_delay_an_estimate_may_be_right() -> None:
    assert LinkLoad().is_full


def test_queue_is_what_is_longer_than_the_shortest() -> None:
    load = answered(LinkLoad(), 0.0, 40, 20, 30)
    assert not load.is_full
    assert answered(load, 1.0, 90).is_full
    assert not answered(load, 2.0, 70).is_full


def test_much_loss_is_enough() -> None:
    load = answered(LinkLoad(), 0.0, 20)
    load.loss = 0.11
    assert load.is_full


def test_queue_that_a_cut_makes_shorter_was_ours() -> None:
    load = answered(LinkLoad(), 0.0, 20, 320)
    load.cut(0.2)
    assert not answered(load, 0.3, 330).is_full  # the answer is awaited
    assert answered(load, 0.4, 390).is_full  # it grows all the same
    assert answered(load, 2.3, 190).is_full


def test_delay_that_stays_after_a_cut_is_the_links_own() -> None:
    load = answered(LinkLoad(), 0.0, 20, 320)
    load.cut(0.2)
    assert not answered(load, 2.3, 310, 320, 330).is_full
    assert answered(load, 5.0, 400).is_full


def test_loss_says_that_a_cut_was_not_enough() -> None:
    load = answered(LinkLoad(), 0.0, 20, 320)
    load.loss = 0.08
    load.cut(0.2)
    assert answered(load, 2.3, 310, 320).is_full


def test_delay_of_long_ago_is_not_the_shortest() -> None:
    load = answered(LinkLoad(), 0.0, 20)
    assert answered(load, 1.0, *(200,) * 300).is_full
    assert not answered(load, 31.0, *(200,) * 150).is_full


def test_link_that_replaces_another_begins_with_its_queue() -> None:
    load = answered(LinkLoad(), 0.0, 20, 25).successor()
    assert answered(load, 1.0, 320).is_full
    assert not answered(load, 2.0, 30).is_full


@dataclass
class Path:
    """A link, its queue, and a browser at its end whose estimate falls to 85 % of what arrives
    while the delay grows, and for seconds after it has grown at once. `sticks`: it then rises no
    more; `other`: what else the link has to carry, in kbit/s.
    """

    kbps: float
    delay_ms: float = 10.0
    queue_s: float = 0.3
    sticks: bool = False
    other: float = 0.0
    now_s: float = 0.0
    rates: list[float] = field(default_factory=list)
    queued_kbit: float = 0.0
    estimate: float = 400.0
    falls_until_s: float = 0.0
    rule: RateRule = field(default_factory=lambda: RateRule(1500))

    def run(self, seconds: float) -> list[float]:
        """Return the rates of these seconds."""
        first = len(self.rates)
        for step in range(round(seconds * 4)):
            self.now_s += 0.25
            sent = self.rule.target("op", self.now_s).kbps
            self.rates.append(sent)
            before = self.queued_kbit
            wanted = max(0.0, before + (sent + self.other - self.kbps) / 4)
            self.queued_kbit = min(wanted, self.queue_s * self.kbps)
            loss = (wanted - self.queued_kbit) / ((sent + self.other) / 4)
            arrived = min(sent, self.kbps)  # as if the queue let it pass first
            if self.queued_kbit > before:
                self.falls_until_s = self.now_s + 0.5
            if self.now_s < self.falls_until_s:
                if self.queued_kbit > before or step % 4 == 0:
                    self.estimate = min(self.estimate, 0.85 * arrived)
            elif not self.sticks:
                self.estimate = max(self.estimate, min(self.estimate * 1.02, 1.5 * arrived + 10))
            waits_ms = 1000 * self.queued_kbit / self.kbps
            self.rule.measured(
                "op", self.now_s, estimate_kbps=self.estimate, loss=loss,
                round_trip_ms=2 * self.delay_ms + waits_ms,
            )  # fmt: skip
        return self.rates[first:]

    def become_longer(self, ms: float) -> None:
        """Add to the delay, which the browser takes for a queue for 10 s."""
        self.delay_ms += ms
        self.falls_until_s = self.now_s + 10.0


def test_picture_opens_to_all_of_a_good_link() -> None:
    assert Path(5000.0).run(30.0)[-1] == 1500


@pytest.mark.parametrize("sticks", [False, True])
def test_longer_way_takes_half_at_most_and_it_comes_back(sticks: bool) -> None:
    path = Path(5000.0)
    path.run(40.0)
    path.sticks = sticks
    path.become_longer(200.0)
    assert min(path.run(10.0)) >= 700
    assert path.run(30.0)[-1] == 1500


@pytest.mark.parametrize("queue_s", [0.3, 3.0])
def test_narrow_link_is_followed_within_seconds(queue_s: float) -> None:
    path = Path(5000.0)
    path.run(40.0)
    path.kbps, path.queue_s = 300.0, queue_s
    path.run(1.0)
    assert max(path.run(2.0)) <= 1.1 * 300
    assert max(path.run(0.5)) <= 300
    over = [each for each in path.run(120.0) if each > 300]
    assert len(over) < 0.15 * 4 * 120
    path.kbps = 5000.0
    assert path.run(60.0)[-1] == 1500


@pytest.mark.parametrize("sticks", [False, True])
def test_rate_is_back_soon_after_a_very_narrow_link(sticks: bool) -> None:
    path = Path(5000.0)
    path.run(40.0)
    path.kbps, path.sticks = 80.0, sticks
    assert path.run(20.0)[-1] <= 100
    path.kbps = 5000.0
    assert path.run(12.0)[-1] == 1500


def test_rate_is_back_soon_where_others_had_filled_the_link() -> None:
    path = Path(5000.0, other=280.0)
    path.run(40.0)
    path.kbps, path.sticks = 300.0, True
    assert path.run(15.0)[-1] < 150
    path.kbps = 5000.0
    assert path.run(7.0)[-1] > 400


def test_link_whose_queue_goes_though_the_rate_was_not_cut_is_wider() -> None:
    rule = RateRule(1500)

    def run(begin_s: int, end_s: int, loss: float, round_trip_ms: float) -> float:
        for quarter in range(4 * begin_s, 4 * end_s):
            rule.measured(
                "op", quarter / 4, estimate_kbps=20.0 + 0.01 * (quarter % 2), loss=loss,
                round_trip_ms=round_trip_ms,
            )  # fmt: skip
            kbps = rule.target("op", quarter / 4).kbps
        return kbps

    run(0, 10, 0.0, 20.0)
    assert run(10, 30, 0.5, 600.0) == LEAST_KBPS  # the last fall of the estimate: just now
    assert run(30, 34, 0.0, 20.0) >= 2 * LEAST_KBPS


def test_estimate_that_sticks_neither_holds_the_rate_nor_drops_it() -> None:
    path = Path(320.0, sticks=True, estimate=36.0)
    path.run(60.0)
    rates = path.run(120.0)
    assert 80 < sum(rates) / len(rates) < 320
    assert max(rates) < 2 * 320
