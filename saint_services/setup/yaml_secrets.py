"""Finds secrets in a YAML text and replaces them. The rest of the text, comments too, stays as it
is. Pure.
"""

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from ..lib import config as settings
from ..lib.errors import SaintError

Place = tuple[str, ...]
# The loader of lib/config: loaders do not agree on everything.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def replaced(text: str, places: Mapping[Place, str]) -> str:
    """Return `text` with other values at these places; places that do not exist are skipped."""
    root: Any = yaml.compose(text, Loader=_LOADER)
    found = [(node, places[place]) for place, node in _scalars(root, ()) if place in places]
    for node, value in sorted(found, key=lambda pair: -pair[0].start_mark.index):
        text = f'{text[: node.start_mark.index]}"{value}"{text[node.end_mark.index :]}'
    return text


def find(text: str, is_secret: Callable[[Place], bool]) -> dict[Place, str]:
    """Return the secrets in the text by place; none for a text that cannot be read."""
    try:
        settings.read_yaml(text, "")  # refuses, among others, endless recursion
    except SaintError:
        return {}
    root: Any = yaml.compose(text, Loader=_LOADER)
    return {
        place: node.value for place, node in _scalars(root, ()) if is_secret(place) and node.value
    }


def _scalars(node: Any, place: Place) -> list[tuple[Place, Any]]:
    if isinstance(node, yaml.ScalarNode):
        return [(place, node)]
    found: list[tuple[Place, Any]] = []
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                found += _scalars(value, (*place, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            found += _scalars(value, (*place, str(index)))
    return found
