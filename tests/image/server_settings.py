"""The server's name and Wi-Fi as an admin changes them, until that has ended."""

from typing import Any

from saint_services.lib.api.machine import MachineChange, SettingsInfo
from tests.image.robot import Robot


def settings(robot: Robot) -> SettingsInfo:
    return SettingsInfo.model_validate(robot.request("settings", "get"))


def change(robot: Robot, action: str, timeout_s: float = 180, **params: Any) -> MachineChange:
    """Ask for it; how it ended."""
    before = settings(robot).change
    robot.request("settings", action, **params)

    def ended() -> MachineChange | None:
        now = settings(robot).change
        return now if now.begun_s != before.begun_s and now.state != "trying" else None

    answer: MachineChange = robot.until(f"{action} has ended", ended, timeout_s)
    return answer
