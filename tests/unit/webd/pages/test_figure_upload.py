"""The figure over HTTP: uploads, the owner's meshes, and nothing else."""

import io

import aiohttp
import pytest

from saint_services.lib.robot.figure.archive import received
from tests.unit.lib.robot.figure.uploads import figure, stl
from tests.unit.webd.web_rig import Rig

MODEL = "/api/robot/model/"


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 422), (b"PK nothing", 422), (figure(**{"mine/meshes/skull.stl": stl(30_000)}), 413)],
)
async def test_upload_that_is_no_figure_is_refused_here(rig: Rig, body: bytes, status: int):
    async with rig.http.post(rig.url + "/api/robot/figures", data=body) as answer:
        assert answer.status in (400, status)
        assert (await answer.json())["message"]


async def test_upload_that_is_too_large_is_cut_off(rig: Rig):
    body = io.BytesIO(b"\0" * ((8 << 20) + 1))
    try:
        async with rig.http.post(rig.url + "/api/robot/figures", data=body) as answer:
            assert answer.status == 413
    except aiohttp.ClientError:
        pass  # the connection may end before the body has been sent


def test_page_gets_the_meshes_by_plain_names():
    found = received(figure())
    assert found.served == {"mesh0.stl": "mine/meshes/skull.stl"}
    assert "mine/meshes" not in found.page_text()
