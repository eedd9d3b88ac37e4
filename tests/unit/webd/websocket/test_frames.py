"""WebSocket frames from hostile clients: any cutting of the bytes, wrong masks, lengths, order."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.webd.websocket.frames import (
    FrameError,
    Frames,
    Opcode,
    close_code,
    close_frame,
    control_frame,
    text_frame,
)

LARGEST = 1000
KEY = b"\x01\x80\xff\x00"

Message = tuple[Opcode, bytes]


def sent(opcode: int, payload: bytes, final: bool = True, key: bytes = KEY) -> bytes:
    """A frame as a client sends it."""
    size = len(payload)
    head = bytes([opcode | (0x80 if final else 0)])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 1 << 16:
        head += b"\xfe" + size.to_bytes(2, "big")
    else:
        head += b"\xff" + size.to_bytes(8, "big")
    return head + key + bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))


def read(*chunks: bytes) -> list[Message]:
    frames, found = Frames(LARGEST), []
    for chunk in chunks:
        frames.feed(chunk)
        while (message := frames.next()) is not None:
            found.append(message)
    return found


def refusal(data: bytes) -> FrameError:
    with pytest.raises(FrameError) as caught:
        read(data)
    return caught.value


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 125, 126, 127, 999, 1000])
def test_message_of_any_length_is_unmasked(size: int) -> None:
    payload = bytes(n % 251 for n in range(size))
    assert read(sent(1, payload)) == [(Opcode.TEXT, payload)]


def test_example_of_the_standard_is_read() -> None:
    # RFC 6455 section 5.7: a single-frame masked text message, "Hello".
    data = bytes([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    assert read(data) == [(Opcode.TEXT, b"Hello")]


def test_fragments_become_one_message_with_a_ping_between_them() -> None:
    data = sent(1, b"He", final=False) + sent(9, b"?") + sent(0, b"l", final=False) + sent(0, b"lo")
    assert read(data) == [(Opcode.PING, b"?"), (Opcode.TEXT, b"Hello")]


def test_empty_fragments_without_end_take_no_memory() -> None:
    frames = Frames(LARGEST)
    frames.feed(sent(1, b"", final=False))
    for _ in range(10_000):
        frames.feed(sent(0, b"", final=False))
        assert frames.next() is None
    assert frames._parts == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x81\x05Hello", 1002),  # not masked
        (sent(0x41, b"x"), 1002),  # reserved bit: a compression that nobody agreed on
        (sent(3, b"x"), 1002),
        (sent(11, b"x"), 1002),
        (sent(0, b"x"), 1002),  # a continuation of nothing
        (sent(1, b"x", final=False) + sent(1, b"y"), 1002),
        (sent(9, b"x", final=False), 1002),
        (sent(9, b"x" * 126), 1002),
        (sent(1, b"x" * 1001), 1009),
        (sent(1, b"x" * 600, final=False) + sent(0, b"x" * 600), 1009),
        (b"\x81\xff" + (1 << 62).to_bytes(8, "big"), 1009),  # before a byte of it has come
        (b"\x81\xff" + b"\xff" * 8, 1009),
    ],
)
def test_broken_frame_ends_the_connection(data: bytes, code: int) -> None:
    assert refusal(data).code == code


@pytest.mark.parametrize(
    ("data", "head"),
    [
        (sent(1, b"stop" + b"x" * 1000), b"stop" + b"x" * 252),
        (sent(1, b"stop" + b"x" * 1000)[:10], b"st"),  # its mask ends at 8
        (sent(1, b"stop" + b"x" * 1000)[:6], b""),  # a part of its mask
        (sent(1, b"st", final=False) + sent(0, b"op" + b"x" * 1000), b"stop" + b"x" * 254),
    ],
)
def test_first_bytes_of_a_message_that_is_too_large_are_known(data: bytes, head: bytes) -> None:
    assert refusal(data).head == head


@pytest.mark.parametrize(
    ("payload", "code"),
    [(b"", 1000), (b"\x03\xe8", 1000), (b"\x03\xe9bye", 1001), (b"\x0b\xb8", 3000)],
)
def test_close_is_answered_with_its_code(payload: bytes, code: int) -> None:
    assert close_code(payload) == code


@pytest.mark.parametrize("payload", [b"\x03", b"\x00\x00", b"\x03\xed", b"\x03\xf7", b"\xff\xff"])
def test_close_with_a_code_that_is_none_is_an_error(payload: bytes) -> None:
    with pytest.raises(FrameError):
        close_code(payload)


def test_close_reason_must_be_text() -> None:
    with pytest.raises(FrameError) as caught:
        close_code(b"\x03\xe8\xff")
    assert caught.value.code == 1007


@pytest.mark.parametrize(
    ("size", "head"),
    [(5, "8105"), (125, "817d"), (126, "817e007e"), (70_000, "817f0000000000011170")],
)
def test_our_frames_have_the_shortest_head(size: int, head: str) -> None:
    assert text_frame(b"x" * size) == bytes.fromhex(head) + b"x" * size


def test_our_control_frames_are_never_too_long() -> None:
    assert len(control_frame(Opcode.PONG, b"x" * 500)) == 127
    assert close_frame(1013, "ä" * 100)[:4] == b"\x88\x7a\x03\xf5"


@given(
    st.lists(st.tuples(st.sampled_from([1, 2, 9, 10]), st.binary(max_size=125)), max_size=6),
    st.lists(st.integers(0, 900), max_size=8),
)
def test_any_cutting_gives_the_same_messages(
    messages: list[tuple[int, bytes]], cuts: list[int]
) -> None:
    data = b"".join(sent(opcode, payload) for opcode, payload in messages)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in itertools.pairwise(edges)]
    assert read(*chunks) == [(Opcode(opcode), payload) for opcode, payload in messages]


@given(st.lists(st.binary(max_size=64), max_size=10))
def test_any_bytes_are_read_or_refused(chunks: list[bytes]) -> None:
    try:
        for _, payload in read(*chunks):
            assert len(payload) <= LARGEST
    except FrameError as err:
        assert err.code in (1002, 1009)
