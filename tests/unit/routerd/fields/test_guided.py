"""The short way of a filtered claim gives what the whole way gives."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.mapping import Mapping
from saint_services.routerd.fields.guided import Guide, GuidedTerm
from saint_services.routerd.routes.filters import filters_of
from saint_services.routerd.routes.mapping import shape, unbounded

LOW, HIGH = -2.0, 3.0
Sample = tuple[float, float, float | None]  # value, time since the last one, a restart from there

KINDS: Sequence[dict[str, object]] = (
    {"filter": "low_pass", "cutoff_hz": 3.0},
    {"filter": "one_euro", "cutoff_hz": 1.0, "beta": 4.0},
    {"rate_limit": 2.0},
    {"filter": "low_pass", "cutoff_hz": 8.0, "rate_limit": 5.0},
)
samples = st.lists(
    st.tuples(
        st.floats(-1.5, 1.5),
        st.sampled_from([0.0, 0.001, 0.02, 0.0201, 0.3, 0.7]),
        st.none() | st.none() | st.none() | st.floats(LOW, HIGH),
    ),
    max_size=25,
)


def guide(kind: dict[str, object], *, is_velocity: bool) -> Guide:
    mapping = Mapping.model_validate({"from": "x", "to": "y", "scale": 2.5, **kind})
    filters = filters_of(mapping, HIGH - LOW)
    term = GuidedTerm(0, shape(mapping, LOW, HIGH), unbounded(mapping), filters)
    return Guide((term,), LOW, HIGH, 0.0, is_velocity, "sum", patience_s=0.5)


def test_velocities_conditions_and_several_filters_go_the_whole_way() -> None:
    assert guide(KINDS[0], is_velocity=True).short_way() is None
    assert guide(KINDS[3], is_velocity=False).short_way() is None


@given(kind=st.sampled_from(KINDS[:3]), fed=samples)
def test_the_short_way_gives_what_the_whole_way_gives(
    kind: dict[str, object], fed: list[Sample]
) -> None:
    short, whole = (guide(kind, is_velocity=False) for _ in range(2))
    follow = short.short_way()
    assert follow
    at = 1.0
    for x, elapsed, restart in fed:
        at += elapsed
        if restart is not None:
            short.restart(restart)
            whole.restart(restart)
        assert follow([x], at) == whole.value([x], at)
        assert short.value([x], at) == whole.value([x], at)
        assert LOW <= whole.value([x], at) <= HIGH
