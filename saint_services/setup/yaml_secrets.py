"""Secrets in a YAML text: where they stand, and the same text without them. The rest of what a
person wrote, comments too, stays as it is. Pure.
"""

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from ..lib import config as settings
from ..lib.errors import SaintError

Place = tuple[str, ...]
# The one that lib/config reads with: they do not agree on everything.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def replaced(text: str, places: Mapping[Place, str]) -> str:
    """`text` with other values at these places; places that are not there are left out."""
    root: Any = yaml.compose(text, Loader=_LOADER)
    found = [(node, places[place]) for place, node in _scalars(root, ()) if place in places]
    for node, value in sorted(found, key=lambda pair: -pair[0].start_mark.index):
        text = f'{text[: node.start_mark.index]}"{value}"{text[node.end_mark.index :]}'
    return text


def find(text: str, is_secret: Callable[[Place], bool]) -> dict[Place, str]:
    """Which secrets stand in the text, by place. In a text that is not read there are none."""
    try:
        settings.read_yaml(text, "")  # refuses, among others, what would lead us round in circles
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
