"""A roll-out with its machines, whose time the test sets."""

from saint_services.lib.api.firmware import (
    MachineFirmware,
    RolloutRequest,
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from saint_services.otad.rollout import logic, requests
from saint_services.otad.rollout.logic import Rollout, RolloutLimits
from saint_services.otad.rollout.requests import RolloutTargets

LIMITS = RolloutLimits(parallel=1, machine_limit_s=100.0, away_after_s=30.0)


def machine(node_id: str, **facts: object) -> MachineFirmware:
    return MachineFirmware.model_validate({"node_id": node_id, "version": "1.0.0", **facts})


class Play:
    """A roll-out and its machines; time passes only when set."""

    def __init__(self, *names: str, server: str = "", limits: RolloutLimits = LIMITS) -> None:
        self.machines = {name: machine(name, is_server=name == server) for name in names}
        self.server = server
        self.limits = limits
        self.rollout = Rollout()
        self.now_s = 0.0
        self.versions = {"1.0.0": "", "1.1.0": ""}  # and the oldest hardware of each
        self.is_closed = False  # nothing may begin without a user

    def begin(self, *, is_automatic: bool = False, **params: object) -> tuple[str, ...]:
        request = RolloutRequest.model_validate(params)
        self.rollout = requests.begin(
            self.rollout, request, self.robot(), is_automatic=is_automatic
        )
        return self.advance()

    def robot(self) -> RolloutTargets:
        return RolloutTargets(self.machines, self.versions, self.server, is_server_last=True)

    def advance(self, seconds: float = 0.0) -> tuple[str, ...]:
        """The machines with a request."""
        self.now_s += seconds
        self.rollout, requests_made = logic.advance(
            self.rollout, self.machines, self.now_s, self.limits, is_closed=self.is_closed
        )
        self.requests_made = requests_made
        return tuple(request.node_id for request in requests_made)

    def reports(self, node_id: str, **facts: object) -> tuple[str, ...]:
        self.machines[node_id] = self.machines[node_id].model_copy(update=facts)
        return self.advance()

    def agrees(self, node_id: str) -> None:
        self.rollout = logic.answered(self.rollout, node_id, True, "", self.now_s)
        self.reports(node_id, state=UpdateState.INSTALLING, target_version="1.1.0", attempt=1)

    def becomes_healthy(self, node_id: str) -> tuple[str, ...]:
        self.agrees(node_id)
        return self.reports(
            node_id, state=UpdateState.IDLE, version="1.1.0", spare_version="1.0.0",
            verdict=UpdateVerdict.HEALTHY,
        )  # fmt: skip

    def steps(self) -> list[RolloutStep]:
        assert self.rollout.plan
        return [step.step for step in self.rollout.plan.steps]

    @property
    def state(self) -> RolloutState:
        assert self.rollout.plan
        return self.rollout.plan.state
