"""Whatever comes in from outside (bundles, what nodes say): a sentence, or something bounded."""

import io
import struct
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.adoption import NodeInfo, NodeState
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import FirmwareStatus
from saint_services.lib.machine.computer import is_token
from saint_services.otad import views
from saint_services.otad.releases import bundle, cms
from saint_services.otad.releases.verity import BLOCK_BYTES, hash_tree, tree_bytes
from saint_services.otad.rollout import fleet
from saint_services.otad.rollout.fleet import Fleet
from saint_services.otad.rollout.logic import Rollout
from tools.fake_rauc.bundle_writer import COMPATIBLE, Release, make_keys, write_bundle

WORDS = st.text(max_size=6000)
NODES = st.sampled_from(["n0", "n1"])


@cache
def good() -> bytes:
    with TemporaryDirectory() as folder:
        keys = make_keys(Path(folder) / "keys")
        release = Release(version="1.2.0", changelog="- one\n- two\tthree", payload=b"p" * 9000)
        return write_bundle(Path(folder) / "b", release, keys).read_bytes()


def read(data: bytes) -> bundle.Manifest:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "b"
        path.write_bytes(data)
        return bundle.read(path, COMPATIBLE)


def test_good_bundle_says_what_was_written() -> None:
    manifest = read(good())
    assert (manifest.version, manifest.release_date) == ("1.2.0", "2026-01-15")
    assert manifest.changelog == "- one\n- two\tthree"


@given(st.data())
def test_no_byte_of_payload_tree_and_manifest_may_change(data: st.DataObject) -> None:
    """What only the signature covers is left to the installer."""
    raw = bytearray(good())
    signature = struct.unpack(">Q", raw[-8:])[0]
    text = raw.index(b"[update]"), raw.index(b"[meta.saint]")
    place = data.draw(st.integers(0, len(raw) - 9 - signature) | st.integers(*text))
    raw[place] ^= data.draw(st.integers(1, 255))
    try:
        changed = read(bytes(raw))
    except SaintError as err:
        assert err.code is Code.RELEASE_INVALID
        assert err.message
        return
    assert text[0] <= place < text[1]  # e.g. the version: then the signature shows it
    assert bundle.check_version(changed.version) is None


@given(st.integers(0, 40_000))
def test_no_part_of_a_bundle_is_one(length: int) -> None:
    raw = good()
    try:
        read(raw[: min(length, len(raw) - 1)])
    except SaintError as err:
        assert err.code is Code.RELEASE_INVALID
        return
    raise AssertionError("a part was taken")


@given(st.binary(max_size=300))
def test_signed_content_of_garbage_is_refused_or_found(garbage: bytes) -> None:
    try:
        assert isinstance(cms.signed_content(garbage), bytes)
    except ValueError as err:
        assert str(err)


@given(WORDS)
def test_manifest_of_garbage_is_refused_or_checked(text: str) -> None:
    try:
        manifest = bundle.read_manifest(text)
    except SaintError as err:
        assert err.code is Code.RELEASE_INVALID
        assert len(err.message) < 400
        return
    bundle.check_version(manifest.version)


@given(st.integers(1, 300), st.binary(min_size=32, max_size=32))
def test_tree_has_the_size_that_is_named_and_sees_every_block(blocks: int, salt: bytes) -> None:
    data = bytearray(blocks * BLOCK_BYTES)
    tree = hash_tree(io.BytesIO(data), len(data), salt)
    assert len(tree.blocks) == tree_bytes(len(data))
    data[-1] ^= 1
    assert hash_tree(io.BytesIO(data), len(data), salt).root != tree.root


@given(
    node_id=NODES | WORDS,
    claimed=NODES | WORDS,
    state=st.sampled_from(["idle", "installing", "verifying"]) | WORDS,
    verdict=st.sampled_from(["", "healthy", "rolled_back"]) | WORDS,
    text=WORDS,
    number=st.integers(0, 255),
)
def test_what_nodes_say_stays_bounded(
    node_id: str, claimed: str, state: str, verdict: str, text: str, number: int
) -> None:
    status = FirmwareStatus(
        node_id=claimed, version=text, slot=text, spare_version=text, state=state,
        progress=number, target_version=text, attempt=number, verdict=verdict, reason=text,
        log_excerpt=text, blocked_by=text,
    )  # fmt: skip
    received = fleet.report_received(Fleet(), node_id, status, 1.0)
    if received is None:
        return
    assert claimed == node_id
    assert is_token(node_id)
    machine = fleet.machines(received, 2.0, 60.0)[node_id]
    assert machine.progress <= 100
    assert len(machine.log_excerpt) <= 4096
    for shown in (machine.version, machine.slot, machine.reason, machine.blocked_by):
        assert shown.isprintable()
        assert len(shown) <= 400
    report = views.report(Rollout(), {}, [machine], "")
    assert type(report).model_validate_json(report.model_dump_json()) == report


@given(st.lists(st.integers(0, 400), max_size=400))
def test_number_of_machines_stays_bounded(numbers: list[int]) -> None:
    known = Fleet()
    for number in numbers:
        name = f"n{number}"
        received = fleet.report_received(
            known, name, FirmwareStatus(node_id=name, state="idle"), 1.0
        )
        known = received or known
    nodes = [NodeInfo(node_id=f"m{n}", display_name="", state=NodeState.ACTIVE) for n in range(400)]
    known = fleet.register(known, nodes, 2.0)
    assert len(known.known) <= fleet.MOST_MACHINES
