"""Real LeRobot (build/lerobot) in a process of its own, for test_lerobot.py: it drives arms as its
commands do. What its motor code imports and never uses, torch among it, are empty modules.

    python -m tests.unit.sim.lerobot_peer LIB

One JSON request a line on stdin, one reply a line on stdout. While LeRobot waits for a person it
sends {"prompt": ...}; an empty line is the person's ENTER.
"""

import builtins
import json
import os
import select
import sys
import types
from pathlib import Path
from typing import Any

RECORDING = "ranges are being recorded"
# Its SDK waits 50 ms for an answer, and takes one that is late for that of the next request: on a
# busy machine the simulated servos, a thread, may need longer.
_PATIENCE_MS = 2000
_TRIES = 3
_replies = sys.stdout


def stub(name: str, **values: object) -> None:
    """Put an empty module in place; whatever is named of it in an annotation is `object`."""
    module = types.ModuleType(name)
    vars(module).update(values, __getattr__=lambda _: object)
    sys.modules[name] = module


def load(lib: str) -> None:
    """Import LeRobot without torch."""
    sys.path.append(lib)
    for name in ("torch", "accelerate", "datasets", "datasets.utils", "datasets.utils.logging"):
        stub(name)
    stub("lerobot.processor", RobotAction=dict, RobotObservation=dict)


def wait_for_enter(text: str = "") -> str:
    """Wait for ENTER."""
    send({"prompt": text})
    return sys.stdin.readline().strip()


def send(reply: dict[str, Any]) -> None:
    print(json.dumps(reply), file=_replies, flush=True)


class Enter:
    """Whether ENTER has been pressed, as LeRobot looks for it while it records ranges; a prompt
    says that it has begun to."""

    def __init__(self) -> None:
        self._is_sent = False

    def __call__(self) -> bool:
        if not self._is_sent:
            self._is_sent = True
            send({"prompt": RECORDING})
        if not select.select([sys.stdin], [], [], 0)[0]:
            return False
        self._is_sent = False
        return not sys.stdin.readline().strip()


class Arms:
    """The arms by their names."""

    def __init__(self, folder: Path) -> None:
        from lerobot.motors import motors_bus  # type: ignore[import-not-found]

        motors_bus.enter_pressed = Enter()
        self._folder = folder
        self._arms: dict[str, Any] = {}

    def connect(self, kind: str, port: str) -> dict[str, Any]:
        """Connect an arm, calibrating it if it is not."""
        if kind == "follower":
            from lerobot.robots import so_follower as made  # type: ignore[import-not-found]

            config = made.SO101FollowerConfig(
                port=port, id=kind, calibration_dir=self._folder, use_degrees=True
            )
            arm = made.SO101Follower(config)
        else:
            from lerobot.teleoperators import so_leader as made  # type: ignore[import-not-found]

            config = made.SO101LeaderConfig(
                port=port, id=kind, calibration_dir=self._folder, use_degrees=True
            )
            arm = made.SO101Leader(config)
        self._arms[kind] = arm
        port = arm.bus.port_handler
        port.setPacketTimeout = lambda _: port.setPacketTimeoutMillis(_PATIENCE_MS)
        arm.connect()
        return {"is_calibrated": arm.is_calibrated, "file": str(arm.calibration_fpath)}

    def registers(self, kind: str) -> dict[str, Any]:
        """Read every register of every motor by LeRobot's names."""
        from lerobot.motors.feetech import tables

        table = tables.STS_SMS_SERIES_CONTROL_TABLE
        bus = self._arms[kind].bus
        read = {
            motor: {
                name: bus.read(name, motor, normalize=False, num_retry=_TRIES) for name in table
            }
            for motor in bus.motors
        }
        return {"table": {name: list(place) for name, place in table.items()}, "values": read}

    def pose(self, kind: str) -> dict[str, Any]:
        """Read the joints in LeRobot's units, and raw."""
        bus = self._arms[kind].bus
        return {
            "values": bus.sync_read("Present_Position", num_retry=_TRIES),
            "raw": bus.sync_read("Present_Position", normalize=False, num_retry=_TRIES),
        }

    def teleoperate(self, turns: int) -> dict[str, Any]:
        """Have the follower follow the leader, as lerobot-teleoperate does."""
        action: dict[str, float] = {}
        for _ in range(turns):
            action = repeated(self._arms["leader"].get_action)
            self._arms["follower"].send_action(action)
        return {"action": action, "observation": repeated(self._arms["follower"].get_observation)}

    def disconnect(self) -> dict[str, Any]:
        """Disconnect all arms."""
        for arm in self._arms.values():
            arm.disconnect()
        self._arms.clear()
        return {}


def repeated(read: Any) -> Any:
    """Call again while the line was too slow for LeRobot."""
    for _ in range(_TRIES):
        try:
            return read()
        except ConnectionError:
            continue
    return read()


def main() -> None:
    """Answer requests until stdin ends."""
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - what LeRobot prints
    load(sys.argv[1])
    builtins.input = wait_for_enter
    arms = Arms(Path(sys.argv[2]))
    send({"ready": True})
    while line := sys.stdin.readline():
        if not line.strip():
            continue
        request = json.loads(line)
        try:
            send({"reply": getattr(arms, request.pop("do"))(**request)})
        except Exception as err:  # noqa: BLE001 - the test shows it
            send({"error": f"{type(err).__name__}: {err}"})


if __name__ == "__main__":
    main()
