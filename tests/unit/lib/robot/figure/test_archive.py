"""Uploads of figures: what is sound is kept small and always the same; what could harm is refused
with a sentence.
"""

import contextlib
import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.robot import urdf
from saint_services.lib.robot.figure.archive import (
    MOST_LINKS,
    MOST_TRIANGLES,
    opened,
    received,
    zipped,
)
from saint_services.lib.robot.figure.meshes import triangles
from saint_services.lib.robot.figure.robot_archive import opened_robot, packed_robot
from tests.unit.lib.robot.figure.uploads import ASCII_STL, DAE, GLB, OBJ, URDF, figure, glb, stl
from tests.unit.lib.robot.figure.uploads import zipped as zip_of

MESH = "package://mine/meshes/skull.stl"
PLAIN = URDF.replace(f'<mesh filename="{MESH}"/>', '<box size="1 1 1"/>')


def refusal(data: bytes) -> str:
    with pytest.raises(SaintError) as caught:
        received(data)
    assert caught.value.code in (Code.CONFIG_INVALID, Code.TOO_LARGE)
    return caught.value.message


def test_archive_is_kept_without_what_the_urdf_does_not_name() -> None:
    found = received(figure())
    assert found.name == "mine/urdf/mine.urdf"
    assert list(found.meshes) == ["mine/meshes/skull.stl"]
    assert "mesh0.stl" in found.page_text()
    assert urdf.parse(found.page_text().encode(), "page").links == {
        "base_link",
        "skull",
        "chin",
        "blade",
    }


def test_stored_archive_opens_to_the_same_figure_and_the_same_bytes() -> None:
    found = received(figure())
    again = received(found.packed())
    assert again == found
    assert again.digest == found.digest
    assert again.packed() == found.packed()
    assert received(figure(URDF.replace('upper="4"', 'upper="3"'))).digest != found.digest


def test_urdf_alone_is_a_figure() -> None:
    assert received(PLAIN.encode()).meshes == {}


@pytest.mark.parametrize(
    "reference",
    [
        "../meshes/skull.stl",
        "package://other_name/meshes/skull.stl",
        "package://mine/meshes/skull.stl",
    ],
)
def test_mesh_is_found_as_ros_and_as_files_name_it(reference: str) -> None:
    assert list(received(figure(URDF.replace(MESH, reference))).meshes) == ["mine/meshes/skull.stl"]


@pytest.mark.parametrize(
    ("name", "data", "count"),
    [
        ("a.stl", stl(7), 7),
        ("a.STL", ASCII_STL, 1),
        ("a.obj", OBJ, 2),
        ("a.dae", DAE, 7),
        ("a.glb", GLB, 2),
    ],
)
def test_triangles_are_counted_in_each_kind_of_mesh(name: str, data: bytes, count: int) -> None:
    assert triangles(name, data) == count


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.stl", stl(2)[:-1], "damaged"),
        ("a.stl", stl(2, float("nan")), "not finite"),
        ("a.stl", stl(0), "no triangles"),
        ("a.obj", b"v 0 0 inf\nf 1 1 1", "not finite"),
        ("a.dae", b"<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA/>", "document type"),
        ("a.glb", glb({"buffers": [{"uri": "http://x/y"}]}), "other files"),
        ("a.glb", glb({"extensionsRequired": ["KHR_draco_mesh_compression"]}), "KHR_draco"),
        ("a.glb", GLB[:-1], "damaged"),
        ("a.glb", glb({"meshes": [{}]}), "damaged"),
        ("a.fbx", b"", "known are STL, OBJ, DAE, GLB"),
    ],
)
def test_mesh_that_is_none_is_refused(name: str, data: bytes, says: str) -> None:
    with pytest.raises(SaintError, match=says):
        triangles(name, data)


def test_too_many_triangles_are_refused_with_what_to_do() -> None:
    data = figure(**{"mine/meshes/skull.stl": stl(MOST_TRIANGLES + 1)})
    with pytest.raises(SaintError, match="20001 triangles, at most 20000") as caught:
        received(data)
    assert "skull.stl" in caught.value.message
    assert "Decimate" in caught.value.fix


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='x'><link name='&a;'/></robot>", "entities"),
        ("<robot name='x'>" + "<a>" * 40 + "</a>" * 40 + "</robot>", "nested more than"),
        ("<robot name='x'>" + "<a>" * 200_000, "nested more than"),
        (PLAIN.replace('size="1 1 1"', 'size="1 nan 1"'), "<box size>"),
        (PLAIN.replace('xyz="0 0 1"', 'xyz="0 0 inf"'), "<axis xyz>"),
        (PLAIN.replace('xyz="0 0 1"', 'xyz="0 0 1e9"'), "is not a number up to"),
        (PLAIN.replace('<link name="chin"/>', ""), "names the link chin, which does not exist"),
        (PLAIN.replace('<child link="chin"/>', '<child link="base_link"/>'), "link"),
        (PLAIN.replace("<link", "<link name='x'", 1), "not XML"),
        ("<robot name='x'>" + "<link name='a'/>" * (MOST_LINKS + 1) + "</robot>", "256 links"),
        ("<robot name='x'>" + "<a/>" * 30_000 + "</robot>", "more than 20000 elements"),
        (URDF, "meshes that are not in the archive"),
        (PLAIN.replace("<box", '<mesh filename="file:///etc/passwd"/><box'), "not in the archive"),
        (URDF.replace(MESH, "package://../../etc/passwd.stl"), "leads out"),
        (URDF.replace(MESH, "../../../etc/passwd.stl"), "leads out"),
        (URDF.replace(MESH, "/etc/passwd.stl"), "leads out"),
    ],
)
def test_hostile_urdf_is_refused(content: str, says: str) -> None:
    assert says in refusal(content.encode())


@pytest.mark.parametrize(
    "name", ["../a.stl", "/a.stl", "a\\b.stl", "c:a.stl", "a/../b.stl", "a\nb.stl"]
)
def test_name_that_leaves_the_archive_is_refused(name: str) -> None:
    assert "name" in refusal(figure(**{name: stl()}))


def test_link_in_an_archive_is_refused() -> None:
    out = io.BytesIO(figure())
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("mine/meshes/link.stl")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert "is a link" in refusal(out.getvalue())


def test_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = figure(**{"bomb.stl": b"\0" * (20 << 20)})
    assert len(bomb) < 1 << 20
    assert "more than 16 MB" in refusal(bomb)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "it holds none"),
        ({"a.urdf": URDF, "b.urdf": URDF}, "it holds a.urdf, b.urdf"),
        ({"a.xacro": "<robot/>"}, "xacro"),
    ],
)
def test_archive_without_one_urdf_is_refused(files: dict[str, str], says: str) -> None:
    assert says in refusal(zip_of(files))


def test_robot_and_figure_travel_as_one_file() -> None:
    found = received(figure())
    text, packed = opened_robot(packed_robot("name: x\n", found))
    assert text == "name: x\n"
    assert received(packed).digest == found.digest
    assert opened_robot(packed_robot("name: x\n", None)) == ("name: x\n", b"")
    with pytest.raises(SaintError, match=r"no robot\.yaml"):
        opened_robot(zipped({"a.yaml": b""}))


@given(st.data())
def test_damaged_upload_is_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(data.draw(st.sampled_from([figure(), URDF.encode(), PLAIN.encode()])))
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    with contextlib.suppress(SaintError):
        found = received(bytes(raw))
        assert opened(found.packed()).digest == found.digest
