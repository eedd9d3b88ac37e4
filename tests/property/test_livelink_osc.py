"""Our OSC reader beside python-osc: the same messages out of what python-osc has built, and never
more than it finds in damaged ones.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message import OscMessage as PeerMessage
from pythonosc.osc_message import ParseError
from pythonosc.osc_message_builder import OscMessageBuilder

from saint_services.livelinkd.protocols.frames import WrongError
from saint_services.livelinkd.protocols.osc import OscMessage, messages

_text = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=9)
_argument = st.one_of(
    st.tuples(st.just("i"), st.integers(-(1 << 31), (1 << 31) - 1)),
    st.tuples(st.just("h"), st.integers(-(1 << 63), (1 << 63) - 1)),
    st.tuples(st.just("f"), st.floats(width=32, allow_nan=False)),
    st.tuples(st.just("d"), st.floats(allow_nan=False)),
    st.tuples(st.just("s"), _text),
    st.sampled_from([("T", True), ("F", False), ("N", None)]),
)


@st.composite
def built(draw: st.DrawFn) -> tuple[OscMessage, Any]:
    builder = OscMessageBuilder("/VMC" + draw(_text))
    arguments = draw(st.lists(_argument, max_size=9))
    for kind, value in arguments:
        builder.add_arg(value, kind)
    return OscMessage(builder.address, tuple(value for _, value in arguments)), builder.build()


@given(built())
def test_messages_are_read_as_they_were_built(one: tuple[OscMessage, Any]) -> None:
    assert messages(one[1].dgram, b"/VMC") == [one[0]]


@given(st.lists(built(), min_size=1, max_size=4), st.integers(0, 3))
def test_bundles_are_read_as_they_were_built(
    several: list[tuple[OscMessage, Any]], deep: int
) -> None:
    content = [packet for _, packet in several]
    for _ in range(deep + 1):
        builder = OscBundleBuilder(IMMEDIATELY)
        for packet in content:
            builder.add_content(packet)
        content = [builder.build()]
    assert messages(content[0].dgram, b"/VMC") == [message for message, _ in several]


@given(built(), st.data())
def test_damaged_messages_are_never_more_than_the_peer_finds(
    one: tuple[OscMessage, Any], data: st.DataObject
) -> None:
    raw = bytearray(one[1].dgram)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        (found,) = messages(bytes(raw), b"/") or [None]
    except WrongError:
        return
    if found is None:
        return
    try:
        peer = PeerMessage(bytes(raw))
    except (ParseError, ValueError):
        raise AssertionError(f"{bytes(raw)!r} is read here alone") from None
    assert (found.address, repr(found.arguments)) == (peer.address, repr(tuple(peer.params)))
