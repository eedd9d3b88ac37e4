"""The control plane: the requests and replies of each daemon's unix socket as pydantic models.

One module per daemon. Server and client share the same classes, so they cannot disagree. Requests
forbid unknown fields; replies are built from these models only."""

from pydantic import BaseModel, ConfigDict


class Request(BaseModel):
    """A message from outside: unknown fields are errors, numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Reply(BaseModel):
    """A message to a client, which ignores fields of newer versions."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Done(Reply):
    """Reply to a command that returns a sentence only."""

    message: str = "done"
