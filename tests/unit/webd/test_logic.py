"""What clients may send: both shapes, and a sentence for everything else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.adoption import AdoptNode
from saint_services.lib.api.endpoint import Nothing
from saint_services.webd import logic
from saint_services.webd.actions.table import ACTIONS, MODELS
from saint_services.webd.api import messages as m


def parse(message: object) -> logic.Parsed:
    return logic.parse(json.dumps(message), MODELS)


def refusal(text: str) -> logic.BadMessageError:
    with pytest.raises(logic.BadMessageError) as caught:
        logic.parse(text, MODELS)
    return caught.value


def test_both_shapes_are_the_same_call() -> None:
    params = {"node_id": "pi_1", "role": "head"}
    short = parse({"type": "management", "action": "adopt_node", "params": params})
    long = parse(
        {"type": "command", "target": "management", "action": "adopt_node", "params": params}
    )
    assert short == long
    assert isinstance(short, logic.ClientCall)
    assert short.params == AdoptNode(node_id="pi_1", role="head")


def test_message_of_the_specification_is_accepted() -> None:
    call = parse(
        {
            "id": "uuid-string",
            "type": "command",
            "target": "head",
            "action": "move",
            "params": {"pan": 45.0, "tilt": -15.0, "speed": 0.5},
        }
    )
    assert isinstance(call, logic.ClientCall)
    assert (call.id, call.group, call.action) == ("uuid-string", "head", "move")


def test_params_may_be_left_out() -> None:
    assert parse({"type": "tracks", "action": "stop"}) == logic.ClientCall(
        None, "tracks", "stop", Nothing()
    )


@pytest.mark.parametrize(
    ("text", "reason", "sentence"),
    [
        ("", "malformed", "not JSON"),
        ("{", "malformed", "not JSON"),
        ("[]", "malformed", "one JSON object"),
        ('"x"', "malformed", "one JSON object"),
        ("{}", "unknown_type", "no 'type'"),
        ('{"type": 3}', "unknown_type", "3 is not a known type"),
        ('{"type": "comand"}', "unknown_type", "did you mean 'command'?"),
        ('{"type": "managment", "action": "x"}', "unknown_type", "did you mean 'management'?"),
        ('{"type": "command", "action": "x"}', "unknown_target", "no 'target'"),
        (
            '{"type": "command", "target": "hed", "action": "move"}',
            "unknown_target",
            "did you mean 'head'?",
        ),
        ('{"type": "head", "action": "mvoe"}', "unknown_action", "did you mean 'move'?"),
        ('{"type": "head"}', "invalid", "action"),
        ('{"type": "head", "action": "move", "prams": {}}', "invalid", "did you mean 'params'?"),
        ('{"type": "head", "action": "move", "params": []}', "invalid", "params"),
        ('{"type": "head", "action": "move", "params": {"pna": 1}}', "invalid", "mean 'pan'?"),
        ('{"type": "head", "action": "move", "params": {"pan": "x"}}', "invalid", "params.pan"),
        ('{"type": "head", "action": "move", "params": {"pan": NaN}}', "malformed", "NaN"),
        ('{"type": "head", "action": "move", "params": {"pan": -Infinity}}', "malformed", "Inf"),
        ('{"type": "head", "action": "move", "params": {"pan": 1e999}}', "invalid", "params.pan"),
        ('{"type": "head", "action": "move", "params": {"pan": 1e300}}', "invalid", "at most"),
        ('{"type": "subscribe", "topics": []}', "invalid", "topics"),
        ('{"type": "subscribe", "topics": ["head"], "rate_hz": -1}', "invalid", "rate_hz"),
        ('{"type": "management", "action": "get_node_info", "params": {"node_id": "../x"}}',
         "invalid", "node_id"),
        ("[" * 60_000, "malformed", "nested too deeply"),
        # Python 3.13 gets to its end, and finds that it is no JSON; older ones say "nested".
        ('{"type": ' * 7000, "malformed", "the message is n"),
        ('{"id": "\\ud800", "type": "auth"}', "malformed", "surrogate"),
        ('{"id": "a\\u0000", "type": "auth"}', "malformed", "NUL"),
        ('{"type": "head", "action": "home", "\\udc00": 1}', "malformed", "surrogate"),
        ("9" * 60_000, "malformed", "too long"),
        ('{"a":' * 12_000 + "1" + "}" * 12_000, "malformed", "nested too deeply"),
    ],
)  # fmt: skip
def test_bad_message_is_refused_with_a_sentence(text: str, reason: str, sentence: str) -> None:
    refused = refusal(text)
    assert sentence in refused.message
    assert refused.reason == reason or "nested" in refused.message


def test_refusal_echoes_the_id() -> None:
    assert refusal('{"id": "a7", "type": "nothing"}').id == "a7"
    assert refusal('{"id": 12, "type": "head", "action": "x"}').id == 12


@pytest.mark.parametrize(
    "value", ['"\\ud800"', "true", "[1]", '"' + "x" * 129 + '"', "null", "1.5"]
)
def test_refusal_does_not_echo_what_is_no_id(value: str) -> None:
    assert refusal(f'{{"id": {value}, "type": "nothing"}}').id is None


def test_unknown_topic_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(logic.BadMessageError, match="did you mean 'outputs'"):
        logic.check_topics(["head", "output"], ["head", "outputs"])


def test_every_group_of_the_models_has_actions() -> None:
    assert set(ACTIONS) == set(m.Group.__args__)  # type: ignore[attr-defined]


@given(st.text())
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        logic.parse(text, MODELS)
    except logic.BadMessageError as err:
        assert err.message and err.reason


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(
    st.sampled_from([(group, action) for group, acts in ACTIONS.items() for action in acts]),
    st.dictionaries(
        st.sampled_from(["pan", "positions", "arm", "linear", "node_id", "route", "limit"]), _JSON
    ),
)
def test_any_params_are_parsed_or_refused(name: tuple[str, str], params: dict[str, object]) -> None:
    try:
        parse({"type": name[0], "action": name[1], "params": params})
    except logic.BadMessageError as err:
        assert err.message
