"""Whatever stands on the boot partition, this machine gets settings and its files are made."""

import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib import config as settings
from saint_services.setup import adapters, logic, sources, yaml_secrets
from saint_services.setup.adapters import SetupPaths
from saint_services.setup.boot_setup import BootSetup
from saint_services.setup.config import Machine
from saint_services.setup.kept_settings import KeptSettings
from tests.unit.setup.recorder import Recorder

FACTS, SECRETS = logic.MachineFacts("00a1b2c3d4"), logic.MachineSecrets("hotspotsecret", "c" * 24)
KEYS = st.sampled_from(
    [
        "role",
        "wifi",
        "ssid",
        "secret",
        "hostname",
        "ssh",
        "keys",
        "users",
        "wifis",
        "wlan0",
        "network",
        "access-points",
        "password",
        "version",
        "hotspot",
        "claim",
        "name",
        "ssh_authorized_keys",
    ]
)
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(string.printable, max_size=12)
)
PLAIN = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
TEXTS = st.one_of(st.text(max_size=80), PLAIN.map(settings.write_yaml))


def is_any(place: tuple[str, ...]) -> bool:
    return True


@given(saint=TEXTS, user=TEXTS, network=TEXTS)
def test_any_texts_give_a_machine_and_its_files(saint: str, user: str, network: str) -> None:
    texts = {"saint.yaml": saint, "user-data": user, "network-config": network}
    outcome = sources.read(texts, KeptSettings(), "saint")
    plan = logic.plan(outcome.machine, FACTS, SECRETS)
    assert plan.targets
    for file in plan.files:
        assert adapters.render(file)[-1:] in (b"\n", b"")
    for text in texts.values():
        yaml_secrets.find(text, is_any)


@given(st.builds(dict, ssid=st.text(min_size=1, max_size=10), secret=st.text(max_size=70)))
def test_any_wifi_is_one_network_or_refused(wifi: dict[str, Any]) -> None:
    text = settings.write_yaml({"role": "server", "wifi": wifi})
    outcome = sources.read({"saint.yaml": text}, KeptSettings(), "saint")
    assert bool(outcome.texts) == (not outcome.problems)
    plan = logic.plan(outcome.machine, FACTS, SECRETS)
    made = [adapters.render(file).decode() for file in plan.files if "wpa_" in file.path]
    assert len(made) == bool(outcome.texts)
    for text in made:
        assert text.count("network={") == 1
        assert text.count("\n}") == 1


@pytest.mark.parametrize(
    "text",
    ["&a [*a]", "wifi: &w {secret: *w}", "{{{", "a: b: c", "- \t- x", "role: !!python/none x"],
)
def test_text_that_no_reader_takes_stops_nothing(text: str, tmp_path: Path) -> None:
    for folder in ("boot/firmware", "data/ssh", "run/saint", "proc"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "data/ssh/ssh_host_ed25519_key").write_text("key")
    for name in sources.FILES:
        (tmp_path / "boot/firmware" / name).write_text(text)
    recorder = Recorder()
    BootSetup(SetupPaths(tmp_path), recorder).run()
    assert recorder.targets == ("saint-node.target",)


def test_default_machine_is_its_own_text() -> None:
    """What `saintctl image flash` writes is read again as the same."""
    machine = Machine.model_validate(
        {"role": "both", "wifi": {"ssid": "x", "secret": "12345678"}, "network": {"domain_id": 3}}
    )
    data = machine.model_dump(mode="json", exclude_defaults=True)
    text = settings.write_yaml(data)
    assert sources.read({"saint.yaml": text}, KeptSettings(), "saint").machine == machine
