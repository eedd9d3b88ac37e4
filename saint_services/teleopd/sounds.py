"""Where the robot has microphones and loudspeakers: at the server, at the nodes of roles; which of
them a session listens at and speaks through. Not here: the right to speak (seats.py).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..lib.bus import Bus, Sample, Subscription
from ..lib.clock import monotonic_s
from ..lib.errors import SaintError
from ..lib.generated.saint_msgs import SoundState
from ..lib.generated.topics import ROLE_SOUND_STATE
from ..lib.hw.sound.feed import MicrophoneFeed
from ..lib.hw.sound.opening import open_loudspeaker, open_microphone
from ..lib.hw.sound.port import BUS_RATE_HZ
from ..lib.hw.sound.speech import Speech
from ..lib.role_config.model import RoleConfig
from ..lib.role_config.part_topics import of_target
from ..lib.role_config.sound import Sound
from ..lib.teleop.fields import SoundReport

if TYPE_CHECKING:
    from .microphone import SharedMicrophone

SERVER = "server"
_REST_S = 0.6  # after speech at a node: the network twice, and what waits at the node
_LONGEST_TEXT = 160  # of what any program on the bus may publish
_ANSWER_S = 5.0  # a node starts its sound when it is used


class PlaceReport:
    """What a node reports about its sound. Reading it also has the node's loudspeaker listen."""

    def __init__(self, bus: Bus, target: str) -> None:
        self._bus = bus
        self._target = target
        self._users: set[str] = set()
        self._subscription: Subscription | None = None
        self._newest: SoundState | None = None
        self._received_s = 0.0

    def use(self, session: str, *, is_used: bool) -> None:
        """Read it while any session uses the place."""
        (self._users.add if is_used else self._users.discard)(session)
        if self._users and self._subscription is None:
            self._newest, self._received_s = None, monotonic_s()
            topic = of_target(ROLE_SOUND_STATE, self._target)
            self._subscription = self._bus.subscribe(topic, self._store)
        elif not self._users and self._subscription is not None:
            self._subscription.close()
            self._subscription = None

    def problem(self, kind: str, now_s: float) -> str:
        """Return why the microphone or loudspeaker does not work; empty: it does, or it is not
        known yet.
        """
        if now_s - self._received_s > _ANSWER_S:
            return f"the node of {self._target} does not answer about its {kind}"
        if self._newest is None:
            return ""
        found: str = getattr(self._newest, f"{kind}_problem")
        shown = "".join(sign for sign in found[:_LONGEST_TEXT] if sign.isprintable())
        return shown and f"{self._target}: {shown}"

    def _store(self, sample: Sample[SoundState]) -> None:
        self._newest, self._received_s = sample.message, sample.received_s


@dataclass(slots=True, eq=False)
class SoundPlace:
    """A place with a microphone or a loudspeaker, or both."""

    name: str
    devices: Sound
    microphone: "SharedMicrophone | None" = None
    speech: Speech | None = None
    node: PlaceReport | None = None
    hush: Callable[[], None] | None = None  # ends what the node has still to play
    fault: str = ""  # why its loudspeaker cannot be used at all

    def problem(self, kind: str, now_s: float) -> str:
        """Return why one of them does not work."""
        if kind == "loudspeaker" and self.fault:
            return self.fault
        own = self.microphone if kind == "microphone" else self.speech
        return (own.problem if own else "") or (self.node.problem(kind, now_s) if self.node else "")


class Sounds:
    """All places, and who uses which."""

    def __init__(
        self, server: Sound, roles: Mapping[str, RoleConfig], bus: Bus, hardware: str,
        counters: Counter[str],
    ) -> None:  # fmt: skip
        self._bus = bus
        self._hardware = hardware
        self._counters = counters
        named = {target: role.sound for target, role in roles.items()} | {SERVER: server}
        self.places = {
            name: SoundPlace(name, found) for name, found in named.items() if found.is_there
        }
        self._chosen: dict[str, tuple[SoundPlace | None, SoundPlace | None]] = {}
        self._is_loaded = False

    def load(self) -> None:
        """Prepare the devices. Imports PyAV: with the first session."""
        if self._is_loaded:
            return
        self._is_loaded = True
        for place in self.places.values():
            self._load_server(place) if place.name == SERVER else self._load_node(place)

    def choose(self, session: str, name: str, camera: str) -> "SharedMicrophone | None":
        """Give a session the place that it names, else that of its camera, else the first one;
        return the microphone.
        """
        listens = self._place("microphone", name, camera)
        speaks = self._place("loudspeaker", name, camera)
        self._use(session, listens, speaks)
        return listens.microphone if listens else None

    def default(self, camera: str) -> "SharedMicrophone | None":
        """Return the microphone of who names none."""
        found = self._place("microphone", "", camera)
        return found.microphone if found else None

    def forget(self, session: str) -> None:
        """Release the places of a session that has ended."""
        self._use(session, None, None)
        del self._chosen[session]

    def play(self, session: str, sound: Callable[[], bytes]) -> None:
        """Play what a session says; whether it may is decided."""
        _, speaks = self._chosen.get(session, (None, None))
        if speaks and speaks.speech:
            speaks.speech.play(sound())

    def end(self) -> None:
        """Drop what was not played yet: the operator has changed."""
        for place in self.places.values():
            if place.speech:
                place.speech.end()
            if place.hush:
                place.hush()

    def is_speaking(self) -> bool:
        """Return whether any loudspeaker sounds now."""
        now_s = monotonic_s()
        return any(each.speech.is_speaking(now_s) for each in self.places.values() if each.speech)

    def report(self, session: str, now_s: float) -> SoundReport:
        """Return what a session listens at and speaks through."""
        listens, speaks = self._chosen.get(session, (None, None))
        problems = [
            each.problem(kind, now_s)
            for kind, each in (("microphone", listens), ("loudspeaker", speaks))
            if each
        ]
        microphone = listens.microphone if listens else None
        speech = speaks.speech if speaks else None
        is_broken = bool(speaks and speaks.problem("loudspeaker", now_s))
        return SoundReport(
            place=listens.name if listens else "",
            loudspeaker_place=speaks.name if speaks else "",
            places=list(self.places),
            microphone=microphone.state(now_s) if microphone else "off",
            microphone_db=microphone.level_db(now_s) if microphone else None,
            loudspeaker=("none" if is_broken else speech.state(now_s)) if speech else "off",
            loudspeaker_db=speech.level_db(now_s) if speech else None,
            problem=next(filter(None, problems), ""),
        )

    def _place(self, kind: str, name: str, camera: str) -> SoundPlace | None:
        able = {each.name: each for each in self.places.values() if getattr(each.devices, kind)}
        return able.get(name) or able.get(camera) or next(iter(able.values()), None)

    def _use(self, session: str, listens: SoundPlace | None, speaks: SoundPlace | None) -> None:
        before = self._chosen.get(session, (None, None))
        self._chosen[session] = listens, speaks
        for place in (listens, speaks):
            if place and place.node:
                place.node.use(session, is_used=True)
        for place in before:
            if place and place.node and place not in (listens, speaks):
                place.node.use(session, is_used=False)

    def _load_server(self, place: SoundPlace) -> None:
        from .microphone import SharedMicrophone

        if name := place.devices.microphone:
            start = partial(_feed, self._hardware, name)
            place.microphone = SharedMicrophone(start, self.is_speaking)
        if name := place.devices.loudspeaker:
            place.speech = Speech(open_loudspeaker(self._hardware, name), self._counters)

    def _load_node(self, place: SoundPlace) -> None:
        from .microphone import SharedMicrophone
        from .node_sound import BusFeed, BusLoudspeaker

        target, bus = place.name, self._bus
        place.node = PlaceReport(bus, target)
        if place.devices.microphone:
            start = partial(BusFeed, bus, target, self._counters)
            place.microphone = SharedMicrophone(start, self.is_speaking, BUS_RATE_HZ)
        if place.devices.loudspeaker:
            try:
                device = BusLoudspeaker(bus, target, self._counters)
            except SaintError as err:  # a ROS 2 installation without the messages
                place.fault = err.message
                return
            place.hush = device.close
            place.speech = Speech(device, self._counters, rest_s=_REST_S)


def _feed(
    hardware: str, name: str, deliver: Callable[[bytes], None], problem: Callable[[str], None]
) -> MicrophoneFeed:
    return MicrophoneFeed(open_microphone(hardware, name), deliver, problem)
