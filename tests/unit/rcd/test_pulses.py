"""PPM and PWM from the times of edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.rcd.protocols import RcFrame
from saint_services.rcd.protocols.pulses import PpmDecoder, PwmDecoder

Edge = tuple[int, bool, int]  # pin, level, us
EIGHT = (1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700)


def ppm(channels: tuple[int, ...], start_us: int, high_us: int = 300) -> list[Edge]:
    """A frame: one pulse more than channels. The next frame begins after the pause."""
    edges, at = [], start_us
    for length in (*channels, 0):
        edges += [(18, True, at), (18, False, at + high_us)]
        at += length
    return edges


def frames_of(decoder: PpmDecoder | PwmDecoder, edges: list[Edge]) -> list[RcFrame]:
    found = [decoder.edge(pin, high, us * 1000) for pin, high, us in edges]
    return [frame for frame in found if frame]


def train(*frames: tuple[int, ...], period_us: int = 22_500) -> list[Edge]:
    return [edge for i, each in enumerate(frames) for edge in ppm(each, 1000 + i * period_us)]


def test_ppm_channels_are_the_times_between_rising_edges() -> None:
    decoder = PpmDecoder()
    found = frames_of(decoder, train(*[EIGHT] * 6))
    # The first frame may have begun before; two more agree on the number of channels.
    assert [frame.raw for frame in found] == [EIGHT] * 3
    assert found[0].us == list(EIGHT)
    assert decoder.rejected == 0


def test_ppm_frame_counts_with_its_last_edge() -> None:
    decoder = PpmDecoder()
    edges = train(*[EIGHT] * 5)
    frames_of(decoder, edges[:-2])
    assert decoder.edge(*edges[-2][:2], edges[-2][2] * 1000) is not None


@pytest.mark.parametrize("high_us", [100, 300, 600])
def test_ppm_of_any_pulse_length_is_the_same(high_us: int) -> None:
    decoder = PpmDecoder()
    edges = [e for i in range(6) for e in ppm(EIGHT, i * 22_500, high_us)]
    assert [frame.raw for frame in frames_of(decoder, edges)] == [EIGHT] * 3


def test_ppm_upside_down_is_the_same() -> None:
    turned = [(pin, not high, us) for pin, high, us in train(*[EIGHT] * 6)]
    assert [frame.raw for frame in frames_of(PpmDecoder(), turned)] == [EIGHT] * 3


@pytest.mark.parametrize("bad", [(1000,) * 7, (1000,) * 3 + (600,) + (1000,) * 4, (1000,) * 17])
def test_ppm_frame_that_is_not_like_the_others_is_rejected(bad: tuple[int, ...]) -> None:
    decoder = PpmDecoder()
    found = frames_of(decoder, train(*[EIGHT] * 4, bad, EIGHT, EIGHT))
    assert all(frame.raw in (EIGHT, bad[:8]) for frame in found)
    assert found[-1].raw == EIGHT
    assert decoder.rejected == 1


def test_ppm_with_a_lost_edge_makes_no_shifted_frame() -> None:
    edges = train(*[EIGHT] * 8)
    del edges[5 * 18 + 8]  # a rising edge inside the sixth frame
    assert {frame.raw for frame in frames_of(PpmDecoder(), edges)} == {EIGHT}


def test_ppm_receiver_with_other_channels_is_learned() -> None:
    six = EIGHT[:6]
    found = frames_of(PpmDecoder(), train(*[EIGHT] * 5, *[six] * 5))
    assert [frame.raw for frame in found][-2:] == [six, six]


def test_ppm_after_reset_must_agree_again() -> None:
    decoder = PpmDecoder()
    frames_of(decoder, train(*[EIGHT] * 5))
    decoder.reset()
    assert frames_of(decoder, train(*[EIGHT] * 3)) == []


@given(times=st.lists(st.integers(0, 30_000), max_size=200), levels=st.booleans())
def test_any_edges_make_channels_in_range(times: list[int], levels: bool) -> None:
    decoder, pulses, at = PpmDecoder(), PwmDecoder([18]), 0
    for i, pause_us in enumerate(times):
        at += pause_us
        for each in (decoder, pulses):
            frame = each.edge(18, levels or i % 2 == 0, at * 1000)
            assert frame is None or all(700 <= raw <= 2300 for raw in frame.raw)


def pwm(widths: dict[int, int], start_us: int) -> list[Edge]:
    return [
        edge
        for i, (pin, width) in enumerate(widths.items())
        for edge in (
            (pin, True, start_us + i * 2500),
            (pin, False, start_us + i * 2500 + width),
        )
    ]


def test_pwm_frame_has_every_pin_in_the_set_order() -> None:
    decoder = PwmDecoder([12, 13, 19])
    edges = pwm({19: 1900, 12: 1000, 13: 1500}, 0) + pwm({12: 1010, 13: 1510, 19: 1910}, 20_000)
    found = frames_of(decoder, edges)
    assert [frame.raw for frame in found] == [(1000, 1500, 1900), (1010, 1510, 1910)]


def test_pwm_with_a_silent_pin_is_silent() -> None:
    decoder = PwmDecoder([12, 13])
    edges = [edge for i in range(10) for edge in pwm({12: 1000}, i * 20_000)]
    assert frames_of(decoder, edges) == []


@pytest.mark.parametrize("width", [699, 2301, 19_000])
def test_pwm_pulse_out_of_range_is_rejected(width: int) -> None:
    decoder = PwmDecoder([12])
    assert frames_of(decoder, pwm({12: width}, 0)) == []
    assert decoder.rejected == 1


def test_pwm_edges_of_other_pins_and_falls_without_rise_are_nothing() -> None:
    decoder = PwmDecoder([12])
    edges = [(12, False, 100), (4, True, 200), (4, False, 1500)]
    assert frames_of(decoder, edges) == []
    assert decoder.rejected == 0
