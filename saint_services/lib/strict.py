"""The base of models of what comes from outside or from a file: unknown fields are errors, numbers
are finite, values do not change.

What checks a model is built when it is first used: a daemon imports many more models than it
checks, and most are parts of others, which contain their checks.
"""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Accepts exactly its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)
