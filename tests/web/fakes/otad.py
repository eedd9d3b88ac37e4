"""An otad without machines: tests set its report and read the requests it received."""

import asyncio
import socket
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from saint_services.lib.api import Done, firmware, update_policy
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.firmware import (
    FirmwareParams,
    FirmwareReport,
    MachineFirmware,
    MachineRollout,
    Release,
    RolloutControl,
    RolloutPlan,
    RolloutRequest,
    RolloutState,
    RolloutStep,
    UpdateState,
    UpdateVerdict,
)
from saint_services.lib.api.update_policy import (
    CheckSource,
    OfferPolicy,
    RolloutPolicy,
    SetUpdatePolicy,
    SourceStatus,
    UpdatePolicy,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, Call
from saint_services.lib.ipc.wire import ErrorReply
from tests.web.fakes.watching import compared

LOG = """21:14:03 saint-role-tracksd[811]: ImportError: cannot import name 'Encoder'
21:14:03 systemd[1]: saint-role-tracksd.service: Main process exited, code=exited, status=1
21:14:04 systemd[1]: saint-role-tracksd.service: Scheduled restart job, restart counter is at 7."""


def machine(node_id: str, **more: object) -> MachineFirmware:
    """One that runs 0.1.0 in slot A and is well."""
    known: dict[str, object] = {"node_id": node_id, "version": "0.1.0", "slot": "A"}
    return MachineFirmware.model_validate(known | more)


def release(version: str, **more: object) -> Release:
    """One in the repository."""
    known: dict[str, object] = {
        "version": version, "release_date": "2026-11-21", "compatible": "saint-os-rpi-arm64",
        "checksum_sha256": "ab" * 32, "size_bytes": 231_000_000,
    }  # fmt: skip
    return Release.model_validate(known | more)


def first_machines() -> list[MachineFirmware]:
    """As the nodes of the fake robot, and its server."""
    names = ("sim_head", "sim_arm_left", "sim_arm_right", "sim_tracks", "sim_spare")
    away = machine("sim_console", is_online=False)
    server = machine("saint-server", is_server=True)
    return [*(machine(name) for name in names), away, server]


def first_policy() -> UpdatePolicy:
    """As a new robot has it."""
    return UpdatePolicy(
        offers=OfferPolicy.AUTOMATIC, roll_out=RolloutPolicy.BY_USER, check_every_h=24
    )


@dataclass
class FakeOtad:
    """Tests read and set its fields."""

    machines: list[MachineFirmware] = field(default_factory=first_machines)
    releases: list[Release] = field(default_factory=lambda: [release("0.1.0", is_current=True)])
    plan: RolloutPlan | None = None
    updated_s: float = 0.0
    updates_off: str = ""
    refusal: SaintError | None = None
    requests: list[str] = field(default_factory=list)
    source: SourceStatus = field(default_factory=SourceStatus)
    policy: UpdatePolicy = field(default_factory=first_policy)
    uploaded: bytes = b""
    _runner: web.AppRunner | None = None

    def api(self) -> Api:
        """otad.sock"""
        api = Api()
        api.bind(firmware.STATUS, self._status)
        api.bind_stream(firmware.WATCH, lambda call: compared(self.report, call.body))
        api.bind(firmware.ROLLOUT, self._rollout)
        api.bind(firmware.CONTROL, self._control)
        api.bind(firmware.DELETE, self._delete)
        api.bind(update_policy.CHECK_SOURCE, self._check_source)
        api.bind(update_policy.GET_POLICY, self._get_policy)
        api.bind(update_policy.SET_POLICY, self._set_policy)
        return api

    async def open_files(self, path: Path) -> None:
        """otad-files.sock"""
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/releases", self._upload)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await asyncio.to_thread(path.unlink, missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(path))
        await web.SockSite(self._runner, listening).start()

    async def close(self) -> None:
        """Stop taking bundles."""
        if self._runner:
            await self._runner.cleanup()

    def change(self, node_id: str, **facts: object) -> None:
        """Something happens to one machine."""
        self.machines = [
            each.model_copy(update=facts) if each.node_id == node_id else each
            for each in self.machines
        ]

    def halt(self) -> None:
        """A roll-out of 0.2.0 whose canary did not come back healthy."""
        reason = "saint-role-tracksd starts again and again (7 times): exit-code 1"
        self.releases.insert(0, release("0.2.0", changelog="Smoother tracks\nQuieter fans"))
        self.change(
            "sim_tracks", verdict=UpdateVerdict.ROLLED_BACK, target_version="0.2.0", attempt=1,
            reason=reason, log_excerpt=LOG, spare_version="0.2.0",
        )  # fmt: skip
        steps = [MachineRollout(node_id="sim_tracks", step=RolloutStep.FAILED, reason=reason)]
        steps += [
            MachineRollout(node_id=each.node_id, step=RolloutStep.WAITING)
            for each in self.machines
            if each.node_id != "sim_tracks"
        ]
        self.plan = RolloutPlan(
            version="0.2.0", state=RolloutState.HALTED, reason=f"sim_tracks: {reason}", steps=steps
        )

    def work(self) -> None:
        """A roll-out of 0.2.0 in its middle."""
        self.releases.insert(0, release("0.2.0", changelog="Smoother tracks", is_current=True))
        self.releases[1] = self.releases[1].model_copy(update={"is_current": False})
        healthy = {"version": "0.2.0", "slot": "B", "verdict": UpdateVerdict.HEALTHY,
                   "target_version": "0.2.0", "spare_version": "0.1.0"}  # fmt: skip
        self.change("sim_head", **healthy)
        busy = {"state": UpdateState.INSTALLING, "progress": 46, "target_version": "0.2.0"}
        self.change("sim_arm_left", **busy)
        self.change("sim_tracks", blocked_by="its outputs are live")
        steps = {"sim_head": RolloutStep.HEALTHY, "sim_arm_left": RolloutStep.UPDATING,
                 "sim_console": RolloutStep.SKIPPED}  # fmt: skip
        self.plan = RolloutPlan(
            version="0.2.0",
            state=RolloutState.RUNNING,
            steps=[
                MachineRollout(
                    node_id=each.node_id, step=steps.get(each.node_id, RolloutStep.WAITING)
                )
                for each in self.machines
            ],
        )

    def report(self) -> FirmwareReport:
        """Return the report as otad does."""
        versions = sorted({each.version for each in self.machines}, reverse=True)
        return FirmwareReport(
            robot_version=versions[0] if len(versions) == 1 else "",
            versions=versions, releases=self.releases, machines=self.machines, plan=self.plan,
            updated_s=self.updated_s, updates_off=self.updates_off, policy=self.policy,
            source=self.source,
        )  # fmt: skip

    async def _status(self, _: Call[Nothing]) -> FirmwareReport:
        return self.report()

    def _record(self, what: str) -> None:
        self.requests.append(what)
        if self.refusal:
            raise self.refusal

    async def _rollout(self, call: Call[RolloutRequest]) -> RolloutPlan:
        body = call.body
        self._record(f"rollout {body.version} canary={body.canary} force={body.force}")
        wanted = [m.node_id for m in self.machines if not body.nodes or m.node_id in body.nodes]
        steps = [MachineRollout(node_id=node_id, step=RolloutStep.WAITING) for node_id in wanted]
        self.plan = RolloutPlan(version=body.version, state=RolloutState.RUNNING, steps=steps)
        return self.plan

    async def _control(self, call: Call[RolloutControl]) -> RolloutPlan:
        action = call.body.action
        self._record(str(action))
        if self.plan is None:
            raise SaintError(Code.CONFLICT, "no roll-out is there")
        states = {"pause": RolloutState.PAUSED, "cancel": RolloutState.CANCELLED}
        state = states.get(action, RolloutState.RUNNING)
        self.plan = self.plan.model_copy(update={"state": state, "reason": ""})
        return self.plan

    async def _delete(self, call: Call[FirmwareParams]) -> Done:
        self._record(f"delete {call.body.version}")
        self.releases = [r for r in self.releases if r.version != call.body.version]
        return Done()

    async def _check_source(self, call: Call[CheckSource]) -> SourceStatus:
        self._record(f"check force={call.body.force}")
        return self.source

    async def _get_policy(self, _: Call[Nothing]) -> UpdatePolicy:
        return self.policy

    async def _set_policy(self, call: Call[SetUpdatePolicy]) -> UpdatePolicy:
        given = call.body.model_dump(mode="json", exclude_none=True)
        self._record(f"policy {given}")
        if "authority" in given:
            given["has_authority"] = bool(given.pop("authority"))
        self.policy = UpdatePolicy.model_validate(self.policy.model_dump() | given)
        text = "Not checked since the start. First look at once"
        self.source = SourceStatus(address=self.policy.releases_from, text=text)
        return self.policy

    async def _upload(self, request: web.Request) -> web.Response:
        self.uploaded = await request.read()
        if self.refusal:
            reply = ErrorReply.of(self.refusal)
            return web.json_response(text=reply.model_dump_json(), status=422)
        new = release("0.2.0", size_bytes=len(self.uploaded))
        self.releases.insert(0, new)
        return web.json_response(text=new.model_dump_json())
