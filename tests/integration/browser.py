"""The pages of a running robot in the system's Chromium."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.integration.robot import Robot
from tools.screenshots import ARGUMENTS, windowless

LIMIT_MS = 30_000  # a busy computer; a fault shows as well, later


@contextlib.asynccontextmanager
async def page_of(robot: Robot, place: str = "") -> AsyncIterator[Any]:
    """A page at "/name"; fails when the page complained about something."""
    path = windowless()
