"""Handles the requests on rcd's control socket. A change is saved first and applies from the next
frame on.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

from ..lib import clock
from ..lib.api import rc
from ..lib.api.endpoint import Nothing
from ..lib.api.rc import (
    CalibrateChannel,
    CalibrationInfo,
    CalibrationStep,
    ChannelRef,
    DetectReport,
    DetectRequest,
    FailsafeInfo,
    ProtocolInfo,
    RcChannelConfig,
    RcChannelList,
    RcStatus,
    ResetRequest,
    SetChannel,
    SetEnabled,
    SetFailsafe,
    SetProtocol,
)
from ..lib.errors import Code, SaintError
from ..lib.ipc import Api, Call
from ..lib.state import StateStore
from . import detection, reports
from .calibration import Calibration
from .config import Channel, RcReceiver
from .logic import Receiver
from .state import SavedRcSettings, effective, with_channels, without

WATCH_S = 0.05
_PINS = (("ppm", False), ("pwm", False), ("pwm", True))  # protocol, whether more than one
IDLE_S = 600.0  # a calibration without a step for so long is cancelled


class ReceiverPort(Protocol):
    """Access of the control socket to the receivers (daemon.py)."""

    settings: RcReceiver
    calibration: Calibration | None

    @property
    def receiver(self) -> Receiver: ...

    @property
    def is_enabled(self) -> bool: ...

    def snapshot(self) -> reports.ReceiverSnapshot: ...

    def switch(self, enabled: bool) -> None: ...

    def reconfigure(self, settings: RcReceiver) -> None: ...

    def pause(self, reason: str) -> None: ...

    def resume(self) -> None: ...

    def calibrate(self, calibration: Calibration | None) -> None: ...


class RcControl:
    """Handlers of rcd's requests; changes run one at a time."""

    def __init__(
        self,
        rcd: ReceiverPort,
        store: StateStore[SavedRcSettings],
        saved: SavedRcSettings,
        settings: RcReceiver,
    ) -> None:
        self._rcd = rcd
        self._store = store
        self._saved = saved
        self._settings = settings  # of the file
        self._changing = asyncio.Lock()
        self._idle_timer: asyncio.TimerHandle | None = None

    def api(self) -> Api:
        """Bind the handlers to their rows."""
        api = Api()
        api.bind(rc.GET_STATUS, self.get_status)
        api.bind_stream(rc.WATCH, self.watch)
        api.bind(rc.SET_ENABLED, self.set_enabled)
        api.bind(rc.LIST_CHANNELS, self.list_channels)
        api.bind(rc.GET_CHANNEL, self.get_channel)
        api.bind(rc.SET_CHANNEL_CONFIG, self.set_channel_config)
        api.bind(rc.CALIBRATE_CHANNEL, self.calibrate_channel)
        api.bind(rc.GET_FAILSAFE, self.get_failsafe)
        api.bind(rc.SET_FAILSAFE, self.set_failsafe)
        api.bind(rc.GET_RECEIVER, self.get_receiver)
        api.bind(rc.SET_PROTOCOL, self.set_protocol)
        api.bind(rc.GET_CALIBRATION, self.get_calibration)
        api.bind(rc.CALIBRATION, self.calibration)
        api.bind(rc.RESET, self.reset)
        api.bind(rc.DETECT_PROTOCOL, self.detect_protocol)
        return api

    async def get_status(self, _: Call[Nothing]) -> RcStatus:
        return self._status()

    async def watch(self, _: Call[Nothing]) -> AsyncIterator[RcStatus]:
        """Stream the status for live displays until the client disconnects."""
        while True:
            yield self._status()
            await asyncio.sleep(WATCH_S)

    async def set_enabled(self, call: Call[SetEnabled]) -> RcStatus:
        async with self._changing:
            await self._save(self._saved.model_copy(update={"enabled": call.body.enabled}))
            if call.body.enabled != self._rcd.is_enabled:
                self._rcd.switch(call.body.enabled)
        return self._status()

    async def list_channels(self, _: Call[Nothing]) -> RcChannelList:
        return RcChannelList(channels=[_config(each) for each in self._channels()])

    async def get_channel(self, call: Call[ChannelRef]) -> RcChannelConfig:
        return _config(self._channel(call.body.channel))

    async def set_channel_config(self, call: Call[SetChannel]) -> RcChannelConfig:
        changes = call.body.model_dump(exclude_none=True, exclude={"channel"})
        return await self._set_channel(self._channel(call.body.channel), changes)

    async def calibrate_channel(self, call: Call[CalibrateChannel]) -> RcChannelConfig:
        channel, receiver = self._channel(call.body.channel), self._rcd.receiver
        us = receiver.us.get(channel.number)
        if receiver.failsafe or us is None:
            raise SaintError(
                Code.REFUSED,
                f"CH {channel.number} is not received: {receiver.reason}",
                fix="Switch the transmitter on and try again.",
            )
        return await self._set_channel(channel, {call.body.position: round(us)})

    async def get_failsafe(self, _: Call[Nothing]) -> FailsafeInfo:
        return self._failsafe()

    def _failsafe(self) -> FailsafeInfo:
        rules = self._rcd.settings.failsafe
        return FailsafeInfo(
            action=rules.action,
            timeout_ms=rules.timeout_ms,
            lost_frames=rules.lost_frames,
            recovery_ms=rules.recovery_ms,
        )

    async def set_failsafe(self, call: Call[SetFailsafe]) -> FailsafeInfo:
        async with self._changing:
            changes = call.body.model_dump(exclude_none=True)
            rules = self._rcd.settings.failsafe.model_copy(update=changes)
            await self._apply(self._saved.model_copy(update={"failsafe": rules}))
        return self._failsafe()

    async def get_receiver(self, _: Call[Nothing]) -> ProtocolInfo:
        return self._receiver()

    def _receiver(self) -> ProtocolInfo:
        settings = self._rcd.settings
        has_speed = not settings.pins
        return ProtocolInfo(
            protocol=settings.protocol,
            device=settings.place,
            baud_rate=settings.baud_rate if has_speed else None,
            pins=settings.pins,
        )

    async def set_protocol(self, call: Call[SetProtocol]) -> ProtocolInfo:
        async with self._changing:
            await self._set_protocol(call.body)
        return self._receiver()

    async def reset(self, call: Call[ResetRequest]) -> RcStatus:
        """Discard settings made by hand: rcd.yaml applies again."""
        await self.restore(without(self._saved, call.body.parts))
        return self._status()

    @property
    def saved(self) -> SavedRcSettings:
        """Settings made by hand."""
        return self._saved

    async def restore(self, state: SavedRcSettings) -> None:
        """Replace all settings made by hand."""
        async with self._changing:
            await self._apply(state)
            if self._rcd.settings.enabled != self._rcd.is_enabled:
                self._rcd.switch(self._rcd.settings.enabled)

    # Calibration of all channels

    async def get_calibration(self, _: Call[Nothing]) -> CalibrationInfo:
        return self._calibration()

    def _calibration(self) -> CalibrationInfo:
        running = self._rcd.calibration
        if running is None:
            return CalibrationInfo(step="idle", text="No calibration is running.")
        return running.info()

    async def calibration(self, call: Call[CalibrationStep]) -> CalibrationInfo:
        async with self._changing:
            self._keep_alive()
            try:
                await self._step(call.body.step)
            finally:
                if self._rcd.calibration is None:
                    self._stop_idle_timer()
            return self._calibration()

    async def _step(self, step: str) -> None:
        running = self._rcd.calibration
        if step == "start":
            if self._rcd.receiver.failsafe:
                raise SaintError(
                    Code.REFUSED,
                    f"no signal to calibrate: {self._rcd.receiver.reason}",
                    fix="Switch receiver and transmitter on first.",
                )
            self._rcd.calibrate(Calibration(self._rcd.settings.channels))
            return
        if running is None:
            raise SaintError(Code.REFUSED, "no calibration is running", fix="Start one first.")
        if step == "next":
            running.next()
        elif step == "skip":
            running.skip()
        elif step == "cancel":
            self._rcd.calibrate(None)
        else:
            if running.step != "done":
                raise SaintError(Code.REFUSED, "the calibration is not complete yet")
            await self._apply(with_channels(self._saved, running.proposal()))
            self._rcd.calibrate(None)

    def _keep_alive(self) -> None:
        """Restart the idle time-out: the sticks drive nothing while a calibration runs."""
        self._stop_idle_timer()
        loop = asyncio.get_running_loop()
        self._idle_timer = loop.call_later(IDLE_S, self._rcd.calibrate, None)

    def _stop_idle_timer(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None

    # Detection

    async def detect_protocol(self, call: Call[DetectRequest]) -> DetectReport:
        async with self._changing:
            if self._rcd.calibration is not None:
                raise SaintError(
                    Code.REFUSED, "a calibration is running", fix="Save or cancel it first."
                )
            device = self._rcd.settings.uart.device
            self._rcd.pause("the protocol is being detected")
            try:
                report = detection.report(await detection.run_trials(device, call.body.seconds))
            finally:
                self._rcd.resume()
            if call.body.apply and report.protocol:
                await self._set_protocol(
                    SetProtocol(protocol=report.protocol, baud_rate=report.baud_rate)
                )
        return report

    # Changes

    async def _set_protocol(self, wanted: SetProtocol) -> None:
        if wanted.pins is not None and (wanted.protocol, len(wanted.pins) > 1) not in _PINS:
            raise SaintError(
                Code.REQUEST_INVALID,
                f"{wanted.protocol} cannot have these {len(wanted.pins)} pins",
                fix="PPM has one pin, PWM one for each channel, other protocols have none.",
            )
        changes: dict[str, object] = {
            "protocol": wanted.protocol,
            "baud_rate": wanted.baud_rate,
            "pins": wanted.pins,
        }
        await self._apply(self._saved.model_copy(update=changes))

    async def _set_channel(self, channel: Channel, changes: dict[str, object]) -> RcChannelConfig:
        """Apply changes of a channel. Raises request_invalid unless min, center and max rise."""
        low, middle, high = (
            changes.get(key, getattr(channel, key)) for key in ("min", "center", "max")
        )
        if not low < middle < high:  # type: ignore[operator]  # both are checked numbers
            raise SaintError(
                Code.REQUEST_INVALID,
                f"CH {channel.number}: min, center and max must rise, "
                f"but would be {low}, {middle} and {high} us",
                fix="Set all three together, or check the position of the stick.",
            )
        async with self._changing:
            changed = channel.model_copy(update=changes)
            await self._apply(with_channels(self._saved, [changed]))
        return _config(changed)

    async def _apply(self, state: SavedRcSettings) -> None:
        settings = effective(self._settings, state)
        await self._save(state)
        self._rcd.reconfigure(settings)

    async def _save(self, state: SavedRcSettings) -> None:
        await asyncio.to_thread(self._store.save, state)
        self._saved = state

    def _status(self) -> RcStatus:
        return reports.status(self._rcd.snapshot(), clock.monotonic_s())

    def _channels(self) -> list[Channel]:
        return self._rcd.receiver.normalizer.channels

    def _channel(self, number: int) -> Channel:
        return self._channels()[number - 1]


def _config(channel: Channel) -> RcChannelConfig:
    return RcChannelConfig(channel=channel.number, **channel.model_dump(exclude={"number"}))
