"""The generated modules are what the manifests say, and their hashes are ROS 2's."""

from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import pytest
from pydantic import BaseModel
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from saint_services.lib.generated import std_msgs, topics
from tools.gen import definitions, web_types
from tools.gen.__main__ import ROOT, render, stale

PACKAGE = ROOT / "manifests" / "saint_msgs"


def test_generated_files_are_current() -> None:
    wrong = [str(path.relative_to(ROOT)) for path in stale(render())]
    assert not wrong, f"run make gen: {wrong}"


def test_hash_of_string_is_the_published_one() -> None:
    # As `ros2 topic info -v` of Iron and later shows it.
    expected = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
    assert expected == std_msgs.String.HASH


def test_hash_of_a_service_is_the_published_one() -> None:
    # example_interfaces/srv/AddTwoInts as in the design document of rmw_zenoh.
    store, name = get_typestore(Stores.ROS2_JAZZY), "example_interfaces/srv/AddTwoInts"
    (request,) = get_types_from_msg("int64 a\nint64 b", "x/msg/Y").values()
    (response,) = get_types_from_msg("int64 sum", "x/msg/Y").values()
    store.register(
        {
            f"{name}_Request": request,
            f"{name}_Response": response,
            f"{name}_Event": definitions._event(name),
            name: definitions._service(name),
        }
    )
    definitions._char_is_uint8(store)
    expected = "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"
    assert store.hash_rihs01(name) == expected


def test_every_field_of_our_messages_has_its_unit_or_meaning() -> None:
    interfaces = definitions.read(PACKAGE)
    free = {"stamp", "node_id", "success", "message", "role", "instance", "pins", "peripherals"}
    for name in interfaces.messages:
        for field, kind in interfaces.store.fielddefs[name][1]:
            if field in free or definitions.nested(kind) or "float" not in str(kind):
                continue
            assert interfaces.docs[name].fields.get(field), f"{name}.{field} says no unit"


def test_package_names_every_package_that_its_messages_use() -> None:
    interfaces = definitions.read(PACKAGE)
    used = {
        found.split("/")[0]
        for name in interfaces.messages
        for _, kind in interfaces.store.fielddefs[name][1]
        if (found := definitions.nested(kind))
    } - {"saint_msgs"}
    depends = {e.text for e in ElementTree.parse(PACKAGE / "package.xml").iter("depend")}
    assert used == depends
    cmake = Path(PACKAGE / "CMakeLists.txt").read_text()
    assert all(f"find_package({name} REQUIRED)" in cmake for name in used)


def test_topics_fill_in_their_placeholders() -> None:
    assert topics.ARM_CMD.at(instance="left").name == "/saint/arms/left/cmd"
    assert topics.NODE_ADOPT.at(node_id="pi_1").name == "/saint/node/pi_1/adopt"


class _Part(BaseModel):
    """One of several."""

    name: str
    size: float | None = None


class _Whole(BaseModel):
    kind: Literal["a", "b"]
    parts: list[_Part] = []
    pair: tuple[int, str] = (0, "")
    by_name: dict[str, list[bool | None]] = {}
    anything: dict[str, Any] = {}


@pytest.mark.parametrize(
    "line",
    [
        'kind: "a" | "b";',
        "parts?: _Part[];",
        "pair?: [number, string];",
        "by_name?: { [key: string]: (boolean | null)[] };",
        "anything?: { [key: string]: unknown };",
    ],
)
def test_model_that_is_sent_may_leave_out_what_has_a_default(line: str) -> None:
    assert f"  {line}\n" in web_types.ModelSide({_Whole}).declaration("_Whole")


def test_model_has_its_first_words_above_it() -> None:
    made = web_types.ModelSide({_Whole}).declaration("_Part")
    assert made.startswith("/** One of several. */\nexport interface _Part {\n  name: string;\n")


def test_reply_is_whole_and_a_state_is_not() -> None:
    made = web_types.module()
    assert "export interface Done {\n  message: string;\n}" in made
    assert "  pan?: number | null;\n" in made.split("export interface HeadState")[1].split("}")[0]
    assert "  routes?: RouteGiven[] | null;\n" in made
    assert "    list_nodes: { params: Nothing; reply: NodeList };\n" in made
