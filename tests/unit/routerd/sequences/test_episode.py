"""Episodes of LeRobot become sequences; everything else is refused with the reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.sequences import ImportEpisode
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.feetech.calibration import SO_ARM
from saint_services.lib.role_config.fields import FieldSpec
from saint_services.routerd.sequences.episode import sequence_of

_DEG = {"command": "cmd", "kind": "position", "unit": "deg", "limits": [-110, 90],
        "on_loss": "hold", "max_rate": 180}  # fmt: skip
FIELDS = {
    name: FieldSpec.model_validate(
        _DEG | ({"unit": "ratio", "limits": [0, 1]} if name == "gripper" else {})
    )
    for name in SO_ARM
}
LISTS = [{"timestamp": at / 30, "action": [at, 2, 3, 4, 5, 50], "episode_index": 0}
         for at in range(3)]  # fmt: skip


def request(text: str, kind: str = "json", **more: Any) -> ImportEpisode:
    return ImportEpisode.model_validate(
        {"sequence_name": "x", "target": "parts.f", "text": text, "format": kind} | more
    )


def test_rows_with_lists_have_the_six_motors_in_degrees_and_a_share() -> None:
    found = sequence_of(request(json.dumps(LISTS)), FIELDS)
    assert found.joints == list(SO_ARM)
    assert found.units == ["deg"] * 5 + ["ratio"]
    assert found.frames[1] == [pytest.approx(1 / 30, abs=1e-5), 1.0, 2.0, 3.0, 4.0, 5.0, 0.5]


def test_columns_are_the_same_as_rows() -> None:
    columns = {key: [row[key] for row in LISTS] for key in LISTS[0]}
    assert sequence_of(request(json.dumps(columns)), FIELDS) == sequence_of(
        request(json.dumps(LISTS)), FIELDS
    )


@pytest.mark.parametrize("form", ["action.{}.pos", "{}.pos", "{}"])
def test_csv_with_a_column_for_each_motor(form: str) -> None:
    names = [form.format(name) for name in ("shoulder_pan", "gripper")]
    text = f"frame_index,timestamp,{','.join(names)}\n0,4.0,10,0\n1,4.5,20,100\n"
    found = sequence_of(request(text, "csv"), FIELDS)
    assert found.frames == [[0.0, 10.0, 0.0], [0.5, 20.0, 1.0]]


def test_csv_with_lists_as_a_data_frame_writes_them() -> None:
    text = 'timestamp,action\n0.0,"[1. 2. 3. 4. 5. 0.]"\n0.1,"[1, 2, 3, 4, 5, 100]"\n'
    assert sequence_of(request(text, "csv"), FIELDS).frames[1][1:] == [1, 2, 3, 4, 5, 1]


def test_shares_count_the_range_of_the_target() -> None:
    text = "timestamp,shoulder_pan\n0,-100\n1,100\n"
    found = sequence_of(request(text, "csv", degrees=False), FIELDS)
    assert found.frames == [[0.0, -110.0], [1.0, 90.0]]


def test_one_of_several_episodes_is_named() -> None:
    rows = [
        {"timestamp": at, "shoulder_pan": at, "episode_index": n} for n in (3, 7) for at in (0, 1)
    ]
    with pytest.raises(SaintError, match="it has the episodes 3, 7"):
        sequence_of(request(json.dumps(rows)), FIELDS)
    assert len(sequence_of(request(json.dumps(rows), episode=7), FIELDS).frames) == 2


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("", "csv", "has no rows"),
        ("a,b\n1,2\n", "csv", "no column timestamp"),
        ("timestamp,shoulder_pan\n0\n", "csv", "row 0 has not as many columns"),
        ('timestamp,a\n0,"x', "csv", "not CSV"),
        ("timestamp,tail\n0,1\n1,1\n", "csv", "neither a column action nor one of shoulder_pan"),
        ("timestamp,shoulder_pan\n0,nan\n1,1\n", "csv", "row 0: shoulder_pan is 'nan', no number"),
        ("timestamp,shoulder_pan\n0,1e999\n1,1\n", "csv", "'1e999', no number"),
        ("timestamp,shoulder_pan\n1,1\n0,1\n", "csv", "frame 1 is at -1 s, not after"),
        ("timestamp,shoulder_pan\n0,1\n", "csv", "at least 2"),
        ('timestamp,action\n0,"[1,2]"\n1,"[1,2]"\n', "csv", "action has 2 numbers, not 6"),
        ("timestamp,action\n0,7\n1,7\n", "csv", "action is no list"),
        ("{", "json", "not JSON"),
        ("[" * 100_000, "json", "not JSON"),
        ("7", "json", "neither a list of rows"),
        ('{"timestamp": [0, 1], "shoulder_pan": [1]}', "json", "different lengths"),
        ('[{"timestamp": true, "shoulder_pan": 1}]', "json", "'True', no number"),
    ],
)  # fmt: skip
def test_hostile_file_is_refused_with_the_reason(text: str, kind: str, reason: str) -> None:
    with pytest.raises(SaintError, match=reason) as err:
        sequence_of(request(text, kind), FIELDS)
    assert err.value.code is Code.REQUEST_INVALID


@given(
    st.one_of(st.text(max_size=200), st.text('timestamp,action[]0123456789.\n"-e ', max_size=200))
)
def test_any_text_is_a_sequence_or_refused(text: str) -> None:
    for kind in ("csv", "json"):
        try:
            sequence_of(request(text, kind), FIELDS)
        except SaintError as err:
            assert err.code is Code.REQUEST_INVALID
