"""Makes a sequence of an episode of LeRobot, as a data set's rows in CSV or JSON: `timestamp` in
seconds, and the actions in one column `action` (six numbers, in the order of an SO-101) or in a
column for each motor: `action.shoulder_pan.pos`, `shoulder_pan.pos` or `shoulder_pan`. Pure. Every
refusal names the row or column at fault.
"""

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from ...lib.api.sequences import MOST_FRAMES, MOST_JOINTS, ImportEpisode, JointSequence
from ...lib.errors import Code, SaintError
from ...lib.hw.feetech.calibration import SO_ARM
from ...lib.role_config.fields import FieldSpec

_TIME, _EPISODE, _ACTION = "timestamp", "episode_index", "action"
_FORMS: Final = ("action.{}.pos", "{}.pos", "action.{}", "{}")
_MOST_ROWS: Final = 20 * MOST_FRAMES
_DIGITS = 4
Row = Mapping[str, Any]


def sequence_of(request: ImportEpisode, fields: Mapping[str, FieldSpec]) -> JointSequence:
    """Return the sequence for the target with these fields. Raises request_invalid."""
    parse = _csv if request.format == "csv" else _json
    rows = _of_episode(parse(request.text), request)
    if len(rows) > MOST_FRAMES:
        raise _refused(f"the episode has {len(rows)} rows; {MOST_FRAMES} at most")
    joints = [name for name, spec in fields.items() if spec.kind == "position"]
    found = _table(rows, joints)
    names = list(found)
    start_s = _number(rows[0].get(_TIME), 0, _TIME)
    columns = [_in_unit(found[name], name, fields[name], request.degrees) for name in names]
    frames = [
        [round(_number(row.get(_TIME), number, _TIME) - start_s, 6), *values]
        for number, (row, values) in enumerate(zip(rows, zip(*columns, strict=True), strict=True))
    ]
    try:
        return JointSequence.model_validate({
            "joints": names, "units": [fields[name].unit for name in names], "frames": frames,
            "source": "imported from an episode of LeRobot",
        })  # fmt: skip
    except ValidationError as err:
        raise _refused(err.errors()[0]["msg"].removeprefix("Value error, ")) from err


def _csv(text: str) -> list[Row]:
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows: list[Row] = []
        for row in reader:
            if None in row or None in row.values():
                raise _refused(f"row {len(rows)} has not as many columns as the header")
            rows.append(row)
            if len(rows) > _MOST_ROWS:
                raise _refused(f"it has more than {_MOST_ROWS} rows")
    except csv.Error as err:
        raise _refused(f"it is not CSV: {err}") from err
    return rows


def _json(text: str) -> list[Row]:
    """Parse a list of rows, or an object of columns."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise _refused("it is not JSON") from err
    if isinstance(data, dict) and data and all(isinstance(each, list) for each in data.values()):
        lengths = {len(each) for each in data.values()}
        if len(lengths) > 1:
            raise _refused("its columns have different lengths")
        data = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise _refused("it is neither a list of rows nor an object of columns")
    return data


def _of_episode(rows: list[Row], request: ImportEpisode) -> list[Row]:
    if not rows:
        raise _refused("it has no rows")
    if _TIME not in rows[0]:
        raise _refused(f"it has no column {_TIME}")
    if _EPISODE not in rows[0]:
        return rows
    numbers = [_number(row.get(_EPISODE), at, _EPISODE) for at, row in enumerate(rows)]
    known = sorted(set(numbers))
    wanted = known[0] if request.episode is None and len(known) == 1 else request.episode
    if wanted not in known:
        shown = ", ".join(f"{number:g}" for number in known[:10])
        raise _refused(f"it has the episodes {shown}", "Name one of them: --episode N.")
    return [row for row, number in zip(rows, numbers, strict=True) if number == wanted]


def _table(rows: list[Row], joints: list[str]) -> dict[str, list[float]]:
    """Return the actions by joint."""
    if _ACTION in rows[0]:
        return _from_lists(rows, joints)
    keys: dict[str, str] = {}
    for joint in joints[:MOST_JOINTS]:
        forms = [form.format(joint) for form in _FORMS]
        if found := next((key for key in forms if key in rows[0]), ""):
            keys[joint] = found
    if not keys:
        raise _refused(f"it has neither a column {_ACTION} nor one of {', '.join(joints)}")
    return {
        joint: [_number(row.get(key), at, key) for at, row in enumerate(rows)]
        for joint, key in keys.items()
    }


def _from_lists(rows: list[Row], joints: list[str]) -> dict[str, list[float]]:
    names = list(SO_ARM)
    if missing := [name for name in names if name not in joints]:
        raise _refused(f"the target has no joint {missing[0]}; a column {_ACTION} has all six")
    found: dict[str, list[float]] = {name: [] for name in names}
    for at, row in enumerate(rows):
        values = _list(row.get(_ACTION), at)
        if len(values) != len(names):
            raise _refused(f"row {at}: {_ACTION} has {len(values)} numbers, not {len(names)}")
        for name, value in zip(names, values, strict=True):
            found[name].append(_number(value, at, _ACTION))
    return found


def _list(value: object, at: int) -> list[object]:
    """Return the numbers of a cell; as text they stand in brackets, with commas or spaces."""
    if isinstance(value, list):
        return value
    text = value.strip() if isinstance(value, str) else ""
    if not (text.startswith("[") and text.endswith("]")):
        raise _refused(f"row {at}: {_ACTION} is no list of numbers")
    return [*text[1:-1].replace(",", " ").split()[: MOST_JOINTS + 1]]


def _number(value: object, at: int, key: str) -> float:
    try:
        found = float(value) if isinstance(value, (int, float, str)) else math.nan
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found) or isinstance(value, bool):
        raise _refused(f"row {at}: {key} is {str(value)[:40]!r}, no number")
    return found


def _in_unit(values: list[float], name: str, spec: FieldSpec, has_degrees: bool) -> list[float]:
    """Convert LeRobot's numbers: a gripper has 0 to 100, a joint degrees or -100 to 100."""
    low, high = spec.limits
    if spec.unit == "ratio":
        return [round(value / 100.0, _DIGITS) for value in values]
    if has_degrees:
        return [round(value, _DIGITS) for value in values]
    middle, half = (low + high) / 2, (high - low) / 2
    return [round(middle + value / 100.0 * half, _DIGITS) for value in values]


def _refused(sentence: str, fix: str = "Export the episode's rows again.") -> SaintError:
    return SaintError(Code.REQUEST_INVALID, f"the episode is refused: {sentence}", fix=fix)
