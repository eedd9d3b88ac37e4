"""Published decoders are only measured while they find what ours find."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.bench import peers

CRSF_PARSER = """
from types import SimpleNamespace
class CRSFParser:
    def __init__(self, consumer):
        self.consumer = consumer
    def parse_stream(self, data):
        payload = SimpleNamespace(channels=[int(each) for each in data])
        self.consumer(SimpleNamespace(payload=payload), SimpleNamespace(name="VALID"))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "crsf_parser.py").write_text(CRSF_PARSER)
    monkeypatch.setattr(peers, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    kept = sys.modules.pop("crsf_parser", None)
    yield tmp_path
    sys.modules.pop("crsf_parser", None)
    if kept:
        sys.modules["crsf_parser"] = kept


def test_peer_that_finds_the_same_is_measured() -> None:
    step = peers.crsf(bytes([1, 2, 3]), wanted=(3, 2, 1))  # it begins with the last channel
    step()


def test_peer_that_finds_something_else_is_not_measured() -> None:
    with pytest.raises(RuntimeError, match=r"crsf-parser reads \[3, 2, 1\]"):
        peers.crsf(bytes([1, 2, 3]), wanted=(1, 2, 3))


def test_peers_that_were_not_fetched_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert peers.are_there()
    monkeypatch.setattr(peers, "FOLDER", tmp_path / "lib")
    assert not peers.are_there()
