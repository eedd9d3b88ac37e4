"""Which addresses releases may come from."""

import pytest

from saint_services.otad.sources import address


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ("", ""),
        ("https://example.org", "https://example.org"),
        ("https://example.org/robots/", "https://example.org/robots"),
        ("https://example.org/robots/manifest.json", "https://example.org/robots"),
        ("https://[::1]:8443/r", "https://[::1]:8443/r"),
    ],
)
def test_address_is_a_folder(given: str, folder: str) -> None:
    assert address.checked(given) == folder


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("http://example.org", "must begin with https://"),
        ("HTTP://example.org", "must begin with https://"),
        ("ftp://example.org", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("example.org", "must begin with https://"),
        ("https://", "names no host"),
        ("https://user:secret@example.org", "must not contain a user or a password"),
        ("https://example.org/?x=1", "no [?]"),
        ("https://example.org/#x", "no [?]"),
        ("https://example.org/a b", "blank"),
        ("https://example.org/\n", "blank"),
        ("https://ex\u00e4mple.org/", "blank"),
        ("https://example.org:0/", "port is 0"),
        ("https://example.org:70000/", "out of range"),
        ("https://[::1/", "IPv6"),
        (f"https://example.org/{'x' * 500}", "limit is 500"),
    ],
)
def test_other_addresses_are_refused_with_a_reason(given: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        address.checked(given)


def test_redirect_stays_encrypted() -> None:
    base = "https://example.org/robots/manifest.json"
    assert address.redirected(base, "/new/m.json") == "https://example.org/new/m.json"
    assert address.redirected(base, "//other.org/m.json") == "https://other.org/m.json"
    for bad in ("http://example.org/m.json", "ftp://example.org/", "https://a:b@c/"):
        with pytest.raises(ValueError, match=r"https://|user|host"):
            address.redirected(base, bad)


def test_bundle_lies_where_otad_itself_serves_it() -> None:
    assert address.manifest("https://a.org/r") == "https://a.org/r/manifest.json"
    found = address.bundle("https://a.org/r", "1.2.0~rc1")
    assert found == "https://a.org/r/archive/v1.2.0~rc1/saint_node.img"
