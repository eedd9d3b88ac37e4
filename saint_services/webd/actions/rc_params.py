"""Params of the RC commands."""

from pydantic import Field

from ...lib.api import Request
from ...lib.api.rc import LAST_CHANNEL


class Channels(Request):
    """One of them, or all."""

    channel: int | None = Field(default=None, ge=1, le=LAST_CHANNEL)
