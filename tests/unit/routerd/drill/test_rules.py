"""The steps of the stop drill by themselves: which one waits, how it is judged, what is written."""

from saint_services.lib.api.drill import DrillReport, DrillStep
from saint_services.lib.api.routing import StopOutcomeInfo
from saint_services.routerd.drill import rules as drill


def outcome(state: str, after_ms: float | None = None, target: str = "tracks") -> StopOutcomeInfo:
    facts = {"target": target, "state": state, "after_ms": after_ms, "detail": "seen"}
    return StopOutcomeInfo.model_validate(facts)


def began() -> DrillReport:
    return drill.begun("then", "Ann", {"server": "1.2.0"})


def states(report: DrillReport) -> dict[str, str]:
    return {step.way: step.state for step in report.steps if step.state != "open"}


def test_drill_begins_with_every_way_open() -> None:
    report = began()
    assert (report.began, report.by, report.versions) == ("then", "Ann", {"server": "1.2.0"})
    assert {step.state for step in report.steps} == {"open"}
    assert drill.awaited(report) is None and drill.awaited(None) is None


def test_only_one_way_waits() -> None:
    report = drill.waiting(drill.waiting(began(), "rc"), "page")
    assert states(report) == {"page": "waiting"}
    assert drill.awaited(report) == "page"


def test_way_that_was_judged_stays_when_another_waits() -> None:
    report = drill.with_step(began(), DrillStep(way="rc", state="passed"))
    assert states(drill.waiting(report, "page")) == {"rc": "passed", "page": "waiting"}


def test_end_fails_the_way_that_waits() -> None:
    report = drill.ended(drill.waiting(began(), "rc"), "now")
    assert (report.ended, states(report)) == ("now", {"rc": "failed"})
    assert [step.reason for step in report.steps if step.way == "rc"] == ["no press came"]
    assert states(drill.ended(began(), "now")) == {}


def test_step_lists_every_role_but_those_that_no_node_holds() -> None:
    found = [outcome("stopped", 5.0), outcome("absent", target="head")]
    step = drill.judged("rc", "rc:a", found, 0.1)
    assert (step.state, step.source, step.reason) == ("passed", "rc:a", "")
    assert [(each.target, each.after_ms, each.detail) for each in step.targets] == [
        ("tracks", 5.0, "seen")
    ]


def test_step_without_roles_says_so() -> None:
    step = drill.judged("rc", "rc", [outcome("absent")], 0.1)
    assert step.reason == "no node holds a role, so nothing was stopped"


def test_failed_step_names_who_was_late() -> None:
    found = [
        outcome("stopped", 250.0, "head"),
        outcome("guard", 250.5, "tracks"),
        outcome("stopped", None, "arms.left"),
    ]
    assert (
        drill.judged("rc", "rc", found, 0.1).reason
        == "confirmed later than 250 ms: tracks, arms.left"
    )


def test_failed_step_names_who_has_not_confirmed() -> None:
    found = [
        outcome("stopped", 5.0, "head"),
        outcome("guard", 5.0, "arms.left"),
        outcome("stopping", None, "arms.right"),
        outcome("silent", None, "tracks"),
    ]
    assert drill.judged("rc", "rc", found, 1.99).state == "waiting"
    step = drill.judged("rc", "rc", found, 2.0)
    assert (step.state, step.reason) == ("failed", "not confirmed within 2 s: arms.right, tracks")
    assert drill.GIVE_UP_S == 2.0


def test_released_step_fails_once_it_was_pressed() -> None:
    waits = DrillStep(way="rc", state="waiting")
    assert drill.released(waits) == waits
    pressed = waits.model_copy(update={"source": "rc"})
    assert drill.released(pressed).state == "failed"
    assert (
        drill.released(pressed).reason
        == "the e-stop was cleared before every role had confirmed it"
    )


def test_killed_step_says_what_its_guard_did() -> None:
    passed = drill.killed("tracks", 250.0, "its process ended", "")
    assert (passed.way, passed.state, passed.reason) == ("kill", "passed", "")
    (target,) = passed.targets
    assert (target.target, target.state, target.after_ms, target.detail) == (
        "tracks", "guard", 250.0, "its process ended",
    )  # fmt: skip
    late = drill.killed("tracks", 250.5, "its process ended", "")
    assert (late.state, late.reason) == ("failed", "the guard acted later than 250 ms")
    failed = drill.killed("tracks", 5.0, "its process ended", "no chip")
    assert (failed.state, failed.reason) == ("failed", "no chip")
    assert (failed.targets[0].state, failed.targets[0].detail) == ("stopping", "no chip")


def test_ways_of_presses() -> None:
    sources = ("websocket:page-1", "rc", "console", "ros", "participant 0a0b", "saintctl")
    assert [drill.way_of(each) for each in sources] == [
        "page", "rc", "console", "ros", "ros", None,
    ]  # fmt: skip
