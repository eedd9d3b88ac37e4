"""`make run` with a server and two nodes, and with patience: a recording has to go on however busy
this computer is. Takes the same options. Not here: what happens to the robot (robot.py).
"""

from .. import run
from ..launch import robot, settings
from ..launch.services import life_cycle

NODES = tuple(node for node in robot.NODES if node.name in ("head", "tracks"))
# Seven machines are twenty-five processes; what they store does not differ.
_PATIENT = "health_timeout_s: 900\nhealth_settle_s: 1\n"
_PATIENT_NODE = f"{_PATIENT}role_ready_timeout_s: 60\nconfig_timeout_s: 10\n"


def main() -> None:
    """Set what has no option, then run."""
    setattr(robot, "NODES", NODES)  # noqa: B010 - its type says how many there are
    settings._QUICK = _PATIENT
    settings.node = lambda: {"noded.yaml": _PATIENT_NODE}
    life_cycle._watchdog = lambda unit, now_s: None
    run.main()


if __name__ == "__main__":
    main()
