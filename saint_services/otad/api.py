"""Handles the requests of the control plane and the ROS services of the specification. Not here:
HTTP for bundles (adapters/downloads.py, adapters/uploads.py).
"""

from collections.abc import AsyncIterator
from pathlib import Path

from ..lib.api import Done, update_policy
from ..lib.api import firmware as rows
from ..lib.api.endpoint import Nothing, WatchRequest
from ..lib.api.firmware import (
    ControlAction,
    FirmwareParams,
    FirmwareReport,
    ImportRequest,
    Release,
    RolloutControl,
    RolloutPlan,
    RolloutRequest,
)
from ..lib.api.update_policy import (
    CheckSource,
    SetUpdatePolicy,
    SourceStatus,
    UpdatePolicy,
)
from ..lib.backup.sections import Backup
from ..lib.bus import Bus
from ..lib.errors import SaintError
from ..lib.generated import saint_msgs as msgs
from ..lib.generated import topics
from ..lib.ipc import Api, Call, updates
from . import views
from .firmware import FirmwareService
from .releases.versions import is_offered
from .rollout import requests

_LONGEST_CHANGELOG = 4000


def answer_ipc(api: Api, firmware: FirmwareService) -> None:
    """Bind the rows of lib/api/firmware.py."""

    async def firmware_status(_: Call[Nothing]) -> FirmwareReport:
        return firmware.report()

    def firmware_watch(call: Call[WatchRequest]) -> AsyncIterator[FirmwareReport]:
        return updates(firmware.report, firmware.changed, call.body)

    async def firmware_rollout(call: Call[RolloutRequest]) -> RolloutPlan:
        robot = firmware.robot()
        plan = await firmware.conductor.request(lambda r: requests.begin(r, call.body, robot))
        return views.plan(plan)

    async def firmware_control(call: Call[RolloutControl]) -> RolloutPlan:
        robot = firmware.robot()
        changes = {
            ControlAction.PAUSE: requests.pause,
            ControlAction.RESUME: requests.resume,
            ControlAction.CANCEL: requests.cancel,
            ControlAction.ROLLBACK: lambda rollout: requests.roll_back(rollout, robot),
        }
        return views.plan(await firmware.conductor.request(changes[call.body.action]))

    async def firmware_import(call: Call[ImportRequest]) -> Release:
        return await firmware.ingest.add_file(Path(call.body.path))

    async def firmware_delete(call: Call[FirmwareParams]) -> Done:
        version = call.body.version
        await firmware.ingest.remove(version)
        return Done(message=f"Release {version} was removed")

    api.bind(rows.STATUS, firmware_status)
    api.bind_stream(rows.WATCH, firmware_watch)
    api.bind(rows.ROLLOUT, firmware_rollout)
    api.bind(rows.CONTROL, firmware_control)
    api.bind(rows.IMPORT, firmware_import)
    api.bind(rows.DELETE, firmware_delete)
    _answer_policy(api, firmware)


def _answer_policy(api: Api, firmware: FirmwareService) -> None:
    async def get_policy(_: Call[Nothing]) -> UpdatePolicy:
        return firmware.policy.shown()

    async def set_policy(call: Call[SetUpdatePolicy]) -> UpdatePolicy:
        return await firmware.policy.change(call.body)

    async def check_source(call: Call[CheckSource]) -> SourceStatus:
        return await firmware.source.check(force=call.body.force)

    api.bind(update_policy.CHECK_SOURCE, check_source)
    api.bind(update_policy.GET_POLICY, get_policy)
    api.bind(update_policy.SET_POLICY, set_policy)
    Backup(firmware.policy.section()).add_to(api)


async def serve_ros(bus: Bus, firmware: FirmwareService) -> None:
    """Serve /saint/firmware/download, and /saint/firmware/check once it is known whether outputs
    are live: a node that boots together with its server requests again for some seconds."""

    async def check(request: msgs.FirmwareCheck_Request) -> msgs.FirmwareCheck_Response | None:
        return await firmware.signed(request, await offer(request))

    async def offer(request: msgs.FirmwareCheck_Request) -> msgs.FirmwareCheck_Response:
        current = firmware.offered_to(request.node_id)
        if current is None:
            return msgs.FirmwareCheck_Response(update_available=False)
        release = current.release
        return msgs.FirmwareCheck_Response(
            update_available=is_offered(release, request.current_version)
            and not firmware.offers_closed(),
            version=release.version,
            url=await firmware.url(release.version),
            checksum_sha256=release.checksum_sha256,
            size_bytes=release.size_bytes,
            changelog=release.changelog[:_LONGEST_CHANGELOG],
        )

    async def download(request: msgs.FirmwareDownload_Request) -> msgs.FirmwareDownload_Response:
        try:
            stored = firmware.release(request.version)
        except SaintError as err:
            return msgs.FirmwareDownload_Response(success=False, message=err.message)
        return msgs.FirmwareDownload_Response(
            success=True,
            message=f"release {stored.release.version}",
            url=await firmware.url(stored.release.version),
            checksum_sha256=stored.release.checksum_sha256,
            size_bytes=stored.release.size_bytes,
        )

    bus.serve(topics.FIRMWARE_DOWNLOAD, download)
    await firmware.registry_answered.wait()
    bus.serve(topics.FIRMWARE_CHECK, check)
