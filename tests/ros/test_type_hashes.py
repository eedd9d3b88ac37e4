"""Our generated modules against what rosidl makes of the same definitions."""

import json
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.bus import Service
from saint_services.lib.generated import topics

SERVICES = {one.type: one for one in vars(topics).values() if isinstance(one, Service)}


def rosidl(name: str) -> dict[str, Any]:
    """What rosidl wrote when the package was built; the halves of a service are in its file."""
    from ament_index_python.packages import get_package_share_directory

    package, kind, base = name.split("/")
    file = base.partition("_")[0] if kind == "srv" else base
    path = Path(get_package_share_directory(package)) / kind / f"{file}.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def hash_of(name: str) -> str:
    hashes = {one["type_name"]: one["hash_string"] for one in rosidl(name)["type_hashes"]}
    found: str = hashes[name]
    return found


def fields_of(name: str) -> list[str]:
    text = rosidl(name)["type_description_msg"]
    descriptions = [text["type_description"], *text["referenced_type_descriptions"]]
    found = next(one for one in descriptions if one["type_name"] == name)
    return [field["name"] for field in found["fields"]]


@pytest.mark.parametrize("name", sorted(topics.BY_TYPE))
def test_message_has_the_type_hash_of_rosidl(name: str) -> None:
    assert hash_of(name) == topics.BY_TYPE[name].HASH


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_service_has_the_type_hash_of_rosidl(name: str) -> None:
    assert hash_of(name) == SERVICES[name].hash


@pytest.mark.parametrize("name", sorted(topics.BY_TYPE))
def test_message_has_the_fields_of_rosidl(name: str) -> None:
    assert fields_of(name) == [field for field, _kind in topics.BY_TYPE[name].FIELDS]
