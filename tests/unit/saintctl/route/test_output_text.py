"""What is said about an output is what the router can know."""

import pytest

from saint_services.lib.api.routing import FieldOutput
from saint_services.saintctl.route.output_text import age_text, policy_text, value_text


def output(policy: str, value: float | None = 0.0, changed_ms: int = 5) -> FieldOutput:
    data = {
        "target": "head", "field": "jaw", "unit": "ratio", "value": value, "winner": "",
        "source": "", "age_ms": 0, "policy": policy, "clamped": False, "changed_ms": changed_ms,
    }  # fmt: skip
    return FieldOutput.model_validate(data)


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ("hold", "no input: the last value is still commanded; the output may stand elsewhere"),
        ("neutral", "no input: neutral is commanded; the output may stand elsewhere"),
        ("park", "no input: the park position is commanded; the output may stand elsewhere"),
        ("ramp_to_zero", "no input: zero is commanded"),
        ("estop", "no input: the e-stop is set, and no motion is commanded"),
    ],
)
def test_policy_says_what_is_commanded(policy: str, text: str) -> None:
    assert policy_text(output(policy)) == text


@pytest.mark.parametrize(
    ("changed_ms", "since"), [(0, "router started"), (9, "e-stop was cleared")]
)
def test_output_that_nobody_drove_is_not_commanded(changed_ms: int, since: str) -> None:
    undriven = output("none", None, changed_ms)
    assert value_text(undriven) == "not commanded"
    text = policy_text(undriven)
    assert text == f"no input: not driven since the {since}; the output stays where it is"


@pytest.mark.parametrize(
    ("age_ms", "text"),
    [
        (None, "age unknown"),
        (0, "0 ms old"),
        (59_999, "59999 ms old"),
        (60_000, "1 min old"),
        (3_600_000, "more than 1 h old"),
        (0xFFFFFFFE, "more than 1193 h old"),
    ],
)
def test_age_is_a_number_only_where_it_is_known(age_ms: int | None, text: str) -> None:
    assert age_text(age_ms) == text
