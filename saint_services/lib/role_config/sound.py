"""Models the microphone and the loudspeaker of a role's node, as the owner writes them in the
role's configuration, and the topics on which their sound travels. Not here: the devices
(lib/hw/sound).
"""

from typing import Annotated

from pydantic import Field

from ..strict import StrictModel

SOUND_KINDS = ("microphone", "loudspeaker")  # a role has one of each at most, named like this
ALSA_DEVICE = "alsa_device"  # their one setting as parts of a robot
# As ALSA's programs name it: "default", "plughw:1,0", "plughw:CARD=Device".
SoundDevice = Annotated[str, Field(pattern=r"^[A-Za-z0-9_:=,.-]{0,64}$")]


class Sound(StrictModel):
    """ALSA's names of the sound devices; empty: the role has none of that kind."""

    microphone: SoundDevice = ""
    loudspeaker: SoundDevice = ""

    @property
    def is_there(self) -> bool:
        """Return whether the role has any of them."""
        return bool(self.microphone or self.loudspeaker)
