"""In every order of events a role is released by a proven router alone, never by one that is
older than a router which has stopped it, never over a press that the router does not know.
"""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from saint_services.lib.role.gate import CommandGate

DEADLINE_S = 0.150
UNKNOWN = "unknown"
FIRST_ROUTERS = 2


@dataclass
class Router:
    """A router process: its latch, as routerd keeps it, and the presses that it knows."""

    origin: str
    term: int
    is_proven: bool
    generation: int
    is_active: bool = False
    is_frozen: bool = False
    sequence: int = 0
    known: set[int] = field(default_factory=set)
    said: list[tuple[bool, int]] = field(default_factory=list)  # what may be sent again


class Authority(RuleBasedStateMachine):
    """Routers that start, freeze, thaw and die; people who press and clear; replays; forgeries."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = CommandGate(150)
        self.now_s = 0.0
        self.routers: list[Router] = []
        self.presses = 0
        # Presses that reached the role since it was released last -> term of the presser, -1 for a
        # participant that is no router.
        self.standing: dict[int, int] = {}
        for _ in range(FIRST_ROUTERS):
            self._start(None, is_proven=True, generation=1)

    def _start(self, before: Router | None, *, is_proven: bool, generation: int) -> None:
        number = len(self.routers) + 1
        router = Router(f"router {number}", number, is_proven, generation)
        if before is not None:  # with the state that the one before has stored
            router.generation, router.is_active = before.generation, before.is_active
            router.known = set(before.known)
        self.routers.append(router)
        if is_proven:
            self.gate.prove(router.origin, router.term)

    def _deliver(
        self, origin: str, kind: str, sequence: int, active: bool, generation: int
    ) -> None:
        was_latched = self.gate.latched
        if kind == "heartbeat":
            self.gate.heartbeat(origin, sequence, active, generation, self.now_s)
        else:
            self.gate.estop(active, generation, origin)
        if was_latched and not self.gate.latched:
            self._check_release(origin)
            self.standing.clear()

    def _check_release(self, origin: str) -> None:
        router = next((each for each in self.routers if each.origin == origin), None)
        assert router is not None and router.is_proven
        assert self.gate.controller == origin
        for press, term in self.standing.items():
            assert term <= router.term, "an older router released over a newer one's press"
            # A router of this server that has lost its state has to stop and clear once; what
            # another participant has pressed it must have seen.
            assert term >= 0 or press in router.known, "released over a press that it did not see"

    def _say(self, router: Router, kind: str) -> None:
        router.sequence += 1
        router.said.append((router.is_active, router.generation))
        self._deliver(router.origin, kind, router.sequence, router.is_active, router.generation)

    def _press(self, router: Router) -> None:
        """Press: every press raises the generation, also while the latch is active."""
        self.presses += 1
        router.generation += 1
        router.is_active = True
        router.known |= {self.presses, *self.standing}
        self.standing[self.presses] = router.term if router.is_proven else -1

    @rule(pause_s=st.sampled_from([0.0, 0.02, 0.05, 0.149, 0.151, 1.0]))
    def wait(self, pause_s: float) -> None:
        self.now_s += pause_s

    @precondition(lambda self: len(self.routers) < 8)
    @rule(data=st.data(), is_proven=st.booleans(), generation=st.sampled_from([0, 1, 7, 1000]))
    def start(self, data: st.DataObject, is_proven: bool, generation: int) -> None:
        before = data.draw(st.sampled_from([None, *self.routers]))
        self._start(before, is_proven=is_proven, generation=generation)

    @rule(data=st.data(), is_frozen=st.booleans())
    def freeze_or_thaw(self, data: st.DataObject, is_frozen: bool) -> None:
        data.draw(st.sampled_from(self.routers)).is_frozen = is_frozen

    @rule(data=st.data(), kind=st.sampled_from(["heartbeat", "heartbeat", "estop"]))
    def speak(self, data: st.DataObject, kind: str) -> None:
        router = data.draw(st.sampled_from(self.routers))
        if not router.is_frozen:
            self._say(router, kind)

    @rule(data=st.data())
    def press(self, data: st.DataObject) -> None:
        router = data.draw(st.sampled_from(self.routers))
        if not router.is_frozen:
            self._press(router)
            self._say(router, "estop")
            assert self.gate.latched

    @rule(data=st.data())
    def clear(self, data: st.DataObject) -> None:
        router = data.draw(st.sampled_from(self.routers))
        if router.is_active and not router.is_frozen:
            router.generation += 1
            router.is_active = False
            self._say(router, "estop")

    @rule(data=st.data(), generation=st.integers(0, 1 << 40))
    def unknown_presses(self, data: st.DataObject, generation: int) -> None:
        """Some routers receive the press too, and press; others do not."""
        self.presses += 1
        self.standing[self.presses] = -1
        self._deliver(UNKNOWN, "estop", 0, True, generation)
        assert self.gate.latched
        for router in data.draw(st.lists(st.sampled_from(self.routers), max_size=1)):
            if not router.is_frozen:
                self._press(router)
                self._say(router, "estop")

    @rule(kind=st.sampled_from(["heartbeat", "estop"]), sequence=st.integers(0, 1 << 40))
    def unknown_releases(self, kind: str, sequence: int) -> None:
        was_latched = self.gate.latched
        self._deliver(UNKNOWN, kind, sequence, False, sequence)
        assert self.gate.latched == was_latched
        assert self.gate.refusal(UNKNOWN, self.now_s, self.now_s) is not None

    @rule(data=st.data(), kind=st.sampled_from(["heartbeat", "estop"]), as_unknown=st.booleans())
    def replay(self, data: st.DataObject, kind: str, as_unknown: bool) -> None:
        """Send an old message again: late from its own writer, or recorded and sent by another."""
        router = data.draw(st.sampled_from(self.routers))
        if not router.said:
            return
        number = data.draw(st.integers(0, len(router.said) - 1))
        active, generation = router.said[number]
        if as_unknown and active and kind == "estop":
            self.presses += 1
            self.standing[self.presses] = -1
        origin = UNKNOWN if as_unknown else router.origin
        self._deliver(origin, kind, number + 1, active, generation)


Authority.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestAuthority = Authority.TestCase
