"""What a role and its sound process say to each other. Not here: either side."""

from ...role_config.sound import Sound
from ...strict import StrictModel
from ..side_process import SideReport


class SoundOrder(StrictModel):
    """What the process is for. It works until its input ends."""

    hardware: str  # SAINT_HW
    node_name: str
    target: str  # "head", "parts.face"
    settings: Sound


class SoundProcessReport(SideReport):
    """How it goes; numbers count from the start of the process."""

    microphone_problem: str = ""
    loudspeaker_problem: str = ""
    recording: bool = False
    playing: bool = False
    damaged: int = 0  # messages left out: too long, or no whole samples
    foreign: int = 0  # messages left out: another program speaks
    late: int = 0  # messages and pieces left out: too old
