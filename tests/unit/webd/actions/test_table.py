"""The table of actions as a contract: each says what it does, what it replies, its level; and the
states that webd really sends fit the models that clients get.
"""

import asyncio
from collections import Counter
from typing import Any

import pytest

from saint_services.lib.access.levels import Level
from saint_services.lib.api.states import STATES
from saint_services.webd.actions.table import ACTIONS
from tests.unit.webd.web_rig import Rig

# What the fake robot says something of, again and again.
SHOWN = ("nodes", "firmware", "inputs", "outputs", "head", "arms", "tracks", "system")
ENTRIES = {f"{g} {name}": a for g, actions in ACTIONS.items() for name, a in actions.items()}


@pytest.mark.parametrize("name", ENTRIES)
def test_action_says_what_it_does_and_answers(name: str):
    entry = ENTRIES[name]
    assert entry.row.text.endswith(".")
    for part in (entry.params, entry.reply):
        assert (part.__doc__ or "").strip(), f"{part.__name__} has no docstring"


def test_viewer_may_stop_the_robot_but_not_set_it_moving():
    for name in ("tracks estop", "system estop"):
        entry = ENTRIES[name]
        assert entry.row.level_for(entry.params(enable=True)) is Level.VIEWER
        assert entry.row.level_for(entry.params(enable=False)) is Level.OPERATOR
        assert not entry.row.is_reading


def test_levels_by_word():
    assert [Level.of(level.word) for level in Level] == list(Level)
    with pytest.raises(ValueError, match="viewer, operator, admin"):
        Level.of("root")


def more(given: Any, known: Any, at: str) -> list[str]:
    """What a state holds that its model does not."""
    if isinstance(given, dict) and isinstance(known, dict):
        found = [f"{at}.{key}" for key in given if key not in known]
        both = given.keys() & known.keys()
        return found + [name for k in both for name in more(given[k], known[k], f"{at}.{k}")]
    if isinstance(given, list) and isinstance(known, list):
        pairs = zip(given, known, strict=False)
        return [name for one, other in pairs for name in more(one, other, f"{at}[]")]
    return []


async def test_states_are_as_their_models_say(rig: Rig):
    playing = asyncio.create_task(rig.robot.play())
    chat = await rig.chat()
    described = await chat.do("system", "describe")
    assert set(described["topics"]) == set(STATES), "a topic without a model in lib/api/states.py"
    await chat.subscribe(*SHOWN, rate_hz=20)
    missing = Counter(dict.fromkeys(SHOWN, 2))  # the second one of each has all parts
    while +missing:
        state = await chat.socket.receive_json(timeout=5)
        if state["type"] == "state":
            topic, data = state["node"], state["data"]
            missing[topic] -= 1
            model = STATES[topic].model_validate(data)
            assert more(data, model.model_dump(mode="json"), topic) == []
    playing.cancel()
