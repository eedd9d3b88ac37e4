"""Names the way in which a robot's owner does what only root may do. The owner's own user has no
sudo, and the folder of the daemons' settings is root's.
"""

from typing import Final

AS_ROOT: Final = "as root (ssh: {root: true} in saint.yaml)"


def fix_in_settings(change: str, daemon: str) -> str:
    """Return the fix of a fault that a change to a daemon's settings file avoids."""
    return f"{change} /etc/saint/{daemon}.yaml {AS_ROOT}, then restart the services."
