"""Settings of teleopd.yaml."""

from typing import Annotated

from pydantic import AfterValidator, Field

from ..lib.config import Settings
from ..lib.role_config.sound import SoundDevice
from ..lib.strict import StrictModel

_PLACE = r"[A-Za-z0-9.-]{1,128}(:[1-9][0-9]{0,4})?"  # what aiortc reads: no IPv6 addresses


def _with_port(url: str) -> str:
    port = url.partition("?")[0].split(":")[2:]
    if port and int(port[0]) > 65_535:
        raise ValueError(f"port {port[0]} is above 65535")
    return url


StunAddress = Annotated[str, Field(pattern=rf"^stun:{_PLACE}$"), AfterValidator(_with_port)]
TurnAddress = Annotated[
    str,
    Field(pattern=rf"^(turn:{_PLACE}(\?transport=(udp|tcp))?|turns:{_PLACE}(\?transport=tcp)?)$"),
    AfterValidator(_with_port),
]


class TurnSettings(StrictModel):
    """A server that passes on what no direct way carries. Its password is no setting:
    `saintctl teleop turn`.
    """

    url: TurnAddress
    # Empty: each session gets its own, made from the server's shared secret (coturn:
    # use-auth-secret), and what a page gets to see ends after half a day.
    user: str = Field(default="", pattern=r"^[!-~]{0,128}$")


class LiveKitSettings(StrictModel):
    """The room that the robot may join. Its access token is no setting: `saintctl teleop join`."""

    url: str = Field(pattern=r"^wss?://[A-Za-z0-9.:\[\]/_-]{1,200}$")
    # Identity of the only participant that operates; empty: everybody watches. The server's
    # tokens prove identities, so their maker decides who operates the robot.
    operator: str = Field(default="", pattern=r"^[!-~]{0,128}$")


class Config(Settings):
    """Content of teleopd.yaml."""

    # manifests/robots/<robot>.yaml
    robot: str = Field(default="saint", pattern=r"^[a-z0-9_-]{1,64}$")
    # Sessions beside the operator's; each costs the picture's bytes once more, not its encoding.
    viewers: int = Field(default=4, ge=0, le=32)
    # Servers that name our address on the internet: "stun:stun.example.org:3478". Without them
    # sessions keep to the local network.
    stun: list[StunAddress] = Field(default=[], max_length=4)
    turn: TurnSettings | None = None
    livekit: LiveKitSettings | None = None
    bitrate_kbps: int = Field(default=1500, ge=100, le=20_000)  # of the picture
    # ALSA's names of the server's sound devices, such as "plughw:0,0"; empty: no sound that way.
    microphone: SoundDevice = ""
    loudspeaker: SoundDevice = ""
    # The daemon ends after this time without a session, and starts again at the next one.
    idle_s: float = Field(default=30.0, ge=1.0, le=3600.0)
