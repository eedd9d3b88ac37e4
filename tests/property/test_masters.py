"""Masters fight for an arm: two leaders, a page and a sequence connect, fall silent, report losses,
close clutches and take over at random. One of them at most holds the arm, nobody else drives it,
no change of control makes a joint jump, and no joint is faster than its limit.
"""

import contextlib
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib.errors import SaintError
from saint_services.routerd.fields.masters import sequence_source
from tests.examples import examples
from tests.unit.routerd.rig import DIRECT, Rig, robot, route

ARM = "arms.left"
PLAYER, PAGE = sequence_source(ARM), "websocket:page"
LEADERS = ("leader:one", "leader:two")
MASTERS = (*LEADERS, PAGE, PLAYER)
JOINTS = ("joint_0", "joint_3", "joint_5")
ROUTES = (route("leader", "leader", "*"), DIRECT, route("autonomous", "autonomous", "*"))
STEP_S = 0.010
STILL_TURNS = 6
JUMP_DEG = 1.0  # at a change of control, and from standstill
ROUNDING = 1e-6

angle = st.floats(-85.0, 85.0)
master = st.sampled_from(MASTERS)
leader = st.sampled_from(LEADERS)
action = st.one_of(
    st.tuples(st.just("pose"), master, angle),
    st.tuples(st.just("connect"), master, angle),
    st.tuples(st.just("silence"), master, angle),
    st.tuples(st.just("loss"), leader, angle),
    st.tuples(st.just("clutch"), leader, angle),
    st.tuples(st.just("take"), master, angle),
    st.tuples(st.just("takeover"), master, angle),
    st.tuples(st.just("release"), master, angle),
    st.tuples(st.just("stop"), master, angle),
)


class Fight:
    """An arm and its masters, one turn of 10 ms after the other."""

    def __init__(self) -> None:
        self.rig = Rig(*ROUTES)
        self.rig.router.masters.places_of = lambda _: dict.fromkeys(JOINTS, 0.0)
        self.poses = dict.fromkeys(MASTERS, 0.0)
        self.clutches = dict.fromkeys(LEADERS, 0.0)
        self.connected: set[str] = set()
        self.still: dict[str, int] = dict.fromkeys(JOINTS, 0)  # turns without motion

    def act(self, what: str, who: str, value: float) -> None:
        router, now = self.rig.router, self.rig.now
        if what == "pose":
            self.poses[who] = value
        elif what == "connect":
            self.connected.add(who)
        elif what == "silence":
            self.connected.discard(who)
        elif what == "loss":
            self.watch(lambda: self.rig.send(who, failsafe=True))
        elif what == "clutch":
            self.clutches[who] = 1.0 - self.clutches[who]
        elif what == "release":
            self.request(lambda: router.release_control(ARM, who, now))
        elif what == "stop":
            router.raise_estop("a person", "", now)
            self.request(lambda: router.clear_estop("a person", router.latch.generation, now))
        else:
            is_forced = what == "takeover"
            self.request(lambda: router.take_control(ARM, who, 0.3, now, takes_over=is_forced))

    def request(self, send: Callable[[], None]) -> None:
        def try_it() -> None:
            with contextlib.suppress(SaintError):  # another one holds it
                send()

        self.watch(try_it)

    def turn(self) -> None:
        """Have everybody who is connected send, then let 10 ms pass."""
        start = self.values()
        for who in MASTERS:
            if who in self.connected:
                pose = dict.fromkeys(JOINTS, self.poses[who])
                if who in LEADERS:
                    self.watch(lambda w=who: self.rig.send(w, clutch=self.clutches[w]))
                self.watch(lambda w=who, p=pose: self.rig.send(w, ARM, **p))
        before = self.values()
        self.rig.wait(STEP_S)
        for name, value in self.values().items():
            self.still[name] = self.still[name] + 1 if value == start[name] else 0
        for name, rate in self.rates().items():
            self.check_step(name, before, rate * STEP_S * 2)  # two timers may be due

    def watch(self, do: Callable[[], object]) -> None:
        """Do something in no time: a change of control must not make a joint jump."""
        before, drivers = self.values(), self.drivers()
        do()
        for name, rate in self.rates().items():
            was, now = drivers[name], self.drivers()[name]
            is_seam = bool(was and now and was != now)
            is_gentle = is_seam or self.still[name] > STILL_TURNS
            self.check_step(name, before, JUMP_DEG if is_gentle else rate * STEP_S)
        self.check_holder()

    def check_step(self, name: str, before: dict[str, float | None], most: float) -> None:
        old, new = before[name], self.values()[name]
        if old is not None and new is not None and self.rig.is_driven(f"{ARM}.{name}"):
            assert abs(new - old) <= most + ROUNDING, (name, old, new)

    def check_holder(self) -> None:
        held = self.rig.router.locks.held
        assert set(held) <= {ARM}
        holder = held[ARM].holder if held else ""
        for driver in self.drivers().values():
            assert driver in ("", holder) or not holder
            assert not driver.startswith("leader:") or driver == holder

    def values(self) -> dict[str, float | None]:
        return {name: self.rig.value(f"{ARM}.{name}") for name in JOINTS}

    def drivers(self) -> dict[str, str]:
        found = {name: self.rig.router.by_name[ARM, name].winner for name in JOINTS}
        return {name: claim.source if claim else "" for name, claim in found.items()}

    def rates(self) -> dict[str, float]:
        return {name: robot().fields[ARM][name].max_rate for name in JOINTS}


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.tuples(action, st.integers(0, 30)), max_size=30))
def test_one_master_at_a_time_without_a_jump(
    course: list[tuple[tuple[str, str, float], int]],
) -> None:
    fight = Fight()
    fight.connected = set(MASTERS)
    for what, turns in course:
        fight.act(*what)
        for _ in range(turns):
            fight.turn()


def test_swap_through_all_masters_while_moving() -> None:
    """The course of an operator: leader, page, sequence, the other leader, and back."""
    fight = Fight()
    fight.connected = set(MASTERS)
    seen: list[str] = []
    for number, who in enumerate((*MASTERS, *MASTERS)):
        fight.act("takeover", who, 0.0)
        fight.act("pose", who, 80.0 if number % 2 else -80.0)
        for _ in range(40):
            fight.turn()
        seen += dict.fromkeys(fight.drivers().values())
    assert seen == [*MASTERS, *MASTERS]
