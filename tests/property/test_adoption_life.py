"""Whatever happens to a node, in whatever order: its state, disk and role agree in the end."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings as limits
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from saint_services.lib import config as settings
from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RoleReport
from saint_services.lib.role_config.model import RoleConfig
from saint_services.noded.lifecycle import model
from saint_services.noded.lifecycle.model import Assignment, RoleLifecycle
from saint_services.noded.lifecycle.role import step
from tests.examples import examples

pytestmark = pytest.mark.timeout(120)  # thousands of steps on a busy machine
ROLES = Path(__file__).parents[2] / "manifests/roles"


def assignment(name: str) -> Assignment:
    text = (ROLES / f"{name}.yaml").read_text()
    return Assignment(settings.parse(RoleConfig, text, name), text)


CONFIGS = [assignment(name) for name in ("head", "arms_left", "tracks")]
NEWER = [replace(a, config=a.config.model_copy(update={"version": "9"})) for a in CONFIGS]


S = NodeState
# The specification's arrows; power comes at BOOT, and what fails returns to its former state.
ARROWS = {
    (S.BOOT, S.UPDATING), (S.BOOT, S.UNADOPTED), (S.BOOT, S.ADOPTING), (S.BOOT, S.ACTIVE),
    (S.UPDATING, S.BOOT), (S.UPDATING, S.UNADOPTED), (S.UPDATING, S.ADOPTING),
    (S.UPDATING, S.ACTIVE), (S.UNADOPTED, S.UPDATING), (S.UNADOPTED, S.ADOPTING),
    (S.UNADOPTED, S.BOOT), (S.ADOPTING, S.UNADOPTED), (S.ADOPTING, S.ACTIVE),
    (S.ADOPTING, S.BOOT), (S.ADOPTING, S.UPDATING), (S.ACTIVE, S.BOOT), (S.ACTIVE, S.UPDATING),
}  # fmt: skip


class NodeLifecycle(RuleBasedStateMachine):
    """Plays disk, server, role process and callers of one node."""

    def __init__(self) -> None:
        super().__init__()
        self.life = RoleLifecycle("pi_1")
        self.disk: Assignment | None = None
        self.disk_jobs: list[model.StoreRole | model.ForgetRole] = []
        self.fetches: list[model.FetchConfig] = []
        self.connection: model.StartRole | None = None
        self.requested: set[int] = set()
        self.is_moving = False  # the pins, as the role process left them
        self.is_disk_faulty = False
        self.happens(model.RoleLoaded())

    def happens(self, event: model.Event) -> None:
        before = self.life.state
        self.life, actions = step(self.life, event)
        if before is not self.life.state:
            assert (before, self.life.state) in ARROWS, event
            assert model.Announce() in actions, "every change of state is announced at once"
        for action in actions:
            self.carry_out(action)

    def carry_out(self, action: model.Action) -> None:
        match action:
            case model.StartRole():
                assert self.connection is None or self.connection.attempt < action.attempt
                assert not self.is_moving, "the outputs are safe before a role starts"
                self.connection = action
            case model.StopRole():
                self.connection = None
                self.is_moving = False  # the role sees the end of its connection
            case model.MakeSafe():
                self.is_moving = False
                self.happens(model.MadeSafe())
            case model.StoreRole() | model.ForgetRole():
                self.disk_jobs.append(action)
            case model.FetchConfig():
                self.fetches.append(action)
            case model.AnswerRequest(request):
                self.requested.remove(request)  # a second answer is a KeyError

    def query(self) -> int:
        number = max(self.requested, default=0) + 1
        self.requested.add(number)
        return number

    @rule(config=st.sampled_from(CONFIGS))
    def adopt(self, config: Assignment) -> None:
        self.happens(model.AdoptRequested(self.query(), "pi_1", config))

    @rule(node_id=st.sampled_from(["pi_1", "", "pi_2"]), factory=st.booleans())
    def reset(self, node_id: str, factory: bool) -> None:
        self.happens(model.ResetRequested(self.query(), node_id, factory))

    @precondition(lambda self: self.fetches)
    @rule(is_answered=st.booleans(), wrong=st.booleans())
    def server_answers(self, is_answered: bool, wrong: bool) -> None:
        fetch = self.fetches.pop(0)
        found = [a for a in CONFIGS if (a.wanted == fetch.wanted) != wrong]
        if is_answered:
            self.happens(model.ConfigArrived(fetch.attempt, found[0]))
        else:
            self.happens(model.ConfigFailed(fetch.attempt, "no answer"))

    @rule(config=st.sampled_from(NEWER), is_newer=st.booleans())
    def server_is_back(self, config: Assignment, is_newer: bool) -> None:
        self.happens(model.ConfigChecked(config if is_newer else None))

    @precondition(lambda self: self.connection)
    @rule(ready=st.booleans(), safe=st.booleans())
    def role_reports(self, ready: bool, safe: bool) -> None:
        assert self.connection
        self.is_moving = ready and not safe
        report = RoleReport(ready=ready, safe=not self.is_moving, estop=False)
        self.happens(model.RoleReported(self.connection.attempt, report))

    @precondition(lambda self: self.connection)
    @rule()
    def role_dies(self) -> None:
        assert self.connection
        died, self.connection = self.connection, None
        self.happens(model.RoleBroken(died.attempt, "died"))
        assert not self.is_moving

    @precondition(lambda self: self.disk_jobs)
    @rule(is_faulty=st.booleans())
    def disk_works(self, is_faulty: bool) -> None:
        job = self.disk_jobs.pop(0)
        reason = "disk full" if is_faulty else ""
        self.is_disk_faulty |= is_faulty
        if isinstance(job, model.StoreRole):
            self.disk = self.disk if is_faulty else job.assignment
            self.happens(model.StoreResult(job.attempt, reason))
        else:
            self.disk = self.disk if is_faulty else None
            self.happens(model.Forgotten(job.attempt, reason))

    @precondition(lambda self: self.life.request is None)
    @rule()
    def update_begins(self) -> None:
        self.happens(model.UpdateBegan())
        assert self.life.state is NodeState.UPDATING
        assert not self.is_moving, "nothing moves while a release is written"

    @rule()
    def update_ends(self) -> None:
        self.happens(model.UpdateEnded())
        assert self.life.state is not NodeState.UPDATING

    @rule()
    def power_is_cut(self) -> None:
        """What was being written is lost, the role process is gone, the pins stay."""
        self.__dict__ |= {"disk_jobs": [], "fetches": [], "connection": None, "requested": set()}
        self.life = RoleLifecycle("pi_1")
        self.happens(model.RoleLoaded(held=self.disk))

    @invariant()
    def state_and_role_agree(self) -> None:
        life = self.life
        if life.state is not NodeState.UPDATING:
            assert (life.state is NodeState.ACTIVE) == (life.held is not None)
        assert life.state is not NodeState.OFFLINE
        if life.state is NodeState.UNADOPTED:
            assert life.wanted is None
            assert life.candidate is None
        if life.state in (NodeState.UNADOPTED, NodeState.ACTIVE):
            assert life.request is None
        if life.state is NodeState.ACTIVE:
            assert self.connection, "a node at work has a role, or is on its way to one"
        if life.state in (NodeState.UNADOPTED, NodeState.BOOT, NodeState.UPDATING):
            assert self.connection is None

    @invariant()
    def who_waits_is_known(self) -> None:
        assert self.requested == ({self.life.request} if self.life.request else set())

    @invariant()
    def disk_agrees_when_it_is_done(self) -> None:
        if not self.disk_jobs and not self.is_disk_faulty and self.life.state is not NodeState.BOOT:
            assert self.disk == self.life.held

    @invariant()
    def no_waiting_without_end(self) -> None:
        life = self.life
        if life.state is NodeState.ADOPTING:
            assert self.fetches or self.connection or self.disk_jobs
        if life.state is NodeState.BOOT:
            assert self.disk_jobs


TestNodeLife = NodeLifecycle.TestCase
TestNodeLife.settings = limits(max_examples=examples(50), stateful_step_count=40, deadline=None)
