"""Settings files: one clear sentence for every error, and no other exception."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from saint_services.lib import config
from saint_services.lib.api.routing import RouteFile
from saint_services.lib.config import yaml_text
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.robot.manifest import RobotManifest
from saint_services.lib.role_config.model import RoleConfig

ROOT = Path(__file__).parents[4]


class Mode(Enum):
    SLOW = "slow"
    FAST = "fast"


class Axis(config.Settings):
    centre: int = Field(default=0, ge=-10, le=10)
    range: tuple[float, float] = (0.0, 1.0)


class Small(config.Settings):
    name: str = "robot"
    rate_hz: float = Field(default=50.0, gt=0)
    enabled: bool = True
    mode: Mode = Mode.SLOW
    protocol: Literal["crsf", "sbus"] = "crsf"
    axes: dict[str, Axis] = Field(default_factory=dict)
    channels: dict[int, str] = Field(default_factory=dict)
    choice: Axis | list[int] | None = None
    pair: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list)

    @field_validator("name")
    @classmethod
    def _short(cls, name: str) -> str:
        if len(name) > 20:
            raise ValueError("a name has at most 20 letters")
        return name


def fault(text: str, model: type[BaseModel] = Small) -> str:
    with pytest.raises(SaintError) as caught:
        config.parse(model, text, "x.yaml")
    assert caught.value.code is Code.CONFIG_INVALID
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "rate_hz: 1\nrte_hz: 2",
            "x.yaml, line 2: rte_hz is not a known setting; did you mean 'rate_hz'?",
        ),
        (
            "axes:\n  pan:\n    center: 1",
            "x.yaml, line 3: axes.pan.center is not a known setting; did you mean 'centre'?",
        ),
        (
            "axes:\n  pan: {zzz: 1}",
            "x.yaml, line 2: axes.pan.zzz is not a known setting; known here: centre, range",
        ),
        ("rate_hz: fast", "x.yaml, line 1: rate_hz must be a number, not 'fast'"),
        ("rate_hz: .nan", "x.yaml, line 1: rate_hz must be a finite number, not nan"),
        ("rate_hz: 0", "x.yaml, line 1: rate_hz must be above 0.0, not 0"),
        ("rate_hz:", "x.yaml, line 1: rate_hz must be a number, not empty"),
        ("name: 3", "x.yaml, line 1: name must be text, not 3"),
        ("name: [a]", "x.yaml, line 1: name must be text, not a list"),
        ("enabled: 7", "x.yaml, line 1: enabled must be true or false, not 7"),
        ("mode: quick", "x.yaml, line 1: mode must be one of 'slow' or 'fast', not 'quick'"),
        ("protocol: x", "x.yaml, line 1: protocol must be one of 'crsf' or 'sbus', not 'x'"),
        (
            "axes:\n  a: {centre: 11}",
            "x.yaml, line 2: axes.a.centre must be at most 10, not 11",
        ),
        (
            "axes:\n  a:\n    range:\n    - 1\n    - no",
            "x.yaml, line 5: axes.a.range[1] must be a number, not 'no'",
        ),
        (
            "axes:\n  a: {range: [1]}",
            "x.yaml, line 2: axes.a.range[1] is missing",
        ),
        ("axes: 3", "x.yaml, line 1: axes must be a group of 'key: value' pairs, not 3"),
        ("pair:\n- 1\n- -1", "x.yaml, line 3: pair[1] must be at least 0, not -1"),
        ("channels:\n  x: a", "x.yaml, line 2: channels.x must be a whole number, not 'x'"),
        (
            "choice: {centre: far}",
            "x.yaml, line 1: choice.centre must be a whole number, not 'far'",
        ),
        ("choice: [far]", "x.yaml, line 1: choice[0] must be a whole number, not 'far'"),
        (
            "choice: far",
            "x.yaml, line 1: choice must be a group of 'key: value' pairs or a list, not 'far'",
        ),
        (
            "name: a name that is far too long",
            "x.yaml, line 1: name is refused: a name has at most 20 letters",
        ),
        (
            "a: 1\nb: 2\nname: 3",
            "x.yaml, line 1: a is not a known setting; known here: axes, channels, choice, "
            "enabled, mode, name, pair, protocol, rate_hz (and 2 more)",
        ),
    ],
)
def test_wrong_setting_is_named_with_line_key_and_remedy(text: str, sentence: str) -> None:
    assert fault(text) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "x.yaml, line 1: the file is empty; write a setting or remove the file"),
        (" \n\n", "x.yaml, line 1: the file is empty; write a setting or remove the file"),
        ("- name", "x.yaml, line 1: must contain 'key: value' pairs, not a list"),
        ("robot", "x.yaml, line 1: must contain 'key: value' pairs, not 'robot'"),
        ("name: a\nname: b", "x.yaml, line 2: name is set twice, first in line 1"),
        (
            "axes:\n  a: {centre: 1, centre: 2}",
            "x.yaml, line 2: axes.a.centre is set twice, first in line 2",
        ),
        ("name:\n\tx: 1", "x.yaml, line 2: a tab stands where only spaces may indent"),
        ("name: &a x", "x.yaml, line 1: anchors are not supported"),
        ("name: *a", "x.yaml, line 1: aliases are not supported"),
        ("name: !!python/name:os.system", "x.yaml, line 1: tags are not supported"),
        ("name: a\n---\nname: b", "x.yaml, line 2: a second document starts here"),
        ("{a: 1}: b", "x.yaml, line 1: a key must be plain text"),
        ("name: " + "[" * 2000, "x.yaml, line 1: nested too deeply"),
    ],
)
def test_wrong_yaml_is_reported_with_its_line(text: str, sentence: str) -> None:
    assert fault(text) == sentence


def test_broken_syntax_names_the_line() -> None:
    assert fault("name: a\nmode: [slow").startswith("x.yaml, line 2: this is not YAML: ")
    assert fault("name: a\nrate\x00").startswith("x.yaml, line 2: this is not YAML: ")


def test_route_file_finds_the_nearest_key_in_a_list() -> None:
    text = "routes:\n- id: a\n  priorty: 3\n  input: {source: rc}\n  output: {target: head}\n"
    text += "  mapping: passthrough\n"

    sentence = "x.yaml, line 3: routes[0].priorty is not a known setting; did you mean 'priority'?"
    assert fault(text, RouteFile) == sentence


def test_alias_of_a_field_is_suggested_and_what_is_missing_comes_last() -> None:
    text = "routes:\n- id: a\n  input: {source: rc}\n  output: {target: head}\n  mapping:\n"
    text += "  - {form: a, to: b}\n"

    assert fault(text, RouteFile) == (
        "x.yaml, line 6: routes[0].mapping[0].form is not a known setting; did you mean 'from'?"
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("name: no", "no"),
        ("name: 2024-01-01", "2024-01-01"),
        ("name: 10:11:12", "10:11:12"),
        ("name: '007'", "007"),
        ("name: |\n  a", "a"),
        ('name: "ü"', "ü"),
    ],
)
def test_text_stays_text(text: str, value: str) -> None:
    assert config.parse(Small, text, "x").name == value


@pytest.mark.parametrize("word", ["on", "yes", "true", "True"])
def test_switch_takes_every_usual_word(word: str) -> None:
    assert config.parse(Small, f"enabled: {word}", "x").enabled is True


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000.0),
        ("0x10", 16),
        ("0o10", 8),
        ("010", 10),
        ("-.5", -0.5),
        ("+3", 3),
        ("1_0", "1_0"),
    ],
)
def test_numbers_read_as_people_mean_them(text: str, value: object) -> None:
    assert yaml_text.scalar(text) == value


def test_keys_that_look_like_numbers_fit_number_keyed_settings() -> None:
    assert config.parse(Small, "channels: {1: a, 2: b}", "x").channels == {1: "a", 2: "b"}


def test_missing_file_means_defaults_unless_required(tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"

    assert config.load(Small, path) == Small()
    with pytest.raises(SaintError) as caught:
        config.load(Small, path, required=True)
    assert caught.value.code is Code.CONFIG_MISSING
    assert caught.value.exit_code == 2


def test_file_of_comments_only_means_defaults(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("# name: robot\n")

    assert config.load(Small, path) == Small()


def test_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"name: a\nmode: \xff\n")

    with pytest.raises(SaintError, match=r"a\.yaml, line 2: the file is not UTF-8 text"):
        config.load(Small, path)


def test_folder_in_place_of_the_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="cannot be read: Is a directory"):
        config.load(Small, tmp_path)


def test_huge_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"# " + b"x" * (1 << 20))

    with pytest.raises(SaintError, match="is longer than"):
        config.load(Small, path)


@pytest.mark.parametrize("path", sorted((ROOT / "manifests" / "roles").glob("*.yaml")), ids=str)
def test_shipped_role_manifests_are_valid(path: Path) -> None:
    config.load(RoleConfig, path, required=True)


def test_shipped_robot_manifest_is_valid() -> None:
    config.load(RobotManifest, ROOT / "manifests" / "robots" / "saint.yaml", required=True)


def accepts_or_explains(text: str) -> None:
    for model in (Small, RouteFile, RoleConfig):
        try:
            config.parse(model, text, "x.yaml")
        except SaintError as err:
            assert err.code is Code.CONFIG_INVALID
            assert err.message.startswith("x.yaml")
            assert "\n" not in err.message


KEYS = st.sampled_from(
    [*Small.model_fields, *RoleConfig.model_fields, "routes", "mapping", "from", "centre", "x", ""]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.slow
@given(st.dictionaries(KEYS, DATA, max_size=6))
def test_random_data_is_accepted_or_explained(data: dict[str, object]) -> None:
    accepts_or_explains(yaml.safe_dump(data))


@given(st.text(alphabet=st.sampled_from("ab:-?[]{}#&*!|>'\"%@`,\n\t 01.~é\u2028\x85"), max_size=80))
def test_random_text_is_accepted_or_explained(text: str) -> None:
    accepts_or_explains(text)


@given(st.binary(max_size=60))
def test_random_bytes_are_accepted_or_explained(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    try:
        config.load(Small, path)
    except SaintError as err:
        assert err.code is Code.CONFIG_INVALID


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=5), DATA, max_size=5))
def test_data_reads_back_as_it_was_written(data: dict[str, object]) -> None:
    text = config.write_yaml(data)

    assert repr(config.read_yaml(text, "x").data) == repr(data)  # repr: NaN is equal to itself


@pytest.mark.parametrize("text", ["1e3", "08", "no", "null", "~", "", "0o7", " a", "a: b", "\x85"])
def test_text_that_looks_like_something_else_is_quoted(text: str) -> None:
    assert config.read_yaml(config.write_yaml({text: text}), "x").data == {text: text}


def test_value_of_a_secret_field_is_not_repeated() -> None:
    class Lock(config.Settings):
        password: str = Field(pattern="^[a-z]+$", repr=False)

    class House(config.Settings):
        locks: list[Lock]

    sentence = fault("locks: [{password: 'Open Sesame'}]", House)
    assert sentence == "x.yaml, line 1: locks[0].password must be text of the form ^[a-z]+$"
