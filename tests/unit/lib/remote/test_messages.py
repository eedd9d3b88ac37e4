"""Arena's own messages, byte for byte as its document has them, and everything that is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.remote import messages as m
from tests.unit.lib.remote.arena_examples import COMMAND, OTHERS, STATUS


def test_the_documents_command_is_read() -> None:
    found = m.parse(COMMAND)
    assert isinstance(found, m.RemoteCommand)
    assert [(j.name, j.value, j.speed) for j in found.data.joints] == [
        ("Rotation", 45.0, 100.0),
        ("Elbow", -30.0, 80.0),
    ]
    assert m.time_of(found.timestamp) == 1705314600.0
    assert not m.is_fine(found.timestamp)


def test_the_documents_status_is_read() -> None:
    found = m.parse(STATUS)
    assert isinstance(found, m.SlaveStatus)
    assert found.robot_id == "robot-1"
    assert [j.real_value for j in found.data.joints] == [44.8, -29.9]


@pytest.mark.parametrize("text", [COMMAND, STATUS, *OTHERS])
def test_a_message_that_is_read_is_written_with_the_same_content(text: str) -> None:
    assert json.loads(m.encoded(m.parse(text))) == json.loads(text)


@pytest.mark.parametrize("text", OTHERS)
def test_a_message_is_written_as_javascript_writes_it(text: str) -> None:
    written = m.encoded(m.parse(text))
    assert written == text.replace('"value":12.5', '"value":12.5')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "malformed"),
        ("[]", "malformed"),
        ("{" * 5000, "malformed"),
        ('{"type": "command", "data": {"joints": [{"name": "a", "value": NaN}]}}', "malformed"),
        ('{"type": "clear"}', "unknown_type"),
        ('{"type": ["command"]}', "unknown_type"),
        ('{"type": "command"}', "invalid"),
        ('{"type": "command", "data": {"joints": []}}', "invalid"),
        ('{"type": "command", "data": {"joints": [{"name": "a", "value": "45"}]}}', "invalid"),
        ('{"type": "command", "data": {"joints": [{"name": "a", "value": true}]}}', "invalid"),
        ('{"type": "command", "data": {"joints": [{"name": "a", "value": 1e300}]}}', "invalid"),
        ('{"type": "command", "data": {"joints": [{"name": "a\\u0000", "value": 1}]}}', "invalid"),
        ('{"type": "command", "sequence": -1, "data": {"joints": [{"name":"a","value":1}]}}',
         "invalid"),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(m.RemoteMessageError) as caught:
        m.parse(text)
    assert caught.value.reason == reason
    assert str(caught.value)


def test_a_command_with_too_many_joints_is_refused() -> None:
    joints = [{"name": f"j{n}", "value": 0} for n in range(m.MOST_JOINTS + 1)]
    with pytest.raises(m.RemoteMessageError):
        m.parse(json.dumps({"type": "command", "data": {"joints": joints}}))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["timestamp", "id", "data", "sequence", "reason"]), _JSON),
       st.sampled_from(sorted(m._KINDS)))  # fmt: skip
def test_any_content_is_read_or_refused(content: dict[str, Any], kind: str) -> None:
    try:
        found = m.checked({**content, "type": kind})
    except m.RemoteMessageError:
        return
    m.time_of(getattr(found, "timestamp", None))
    assert m.parse(m.encoded(found)) == found


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with pytest.raises(m.RemoteMessageError):
        m.parse(data)


@pytest.mark.parametrize("text", ["", "yesterday", "9999999-01-01T00:00:00Z", "2024-13-01"])
def test_a_time_that_cannot_be_read_is_none(text: str) -> None:
    assert m.time_of(text) is None


def test_a_time_is_iso_text_or_milliseconds() -> None:
    assert m.time_of("2024-01-15T10:30:00.250Z") == m.time_of(1705314600250)
    assert m.iso_time(1705314600.25) == "2024-01-15T10:30:00.250Z"
    assert m.time_of(1e300) is None
