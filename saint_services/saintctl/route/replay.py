"""`saintctl route test`: feeds recorded samples to the router with a file of routes, on the
recording's clock. Needs no robot.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ...lib import config
from ...lib.api.routing import FieldOutput, RouteFile
from ...lib.config.spelling import nearest
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import InputSample
from ...lib.machine.service_manager import Directories
from ...routerd import adapters, report
from ...routerd.fields.targets import RobotTargets
from ...routerd.logic import Router
from ...routerd.routes.checks import check_file
from .. import recordings

KEYS = ("t_ms", "source", "values", "failsafe", "subject", "client", "name", "target")
ACTIONS = ("hold", "neutral", "estop", "passthrough")  # of `failsafe`, instead of true
LATEST_MS = 1e11  # three years: later times lose steps of 10 ms in rounding
LARGEST = 3.4e38  # samples travel as float32
SAME_S = 1e-9  # rounding error of times, which are sums of seconds


def route_test(routes: str, role_dir: str, samples: str, out: TextIO) -> int:
    """Write one JSON object per line of the recording. Return the exit code."""
    robot = _robot(role_dir)
    file = config.load(RouteFile, Path(routes), required=True)
    try:
        check_file(file, robot)
    except SaintError as err:
        raise SaintError(Code.CONFIG_INVALID, f"{routes}: {err.message}", fix=err.fix) from err
    replay = Replay(Router(robot, file.routes, blending=file.blending))
    with recordings.opened(samples) as recording:
        for number, line in recordings.lines(recording, samples):
            shown = replay.feed(line, f"{samples}, line {number}")
            out.write(json.dumps(shown) + "\n")
            if samples == "-":
                out.flush()
    out.flush()
    return 0


def _robot(role_dir: str) -> RobotTargets:
    if role_dir:
        return adapters.load_roles(Path(role_dir))
    return adapters.load_robot(Directories.from_environment().share, "saint")


@dataclass(slots=True)
class Replay:
    """A router whose clock is the recording's."""

    router: Router
    now_ms: float = 0.0  # of the newest line
    now_s: float = 0.0  # of the router
    sequences: Counter[str] = field(default_factory=Counter)

    def feed(self, line: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Feed one line of the recording. Return the line to print."""
        _check_keys(line, where)
        t_ms = _time_ms(line, where)
        refused = ""
        if t_ms < self.now_ms:
            self._obey_stop(line, where)
            refused = f"older than the line before ({self.now_ms:g} ms)"
        else:
            self._advance(t_ms)
            refused = self._act(line, where)
        self._advance(self.now_ms)
        return self._shown(line["t_ms"], refused)

    def _advance(self, t_ms: float) -> None:
        """Advance the clock; every timer on the way fires when it is due."""
        end_s = max(t_ms / 1000, self.now_s)
        router = self.router
        while router.wake_at <= end_s + SAME_S:
            self.now_s = max(self.now_s, router.wake_at)
            router.advance(self.now_s)
        self.now_s = max(self.now_s, end_s)
        self.now_ms = t_ms

    def _act(self, line: Mapping[str, Any], where: str) -> str:
        """Apply a line. Return why the router refused it, or an empty string."""
        now = self.now_s
        _check_content(line, where)
        if "estop" in line:
            return self._estop(str(line["estop"]), now)
        if "source" not in line:
            return ""
        message = _message(line)
        self.sequences[message.source] += 1
        message.sequence = self.sequences[message.source]
        before = self.router.refused.copy()
        self.router.sample(message, "", now)
        return ", ".join(self.router.refused - before)

    def _obey_stop(self, line: Mapping[str, Any], where: str) -> None:
        """Apply the stop in a line that comes too late for anything else, as the router does."""
        _check_content(line, where)
        if line.get("estop") == "set":
            self._estop("set", self.now_s)
        elif "source" in line:
            self.router.refuse_old(_message(line), self.now_s)

    def _estop(self, action: str, now: float) -> str:
        if action == "set":
            self.router.raise_estop("test", "set", now)
            return ""
        try:
            self.router.clear_estop("test", self.router.latch.generation, now)
        except SaintError as err:
            return err.message
        return ""

    def _shown(self, t_ms: float, refused: str) -> dict[str, Any]:
        outputs: dict[str, dict[str, float | None]] = {}
        why: dict[str, dict[str, Any]] = {}
        for each in report.outputs(self.router, self.now_s):
            outputs.setdefault(each.target, {})[each.field] = each.value
            why[f"{each.target}.{each.field}"] = _why(each)
        shown: dict[str, Any] = {"t_ms": t_ms, "outputs": outputs, "why": why}
        shown["estop"] = self.router.latch.active
        if refused:
            shown["refused"] = refused
        return shown


def _why(output: FieldOutput) -> dict[str, Any]:
    return {
        "winner": output.winner or None,
        "source": output.source or None,
        "age_ms": output.age_ms if output.winner else None,
        "clamped": output.clamped,
        "policy": output.policy,
        "rivals": [
            {
                "route": contender.route,
                "source": contender.source,
                "age_ms": contender.age_ms,
                "reason": contender.reason,
            }
            for contender in output.rivals
        ],
    }


def _message(line: Mapping[str, Any]) -> InputSample:
    source = str(line["source"])
    name = next((str(line[key]) for key in ("subject", "client", "name") if line.get(key)), "")
    if name and ":" not in source:
        source = f"{source}:{name}"
    values = {name: _number(value) for name, value in (line.get("values") or {}).items()}
    failsafe = line.get("failsafe", False)
    if failsafe is True or failsafe == "passthrough":
        values = {}
    elif failsafe == "estop":
        values = {"estop": 1.0}
    elif failsafe == "neutral":
        values = dict.fromkeys(values, 0.0)
    return InputSample(
        source=source,
        failsafe=bool(failsafe),
        target=str(line.get("target") or ""),
        names=tuple(values),
        values=tuple(values.values()),
    )


def _number(value: float) -> float:
    """Convert to float; values beyond float32 become infinite, which the router refuses."""
    return float(value) if abs(value) <= LARGEST else math.inf


def _time_ms(line: Mapping[str, Any], where: str) -> float:
    value: Any = line.get("t_ms")
    if not _is_number(value) or not 0 <= value <= LATEST_MS:
        raise _fault(f"{where}: t_ms must be a number of milliseconds from 0, not {value!r}")
    return float(value)


def _check_keys(line: Mapping[str, Any], where: str) -> None:
    """Raise request_invalid for a misspelled key. Unrelated keys of other programs are allowed."""
    for key in line:
        if key not in (*KEYS, "estop", "tick") and (meant := nearest(key, (*KEYS, "estop"))):
            raise _fault(f"{where}: {key!r} is not known; did you mean {meant!r}?")


def _check_content(line: Mapping[str, Any], where: str) -> None:
    if "estop" in line:
        if line["estop"] not in ("set", "clear"):
            raise _fault(f"{where}: estop must be 'set' or 'clear', not {line['estop']!r}")
        return
    if "source" not in line:
        if line.get("tick") is not True:
            raise _fault(f"{where} has no source, no estop and no tick: true")
        return
    for key in ("source", "subject", "client", "name", "target"):
        if not isinstance(line.get(key, ""), str):
            raise _fault(f"{where}: {key} must be a text, not {line[key]!r}")
    values = line.get("values", {})
    if not isinstance(values, dict):
        raise _fault(f"{where}: values must be a group of names and numbers")
    for name, value in values.items():
        if not _is_number(value):
            raise _fault(f"{where}: values.{name} must be a number, not {value!r}")
    failsafe = line.get("failsafe", False)
    if not isinstance(failsafe, bool) and failsafe not in ACTIONS:
        known = ", ".join(ACTIONS)
        raise _fault(f"{where}: failsafe must be true, false or one of {known}, not {failsafe!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fault(sentence: str) -> SaintError:
    return SaintError(
        Code.REQUEST_INVALID,
        sentence,
        fix="Correct the file; saintctl route test --help describes the format.",
    )
