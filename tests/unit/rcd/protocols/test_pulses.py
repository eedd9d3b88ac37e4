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


def frames_with_silence(decoder: PpmDecoder | PwmDecoder, edges: list[Edge]) -> list[RcFrame]:
    found = [*frames_of(decoder, edges), decoder.silence((edges[-1][2] + 100_000) * 1000)]
    return [frame for frame in found if frame]


def train(*frames: tuple[int, ...], start_us: int = 1000) -> list[Edge]:
    starts = range(start_us, start_us + 22_500 * len(frames), 22_500)
    return [edge for at, each in zip(starts, frames, strict=True) for edge in ppm(each, at)]


def test_ppm_channels_are_the_times_between_rising_edges() -> None:
    decoder = PpmDecoder()
    found = frames_of(decoder, train(*[EIGHT] * 6))
    # The first frame may have begun before; two more agree on the number of channels.
    assert [frame.raw for frame in found] == [EIGHT] * 3
    assert found[0].us == list(EIGHT)
    assert decoder.rejected == 0


def test_ppm_frame_counts_once_no_edge_has_followed_for_a_gap() -> None:
    decoder = PpmDecoder()
    edges = [edge for edge in train(*[EIGHT] * 5) if edge[1]]
    frames_of_edges = [decoder.edge(18, True, us * 1000) for _, _, us in edges]
    last_us = edges[-1][2]
    assert frames_of_edges[-1] is None
    assert decoder.due_ns == (last_us + 2_700) * 1000
    assert decoder.silence((last_us + 2_700) * 1000 - 1) is None
    frame = decoder.silence((last_us + 2_700) * 1000)
    assert frame is not None
    assert (frame.raw, frame.t_us) == (EIGHT, last_us)
    assert decoder.silence((last_us + 3_000) * 1000) is None


def test_ppm_frame_counts_with_the_edge_behind_its_gap() -> None:
    decoder = PpmDecoder()
    edges = train(*[EIGHT] * 5)
    found = [decoder.edge(pin, high, us * 1000) for pin, high, us in edges]
    assert [i for i, frame in enumerate(found) if frame] == [18 * 3, 18 * 4]
    assert {frame.raw for frame in found if frame} == {EIGHT}


def test_ppm_frame_that_silence_has_ended_is_not_repeated_by_the_next_edge() -> None:
    decoder = PpmDecoder()
    frames_with_silence(decoder, train(*[EIGHT] * 5))
    assert decoder.edge(18, True, 10**9) is None


@pytest.mark.parametrize("channel", range(8))
def test_ppm_pulse_that_one_spurious_edge_splits_makes_no_frame(channel: int) -> None:
    sent = (1900,) * 8
    split = (*sent[:channel], 900, 1000, *sent[channel + 1 :])
    decoder = PpmDecoder()
    found = frames_with_silence(decoder, train(*[sent] * 5, split))
    assert [frame.raw for frame in found] == [sent] * 3
    after = frames_with_silence(decoder, train(sent, sent, start_us=500_000))
    assert [frame.raw for frame in after] == [sent] * 2
    assert decoder.rejected == 1


@pytest.mark.parametrize("after_us", [300, 700, 1500, 2300, 2500])
def test_ppm_spurious_edge_within_the_gap_makes_no_frame(after_us: int) -> None:
    decoder = PpmDecoder()
    edges = train(*[EIGHT] * 5)
    noise = (18, True, edges[-2][2] + after_us)
    found = [decoder.edge(pin, high, us * 1000) for pin, high, us in [*edges, noise]]
    assert decoder.silence(10**9) is None
    assert sum(frame is not None for frame in found) == 2  # of the frames before


def test_ppm_edge_that_is_read_after_its_frame_was_given_spoils_no_other_frame() -> None:
    decoder = PpmDecoder()
    edges = train(*[EIGHT] * 5)
    frames_with_silence(decoder, edges)
    late = (18, True, edges[-2][2] + 1500)
    found = frames_with_silence(decoder, [late, *ppm(EIGHT, 200_000), *ppm(EIGHT, 222_500)])
    assert [frame.raw for frame in found] == [EIGHT, EIGHT]


def test_ppm_noise_that_comes_again_does_not_become_another_number_of_channels() -> None:
    sent, split = (1900,) * 8, (900, 1000, *(1900,) * 7)
    found = frames_with_silence(PpmDecoder(), train(*[sent] * 5, *[split] * 9, sent))
    assert {frame.raw for frame in found} == {sent}


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
    found = frames_of(PpmDecoder(), train(*[EIGHT] * 5, *[six] * 12))
    assert [frame.raw for frame in found][-3:] == [EIGHT, six, six]


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
    found = frames_with_silence(decoder, edges)
    assert [frame.raw for frame in found] == [(1000, 1500, 1900), (1010, 1510, 1910)]


def test_pwm_with_a_silent_pin_is_silent() -> None:
    decoder = PwmDecoder([12, 13])
    edges = [edge for i in range(10) for edge in pwm({12: 1000}, i * 20_000)]
    assert frames_with_silence(decoder, edges) == []


@pytest.mark.parametrize("width", [699, 2301, 19_000])
def test_pwm_pulse_out_of_range_is_rejected(width: int) -> None:
    decoder = PwmDecoder([12])
    assert frames_with_silence(decoder, pwm({12: width}, 0)) == []
    assert decoder.rejected == 1


def test_pwm_edges_of_other_pins_and_falls_without_rise_are_nothing() -> None:
    decoder = PwmDecoder([12])
    edges = [(12, False, 100), (4, True, 200), (4, False, 1500)]
    assert frames_with_silence(decoder, edges) == []
    assert decoder.rejected == 0


def test_pwm_frame_counts_once_its_last_pin_is_quiet() -> None:
    decoder = PwmDecoder([12, 13])
    edges = pwm({12: 1000, 13: 1500}, 0)
    assert [decoder.edge(pin, high, us * 1000) for pin, high, us in edges] == [None] * 4
    assert decoder.due_ns == (4000 + 600) * 1000
    assert decoder.silence(4_599_999) is None
    frame = decoder.silence(4_600_000)
    assert frame is not None
    assert (frame.raw, frame.t_us) == ((1000, 1500), 4000)


@pytest.mark.parametrize("low_us", [1, 100, 500])
def test_pwm_pulse_that_a_spike_splits_makes_no_frame(low_us: int) -> None:
    decoder = PwmDecoder([12])
    split = [(12, True, 0), (12, False, 900), (12, True, 900 + low_us), (12, False, 1900)]
    assert frames_with_silence(decoder, split) == []
    assert decoder.rejected == 1
    assert [frame.raw for frame in frames_with_silence(decoder, pwm({12: 1900}, 200_000))] == [
        (1900,)
    ]


def test_pwm_pulse_whose_fall_within_a_spike_was_missed_makes_no_frame() -> None:
    split = [(12, True, 0), (12, True, 905), (12, False, 1900)]
    assert frames_with_silence(PwmDecoder([12]), split) == []


def test_pwm_pulse_with_a_spike_close_behind_it_makes_no_frame() -> None:
    spike = [(12, True, 0), (12, False, 1500), (12, True, 1700), (12, False, 1705)]
    assert frames_with_silence(PwmDecoder([12]), spike) == []
