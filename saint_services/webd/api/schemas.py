"""Pydantic models as the named schemas of a document. Pure; which models, the documents say."""

import json
import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

Data = dict[str, Any]

_REF = "#/components/schemas/{model}"
# Two models of one name get their whole module before it; the last part of it is enough.
_LONG_NAME = re.compile(r"(?:\w+?__)+(\w+?)__(\w+)")


class Schemas:
    """The schemas of some models and of all that these are made of."""

    def __init__(self, models: Iterable[type[BaseModel]]) -> None:
        wanted = sorted(set(models), key=lambda model: (model.__name__, model.__module__))
        refs, found = models_json_schema([(m, "validation") for m in wanted], ref_template=_REF)
        defs = _short(found.get("$defs", {}))
        self.named: Data = dict(sorted(defs.items()))
        self._refs = {model: _short(ref) for (model, _), ref in refs.items()}

    def of(self, model: type[BaseModel]) -> Data:
        """A reference to one of the models."""
        return self._refs[model]


def _short(part: Data) -> Data:
    made: Data = json.loads(_LONG_NAME.sub(r"\1_\2", json.dumps(part)))
    return made


def first_line(model: type[BaseModel]) -> str:
    """What a model is."""
    return (model.__doc__ or "").strip().splitlines()[0]
