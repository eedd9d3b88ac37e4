"""The topics on which a role's parts are commanded and reported, and its sound travels, for both
ends.
"""

from ..bus import M, Topic
from ..generated.saint_msgs import PartCommand, PartState
from ..generated.topics import PARTS_CMD, PARTS_STATE, ROLE_PARTS_CMD, ROLE_PARTS_STATE
from .model import RoleConfig
from .parts import parts_of


def has_parts(config: RoleConfig) -> bool:
    """Return whether a role publishes parts: it has some, or it is the role parts with sensors."""
    return config.role == "parts" or bool(parts_of(config))


def reports_parts(config: RoleConfig) -> bool:
    """Return whether a role publishes a PartState: for its parts, or as a leader arm."""
    return has_parts(config) or config.role == "leader"


def commands_topic(config: RoleConfig) -> Topic[PartCommand]:
    """Return the topic of its PartCommand."""
    if config.role == "parts":
        return PARTS_CMD.at(instance=config.instance)
    return of_target(ROLE_PARTS_CMD, config.target)


def states_topic(config: RoleConfig) -> Topic[PartState]:
    """Return the topic of its PartState."""
    if config.role == "parts":
        return PARTS_STATE.at(instance=config.instance)
    return of_target(ROLE_PARTS_STATE, config.target)


def of_target(topic: Topic[M], target: str) -> Topic[M]:
    """Return a topic that every role has, such as ROLE_MICROPHONE, of the role "head" or
    "parts.face".
    """
    return topic.at(role=target.replace(".", "/"))
