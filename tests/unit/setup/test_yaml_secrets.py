"""Taking secrets out of what a person wrote, and nothing else."""

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


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=8, max_size=63))
def test_any_secret_goes_whatever_it_is_made_of(secret: str) -> None:
    data = {"wifi": {"ssid": "stage", "secret": secret}, "role": "node"}
    text = settings.write_yaml(data)
    clean = yaml_secrets.replaced(text, {("wifi", "secret"): "(kept)"})
    found = settings.read_yaml(clean, "saint.yaml").data
    assert found == {"wifi": {"ssid": "stage", "secret": "(kept)"}, "role": "node"}
