"""Accepts or refuses sources and their streams, both limited in number, and counts the reasons. Not
here: what a sample does (logic.py).
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from ..fields.claims import InputStream, OutputField
from ..routes.plan import Planner
from .source_classes import kind_of
from .sources import MAX_NAMES, MAX_SOURCES, MAX_STREAMS, MAX_UNKNOWN, InputSource


class SampleIntake:
    """Sources by name. `on_new` is called when a new stream has brought new claims."""

    def __init__(
        self,
        planner: Planner,
        outputs: Collection[OutputField],
        targets: Collection[str],
        on_new: Callable[[], None],
    ) -> None:
        self.sources: dict[str, InputSource] = {}
        self.refused: Counter[str] = Counter()
        self._planner = planner
        self._outputs = outputs
        self._targets = targets
        self._on_new = on_new

    def source(self, name: str, is_known: bool) -> InputSource | None:
        """Return the source of this name, made when it is new; None if it is refused. The name of a
        registered writer is refused to others; an unknown writer loses its name to a registered
        one.
        """
        source = self.sources.get(name)
        if source is not None:
            if source.is_known == is_known:
                return source
            if source.is_known:
                self.refused["name of a registered writer"] += 1
                return None
            self._forget(source)
        return self._new_source(name, is_known)

    def _new_source(self, name: str, is_known: bool) -> InputSource | None:
        kind = kind_of(name)
        if kind is None:
            self.refused["unknown source"] += 1
            return None
        unknown = sum(not source.is_known for source in self.sources.values())
        if not is_known and unknown >= MAX_UNKNOWN and not self._make_room(unknown_alone=True):
            self.refused["too many unknown sources"] += 1
            return None
        if len(self.sources) >= MAX_SOURCES and not self._make_room():
            self.refused["too many sources"] += 1
            return None
        source = InputSource(name, kind, self._planner.timeout_of(kind), is_known)
        self.sources[name] = source
        return source

    def _make_room(self, *, unknown_alone: bool = False) -> bool:
        """Forget the source with the oldest sample among those that are in control of nothing."""
        busy = {
            claim.source
            for output in self._outputs
            for claim in (output.held_by, *output.drivers)
            if claim is not None
        }
        idle = [
            source
            for source in self.sources.values()
            if source.name not in busy
            and not source.is_guarding
            and not (unknown_alone and source.is_known)
        ]
        if not idle:
            return False
        self._forget(min(idle, key=lambda source: source.received))
        return True

    def forget(self, name: str) -> None:
        """Forget a source that no output follows: what it sends next is its first motion."""
        if (source := self.sources.get(name)) is not None:
            self._forget(source)

    def _forget(self, source: InputSource) -> None:
        """Forget a source that no output follows: an idle one, or one that never drives."""
        claims = self._planner.claims.values()
        self._planner.drop([claim for claim in claims if claim.source == source.name])
        del self.sources[source.name]

    def stream(self, source: InputSource, target: str, names: Sequence[str]) -> InputStream | None:
        """Return the stream of this target and these names, compiled when it is new; None if it is
        refused.
        """
        names = names if type(names) is tuple else tuple(names)
        key = (target, names)
        stream = source.streams.get(key)
        if stream is not None:
            source.streams.move_to_end(key)
            stream.names = names  # the next comparison is by identity
            return stream
        if target and target not in self._targets:
            self.refused["unknown target"] += 1
            return None
        if len(names) > MAX_NAMES or len(set(names)) != len(names):
            self.refused["names too many or twice"] += 1
            return None
        if len(source.streams) >= MAX_STREAMS:
            source.streams.popitem(last=False)
        stream = source.streams[key] = InputStream(source.name, target, names)
        if self._planner.compile(source, stream):
            self._on_new()
        return stream
