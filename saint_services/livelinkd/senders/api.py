"""Handles requests about senders: lists, accepts and revokes them, renews the robot's code,
switches the check. Changes apply at once and persist. Not here: judging a frame (acceptance.py).
"""

import asyncio
import secrets
from collections.abc import Callable

from ...lib import clock
from ...lib.api import livelink
from ...lib.api.endpoint import Nothing
from ...lib.api.livelink import Acceptance, SenderCode, SenderInfo, SenderList, SenderRef, SetCheck
from ...lib.backup.sections import Section
from ...lib.errors import Code, SaintError
from ...lib.ipc import Api, Call
from ...lib.machine.root_access import fix_in_settings
from ...lib.state import StateStore
from ..logic import SubjectRegistry
from ..recorder import is_recording
from ..state import SENDERS_VERSION, AcceptedSender, SavedCode, SavedSenders
from .acceptance import (
    CODE_LENGTH,
    CODE_LETTERS,
    MAX_ACCEPTED,
    SenderGate,
    SenderKey,
    WaitingSender,
)

_SHOWN_VALUES = 6  # of a waiting sender: enough to recognise a phone


class SenderControl:
    """Handlers of requests about senders; `end` ends a subject whose sender is not accepted."""

    def __init__(
        self,
        gate: SenderGate,
        registry: SubjectRegistry,
        by_settings: Acceptance,
        store: StateStore[SavedSenders],
        codes: StateStore[SavedCode],
        end: Callable[[str], None],
    ) -> None:
        self._gate = gate
        self._registry = registry
        self._by_settings: Acceptance = by_settings
        self._store = store
        self._codes = codes
        self._end = end
        self._switched: Acceptance | None = None
        self._changing = asyncio.Lock()

    def add_to(self, api: Api) -> None:
        """Bind the handlers to their rows."""
        api.bind(livelink.LIST_SENDERS, self.list_senders)
        api.bind(livelink.ACCEPT_SENDER, self.accept_sender)
        api.bind(livelink.REVOKE_SENDER, self.revoke_sender)
        api.bind(livelink.SET_SENDER_CHECK, self.set_sender_check)
        api.bind(livelink.GET_SENDER_CODE, self.get_sender_code)
        api.bind(livelink.RENEW_SENDER_CODE, self.renew_sender_code)

    async def start(self, saved: SavedSenders, code: SavedCode) -> None:
        """Apply the persisted state; make a code where there is none."""
        self.use(saved)
        self._gate.code = code.code
        if not code.code:
            await self._make_code()

    def use(self, saved: SavedSenders) -> None:
        """Accept these senders, and end the subjects of all others."""
        self._switched = saved.accept
        self._gate.accepted = {
            SenderKey(each.format, each.ip, each.subject_name): each.accepted_s
            for each in saved.senders
        }
        self._gate.accepts_all = (saved.accept or self._by_settings) == "all"
        self._end_unknown()

    def section(self) -> Section[SavedSenders]:
        """Return the section of a backup: the senders, not the code."""

        async def current() -> SavedSenders:
            return self._saved()

        async def check(_: SavedSenders) -> list[str]:
            return []

        return Section("senders", SavedSenders, SENDERS_VERSION, current, check, self._restore)

    async def _restore(self, saved: SavedSenders) -> None:
        async with self._changing:
            await asyncio.to_thread(self._store.save, saved)
            self.use(saved)

    async def list_senders(self, _: Call[Nothing]) -> SenderList:
        return self._listed()

    def _listed(self) -> SenderList:
        gate, now_s = self._gate, clock.monotonic_s()
        waiting = [_waiting(key, each, now_s) for key, each in gate.shown(now_s)]
        return SenderList(
            accept="all" if gate.accepts_all else "known",
            waiting=waiting,
            accepted=[
                *(_known(key, "person", at_s) for key, at_s in gate.accepted.items()),
                *(_known(key, "settings") for key in sorted(gate.settings, key=str)),
                *(_known(key, "code") for key in gate.with_code if key not in gate.accepted),
            ],
        )

    async def accept_sender(self, call: Call[SenderRef]) -> SenderList:
        key = _key(call.body)
        async with self._changing:
            if key not in self._gate.accepted and len(self._gate.accepted) >= MAX_ACCEPTED:
                message = f"the limit of {MAX_ACCEPTED} accepted senders is reached"
                raise SaintError(Code.REFUSED, message, fix="Revoke one that is no longer used.")
            accepted = {**self._gate.accepted, key: clock.wall_s()}
            await self._save(accepted)
            self._gate.accept(key, accepted[key])
        return self._listed()

    async def revoke_sender(self, call: Call[SenderRef]) -> SenderList:
        key = _key(call.body)
        async with self._changing:
            if key not in self._gate.accepted:
                raise self._not_revocable(key)
            self._gate.accepted = {k: s for k, s in self._gate.accepted.items() if k != key}
            self._end_unknown()  # at once, before writing to a disk that may be full
            await self._save(self._gate.accepted)
        return self._listed()

    def _not_revocable(self, key: SenderKey) -> SaintError:
        if self._gate.is_known(key):
            fix = fix_in_settings("Remove it from", "livelinkd")
            return SaintError(Code.REFUSED, "the settings accept this sender", fix=fix)
        if key in self._gate.with_code:
            fix = "Renew the code; senders with the old one are then no longer accepted."
            return SaintError(Code.REFUSED, "the code accepts this sender", fix=fix)
        fix = "List the accepted ones: saintctl livelink senders."
        message = f"{key.subject} of {key.ip} ({key.format}) is not accepted"
        return SaintError(Code.NOT_FOUND, message, fix=fix)

    async def set_sender_check(self, call: Call[SetCheck]) -> SenderList:
        async with self._changing:
            if call.body.accept == "known":
                self._gate.accepts_all = False
                self._end_unknown()
            self._switched = call.body.accept
            await self._save(self._gate.accepted)
            self._gate.accepts_all = call.body.accept == "all"
        return self._listed()

    async def get_sender_code(self, _: Call[Nothing]) -> SenderCode:
        return SenderCode(code=self._gate.code)

    async def renew_sender_code(self, _: Call[Nothing]) -> SenderCode:
        async with self._changing:
            await self._make_code()
        return SenderCode(code=self._gate.code)

    async def _make_code(self) -> None:
        """Make another code; senders that carry the old one are no longer accepted."""
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        self._gate.code = code
        self._gate.with_code.clear()
        self._end_unknown()
        await asyncio.to_thread(self._codes.save, SavedCode(code=code))

    def _end_unknown(self) -> None:
        """End the subjects whose sender is not accepted."""
        if self._gate.accepts_all:
            return
        for name, subject in list(self._registry.subjects.items()):
            holder = subject.holder
            key = SenderKey(holder.format, holder.ip, name)
            is_known = self._gate.is_known(key) or key in self._gate.with_code
            if not (is_known or is_recording(holder.ip)):
                self._end(name)

    def _saved(self) -> SavedSenders:
        return _saved(self._gate.accepted, self._switched)

    async def _save(self, accepted: dict[SenderKey, float]) -> None:
        await asyncio.to_thread(self._store.save, _saved(accepted, self._switched))


def _saved(accepted: dict[SenderKey, float], switched: Acceptance | None) -> SavedSenders:
    senders = [
        AcceptedSender.model_validate(
            {"format": k.format, "ip": k.ip, "subject_name": k.subject, "accepted_s": at_s}
        )
        for k, at_s in accepted.items()
    ]
    return SavedSenders(senders=senders, accept=switched)


def _key(ref: SenderRef) -> SenderKey:
    return SenderKey(ref.format, ref.ip, ref.subject_name)


def _known(key: SenderKey, by: str, at_s: float = 0.0) -> SenderInfo:
    return SenderInfo(
        format=key.format, ip=key.ip, subject_name=key.subject, accepted_by=by, accepted_s=at_s
    )


def _waiting(key: SenderKey, each: WaitingSender, now_s: float) -> SenderInfo:
    frame = each.frame
    first = list(zip(frame.names, frame.values, strict=False))[:_SHOWN_VALUES]
    return SenderInfo(
        format=key.format,
        ip=key.ip,
        subject_name=key.subject,
        device=frame.device,
        subject_type=frame.type,
        frames=each.frames,
        frame_rate=round(each.rate_hz(), 1),
        age_ms=int((now_s - each.last_s) * 1000),
        tracked=frame.is_tracked,
        values=dict(first),
    )
