"""Builders for the rules of an update: what the disk and the slots say, and what follows."""

from dataclasses import replace

from saint_services.lib.update import events
from saint_services.lib.update.events import Update, UpdateLimits, WantedRelease
from saint_services.lib.update.installer import BundleInfo, Slot, SlotMark, Slots
from saint_services.lib.update.logic import step
from saint_services.lib.update.record import (
    PendingUpdate,
    StateBefore,
    UpdateKind,
    UpdatePhase,
    UpdateRecord,
)

OLD, NEW = "1.0", "1.1"
GOOD = events.SetMark(SlotMark.GOOD, "booted")
BAD = events.SetMark(SlotMark.BAD, "booted")


def slots(booted: str = "A", primary: str = "A", activations: int = 0) -> Slots:
    spare = "B" if booted == "A" else "A"
    other = Slot("x", spare, is_bootable=True, version="0.9", activations=activations)
    return Slots(Slot("y", booted, is_booted=True), other, primary, "robot")


def pending(phase: UpdatePhase, **more: object) -> UpdateRecord:
    facts: dict[str, object] = {
        "kind": UpdateKind.INSTALL,
        "phase": phase,
        "version": NEW,
        "from_version": OLD,
        "from_slot": "A",
        "to_slot": "B",
        "attempt": 1,
        "before": StateBefore(role_answered=True),
    }
    return UpdateRecord(pending=PendingUpdate(**(facts | more)))  # type: ignore[arg-type]


def started(record: UpdateRecord, booted: str, **more: object) -> events.StateRead:
    facts: dict[str, object] = {"slots": slots(booted), "slot": booted}
    return events.StateRead(0.0, record, **(facts | more))  # type: ignore[arg-type]


def run(update: Update, *events: events.Event) -> tuple[Update, list[events.Action]]:
    done: list[events.Action] = []
    for event in events:
        update, actions = step(update, event)
        done += actions
    return update, done


def idle(**more: object) -> Update:
    update, _ = run(Update(OLD), started(UpdateRecord(), "A"))
    return replace(update, **more)  # type: ignore[arg-type]


def on_trial(limits: UpdateLimits | None = None) -> Update:
    start = Update(NEW, limits or UpdateLimits())
    return run(start, started(pending(UpdatePhase.SWITCHED, restarts=1), "B"))[0]


def kinds(actions: list[events.Action]) -> list[str]:
    return [type(action).__name__ for action in actions]


def writing(update: Update | None = None) -> tuple[Update, list[events.Action]]:
    """A release was requested, and its bundle is good: the slot is about to be written."""
    return run(
        update or idle(),
        events.InstallRequested(WantedRelease(NEW, "http://x"), request=1),
        events.Inspected(StateBefore(), BundleInfo(NEW, "robot")),
    )
