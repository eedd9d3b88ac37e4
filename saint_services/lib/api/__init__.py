"""The control plane: what each daemon's unix socket answers, as pydantic models.

One module per daemon; server and client use the same classes, so they cannot disagree.
Requests forbid unknown fields; replies are built from these models only.
"""

from pydantic import BaseModel, ConfigDict


class Request(BaseModel):
    """Comes from outside: an unknown field is an error, a number is finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Reply(BaseModel):
    """Goes out. Readers ignore fields of newer versions."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Done(Reply):
    """The answer of a command that has nothing to tell but a sentence."""

    message: str = "done"
