"""tools/powercut/disks/cuts.py, promises.py: which states a cut can leave, and which it may not."""

from hypothesis import given
from hypothesis import strategies as st

from tools.powercut.disks.cuts import Cut, Shape, Timeline, every_cut
from tools.powercut.disks.recording import Kind, Mark, Request
from tools.powercut.promises import allowed_values, broken


def write(index: int, *, settled: int | None = None, is_fua: bool = False) -> Request:
    return Request(Kind.WRITE, index * 4096, 4096, is_fua, index if settled is None else settled)


def flush(index: int, *, settled: int | None = None) -> Request:
    return Request(Kind.FLUSH, settled=index if settled is None else settled)


@st.composite
def request_lists(draw: st.DrawFn) -> list[Request]:
    """Any mix, with up to four requests under way at once."""
    requests: list[Request] = []
    settled = 0
    for index in range(draw(st.integers(1, 25))):
        settled = draw(st.integers(max(settled, index - 4), index))
        kind = draw(st.sampled_from([Kind.WRITE, Kind.WRITE, Kind.ZERO, Kind.FLUSH]))
        offset = draw(st.integers(0, 7)) * 4096
        is_fua = kind is not Kind.FLUSH and draw(st.booleans())
        length = 0 if kind is Kind.FLUSH else draw(st.sampled_from([512, 4096, 8192]))
        requests.append(Request(kind, offset, length, is_fua, settled))
    return requests


def sure_by_definition(requests: list[Request], settled: int) -> set[int]:
    """Word for word: covered by an answered flush, or forced and answered."""
    sure = set()
    for index, request in enumerate(requests[:settled]):
        if request.kind is Kind.FLUSH:
            sure |= {i for i in range(request.settled) if requests[i].is_change}
        elif request.is_fua:
            sure.add(index)
    return sure


@given(request_lists(), st.integers(0, 5))
def test_no_cut_loses_what_was_sure_or_has_what_was_not_sent(
    requests: list[Request], seed: int
) -> None:
    timeline = Timeline(requests)
    for cut in every_cut(timeline, 300, seed):
        count, pieces = timeline.pieces(cut, seed)
        whole = {i for i in range(count) if requests[i].is_change}
        whole |= {piece.index for piece in pieces if piece.sectors is None}
        assert sure_by_definition(requests, cut.settled) <= whole
        assert all(count <= piece.index < cut.position for piece in pieces)
        assert [piece.index for piece in pieces] == sorted({piece.index for piece in pieces})


@given(request_lists(), st.integers(0, 5))
def test_every_moment_is_judged_and_cuts_come_in_order(requests: list[Request], seed: int) -> None:
    cuts = every_cut(Timeline(requests), 100, seed)
    assert {cut.position for cut in cuts} == set(range(len(requests) + 1))
    settled = [cut.settled for cut in cuts]
    assert settled == sorted(settled)
    assert len(set(cuts)) == len(cuts)


@given(request_lists(), st.integers(0, 5))
def test_same_seed_gives_the_same_states(requests: list[Request], seed: int) -> None:
    timeline = Timeline(requests)
    for cut in every_cut(timeline, 60, seed):
        again = Cut.parse(str(cut))
        assert again == cut
        assert Timeline(requests).pieces(again, seed) == timeline.pieces(cut, seed)


def test_write_in_flight_with_a_flush_may_be_lost() -> None:
    requests = [write(0), write(1, settled=1), flush(2, settled=1)]
    timeline = Timeline(requests)
    assert timeline.pieces(Cut(3, 3, Shape.NONE), 1) == (1, [])
    assert timeline.open(3, 3) == ([], [1])


def test_forced_write_is_sure_only_after_its_answer() -> None:
    timeline = Timeline([write(0), write(1, is_fua=True)])
    assert timeline.open(2, 1) == ([], [0, 1])
    assert timeline.open(2, 2) == ([1], [0])


def test_torn_write_keeps_some_sectors_and_loses_some() -> None:
    timeline = Timeline([write(0)])
    kinds = set()
    for number in range(40):
        _, (piece,) = timeline.pieces(Cut(1, 0, Shape.TORN, number), 1)
        assert piece.sectors is not None
        assert piece.sectors <= set(range(8))
        kinds.add(piece.sectors)
    assert len(kinds) > 5


def test_single_sector_is_never_torn() -> None:
    timeline = Timeline([Request(Kind.WRITE, 0, 512)])
    assert timeline.pieces(Cut(1, 0, Shape.TORN), 1)[1][0].sectors is None


def promise(at: int, value: str | None, *, is_kept: bool) -> Mark:
    return Mark(at, "role", value, is_kept)


def test_promise_kept_must_be_there_from_its_answer_on() -> None:
    marks = [
        promise(0, "", is_kept=True),
        promise(10, "head:", is_kept=False),
        promise(20, "head:", is_kept=True),
    ]
    assert allowed_values(marks, 5, "role") == {""}
    assert allowed_values(marks, 15, "role") == {"", "head:"}
    assert allowed_values(marks, 20, "role") == {"head:"}
    assert broken(marks, 20, {}) == ["role is '', must be 'head:'"]
    assert broken(marks, 15, {"role": "arms:left"}) == [
        "role is 'arms:left', must be '' or 'head:'"
    ]


def test_what_the_machine_chooses_itself_is_free_until_it_was_shown() -> None:
    marks = [
        promise(0, None, is_kept=False),
        promise(30, "abc", is_kept=True),
    ]
    assert allowed_values(marks, 29, "role") is None
    assert broken(marks, 30, {"role": "xyz"}) == ["role is 'xyz', must be 'abc'"]
