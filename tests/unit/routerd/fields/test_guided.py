"""What a sample does on its short way is what the guide of the claim says."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.mapping import Mapping
from saint_services.routerd.fields.board import FieldBoard
from saint_services.routerd.fields.claims import Claim, InputStream, OutputField, StreamPlan
from saint_services.routerd.fields.guided import Guide, GuidedTerm
from saint_services.routerd.fields.guided_samples import apply_sample, steps_of
from saint_services.routerd.routes.filters import filters_of
from saint_services.routerd.routes.mapping import line_of, shape, unbounded

LOW, HIGH = -2.0, 3.0
Sample = tuple[float, float, float | None]  # value, time since the last one, a restart from there

KINDS: Sequence[dict[str, object]] = (
    {"filter": "one_euro", "cutoff_hz": 1.0, "beta": 4.0},
    {"filter": "one_euro", "cutoff_hz": 0.5, "beta": 0.0, "derivative_hz": 3.0, "inverted": True},
    {"filter": "one_euro", "beta": 4.0, "clamp": (-1.0, 0.5), "offset": 0.25},
    {"filter": "one_euro", "deadzone": 0.1},
    {"filter": "one_euro", "rate_limit": 5.0},
    {"filter": "low_pass", "cutoff_hz": 3.0},
    {"rate_limit": 2.0},
)
SHORT = 3  # so many of them have a short way
samples = st.lists(
    st.tuples(
        st.floats(-1.5, 1.5),
        st.sampled_from([0.0, 0.001, 0.02, 0.0201, 0.3, 0.7]),
        st.none() | st.none() | st.none() | st.floats(LOW, HIGH),
    ),
    max_size=25,
)


def guide(kind: dict[str, object], *, is_velocity: bool = False) -> Guide:
    mapping = Mapping.model_validate({"from": "x", "to": "y", "scale": 2.5, **kind})
    filters = filters_of(mapping, HIGH - LOW)
    line = line_of(mapping, LOW, HIGH)
    bounded = shape(mapping, LOW, HIGH)
    term = GuidedTerm(0, bounded, unbounded(mapping), filters, line=line)
    return Guide((term,), LOW, HIGH, 0.0, is_velocity, "sum", patience_s=0.5)


def output(number: int) -> OutputField:
    return OutputField(
        is_velocity=False, low=LOW, high=HIGH, max_rate=1e9, on_loss="hold", neutral=0.0,
        target="parts", field=f"y{number}", unit="", command=number,
    )  # fmt: skip


def fed_by(guides: Sequence[Guide]) -> tuple[FieldBoard, InputStream]:
    """A stream of one value that drives an output through each of these guides."""
    board = FieldBoard([output(number) for number in range(len(guides))])
    stream = InputStream("livelink:face", "", ("x",))
    plans = []
    for each, made in zip(board.outputs, guides, strict=True):
        claim = each.winner = Claim("route", stream.source, each, is_safety=False, timeout_s=9.0)
        claim.stream = stream
        claim.plan = StreamPlan(claim, ((0, 0),), made.raw, made.unbounded, guide=made)
        plans.append(claim.plan)
    stream.guided = steps_of(plans, stream.clock)
    return board, stream


def test_straight_positions_behind_one_euro_filter_alone_have_a_short_way() -> None:
    guides = [*map(guide, KINDS), guide(KINDS[0], is_velocity=True)]
    _, stream = fed_by(guides)
    assert [line is not None for *_, line in stream.guided] == [
        number < SHORT for number in range(len(guides))
    ]


@given(fed=samples)
def test_the_short_way_gives_what_the_whole_way_gives(fed: list[Sample]) -> None:
    short, whole = (list(map(guide, KINDS)) for _ in range(2))
    board, stream = fed_by(short)
    at = 1.0
    for number, (x, elapsed, restart) in enumerate(fed):
        at += elapsed
        if restart is not None:  # another claim had control meanwhile
            for each in (short[number % len(KINDS)], whole[number % len(KINDS)]):
                each.restart(restart)
        stream.values, stream.received = (x,), at
        apply_sample(board, stream, at)
        for made, model, driven in zip(short, whole, board.outputs, strict=True):
            assert driven.want == model.value([x], at) == made.value([x], at)
            assert LOW <= driven.want <= HIGH


@given(fed=samples, of=st.sets(st.integers(0, len(KINDS) - 1)))
def test_claim_that_has_lost_its_field_for_a_while_goes_on_as_on_the_whole_way(
    fed: list[Sample], of: set[int]
) -> None:
    """It misses samples, and the time since its own last one counts then."""
    short, whole = (list(map(guide, KINDS)) for _ in range(2))
    board, stream = fed_by(short)
    winners = [each.winner for each in board.outputs]
    at = 1.0
    for x, elapsed, is_lost in fed:
        at += elapsed
        stream.values, stream.received = (x,), at
        for number, (driven, winner) in enumerate(zip(board.outputs, winners, strict=True)):
            is_away = is_lost is not None and number in of
            driven.winner = None if is_away else winner
        apply_sample(board, stream, at)
        for model, driven in zip(whole, board.outputs, strict=True):
            if driven.winner is not None:
                assert driven.want == model.value([x], at)
