"""`saintctl drill`: guides a person through every way to stop the robot and stores the report. Not
here: what counts as passed (routerd/drill.py).
"""

import asyncio
import sys
import time
from typing import Annotated

import typer

from ...lib.api import drill as rows
from ...lib.api import routing
from ...lib.api.drill import (
    WAYS,
    DrillInfo,
    DrillKill,
    DrillReport,
    DrillSkip,
    DrillStep,
    DrillWait,
)
from ...lib.api.endpoint import Nothing
from ...lib.api.routing import EStopClear
from ...lib.errors import SaintError
from ..connect import RobotAddress, request, run_request
from ..console import AsJson, print_json, run
from ..row_command import help_of
from .outcomes import target_name

PERIOD_S = 0.1  # between two requests of the drill's state
_INSTRUCTIONS = {
    "page": "Press STOP on any page of the robot, on any device.",
    "rc": "Switch on the stop switch of the transmitter.",
    "console": "Press the stop button of the console.",
    "ros": "On a ROS machine: "
    "ros2 topic pub --once /saint/tracks/estop std_msgs/msg/Bool '{data: true}'",
    "kill": "The process of a role is killed; its guard must stop the outputs.",
}
Skips = Annotated[
    list[str] | None,
    typer.Option("--skip", help="WAY=REASON, for example: rc='no transmitter'. Repeatable."),
]
Target = Annotated[str, typer.Option(help=help_of(rows.DrillKill, "target"))]
Wait = Annotated[float, typer.Option(min=1.0, help="Seconds to wait for a press.")]


def drill(
    context: typer.Context,
    skip: Skips = None,
    target: Target = "tracks",
    wait: Wait = 60.0,
    yes: Annotated[bool, typer.Option("--yes", help="Ask no questions; for scripts.")] = False,
    last: Annotated[bool, typer.Option("--last", help="Only show the last report.")] = False,
    as_json: AsJson = False,
) -> None:
    """Try and measure every way to stop the robot; nothing here moves the robot. Exit code 1: a way
    failed."""
    robot = context.obj
    if last:
        _show_last(run_request(robot, rows.STATUS, as_json), as_json)
        return
    skipped = dict(each.partition("=")[::2] for each in skip or [])
    run_request(robot, rows.BEGIN, as_json)
    for way in WAYS:
        reason = skipped.get(way, "") or _reason_to_skip(way, is_quiet=yes)
        step = run(_step(robot, way, reason, target, wait), as_json)
        if not as_json:
            print(_line(step))
    report = run_request(robot, rows.FINISH, as_json).reports[0]
    if as_json:
        print_json(report)
    if any(step.state == "failed" for step in report.steps):
        raise typer.Exit(1)


def _reason_to_skip(way: str, *, is_quiet: bool) -> str:
    """Print the instruction. Return why the way is skipped, or an empty string."""
    print(f"\n{way}: {_INSTRUCTIONS[way]}", file=sys.stderr)
    if is_quiet:
        return ""
    return input("Press Enter when ready, or type a reason to skip this: ").strip()


async def _step(
    robot: RobotAddress, way: str, reason: str, target: str, wait_s: float
) -> DrillStep:
    """Try one way to stop and return its result."""
    if reason:
        skipped = DrillSkip.model_validate({"way": way, "reason": reason[:200]})
        return _of(await request(robot, rows.SKIP, skipped), way)
    if way == "kill":
        return _of(await request(robot, rows.KILL, DrillKill(target=target)), way)
    await _clear(robot, wait_s)
    await request(robot, rows.WAIT, DrillWait.model_validate({"way": way}))
    print(f"{way}: waiting for the press ({wait_s:g} s)", file=sys.stderr)
    return await _pressed(robot, way, wait_s)


async def _pressed(robot: RobotAddress, way: str, wait_s: float) -> DrillStep:
    end_s = time.monotonic() + wait_s
    while time.monotonic() < end_s:
        step = _of(await request(robot, rows.STATUS, Nothing()), way)
        if step.state != "waiting":
            return step
        await asyncio.sleep(PERIOD_S)
    reason = f"no press came within {wait_s:g} s"
    return DrillStep.model_validate({"way": way, "state": "failed", "reason": reason})


async def _clear(robot: RobotAddress, wait_s: float) -> None:
    """Clear the stop of the step before, which the person has just seen. Retry until a switch that
    still requests it is switched off, at most `wait_s`."""
    end_s, refusal = time.monotonic() + wait_s, ""
    while (latch := (await request(robot, routing.GET_STATUS, Nothing())).estop).active:
        seen = EStopClear(source="saintctl drill", generation=latch.generation)
        try:
            await request(robot, routing.CLEAR_ESTOP, seen)
        except SaintError as err:
            if time.monotonic() > end_s:
                raise
            if err.message != refusal:
                refusal = err.message
                print(f"{refusal}. {err.fix}", file=sys.stderr)
            await asyncio.sleep(PERIOD_S)


def _of(info: DrillInfo, way: str) -> DrillStep:
    steps = info.running.steps if info.running else []
    return next(step for step in steps if step.way == way)


def _line(step: DrillStep) -> str:
    times = ", ".join(
        f"{target_name(each.target)} {each.after_ms:.0f} ms"
        for each in step.targets
        if each.after_ms is not None
    )
    reason = f": {step.reason}" if step.reason else ""
    return f"{step.way}: {step.state}{reason}{f' ({times})' if times else ''}"


def _show_last(info: DrillInfo, as_json: bool) -> None:
    report = info.reports[0] if info.reports else DrillReport(began="")
    if as_json:
        print_json(report)
    elif not info.reports:
        print("The stop was never tested on this robot. To test it: saintctl drill")
    else:
        print(f"Stop drill of {report.ended} by {report.by or 'unknown'}:")
        for step in report.steps:
            print(f"  {_line(step)}")
