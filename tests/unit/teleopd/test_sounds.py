"""Which microphone and loudspeaker a session gets; nodes are used only while a session has them."""

from collections import Counter
from pathlib import Path

import pytest

from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.config import load
from saint_services.lib.generated.topics import ROLE_SOUND_STATE
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.part_topics import of_target
from saint_services.lib.role_config.sound import Sound
from saint_services.teleopd.sounds import Sounds
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
HEAD = load(RoleConfig, ROOT / "manifests/roles/head.yaml", required=True)
BOTH = Sound(microphone="default", loudspeaker="default")
EARS, MOUTH, NONE = Sound(microphone="default"), Sound(loudspeaker="default"), Sound()


class House:
    """A robot with sound at some roles."""

    def __init__(self, server: Sound, **roles: Sound) -> None:
        self.domain = LocalDomain()
        named = {name: HEAD.model_copy(update={"sound": found}) for name, found in roles.items()}
        self.sounds = Sounds(server, named, self.domain.bus("teleopd"), "real", Counter())
        self.sounds.load()
        node = self.domain.bus("node")
        self.states = {
            name: node.publisher(of_target(ROLE_SOUND_STATE, name))
            for name, found in roles.items()
            if found.is_there
        }

    def chosen(self, session: str) -> tuple[str, str]:
        report = self.sounds.report(session, 0.0)
        return report.place, report.loudspeaker_place

    @property
    def used(self) -> set[str]:
        """The nodes whose sound runs for sessions."""
        return {name for name, state in self.states.items() if state.has_readers}


@pytest.mark.parametrize(
    ("server", "roles", "name", "camera", "chosen"),
    [
        (BOTH, {}, "", "head", ("server", "server")),
        (BOTH, {"head": NONE}, "", "head", ("server", "server")),
        (BOTH, {"head": BOTH, "arms": BOTH}, "", "arms", ("arms", "arms")),
        (BOTH, {"head": BOTH, "arms": BOTH}, "", "", ("head", "head")),
        (BOTH, {"head": BOTH}, "server", "head", ("server", "server")),
        (BOTH, {"head": BOTH}, "kitchen", "head", ("head", "head")),
        (MOUTH, {"head": EARS}, "", "head", ("head", "server")),
        (NONE, {"head": EARS, "arms": MOUTH}, "head", "", ("head", "arms")),
        (NONE, {}, "", "", ("", "")),
    ],
)
async def test_session_gets_the_named_place_then_that_of_its_camera(
    server: Sound, roles: dict[str, Sound], name: str, camera: str, chosen: tuple[str, str]
) -> None:
    house = House(server, **roles)
    house.sounds.choose("a", name, camera)
    assert house.chosen("a") == chosen


async def test_node_is_used_while_any_session_has_it() -> None:
    house = House(BOTH, head=BOTH, arms=BOTH)
    assert house.used == set()
    house.sounds.choose("a", "head", "")
    house.sounds.choose("b", "head", "")
    assert house.used == {"head"}
    house.sounds.choose("a", "arms", "")
    assert house.used == {"head", "arms"}
    house.sounds.forget("b")
    assert house.used == {"arms"}
    house.sounds.choose("a", "server", "")
    assert house.used == set()
    house.sounds.forget("a")
    assert house.chosen("a") == ("", "")


async def test_any_loudspeaker_that_sounds_silences_every_microphone() -> None:
    """So that no echo comes from one node to another either."""
    house = House(NONE, head=EARS, arms=MOUTH)
    house.sounds.choose("a", "", "head")
    assert house.chosen("a") == ("head", "arms")
    assert not house.sounds.is_speaking()
    house.sounds.play("a", lambda: bytes(1920))
    assert house.sounds.is_speaking()
    await until(lambda: not house.sounds.is_speaking(), 5.0)
