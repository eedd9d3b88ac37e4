"""Wills and their files, the shared memory, and the messages of a guard and its roles. All limits
are typed by hand.
"""

import array
import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from saint_services.lib.guard import beat, wire
from saint_services.lib.guard.beat import Beat, has_fixed_size, new_memory
from saint_services.lib.guard.will import Will, WillFiles, Write, WriteKind, wills_folder

WRITE = ["file", "/x", 3, "0a"]
BODY: dict[str, object] = {"name": "role-x", "target": "x", "writes": [WRITE]}

# Wills


def test_will_is_parsed_field_by_field() -> None:
    assert Will.of(BODY) == Will("role-x", "x", (Write(WriteKind.FILE, "/x", 3, b"\n"),))
    assert Will.of({"name": "n", "target": "", "writes": []}) == Will("n", "")
    assert Write(WriteKind.I2C, "/x") == Write(WriteKind.I2C, "/x", 0, b"")


@pytest.mark.parametrize(
    "write",
    [
        ["file", "/x", 0, ""],
        ["file", "/x", 2**32 - 1, "00"],
        ["file", "/x", 1, "00" * 64],
    ],
)
def test_write_at_its_limits_is_accepted(write: list[object]) -> None:
    assert Will.of(BODY | {"writes": [write]}).writes[0].as_json() == write


@pytest.mark.parametrize(
    "write",
    [
        ["file", "/x", -1, ""],
        ["file", "/x", 2**32, ""],
        ["file", "/x", 1, "00" * 65],
        ["file", "/x", True, ""],
        ["file", "/x", "1", ""],
        ["file", 5, 1, ""],
        ["file", "/x", 1, 5],
        ["file", "/x", 1, "0"],
        ["files", "/x", 1, ""],
        ["file", "/x", 1],
        ["file", "/x", 1, "", ""],
        "file",
        {"kind": "file"},
    ],
)
def test_wrong_write_makes_the_whole_will_wrong(write: object) -> None:
    with pytest.raises(ValueError, match=r"write|valid WriteKind|hex"):
        Will.of(BODY | {"writes": [WRITE, write]})


@pytest.mark.parametrize("name", ["a", "n" * 128, "role-armsd@2"])
def test_name_of_a_process_is_accepted(name: str) -> None:
    assert Will.of(BODY | {"name": name}).name == name


@pytest.mark.parametrize("name", ["", "n" * 129, "a/b", "/a", ".a", "..", 5, None])
def test_name_that_would_leave_the_folder_of_wills_is_refused(name: object) -> None:
    with pytest.raises(ValueError, match="name"):
        Will.of(BODY | {"name": name})


@pytest.mark.parametrize("change", [{"target": 5}, {"target": None}, {"writes": None}])
def test_will_with_a_wrong_type_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="a will has"):
        Will.of(BODY | change)


def test_will_has_128_writes_at_most_and_a_short_target() -> None:
    assert len(Will.of(BODY | {"writes": [WRITE] * 128}).writes) == 128
    with pytest.raises(ValueError, match="at most 128 writes"):
        Will.of(BODY | {"writes": [WRITE] * 129})
    assert Will.of(BODY | {"target": "t" * 129}).target == "t" * 128


@pytest.mark.parametrize("data", [b"[]", b"3", b'"x"', b"", b"{"])
def test_file_that_holds_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # json's own, or that a will is an object
        Will.decoded(data)


# Files


def test_folder_of_wills_is_the_units_own_or_below_the_runtime_directory() -> None:
    assert wills_folder("/run/saint/wills") == "/run/saint/wills"
    assert wills_folder("/run/saint") == "/run/saint/wills"


def test_stored_will_is_whole_and_readable_by_the_roles_user(tmp_path: Path) -> None:
    files = WillFiles(str(tmp_path / "run" / "wills"))
    before = os.umask(0o077)
    try:
        files.store(Will.of(BODY))
    finally:
        os.umask(before)
    (path,) = (tmp_path / "run" / "wills").iterdir()
    assert path.name == "role-x.will"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert list(files.load()) == [Will.of(BODY)]


def test_folder_of_wills_may_be_entered_by_the_roles(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        WillFiles(str(tmp_path / "wills")).store(Will.of(BODY))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "wills").stat().st_mode) == 0o755


def test_new_will_of_a_name_replaces_the_one_before_wholly(tmp_path: Path) -> None:
    files = WillFiles(str(tmp_path))
    files.store(Will.of(BODY | {"writes": [WRITE] * 20}))
    (tmp_path / ".role-x.new").write_bytes(b"x" * 5000)  # left by a power cut
    files.store(Will.of(BODY))
    assert list(files.load()) == [Will.of(BODY)]


def test_wills_are_loaded_alone_or_all_and_forgotten_one_by_one(tmp_path: Path) -> None:
    files = WillFiles(str(tmp_path))
    first, second = Will("a", "x"), Will("b", "y")
    files.store(second)
    files.store(first)
    (tmp_path / "note.txt").write_bytes(first.encoded())
    (tmp_path / "a2.will").write_bytes(b"damaged")
    assert list(files.load()) == [first, second]
    assert list(files.load("b")) == [second]
    assert list(files.load("c")) == []
    files.forget("a")
    files.forget("a")  # again: nothing
    assert list(files.load()) == [second]


def test_folder_that_is_not_there_holds_no_wills(tmp_path: Path) -> None:
    assert list(WillFiles(str(tmp_path / "none")).load()) == []


def test_will_whose_file_cannot_be_written_is_an_error_that_leaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "no space")

    before = len(list(Path("/proc/self/fd").iterdir()))
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="no space"):
        WillFiles(str(tmp_path)).store(Will.of(BODY))
    monkeypatch.undo()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert list(WillFiles(str(tmp_path)).load()) == []


# Shared memory


@pytest.fixture
def memory() -> Iterator[int]:
    descriptor = new_memory()
    yield descriptor
    os.close(descriptor)


def test_limits_of_silence_are_those_of_the_documents() -> None:
    assert (beat.LIMIT_NS, beat.FAST_NS, beat.SLOW_NS) == (150_000_000, 20_000_000, 50_000_000)
    assert beat.BYTES == 32


def test_each_side_reads_what_the_other_one_wrote(memory: int) -> None:
    role, guard = Beat(memory), Beat(memory)
    assert (guard.role_ns, guard.is_moving, role.guard_ns, role.trips) == (0, False, 0, 0)
    role.beat(11, True)
    guard.watch(22)
    assert (guard.role_ns, guard.is_moving, role.guard_ns, role.trips) == (11, True, 22, 0)
    role.beat(12, False)
    guard.trip()
    assert (guard.role_ns, guard.is_moving, role.guard_ns, role.trips) == (12, False, 22, 1)
    guard.trip()
    assert role.trips == 2
    role.close()
    role.close()
    assert guard.role_ns == 12
    guard.close()


def test_closed_memory_is_not_mapped_any_more(memory: int) -> None:
    mapped = Beat(memory)
    mapped.close()
    assert mapped._map.closed
    with pytest.raises(ValueError, match="released"):
        mapped.beat(1, True)


def test_new_memory_can_be_neither_cut_nor_grown_nor_unsealed(memory: int) -> None:
    assert has_fixed_size(memory)
    assert os.fstat(memory).st_size == 32
    assert not os.get_inheritable(memory)
    for size in (0, 31, 33):
        with pytest.raises(PermissionError):
            os.ftruncate(memory, size)
    with pytest.raises(PermissionError):
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)


@pytest.mark.parametrize(
    ("size", "seals", "is_fixed"),
    [
        (32, fcntl.F_SEAL_SHRINK, True),
        (33, fcntl.F_SEAL_SHRINK, True),
        (31, fcntl.F_SEAL_SHRINK, False),
        (32, fcntl.F_SEAL_GROW, False),
        (32, fcntl.F_SEAL_SEAL, False),
        (32, 0, False),
    ],
)
def test_memory_counts_as_fixed_when_it_is_large_enough_and_stays_so(
    size: int, seals: int, is_fixed: bool
) -> None:
    descriptor = os.memfd_create("x", os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    assert has_fixed_size(descriptor) is is_fixed
    os.close(descriptor)


def test_descriptor_that_knows_no_seals_is_not_of_fixed_size(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+b") as file:
        file.truncate(4096)
        assert not has_fixed_size(file.fileno())


def test_computer_that_knows_no_seals_has_memory_of_the_same_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """macOS, where the robot is only simulated."""
    monkeypatch.delattr(os, "memfd_create")
    descriptor = new_memory()
    assert os.fstat(descriptor).st_size == 32
    assert has_fixed_size(descriptor)
    os.close(descriptor)


# Messages


def test_messages_are_cut_from_the_stream_as_they_become_whole() -> None:
    lines = wire.MessageSplitter()
    assert lines.fed(b'{"a": 1}\n{"b"') == [{"a": 1}]
    assert lines.fed(b": 2}") == []
    assert lines.fed(b"\n") == [{"b": 2}]


def test_line_of_64_kib_is_the_longest() -> None:
    lines = wire.MessageSplitter()
    assert lines.fed(b'{"a": "' + b"x" * (65_536 - 7)) == []
    with pytest.raises(ValueError, match="too long"):
        lines.fed(b"x")


@pytest.mark.parametrize("line", [b"[]\n", b"3\n", b"null\n"])
def test_message_that_is_no_object_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="object"):
        wire.MessageSplitter().fed(line)


def test_descriptors_travel_with_their_message_and_are_not_inherited(memory: int) -> None:
    ours, theirs = socket.socketpair()
    wire.send(ours, {"do": "x"}, [memory] * 32)
    data, found = wire.receive(theirs)
    assert (data, len(found)) == (b'{"do": "x"}\n', 32)
    assert not any(os.get_inheritable(each) for each in found)
    assert {os.fstat(each).st_ino for each in found} == {os.fstat(memory).st_ino}
    wire.send(ours, {"do": "y"})
    assert wire.receive(theirs) == (b'{"do": "y"}\n', [])
    ours.close()
    assert wire.receive(theirs) == (b"", [])
    theirs.close()
    for each in found:
        os.close(each)


class Narrow:
    """A socket that accepts five bytes at first."""

    def __init__(self, *ancillary: tuple[int, int, bytes]) -> None:
        self.sent = b""
        self.parts = 0
        self.ancillary = ancillary
        self.room: tuple[int, int] = (0, 0)

    def sendmsg(self, buffers: list[bytes], ancillary: list[object]) -> int:
        assert ancillary == []
        self.sent += buffers[0][:5]
        return 5

    def sendall(self, data: bytes) -> None:
        self.parts += 1
        self.sent += data

    def recvmsg(self, size: int, room: int) -> Any:
        self.room = (size, room)
        return b"x", list(self.ancillary), 0, None


def test_message_that_is_sent_in_part_is_sent_whole() -> None:
    narrow = Narrow()
    wire.send(cast(socket.socket, narrow), {"do": "leave"})
    assert (narrow.sent, narrow.parts) == (b'{"do": "leave"}\n', 1)


def test_message_that_is_sent_at_once_is_not_continued() -> None:
    ours, theirs = socket.socketpair()
    sent: list[bytes] = []

    class Whole:
        sendmsg = ours.sendmsg
        sendall = sent.append

    wire.send(cast(socket.socket, Whole()), {"do": "leave"})
    assert sent == []
    ours.close()
    theirs.close()


def test_only_descriptors_are_taken_from_what_comes_beside_the_bytes() -> None:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    one = array.array("i", [descriptor]).tobytes()
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS)
    others = ((socket.SOL_SOCKET, socket.SCM_RIGHTS + 1, one), (77, socket.SCM_RIGHTS, one))
    narrow = Narrow((*rights, one + b"\0"), *others)
    assert wire.receive(cast(socket.socket, narrow)) == (b"x", [descriptor])
    assert narrow.room == (65_536, socket.CMSG_SPACE(32 * 4))
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)
