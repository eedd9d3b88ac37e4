"""Edges too many and too few, at random: no PPM frame says anything that was not sent."""

import itertools
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.rcd.protocols import RcFrame
from saint_services.rcd.protocols.pulses import GAP_US, PpmDecoder, PwmDecoder
from tests.examples import examples

JITTER_US = 40  # of one edge, either way
CHANNELS = 8
PERIOD_US = 25_000

channels = st.lists(st.integers(1000, 2000), min_size=CHANNELS, max_size=CHANNELS)
# What happens to one frame: nothing, an edge too many (at a share of the period), one too few.
faults = st.none() | st.floats(0.0, 0.999) | st.integers(0, CHANNELS)


def frame_edges(sent: list[int], start_us: int, rng: random.Random) -> list[int]:
    edges = itertools.accumulate(sent, initial=start_us)
    return [at + rng.randint(-JITTER_US, JITTER_US) for at in edges]


def broken(edges: list[int], start_us: int, fault: float | int | None) -> list[int]:
    if isinstance(fault, float):
        return sorted([*edges, start_us + int(fault * PERIOD_US)])
    return edges if fault is None else edges[:fault] + edges[fault + 1 :]


def decoded(decoder: PpmDecoder, edges: list[int], is_timed: bool) -> list[RcFrame]:
    """Return all frames; with `is_timed` silence is judged on time, else by the next edge."""
    found = []
    for at, after in itertools.pairwise([*edges, edges[-1] + PERIOD_US]):
        found.append(decoder.edge(18, True, at * 1000))
        if is_timed and after - at >= GAP_US:
            found.append(decoder.silence((at + GAP_US) * 1000))
    return [frame for frame in found if frame]


@settings(max_examples=examples(100))
@given(
    frames=st.lists(st.tuples(channels, faults), min_size=1, max_size=30),
    seed=st.integers(0, 2**32),
    is_timed=st.booleans(),
)
def test_ppm_frame_with_an_edge_too_many_or_too_few_is_as_it_was_sent(
    frames: list[tuple[list[int], float | int | None]], seed: int, is_timed: bool
) -> None:
    """At most one fault a frame: with both kinds in one, the number of channels may be right. A
    spurious edge just before a frame belongs to that frame. No ten frames in a row have the same
    number of channels too many: then it is another receiver.
    """
    rng, edges, is_early = random.Random(seed), [], False
    good: list[tuple[list[int], float | int | None]] = [([1500] * CHANNELS, None)] * 4
    for number, (sent, fault) in enumerate(every := good + frames):
        # Every eighth frame is sound, or noise could agree on another number of channels.
        start_us = number * PERIOD_US
        kept = None if is_early or number % 8 == 0 else fault
        is_early = isinstance(kept, float) and kept * PERIOD_US > PERIOD_US - GAP_US
        edges += broken(frame_edges(sent, start_us, rng), start_us, kept)
    for frame in decoded(PpmDecoder(), edges, is_timed):
        sent = every[(frame.t_us + JITTER_US) // PERIOD_US][0]
        assert len(frame.raw) == CHANNELS
        pairs = zip(frame.raw, sent, strict=True)
        assert all(abs(us - true_us) <= 2 * JITTER_US for us, true_us in pairs), (frame.raw, sent)


@given(sent=channels, at_us=st.integers(0, 24_999))
def test_ppm_is_back_with_the_frame_after_a_spurious_edge(sent: list[int], at_us: int) -> None:
    rng, decoder = random.Random(0), PpmDecoder()
    edges = [at for n in range(4) for at in frame_edges(sent, n * PERIOD_US, rng)]
    edges = sorted({*edges, *frame_edges(sent, 4 * PERIOD_US, rng), 4 * PERIOD_US + at_us})
    edges += frame_edges(sent, 5 * PERIOD_US, rng) + frame_edges(sent, 6 * PERIOD_US, rng)
    assert decoded(decoder, edges, is_timed=True)[-1].t_us > 6 * PERIOD_US


# Of one PWM pulse: an edge that is not reported, or a spike (offset, length) within a level.
pwm_faults = (
    st.none()
    | st.sampled_from(["rise", "fall"])
    | st.tuples(st.integers(1, 19_000), st.integers(1, 300))
)


def pwm_edges(width: int, fault: str | tuple[int, int] | None) -> list[tuple[int, bool]]:
    edges = {0: True, width: False}
    if fault == "rise":
        del edges[0]
    elif fault == "fall":
        del edges[width]
    elif isinstance(fault, tuple) and (fault[0] > width or sum(fault) < width):
        edges |= {fault[0]: fault[0] > width, sum(fault): fault[0] < width}
    return sorted(edges.items())


@settings(max_examples=examples(100))
@given(pulses=st.lists(st.tuples(st.integers(1000, 2000), pwm_faults), min_size=1, max_size=30))
def test_pwm_pulse_with_a_spike_or_a_missing_edge_is_as_it_was_sent(
    pulses: list[tuple[int, str | tuple[int, int] | None]],
) -> None:
    decoder, found = PwmDecoder([12]), []
    for number, (width, fault) in enumerate(pulses):
        for at, high in pwm_edges(width, fault):
            found.append(decoder.edge(12, high, (number * 20_000 + at) * 1000))
    found.append(decoder.silence(10**12))
    for frame in filter(None, found):
        number, end_us = divmod(frame.t_us, 20_000)
        assert (frame.raw, end_us) == ((pulses[number][0],), pulses[number][0])
