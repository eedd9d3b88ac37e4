"""What survives a restart: whether an operator switched the receiver on or off."""

from pydantic import BaseModel

VERSION = 1
FILE = "rcd.json"


class State(BaseModel):
    """None: as the settings say."""

    enabled: bool | None = None
