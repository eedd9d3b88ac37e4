"""Opens the bus of this process with the backend that SAINT_BUS names: `dds` (default), `rclpy`,
`local`. Not here: the backends.
"""

import os

from ..errors import SaintError
from ..generated.errors import Code
from . import Bus

_BACKENDS = ("dds", "rclpy", "local")
_HIGHEST_DOMAIN = 232  # beyond it, DDS's port numbers exceed 65535


async def open_bus(
    node_name: str, *, backend: str | None = None, domain_id: int | None = None
) -> Bus:
    """Open a ROS node of this process. Raises SaintError bus_unavailable with what is missing."""
    backend = backend or os.environ.get("SAINT_BUS") or "dds"
    domain_id = _domain_id() if domain_id is None else domain_id
    if backend == "dds":
        from .dds.bus import open_dds  # only the chosen backend costs memory

        return await open_dds(node_name, domain_id)
    if backend == "rclpy":
        from .ros.bus import open_ros

        return await open_ros(node_name, domain_id)
    if backend == "local":
        from .local import process_domain

        return process_domain(domain_id).bus(node_name)
    text = f"SAINT_BUS is {backend!r}; known are {', '.join(_BACKENDS)}"
    raise SaintError(Code.CONFIG_INVALID, text)


def _domain_id() -> int:
    text = os.environ.get("ROS_DOMAIN_ID") or "0"
    if text.isdecimal() and int(text) <= _HIGHEST_DOMAIN:
        return int(text)
    raise SaintError(Code.CONFIG_INVALID, f"ROS_DOMAIN_ID is {text!r}, not 0 to {_HIGHEST_DOMAIN}")


UNPROVEN_BUS = "SAINT_UNPROVEN_BUS"


def is_unproven_bus_accepted(origin: str) -> bool:
    """Return whether samples without a writer identity are accepted: only on a bus that names no
    writers (the `origin` of our own bus is empty), and only if the environment allows it.
    """
    return not origin and os.environ.get(UNPROVEN_BUS) == "accept"
