"""What `make fuzz` runs, without its library: every target takes its seeds, and damaged ones."""

from random import Random

import pytest

from tools.fuzz.corpus import as_pieces, as_reads, seeds
from tools.fuzz.targets import TARGETS, pieces, reads


@pytest.mark.parametrize("name", TARGETS)
def test_target_takes_its_seeds_whole_cut_and_damaged(name: str) -> None:
    random = Random(name)
    found = seeds(name)
    assert found
    for data in found:
        TARGETS[name](data)
        for _ in range(20):
            broken = bytearray(data[: random.randrange(len(data) + 1)])
            for _ in range(min(len(broken), 3)):
                broken[random.randrange(len(broken))] = random.randrange(256)
            TARGETS[name](bytes(broken))


def test_reads_and_datagrams_come_out_as_they_went_in() -> None:
    assert [chunk for chunk, _ in reads(as_reads(bytes(range(256)) * 2))] == [
        bytes(range(255)),
        bytes([255, *range(254)]),
        bytes([254, 255]),
    ]
    assert list(pieces(as_pieces(b"a", b"", b"b" * 300))) == [b"a", b"", b"b" * 300]


def test_a_value_out_of_range_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from saint_services.rcd.channels import Normalizer

    monkeypatch.setattr(Normalizer, "values", lambda *_: [1.5])
    with pytest.raises(AssertionError):
        for data in seeds("crsf"):
            TARGETS["crsf"](data)
