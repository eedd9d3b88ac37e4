"""How the router proves itself to the roles: when it requests again, what it publishes, when a
health issue is raised. On an adoptiond made by hand; numbers are typed by hand.
"""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.api.credentials import Credential, CredentialRequest
from saint_services.lib.api.endpoint import Endpoint
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import RouterCredential
from saint_services.lib.generated.topics import ROUTER_CREDENTIAL
from saint_services.lib.health import Health
from saint_services.routerd import credential
from tests.waiting import turns


class Adoptiond:
    """Refuses the first `refusals` requests."""

    def __init__(self, refusals: int = 0) -> None:
        self.refusals = refusals
        self.requests: list[tuple[str, str]] = []

    async def request(self, row: Endpoint[Any, Any], body: CredentialRequest) -> Credential:
        self.requests.append((row.path, body.origin))
        if self.refusals:
            self.refusals -= 1
            raise SaintError(Code.DAEMON_UNREACHABLE, "adoptiond does not answer")
        return Credential(server_key="key", term=7, signature="signed")


class Bench:
    """One router; its pauses end at once, and are recorded with the issues of their time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, refusals: int = 0) -> None:
        self.adoptiond = Adoptiond(refusals)
        self.health = Health("routerd")
        self.bus = LocalDomain().bus("routerd")
        self.received: list[RouterCredential] = []
        self.pauses: list[tuple[float, list[str]]] = []
        self.bus.subscribe(ROUTER_CREDENTIAL, lambda sample: self.received.append(sample.message))
        monkeypatch.setattr(credential.asyncio, "sleep", self._pause)  # while the test runs

    async def _pause(self, seconds: float) -> None:
        self.pauses.append((seconds, [each.text for each in self.health.report().issues]))
        await turns(1)

    async def prove(self, count: int = 40) -> None:
        work = asyncio.create_task(
            credential.publish_credential(self.bus, self.adoptiond, self.health)  # type: ignore[arg-type]
        )
        await turns(count)
        if work.done():
            work.result()
        work.cancel()


async def test_credential_is_published_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    await bench.prove()
    assert bench.adoptiond.requests == [("/router/credential", bench.bus.origin)]
    assert len(bench.received) > 5
    assert bench.received[0] == RouterCredential(bench.bus.origin, "key", 7, "signed")
    assert {seconds for seconds, _ in bench.pauses} == {2.0}


async def test_pauses_double_up_to_five_seconds_and_then_an_issue_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(monkeypatch, refusals=9)
    await bench.prove()
    why = "the roles obey no router without a credential: adoptiond does not answer"
    assert bench.pauses[:9] == [
        *((seconds, []) for seconds in (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)),
        *((5.0, [why]) for _ in range(3)),
    ]
    assert len(bench.adoptiond.requests) == 10
    assert bench.received and bench.health.is_healthy


async def test_bus_that_names_no_writers_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    warned: list[str] = []
    monkeypatch.setattr(credential, "_log", SimpleNamespace(warning=warned.append))
    bench = Bench(monkeypatch)
    bench.bus.origin = ""
    await bench.prove()
    assert bench.adoptiond.requests == [] and bench.received == []
    assert warned == ["this bus does not name its writers, so no role can check this router"]
