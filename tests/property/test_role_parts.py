"""Any set of parts is either refused with the field or the hardware named, or it opens, is driven,
stops and is safe; no pin, channel or address ever has two owners.
"""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.ownership import pins
from tests.unit.role.parts.parts_rig import PartsRig, config

pytestmark = pytest.mark.timeout(120)  # each example opens a board

_pins = st.integers(4, 13)
_channels = st.integers(0, 5)
_chips = st.sampled_from(["chip", "far", "none"])
_on_chip = st.fixed_dictionaries({"device": _chips, "channel": _channels})
_on_pin = st.fixed_dictionaries({"pin": _pins})
_place = _on_chip | _on_pin


def _output(kind: str, *extra: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[Any]:
    return st.tuples(st.just({"type": kind}), *extra).map(
        lambda several: {key: value for each in several for key, value in each.items()}
    )


_outputs = st.one_of(
    _output("servo", st.fixed_dictionaries({"pin": st.sampled_from([12, 13])})),
    _output("pca9685", _on_chip),
    _output("switch", _place, st.fixed_dictionaries({"active_low": st.booleans()})),
    _output("dimmer", _on_chip | st.fixed_dictionaries({"pin": st.sampled_from([12, 13])})),
    _output(
        "hbridge",
        st.fixed_dictionaries({"pin": st.sampled_from([12, 13]), "direction_pin": _pins}),
    ),
    _output(
        "pixels",
        st.fixed_dictionaries(
            {
                "device": st.just("strip"),
                "first": st.integers(0, 3),
                "count": st.integers(1, 2),
                "colour": st.sampled_from(["red", "green", "brightness"]),
            }
        ),
    ),
)
_fields = st.sampled_from(
    [
        {"kind": "position", "unit": "deg", "limits": [-30, 30], "max_rate": 300,
         "on_loss": "neutral"},
        {"kind": "velocity", "unit": "", "limits": [-1, 1], "max_rate": 50,
         "on_loss": "ramp_to_zero"},
        {"kind": "velocity", "unit": "", "limits": [0, 1], "max_rate": 50,
         "on_loss": "ramp_to_zero"},
        {"kind": "switch"},
        {"kind": "light"},
    ]
)  # fmt: skip
# Most parts get an output that fits, so that many sets are accepted.
_FITS = {
    "position": ("servo", "pca9685"),
    "velocity": ("pca9685", "hbridge"),
    "switch": ("switch",),
    "light": ("switch", "dimmer", "pixels"),
}
_parts = st.one_of(
    st.tuples(_fields, _outputs).filter(lambda p: p[1]["type"] in _FITS[p[0]["kind"]]),
    st.tuples(_fields, _outputs),
)
_CHIP = {"bus": 1, "driver": "pca9685", "required": True}
_muxes = st.none() | st.fixed_dictionaries({"channel": st.integers(0, 1)})


@given(parts=st.lists(_parts, min_size=1, max_size=6), mux=_muxes, far=st.sampled_from([64, 65]))
@settings(max_examples=60, deadline=None)
def test_parts_are_refused_by_name_or_work(
    parts: list[tuple[dict[str, Any], dict[str, Any]]], mux: dict[str, int] | None, far: int
) -> None:
    fields = {f"part_{at}": dict(field) for at, (field, _) in enumerate(parts)}
    outputs = {f"part_{at}": output for at, (_, output) in enumerate(parts)}
    chips = {
        "chip": _CHIP | {"address": 64},
        "far": _CHIP | {"address": far} | ({"mux": mux} if mux else {}),
    }
    try:
        role = config(fields, outputs, i2c_devices=chips)
    except ValidationError as err:
        text = str(err)
        assert any(name in text for name in (*fields, "is used by", "frequency"))
        return
    _has_one_owner_each(role)
    _works(role)


def _has_one_owner_each(role: RoleConfig) -> None:
    held = Counter(pin for spec in role.gpio_mapping.values() for pin in pins(spec))
    assert not [pin for pin, count in held.items() if count > 1]
    channels = Counter(
        (spec.device, spec.channel)
        for spec in role.gpio_mapping.values()
        if spec.channel is not None
    )
    assert not [place for place, count in channels.items() if count > 1]


def _works(role: RoleConfig) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rig = PartsRig(Path(folder), role)
        rig.hold(0.2, **dict.fromkeys(role.fields, 1.0))
        resting = {name for name, field in role.fields.items() if field.rests_at_zero}
        driven = {name for name, value in rig.state().items() if value == 1.0}
        assert resting <= driven
        rig.estop(True, 1)
        assert rig.session.is_safe
        assert carry_out([will_of(rig.board, role, "role-partsd")]) == []
        rig.close()
