"""A judge of a bad network: a run without faults keeps every rule, each fault breaks its own."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tools.bench.link_judge import Arrival, Finding, Notes, Phase, Sizes, judge

END_S = 100.0
CUT_S, BACK_S = 50.0, 55.0


def run() -> Notes:
    """A minute and a half with a narrow phase and a cut, after which a new session drives."""
    notes = Notes(
        phases=[
            Phase("warm-up", 0.0, 10.0, is_good=True),
            Phase("narrow", 10.0, 25.0, kbps=300.0),
            Phase("good", 25.0, CUT_S, is_good=True),
            Phase("cut 5 s", CUT_S, BACK_S, is_cut=True),
            Phase("good", BACK_S, 80.0, is_good=True),
            Phase("loss", 80.0, 90.0),
            Phase("good", 90.0, END_S, is_good=True),
        ],
        ends={"first": CUT_S + 2.0},
        sizes=[Sizes(50.0 + each, 80.0 + 0.1 * each, 30, 14, 1) for each in range(9)],
    )
    for turn in range(round(END_S * 50)):
        at_s = turn / 50
        if CUT_S <= at_s < BACK_S + 1.0:
            continue
        notes.states.append(at_s)
        notes.frames.append(at_s)
        notes.rates.append((at_s, 250.0 if 12.0 < at_s < 28.0 else 1200.0))
        notes.arrivals.append(
            Arrival(at_s + 0.005, len(notes.sent), "first" if at_s < CUT_S else "second")
        )
        notes.sent.append(at_s)
        notes.powered.append(at_s + 0.01)
    return notes


def broken(notes: Notes) -> list[str]:
    return [each.rule for each in judge(notes) if not each.is_kept]


def held_back(notes: Notes, seconds: float) -> None:
    """One command comes late, and those that were sent meanwhile not at all."""
    late = notes.arrivals[-200]
    notes.arrivals[-200] = replace(late, at_s=late.at_s + seconds)
    del notes.arrivals[-199 : -199 + round(seconds * 50)]


def one_late(notes: Notes) -> None:
    held_back(notes, 0.35)


def all_old(notes: Notes) -> None:
    notes.arrivals = [replace(each, at_s=each.at_s + 0.8) for each in notes.arrivals]
    notes.ends, notes.powered = {}, []


def overtaken(notes: Notes) -> None:
    place = 100
    notes.arrivals[place], notes.arrivals[place + 1] = (
        replace(notes.arrivals[place], number=notes.arrivals[place + 1].number),
        replace(notes.arrivals[place + 1], number=notes.arrivals[place].number),
    )


def after_the_end(notes: Notes) -> None:
    notes.ends["second"] = END_S - 1.0


def coasting(notes: Notes) -> None:
    notes.powered.append(CUT_S + 0.8)


def frozen(notes: Notes) -> None:
    notes.frames = [each for each in notes.frames if not 60.0 < each < 62.5]


def frozen_from_the_return_on(notes: Notes) -> None:
    notes.frames = [each for each in notes.frames if not 80.0 < each < 92.5]


def frozen_to_the_end(notes: Notes) -> None:
    notes.frames = [each for each in notes.frames if each < 97.0]


def slow_states(notes: Notes) -> None:
    notes.states = [each for each in notes.states if each < BACK_S or round(each * 50) % 5]


def no_commands(notes: Notes) -> None:
    notes.arrivals = [each for each in notes.arrivals if each.at_s < 90.0]
    notes.powered = [each for each in notes.powered if each < 90.0]


def wide(notes: Notes) -> None:
    notes.rates = [(at_s, 500.0 if kbps < 300.0 else kbps) for at_s, kbps in notes.rates]


def never_wide_again(notes: Notes) -> None:
    notes.rates = [(at_s, 250.0 if at_s > 12.0 else kbps) for at_s, kbps in notes.rates]


def grown(name: str, by: float) -> Callable[[Notes], None]:
    def harm(notes: Notes) -> None:
        notes.sizes = [
            replace(each, **{name: getattr(each, name) + by * place})
            for place, each in enumerate(notes.sizes)
        ]

    return harm


def test_run_without_faults_keeps_every_rule() -> None:
    assert broken(run()) == []


@pytest.mark.parametrize(
    ("harm", "rule"),
    [
        (one_late, "on the bus beyond the quickest"),
        (all_old, "commands that drive"),
        (overtaken, "out of order"),
        (after_the_end, "ends of control"),
        (coasting, "motors with power"),
        (frozen, "freeze"),
        (frozen_from_the_return_on, "freeze"),
        (frozen_to_the_end, "freeze"),
        (slow_states, "states a second"),
        (no_commands, "of those sent"),
        (wide, "at the end of 1 narrow"),
        (never_wide_again, "after 1 narrow"),
        (grown("pss_mb", 1.0), "PSS"),
        (grown("files", 1), "files"),
        (grown("threads", 1), "threads"),
        (grown("sessions", 1), "sessions"),
    ],
)
def test_fault_breaks_its_rule_and_no_other(harm: Callable[[Notes], None], rule: str) -> None:
    notes = run()
    harm(notes)
    found = broken(notes)
    assert len(found) == 1, found
    assert rule in found[0]


def test_nothing_noted_keeps_no_rule_that_needs_something() -> None:
    found = broken(Notes(phases=run().phases))
    assert len(found) >= 6


@pytest.mark.parametrize(
    ("harm", "stall"), [(one_late, (96.4, 0.3)), (coasting, (CUT_S + 0.7, 0.3))]
)
def test_what_falls_together_with_a_stall_is_reported_and_not_judged(
    harm: Callable[[Notes], None], stall: tuple[float, float]
) -> None:
    notes = run()
    harm(notes)
    notes.stalls.append(stall)
    assert broken(notes) == []
    assert sum(each.excused for each in judge(notes)) >= 1


def test_stall_excuses_only_as_much_of_a_freeze_as_it_lasted() -> None:
    notes = run()
    frozen(notes)
    notes.stalls.append((61.0, 0.2))
    assert [each for each in broken(notes) if "freeze" in each]
    notes.stalls.append((61.5, 0.6))
    assert not [each for each in broken(notes) if "freeze" in each]


def test_finding_names_the_phase_before_the_freeze() -> None:
    notes = run()
    frozen_from_the_return_on(notes)
    freeze: Finding = next(each for each in judge(notes) if "freeze" in each.rule)
    assert "loss" in freeze.found
