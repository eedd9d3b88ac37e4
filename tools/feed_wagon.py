"""Holds the transmitter of a simulated wagon as its pilot would: arms it by the switch with the
sticks at rest, drives, and lets the computer drive for a while. A stop puts everything at rest;
afterwards the pilot begins again. Not here: what else is played (feed.py).
"""

import asyncio
import math
from collections.abc import Callable
from pathlib import Path

from .sim.wagon_world import WORLD_FILE, WagonWorld

STEP_S = 0.02
LOW, MIDDLE, HIGH = 1000, 1500, 2000
STEER, SPEED, ARM, MODE, LIMIT = 1, 2, 5, 6, 7  # channels of the transmitter
_ARM_S, _DRIVE_S, _COMPUTER_S, _END_S = 2.0, 3.0, 11.0, 18.0
_SPEED_US, _STEER_US = 200, 150
_REST_S = 3.0


def sticks(at_s: float) -> dict[int, int]:
    """Return the channels at a time of a round, which ends after 18 s with the switch at DISARM."""
    at_s %= _END_S
    us = {STEER: MIDDLE, SPEED: MIDDLE, ARM: LOW, MODE: LOW, LIMIT: HIGH}
    if at_s >= _ARM_S:
        us[ARM] = HIGH
    if _DRIVE_S <= at_s < _COMPUTER_S:
        turn = 2 * math.pi * (at_s - _DRIVE_S) / (_COMPUTER_S - _DRIVE_S)
        us[SPEED] += round(_SPEED_US * math.sin(turn))
        us[STEER] += round(_STEER_US * math.sin(2 * turn))
    elif at_s >= _COMPUTER_S:
        us[MODE] = HIGH
    return us


def _worlds(root: Path) -> list[WagonWorld]:
    return [WagonWorld(path.parent) for path in root.glob(f"*/hw/{WORLD_FILE}")]


async def move_wagons(root: Path, is_stopped: Callable[[], bool]) -> None:
    """Hold the transmitters until cancelled; return at once where there is no wagon."""
    worlds = await asyncio.to_thread(_worlds, root)
    at_s = 0.0
    while worlds:
        at_s = -_REST_S if is_stopped() else at_s + STEP_S
        for world in worlds:
            for number, us in sticks(max(0.0, at_s)).items():
                world.channel(number, us)
        await asyncio.sleep(STEP_S)
