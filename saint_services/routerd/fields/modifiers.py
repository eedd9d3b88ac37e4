"""What a command says beside its fields: how fast, how strong. Data only. Not here: when one is in
force (claims.py), where it stands in a message (messages.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Modifier:
    """A number of a command that no field is: how fast, how strong. A direct command may hold it
    beside the fields, and it is in force while one of these is in control.
    """

    name: str
    path: str  # in the message
    low: float
    high: float
    neutral: float  # when nobody says otherwise
    is_pace: bool = False  # it is a share of the fields' top rate


# By type of message: they are part of its definition (manifests/saint_msgs), not of a robot.
MODIFIERS: dict[str, tuple[Modifier, ...]] = {
    "saint_msgs/msg/HeadCommand": (Modifier("speed", "speed", 0.0, 1.0, 1.0, is_pace=True),),
    "saint_msgs/msg/ArmCommand": (Modifier("speed", "speed_factor", 0.0, 1.0, 1.0, is_pace=True),),
    "saint_msgs/msg/GripperCommand": (Modifier("force", "force", 0.0, 1000.0, 0.0),),
}
