"""livelinkd.yaml: everything off and on, one wrong key named."""

import pytest

from saint_services.lib.config import parse
from saint_services.lib.errors import SaintError
from saint_services.livelinkd.config import Config
from saint_services.livelinkd.senders.phones import PhonePolling, split_address


def test_a_format_may_be_switched_off_alone() -> None:
    text = "formats:\n  json: {enabled: false}\n  vmc: {subject: Puppet}\n"
    formats = parse(Config, text, "livelinkd.yaml").formats
    assert not formats.json_.enabled and formats.json_.port == 54321
    assert formats.vmc.enabled and formats.vmc.subject == "Puppet"
    assert formats.vmc.datagrams_per_second == 10_000
    assert not formats.capture.enabled


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("formats:\n  jsn: {}\n", "json"),
        ("formats:\n  vmc: {enable: true}\n", "enabled"),
        ("formats:\n  ifacialmocap: {phones: [anna]}\n", "'anna' is not an IP address"),
        ("formats:\n  ifacialmocap: {phones: ['10.0.0.1:x']}\n", "'x' is not a port"),
        ("formats:\n  lines: {clients: 0}\n", "clients"),
        ("release_after_s: 0\n", "release_after_s"),
    ],
)
def test_a_wrong_setting_is_named(text: str, reason: str) -> None:
    with pytest.raises(SaintError, match=reason) as caught:
        parse(Config, text, "livelinkd.yaml")
    assert caught.value.exit_code == 2 and "line" in caught.value.message


def test_phones_have_addresses_of_both_families() -> None:
    assert split_address("10.0.0.1", 5) == ("10.0.0.1", 5)
    assert split_address("10.0.0.1:7", 5) == ("10.0.0.1", 7)
    assert split_address("fe80::1", 5) == ("fe80::1", 5)


def test_silent_phones_get_repeated_requests() -> None:
    polling = PhonePolling([("a", 1), ("b", 2)])
    assert polling.due(0.0) == [("a", 1), ("b", 2)]
    times = [t / 4 for t in range(1, 120) if ("a", 1) in polling.due(t / 4)]
    assert times[:5] == [1.0, 3.0, 7.0, 12.0, 17.0]  # the pause grows up to 5 s


def test_a_phone_that_sends_gets_no_request_until_it_is_silent() -> None:
    polling = PhonePolling([("a", 1)])
    polling.due(0.0)
    for t in range(1, 100):
        polling.received("a", t / 10)
        polling.received("unknown", t / 10)
        assert polling.due(t / 10) == []
    assert polling.due(10.5) == [] and polling.due(11.0) == [("a", 1)]
