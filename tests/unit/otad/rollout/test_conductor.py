"""A running roll-out: no machine gets a request whose plan is not on the disk."""

import asyncio

import pytest

from saint_services.lib.api.firmware import MachineFirmware, RolloutRequest, RolloutStep
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import Health
from saint_services.otad.adapters.alerts import Alerts
from saint_services.otad.rollout import requests
from saint_services.otad.rollout.conductor import Conductor
from saint_services.otad.rollout.logic import RolloutLimits, UpdateRequest
from saint_services.otad.state import SavedFirmware


class FakeStore:
    """A disk that is full when set so."""

    def __init__(self) -> None:
        self.kept = SavedFirmware()
        self.problem = None
        self.is_full = False

    def load(self) -> SavedFirmware:
        return self.kept

    def save(self, value: SavedFirmware) -> None:
        if self.is_full:
            raise SaintError(Code.INTERNAL, "otad.json cannot be written: No space left on device")
        self.kept = value


class Rig:
    """One node, and the sender of its requests."""

    def __init__(self) -> None:
        self.store = FakeStore()
        self.health = Health("otad")
        self.requests: list[UpdateRequest] = []
        self.machines = {"n": MachineFirmware(node_id="n", version="1.0.0")}
        self.error: SaintError | None = None
        self.conductor = Conductor(
            self.store, RolloutLimits(), lambda: self.machines, self._request,
            Alerts(LocalDomain().bus("otad")), self.health,
        )  # type: ignore[arg-type]  # fmt: skip
        self.tasks: list[asyncio.Task[None]] = []

    async def _request(self, request: UpdateRequest) -> str:
        self.requests.append(request)
        if self.error:
            raise self.error
        return "begins"

    def spawn(self, work, name: str) -> None:
        self.tasks.append(asyncio.create_task(work, name=name))

    async def begin(self) -> None:
        robot = requests.RolloutTargets(self.machines, {"1.1.0": ""}, "", is_server_last=True)
        await self.conductor.request(lambda r: requests.begin(r, RolloutRequest(), robot))

    async def step(self) -> None:
        """Run one round of the conductor and deliver its requests."""
        for request in await self.conductor._advance():
            self.spawn(self.conductor._deliver(request), "ask")
        await asyncio.gather(*self.tasks)

    def step_of_n(self) -> RolloutStep:
        assert self.conductor.rollout.plan
        return self.conductor.rollout.plan.steps[0].step


async def test_order_that_cannot_be_kept_is_refused():
    rig = Rig()
    rig.store.is_full = True
    with pytest.raises(SaintError, match="No space left"):
        await rig.begin()
    assert rig.conductor.rollout.plan is None


async def test_no_machine_gets_a_request_while_the_plan_cannot_be_saved():
    rig = Rig()
    await rig.begin()
    rig.store.is_full = True
    await rig.step()
    assert rig.requests == []
    assert not rig.health.is_healthy
    rig.store.is_full = False
    await rig.step()
    assert [request.node_id for request in rig.requests] == ["n"]
    assert rig.health.is_healthy


async def test_plan_is_on_the_disk_before_the_machine_gets_its_request():
    rig = Rig()
    await rig.begin()
    [request] = await rig.conductor._advance()
    assert rig.store.kept.plan
    assert rig.store.kept.plan.steps[0].step is RolloutStep.UPDATING
    assert request.version == "1.1.0"


@pytest.mark.parametrize(
    ("code", "step"),
    [(Code.REFUSED, RolloutStep.WAITING), (Code.BUS_TIMEOUT, RolloutStep.UPDATING)],
)
async def test_refusal_and_timeout_are_distinguished(code: Code, step: RolloutStep):
    rig = Rig()
    await rig.begin()
    rig.error = SaintError(code, "no")
    await rig.step()
    assert rig.step_of_n() is step
