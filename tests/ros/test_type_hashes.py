"""Our generated modules against what rosidl makes of the same definitions."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from saint_services.lib.bus import Service
from saint_services.lib.generated import topics

# The parser that rosidl uses needs an older name of Python's.
pytestmark = pytest.mark.filterwarnings("ignore:module 'sre_:DeprecationWarning")
SERVICES = {one.type: one for one in vars(topics).values() if isinstance(one, Service)}


# Definitions of packages that a ROS 2 made of wheels does not have, with what they refer to.
ABSENT = {
    "tf2_msgs/msg/TFMessage": (
        "geometry_msgs/TransformStamped[] transforms\n",
        ("geometry_msgs", "std_msgs", "builtin_interfaces"),
    )
}


def rosidl(name: str) -> dict[str, Any]:
    """What rosidl wrote when the package was built; the halves of a service are in its file."""
    from ament_index_python.packages import PackageNotFoundError

    package, kind, base = name.split("/")
    file = base.partition("_")[0] if kind == "srv" else base
    try:
        path = share_of(package) / kind / f"{file}.json"
    except PackageNotFoundError:
        if name not in ABSENT:
            raise
        return written_now(name)
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def share_of(package: str) -> Path:
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory(package))


@cache
def written_now(name: str) -> dict[str, Any]:
    """What rosidl makes of a definition while the test looks on."""
    from rosidl_adapter.msg import convert_msg_to_idl
    from rosidl_generator_type_description import generate_type_hash

    package, kind, base = name.split("/")
    text, others = ABSENT[name]
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / kind).mkdir()
        (root / kind / f"{base}.msg").write_text(text)
        convert_msg_to_idl(root, package, Path(kind, f"{base}.msg"), root / "idl" / kind)
        arguments = {
            "package_name": package,
            "output_dir": str(root / "made"),
            "idl_tuples": [f"{root / 'idl'}:{kind}/{base}.idl"],
            "include_paths": [f"{other}:{share_of(other)}" for other in others],
        }
        (root / "arguments.json").write_text(json.dumps(arguments))
        generate_type_hash(str(root / "arguments.json"))
        found: dict[str, Any] = json.loads((root / "made" / kind / f"{base}.json").read_text())
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
