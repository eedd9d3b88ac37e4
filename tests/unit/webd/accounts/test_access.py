"""Hosts, origins, tokens, and how often one may try."""

import stat
from pathlib import Path

import pytest

from saint_services.webd.accounts import access
from saint_services.webd.state import load_code


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "192.168.1.5:8080", "[::1]:80", "[fe80::1]", "localhost:9090", "LOCALHOST",
     "saint-server.local", "saint-server.local.:80", "robot.example:80"],
)  # fmt: skip
def test_own_host_is_allowed(host: str) -> None:
    assert access.is_host_allowed(host, ["robot.example"])


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "local", "127.0.0.1.evil.example", "", "x.local.evil"],
)
def test_strange_host_is_not_allowed(host: str) -> None:
    assert not access.is_host_allowed(host, ["robot.example"])


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        (None, True),
        ("http://10.0.0.2:8080", True),
        ("https://10.0.0.2:8080", True),
        ("http://10.0.0.2", False),
        ("http://evil.example", False),
        ("null", False),
        ("file://10.0.0.2:8080", False),
        ("http://[", False),
        ("https://panel.example", True),
    ],
)
def test_origin_must_be_the_host(origin: str | None, is_allowed: bool) -> None:
    allowed = ["https://panel.example"]
    assert access.is_origin_allowed(origin, "10.0.0.2:8080", allowed) is is_allowed


def test_throttle_waits_longer_after_free_tries() -> None:
    throttle = access.SignInThrottle()
    waits = []
    for _ in range(12):
        throttle.failed("a", 0.0)
        waits.append(throttle.wait_s("a", 0.0))
    assert waits[:4] == [0, 0, 0, 0]
    assert waits[4:10] == [1, 2, 4, 8, 16, 32]
    assert waits[-1] == 60
    assert throttle.wait_s("b", 0.0) == 0
    assert throttle.wait_s("a", 61.0) == 0
    throttle.succeeded("a")
    assert throttle.wait_s("a", 0.0) == 0


def test_throttle_is_bounded() -> None:
    throttle = access.SignInThrottle()
    for n in range(access.MOST_ADDRESSES + 50):
        throttle.failed(str(n), 0.0)
    assert len(throttle.failures) == access.MOST_ADDRESSES


def test_code_is_made_once_and_only_for_us(tmp_path: Path) -> None:
    first = load_code(tmp_path)
    again = load_code(tmp_path)
    assert first.is_new and not again.is_new
    assert first.value == again.value and len(first.value) >= 32
    assert stat.S_IMODE(first.path.stat().st_mode) == 0o600
    assert first.value not in repr(first)


def test_damaged_code_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(b"\xff\xfe")
    assert load_code(tmp_path).is_new
