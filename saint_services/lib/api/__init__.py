"""The control plane: the requests and replies of each daemon's unix socket as pydantic models.

One module per daemon. Server and client share the same classes, so they cannot disagree. Requests
forbid unknown fields; replies are built from these models only.

What checks a model is built when it is first used: no daemon speaks of every model that it imports.
A daemon that binds a row builds the row's models at once, so that no first request waits."""

from pydantic import BaseModel, ConfigDict

from ..strict import StrictModel


class Request(StrictModel):
    """A message from outside: unknown fields are errors, numbers are finite."""


class Reply(BaseModel):
    """A message to a client, which ignores fields of newer versions."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class Done(Reply):
    """Reply to a command that returns a sentence only."""

    message: str = "done"
