"""Backup files: what was packed comes back as it was; any other file that is named a backup is
refused with a sentence, in little time and little memory.
"""

import hashlib
import io
import json
import warnings
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.backup import DaemonBackup, SectionData
from saint_services.lib.backup.archive import FORMAT, LARGEST_BYTES, pack, unpack
from saint_services.lib.errors import Code, SaintError

pytestmark = pytest.mark.slow

WORDS = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
SECTIONS = st.builds(
    SectionData, version=st.integers(0, 99), data=st.dictionaries(st.text(max_size=8), VALUES)
)
DAEMONS = st.dictionaries(
    WORDS,
    st.builds(DaemonBackup, sections=st.dictionaries(WORDS, SECTIONS, max_size=3)),
    max_size=4,
)
ONE = {"rcd": DaemonBackup(sections={"receiver": SectionData(version=2, data={"a": [1, 2]})})}


def packed(daemons: dict[str, DaemonBackup] = ONE) -> bytes:
    return pack(daemons, robot="SAINT-01", version="1.2.3", created="2026-11-22T10:00:00Z")


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def listing(files: dict[str, bytes], /, **changes: Any) -> bytes:
    sums = {n: {"bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in files.items()}
    manifest = {
        "format": FORMAT, "robot": "r", "version": "1", "created": "now", "files": sums,
    } | changes  # fmt: skip
    return zipped({"manifest.json": json.dumps(manifest).encode(), **files})


def refusal(raw: bytes) -> SaintError:
    with pytest.raises(SaintError) as caught:
        unpack(raw)
    assert caught.value.message
    assert caught.value.fix
    return caught.value


@given(DAEMONS)
def test_backup_unpacked_is_what_was_packed(daemons: dict[str, DaemonBackup]) -> None:
    content = unpack(packed(daemons))
    assert content.daemons == {name: each for name, each in daemons.items() if each.sections}
    assert content.manifest.robot == "SAINT-01"


@given(DAEMONS)
def test_backup_of_same_state_is_same_file(daemons: dict[str, DaemonBackup]) -> None:
    assert packed(daemons) == packed(dict(reversed(daemons.items())))


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_backup_with_one_other_byte_is_refused_or_the_same(at: int, byte: int) -> None:
    raw = bytearray(packed())
    raw[at % len(raw)] = byte
    try:
        content = unpack(bytes(raw))
    except SaintError:
        return
    assert content.daemons == ONE


@given(st.integers(0, 10_000))
def test_backup_that_is_cut_off_is_refused(length: int) -> None:
    raw = packed()
    refusal(raw[: length % len(raw)])


@given(st.binary(max_size=400))
def test_backup_of_noise_is_refused(raw: bytes) -> None:
    refusal(raw)


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "rcd/../x.json", "rcd\\x.json", "rcd.json", "a/b/c.json"],
)
def test_backup_with_path_outside_is_refused(name: str) -> None:
    assert "not a valid file name in a backup" in refusal(listing({name: b"{}"})).message


def test_backup_with_unknown_file_is_refused() -> None:
    raw = listing({})
    with zipfile.ZipFile(buffer := io.BytesIO(raw), "a") as archive:
        archive.writestr("rcd/receiver.json", b"{}")
    assert "own list" in refusal(buffer.getvalue()).message


def test_backup_with_wrong_checksum_is_refused() -> None:
    sums = {"rcd/receiver.json": {"bytes": 2, "sha256": "0" * 64}}
    assert "checksum" in refusal(listing({"rcd/receiver.json": b"{}"}, files=sums)).message


def test_backup_with_missing_file_is_refused() -> None:
    sums = {"rcd/receiver.json": {"bytes": 2, "sha256": "0" * 64}}
    assert "missing" in refusal(listing({}, files=sums)).message


def test_backup_with_same_name_twice_is_refused() -> None:
    raw = listing({"rcd/receiver.json": b"{}"})
    with warnings.catch_warnings(), zipfile.ZipFile(buffer := io.BytesIO(raw), "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("rcd/receiver.json", b"[]")
    assert "same name" in refusal(buffer.getvalue()).message


def test_backup_that_unpacks_to_a_gigabyte_is_refused() -> None:
    """A thousandfold packing, which the header may even deny."""
    assert "too large" in refusal(listing({"rcd/receiver.json": bytes(64 << 20)})).message


def test_backup_of_many_large_files_is_refused() -> None:
    files = {f"rcd/part-{n}.json": b'{"version":0,"data":{}}' + b" " * 1_000_000 for n in range(12)}
    assert "too large" in refusal(listing(files)).message


def test_backup_with_thousands_of_files_is_refused() -> None:
    assert "at most" in refusal(zipped({f"f{n}": b"" for n in range(3000)})).message


def test_backup_file_above_limit_is_refused_unread() -> None:
    assert refusal(bytes(LARGEST_BYTES + 1)).code is Code.TOO_LARGE


def test_backup_of_newer_format_says_update_first() -> None:
    error = refusal(listing({}, format=FORMAT + 1, version="9.0.0"))
    assert error.code is Code.STATE_NEWER
    assert "9.0.0" in error.message
    assert "Update" in error.fix


@pytest.mark.parametrize("manifest", [b"", b"[]", b"{}", b"[" * 100_000, b'{"format": "x"}'])
def test_backup_with_unreadable_manifest_is_refused(manifest: bytes) -> None:
    refusal(zipped({"manifest.json": manifest}))


def test_backup_that_is_encrypted_is_refused() -> None:
    raw = bytearray(packed())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = raw.find(header)
        raw[at + flags] |= 1
    refusal(bytes(raw))
