"""Which of the judged cuts are booted: the dangerous ones first, and always as many as wanted."""

from tools.powercut.boots import chosen_cuts
from tools.powercut.disks.cuts import Cut, Shape
from tools.powercut.judge import Verdict


def verdict(number: int, shape: Shape, *, state: str = "", is_repaired: bool = False) -> Verdict:
    cut = Cut(number, number, shape)
    data = state or f"state {number}"
    return Verdict(cut, (), "A", "0.1.0", is_repaired, False, data, "one")


def chosen(verdicts: list[Verdict], wanted: int) -> list[Shape]:
    return [found.cut.shape for _, found in chosen_cuts({"life": verdicts}, wanted, seed=1)]


def test_torn_and_lost_writes_come_first() -> None:
    verdicts = [verdict(n, Shape.ALL) for n in range(9)] + [verdict(9, Shape.TORN)]
    assert chosen(verdicts, 1) == [Shape.TORN]


def test_plain_moments_fill_up_what_is_wanted() -> None:
    verdicts = [verdict(n, Shape.ALL) for n in range(9)]
    assert chosen(verdicts, 2) == [Shape.ALL, Shape.ALL]


def test_same_disk_is_booted_once() -> None:
    verdicts = [verdict(n, Shape.SOME, state="same") for n in range(9)]
    assert chosen(verdicts, 5) == [Shape.SOME]


def test_one_that_took_a_repair_is_among_the_first() -> None:
    verdicts = [verdict(n, Shape.SOME) for n in range(20)]
    verdicts.append(verdict(20, Shape.LOST, is_repaired=True))
    assert Shape.LOST in chosen(verdicts, 1)
