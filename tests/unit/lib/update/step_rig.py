"""Builders for the rules of an update: what the disk and the slots say, and what follows."""

from dataclasses import replace

from saint_services.lib.update import events as words
from saint_services.lib.update.events import Limits, Update, Wanted
from saint_services.lib.update.installer import Bundle, Mark, Slot, Slots
from saint_services.lib.update.logic import step
from saint_services.lib.update.record import (
    Before,
    Kind,
    Pending,
    Phase,
    Record,
)

OLD, NEW = "1.0", "1.1"
GOOD = words.SetMark(Mark.GOOD, "booted")
BAD = words.SetMark(Mark.BAD, "booted")


def slots(booted: str = "A", primary: str = "A", activations: int = 0) -> Slots:
    spare = "B" if booted == "A" else "A"
    other = Slot("x", spare, is_bootable=True, version="0.9", activations=activations)
    return Slots(Slot("y", booted, is_booted=True), other, primary, "robot")


def pending(phase: Phase, **more: object) -> Record:
    facts: dict[str, object] = {
        "kind": Kind.INSTALL,
        "phase": phase,
        "version": NEW,
        "from_version": OLD,
        "from_slot": "A",
        "to_slot": "B",
        "attempt": 1,
        "before": Before(role_answered=True),
    }
    return Record(pending=Pending(**(facts | more)))  # type: ignore[arg-type]


def started(record: Record, booted: str, **more: object) -> words.Looked:
    facts: dict[str, object] = {"slots": slots(booted), "slot": booted}
    return words.Looked(0.0, record, **(facts | more))  # type: ignore[arg-type]


def run(update: Update, *events: words.Event) -> tuple[Update, list[words.Action]]:
    done: list[words.Action] = []
    for event in events:
        update, actions = step(update, event)
        done += actions
    return update, done


def idle(**more: object) -> Update:
    update, _ = run(Update(OLD), started(Record(), "A"))
    return replace(update, **more)  # type: ignore[arg-type]


def on_trial(limits: Limits | None = None) -> Update:
    start = Update(NEW, limits or Limits())
    return run(start, started(pending(Phase.SWITCHED, restarts=1), "B"))[0]


def kinds(actions: list[words.Action]) -> list[str]:
    return [type(action).__name__ for action in actions]


def writing(update: Update | None = None) -> tuple[Update, list[words.Action]]:
    """A release was asked for, and its bundle is good: the slot is about to be written."""
    return run(
        update or idle(),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "robot")),
    )
