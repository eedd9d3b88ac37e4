"""The robot's model as those who draw it get it."""

import pytest

from tests.unit.webd.web_rig import Rig

MODEL = "/api/robot/model/"


async def test_robot_says_where_its_model_is_and_which_joints_show_which_fields(rig: Rig):
    chat = await rig.chat()
    reported = await chat.do("system", "describe")
    assert reported["model"] == MODEL + "saint.urdf"
    assert reported["joints"]["head"]["pan"] == "head_pan"
    assert reported["joints"]["tracks"]["left_motor"] == "tracks_left_motor"
    async with rig.http.get(rig.url + reported["model"]) as answer:
        text = await answer.text()
    assert answer.status == 200
    assert '<joint name="head_pan"' in text


@pytest.mark.parametrize(
    "name",
    [
        "saint.yaml",
        "../roles/head.yaml",
        "..%2f..%2fweb%2fimg%2ficon.svg",
        "%2fetc/passwd",
        "no.stl",
    ],
)
async def test_nothing_but_models_leaves_their_folder(rig: Rig, name: str):
    async with rig.http.get(rig.url + MODEL + name) as answer:
        assert answer.status == 404
