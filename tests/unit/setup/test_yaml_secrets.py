"""Taking secrets out of what a person wrote, and nothing else."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib import config as settings
from saint_services.setup import yaml_secrets

TEXT = """# my robot
role: server  # the one in the middle
wifi:
  ssid: "stage"
  secret: open sesame   # from the landlord
ssh: {keys: []}
"""


def is_wifi_secret(place: tuple[str, ...]) -> bool:
    return place == ("wifi", "secret")


def test_secret_is_found_and_replaced_in_place() -> None:
    assert yaml_secrets.find(TEXT, is_wifi_secret) == {("wifi", "secret"): "open sesame"}
    clean = yaml_secrets.replaced(TEXT, {("wifi", "secret"): "(kept)"})
    assert clean == TEXT.replace("open sesame", '"(kept)"')


def test_text_without_secrets_stays_as_it_is() -> None:
    assert yaml_secrets.find("role: node\n", is_wifi_secret) == {}
    assert yaml_secrets.replaced(TEXT, {("wifi", "password"): "x"}) == TEXT


class Styled(str):
    """A text and how it is written."""

    style: str | None = None


class StyledDumper(yaml.SafeDumper):
    """Writes each text in its style, where YAML allows it."""


StyledDumper.add_representer(
    Styled,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, text.style),
)


@given(
    secret=st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=8, max_size=63),
    style=st.sampled_from([None, "'", '"', "|", ">"]),
    keys=st.permutations(["ssid", "secret", "country"]),
    end=st.sampled_from(["", "\n", "\n\n", "# the end", "\n# the end\n"]),
    is_last=st.booleans(),
)
def test_any_secret_goes_whatever_it_is_made_of(
    secret: str, style: str | None, keys: list[str], end: str, is_last: bool
) -> None:
    styled = Styled(secret)
    styled.style = style
    others = {"ssid": "Bär", "secret": styled, "country": "GB"}
    data: dict[str, Any] = {"wifi": {key: others[key] for key in keys}}
    data = {"role": "node"} | data if is_last else data | {"role": "node"}
    text = yaml.dump(data, Dumper=StyledDumper, sort_keys=False, width=30) + end
    before = settings.read_yaml(text, "saint.yaml").data
    clean = yaml_secrets.replaced(text, {("wifi", "secret"): "(kept)"})
    found = settings.read_yaml(clean, "saint.yaml").data
    before["wifi"]["secret"] = "(kept)"
    assert found == before
    assert clean.endswith(end)


@pytest.mark.parametrize("block", ["|", "|-", "|+", ">", ">-", ">+", "| # from the landlord", "|2"])
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n    \n", "\n# mine\n"])
@pytest.mark.parametrize("after", ["  country: GB\n", "role: node\n", ""])
def test_secret_in_a_block_leaves_the_next_line_where_it_is(
    block: str, gap: str, after: str
) -> None:
    text = f"wifi:\n  ssid: stage\n  secret: {block}\n    open sesame{gap}{after}"
    clean = yaml_secrets.replaced(text, {("wifi", "secret"): "(kept)"})
    assert clean == f'wifi:\n  ssid: stage\n  secret: "(kept)"{gap}{after}'


def test_text_that_would_mean_something_else_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the positions that the library reports."""
    monkeypatch.setattr(
        yaml_secrets, "_spans", lambda *_: [(TEXT.index("open"), TEXT.index("keys"), "(kept)")]
    )
    with pytest.raises(ValueError, match="cannot be replaced"):
        yaml_secrets.replaced(TEXT, {("wifi", "secret"): "(kept)"})
