"""The fast check of set-points agrees with the models, or leaves the message to them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.webd import logic, quick
from saint_services.webd import messages as m
from saint_services.webd.actions import MODELS


def test_drive_of_the_specification_is_checked_quickly() -> None:
    message = {"id": "7", "type": "command", "target": "tracks", "action": "drive",
               "params": {"linear": 1, "angular": -0.5}}  # fmt: skip
    assert quick.parse(message) == ("7", "tracks", "drive", m.Drive(linear=1.0, angular=-0.5))


def test_bounds_are_those_of_the_models() -> None:
    assert quick.bounds(m.Drive) == {"linear": (-1e6, 1e6), "angular": (-1e6, 1e6)}
    assert quick.bounds(m.HeadMove)["speed"] == (0.0, 1.0)
    assert quick.bounds(m.HeadMove)["pan"] == (-1e6, 1e6)


@pytest.mark.parametrize(
    "change",
    [
        {"id": 12},
        {"id": "x" * 129},
        {"type": "tracks", "target": "tracks"},
        {"action": "stop"},
        {"params": {"linear": True}},
        {"params": {"linear": "1"}},
        {"params": {"linear": 1e7}},
        {"params": {"linear": None}},
        {"params": {"speed": 1.0}},
        {"params": []},
        {"more": 1},
        {"action": ["drive"]},
        {"target": {}},
    ],
)
def test_anything_else_is_left_to_the_models(change: dict[str, object]) -> None:
    message = {"type": "command", "target": "tracks", "action": "drive", "params": {}}
    assert quick.parse({**message, **change}) is None


_VALUE = st.one_of(
    st.floats(-2e6, 2e6), st.integers(-2, 2), st.sampled_from([True, None, "1", "x", [], 1e308])
)


@given(
    st.sampled_from(["tracks", "head"]),
    st.sampled_from(["drive", "move"]),
    st.dictionaries(st.sampled_from(["linear", "angular", "pan", "jaw", "speed"]), _VALUE),
    st.sampled_from([None, "a", "x" * 128, "x" * 129, 3, 2**64]),
)
def test_quick_and_slow_agree(
    group: str, action: str, params: dict[str, object], message_id: object
) -> None:
    message = {"type": group, "action": action, "params": params}
    if message_id is not None:
        message["id"] = message_id
    found = quick.parse(message)
    if found is None:
        return
    slow = logic._checked(message, MODELS)
    assert slow == logic.Call(*found)
    assert json.dumps(message)
