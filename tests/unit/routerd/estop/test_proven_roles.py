"""Which participants are proven, for how long, and how many may wait. On an adoptiond made by hand;
numbers are typed by hand.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from saint_services.lib.api.credentials import ROLE_PROOF, RoleProof
from saint_services.lib.bus import Bus, Sample
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import RoleCredential, StopReport
from saint_services.lib.generated.topics import ROLE_CREDENTIAL
from saint_services.routerd.estop import proven_roles
from saint_services.routerd.estop.proven_roles import ProvenRoles
from tests.waiting import turns

ROLE, NODE, OTHER = "0a" * 12, "0b" * 12, "0c" * 12


class Adoptiond:
    """Knows every signature but an empty one; the checks wait for `may_answer`."""

    def __init__(self) -> None:
        self.requests: list[RoleProof] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def request(self, row: object, body: RoleProof) -> None:
        assert row is ROLE_PROOF
        self.requests.append(body)
        await self.may_answer.wait()
        if not body.signature:
            raise SaintError(Code.REFUSED, "nobody signed for this")


class Bench:
    """`now_s` is the time at which a proof is accepted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, is_unnamed_accepted: bool) -> None:
        self.now_s = 100.0
        self.bus: Bus = LocalDomain().bus("routerd")
        self.adoptiond = Adoptiond()
        self.pauses_s: list[float] = []
        self.proven = ProvenRoles(
            self.bus,
            self.adoptiond,  # type: ignore[arg-type]
            is_unnamed_accepted=is_unnamed_accepted,
        )

        async def pause(seconds: float) -> None:
            self.pauses_s.append(seconds)
            await turns(1)

        monkeypatch.setattr(proven_roles, "monotonic_s", lambda: self.now_s)
        monkeypatch.setattr(proven_roles.asyncio, "sleep", pause)  # while the test runs

    def say(
        self,
        origin: str = ROLE,
        role: str = "tracks",
        *,
        writer: str = NODE,
        node_id: str = "pi_1",
        signature: str = "0" * 128,
    ) -> None:
        said = RoleCredential(node_id, origin, role, signature)
        self.proven._receive(Sample(said, self.now_s, 0.0, writer))

    @contextlib.asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        work = asyncio.create_task(self.proven.work())
        try:
            yield
            assert not work.done(), "it goes on until it is stopped"
        finally:
            work.cancel()

    async def checked(self) -> None:
        """Check all that wait."""
        async with self.working():
            await turns(1000)

    def reports(self, outcome: str = "stopped", origin: str = ROLE, **changes: str) -> bool:
        facts = {"node_id": "pi_1", "target": "tracks", **changes}
        report = StopReport(outcome=outcome, **facts)  # type: ignore[arg-type]
        return self.proven.is_reporter(origin, report, self.now_s)


@pytest.fixture
async def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(monkeypatch, is_unnamed_accepted=False)


async def test_role_speaks_for_itself_alone(bench: Bench) -> None:
    bench.say(role="arms left")
    assert not bench.reports(target="arms.left")
    await bench.checked()
    assert bench.reports(target="arms.left")
    assert bench.reports("stopping", target="arms.left")
    assert not bench.reports(target="arms.right")
    assert not bench.reports("guard", target="arms.left")
    assert not bench.reports(target="arms.left", node_id="pi_2")
    assert not bench.reports(target="arms.left", origin=OTHER)


async def test_node_speaks_for_its_guard_and_never_for_a_role(bench: Bench) -> None:
    bench.say(role="node")
    await bench.checked()
    assert bench.reports("guard") and bench.reports("stopping")
    assert bench.reports("guard", target="head")
    assert not bench.reports("stopped")
    assert not bench.reports("guard", node_id="pi_2")


async def test_console_is_one_with_that_role(bench: Bench) -> None:
    bench.say(role="console")
    bench.say(OTHER, role="tracks")
    assert not bench.proven.is_console(ROLE, 100.0)
    await bench.checked()
    assert bench.proven.is_console(ROLE, 100.0)
    assert not bench.proven.is_console(OTHER, 100.0)


@pytest.mark.parametrize("is_accepted", [False, True])
async def test_bus_that_names_no_writers_is_trusted_only_where_that_is_wanted(
    monkeypatch: pytest.MonkeyPatch, is_accepted: bool
) -> None:
    bench = Bench(monkeypatch, is_unnamed_accepted=is_accepted)
    assert bench.proven.is_console("", 100.0) is is_accepted
    assert bench.reports(origin="") is is_accepted


async def test_unnamed_writers_are_not_trusted_by_default() -> None:
    proven = ProvenRoles(LocalDomain().bus("routerd"), Adoptiond())  # type: ignore[arg-type]
    assert not proven.is_console("", 100.0)


async def test_proof_lasts_15_seconds(bench: Bench) -> None:
    bench.say(role="console")
    await bench.checked()
    assert bench.proven.is_console(ROLE, 114.999)
    assert not bench.proven.is_console(ROLE, 115.0)


async def test_proof_that_is_repeated_lasts_longer(bench: Bench) -> None:
    bench.say(role="console")
    await bench.checked()
    bench.now_s = 110.0
    bench.say(role="console")
    await bench.checked()
    assert bench.proven.is_console(ROLE, 124.0)


@pytest.mark.parametrize(("later_s", "checks"), [(7.999, 1), (8.0, 2)])
async def test_same_credential_is_checked_again_after_8_seconds(
    bench: Bench, later_s: float, checks: int
) -> None:
    bench.say(role="console")
    await bench.checked()
    bench.now_s += later_s
    bench.say(role="console")
    await bench.checked()
    assert len(bench.adoptiond.requests) == checks


@pytest.mark.parametrize(
    "other", [{"role": "head"}, {"node_id": "pi_2"}, {"signature": "1" * 128}, {"origin": OTHER}]
)
async def test_other_credential_is_checked_at_once(bench: Bench, other: dict[str, str]) -> None:
    bench.say(role="console")
    await bench.checked()
    bench.say(**{"role": "console", **other})
    await bench.checked()
    assert len(bench.adoptiond.requests) == 2


@pytest.mark.parametrize(
    ("signature", "origin"), [("", ROLE), ("0" * 129, ROLE), ("0" * 128, "no participant")]
)
async def test_what_adoptiond_does_not_confirm_proves_nothing(
    bench: Bench, signature: str, origin: str
) -> None:
    bench.say(origin, role="console", signature=signature)
    bench.say(OTHER, role="console")
    await bench.checked()
    assert not bench.proven.is_console(origin, 100.0)
    assert bench.proven.is_console(OTHER, 100.0)  # it goes on


async def test_credential_arrives_over_the_bus(bench: Bench) -> None:
    said = RoleCredential("pi_1", ROLE, "console", "0" * 128)
    bench.bus.publisher(ROLE_CREDENTIAL).publish(said)
    await bench.checked()
    assert bench.proven.is_console(ROLE, 100.0)
    assert [(each.node_id, each.role) for each in bench.adoptiond.requests] == [("pi_1", "console")]


async def test_writers_take_turns(bench: Bench) -> None:
    for number in range(3):
        bench.say(f"{number:024x}", writer=NODE)
    bench.say(ROLE, writer=OTHER)
    await bench.checked()
    requests = [each.origin for each in bench.adoptiond.requests]
    assert requests == [f"{0:024x}", ROLE, f"{1:024x}", f"{2:024x}"]
    assert bench.pauses_s == [0.05] * 4


async def test_eight_of_one_writer_wait_and_a_repeated_one_is_the_newest(bench: Bench) -> None:
    for number in range(10):
        bench.say(f"{number:024x}", role="tracks")
    bench.say(f"{7:024x}", role="console")
    await bench.checked()
    requests = [(each.origin, each.role) for each in bench.adoptiond.requests]
    assert requests == [
        *((f"{number:024x}", "tracks") for number in range(7)),
        (f"{7:024x}", "console"),
    ]


async def test_sixty_four_writers_wait_and_known_ones_may_add(bench: Bench) -> None:
    for number in range(65):
        bench.say(ROLE, writer=f"{number:024x}")
    bench.say(OTHER, writer=f"{63:024x}")
    bench.say(OTHER, writer=f"{64:024x}")
    await bench.checked()
    requests = [each.origin for each in bench.adoptiond.requests]
    assert requests == [ROLE] * 64 + [OTHER]


async def test_check_under_way_makes_room_for_the_next(bench: Bench) -> None:
    bench.adoptiond.may_answer.clear()
    bench.say(ROLE)
    async with bench.working():
        await turns()
        bench.say(OTHER)
        bench.adoptiond.may_answer.set()
        await turns()
    assert [each.origin for each in bench.adoptiond.requests] == [ROLE, OTHER]


async def test_sixty_four_are_proven_and_the_oldest_is_forgotten(bench: Bench) -> None:
    origins = [f"{number:024x}" for number in range(65)]
    for origin in (*origins[:64], origins[0]):  # the first is the newest again
        bench.say(origin, role="console")
        await bench.checked()
    assert all(bench.proven.is_console(origin, 100.0) for origin in origins[:64])
    bench.say(origins[64], role="console")
    await bench.checked()
    known = [bench.proven.is_console(origin, 100.0) for origin in origins]
    assert [number for number, is_known in enumerate(known) if not is_known] == [1]
