"""The figure on the page Parts: an upload, its joints with a preview, one of the parts, the robot
with its figure as one file, and a damaged one."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.adoptiond.robots.figures import FigureService
from saint_services.lib.api.robot import UndoRobot
from saint_services.lib.api.robot_figure import SetFigure
from saint_services.lib.robot.figure.archive import FigureFiles, received
from saint_services.lib.robot.figure.figure import Figure
from saint_services.lib.robot.figure.robot_archive import opened_robot, packed_robot
from saint_services.lib.state import last_good
from tests.unit.lib.robot.figure.uploads import URDF, figure, stl
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

PREVIEW = "(await import('/pages/parts/figure-preview.js')).preview"


def in_force(site: Site) -> Figure:
    return site.robot.parts.service.robot.figure


async def opened(site: Site) -> Any:
    page = await site.open("parts/figure")
    await page.wait_for_selector("[data-figure-state=shown]", timeout=45_000)
    return page


async def uploaded(page: Any, data: bytes, name: str = "mine.zip") -> None:
    file = {"name": name, "mimeType": "application/zip", "buffer": data}
    await page.set_input_files("[data-upload]", file)


async def angle(page: Any, joint: str) -> float:
    found: float = await page.evaluate(
        f"(async () => {PREVIEW}.stage.model.robot.joints['{joint}'].angle)()"
    )
    return found


async def test_upload_is_previewed_bound_and_put_in_force(site: Site) -> None:
    page = await opened(site)
    await expect(page.locator("[data-figure=shipped]")).to_contain_text("saint.urdf")
    await uploaded(page, figure())
    await expect(page.locator("[data-figure=own]")).to_contain_text("not in force yet")
    await page.wait_for_selector("[data-figure-state=shown]", timeout=45_000)
    pan = page.locator("[data-shows='head.pan']")
    await expect(pan.locator("select")).to_have_value("neck_yaw")
    await expect(pan).to_contain_text("moves only from -57.3 to 180.0 deg")
    await expect(page.locator("[data-unbound]")).to_contain_text("propeller")
    await expect(page.locator("[data-unbound]")).to_contain_text("arms.left.joint_0")
    assert await violations(page) == []
    await pan.locator("input").fill("0.5")
    assert await angle(page, "neck_yaw") == pytest.approx(0.5, abs=0.05)
    await page.locator("[data-shows='tracks.left_motor'] select").select_option("propeller")
    await page.click("[data-apply]")
    await expect(page.locator("[data-applied]")).to_contain_text("is in force")
    assert in_force(site).kind == "own"
    assert in_force(site).joints == {
        "head": {"pan": "neck_yaw", "jaw": "mouth"},
        "tracks": {"left_motor": "propeller"},
    }


async def test_upload_that_is_refused_says_why_and_changes_nothing(site: Site) -> None:
    page = await opened(site)
    await uploaded(page, figure(**{"mine/meshes/skull.stl": stl(30_000)}))
    await expect(page.locator(".refusal")).to_contain_text("30000 triangles, at most 20000")
    await uploaded(page, URDF.encode(), "mine.urdf")
    await expect(page.locator(".refusal")).to_contain_text("not in the archive")
    assert in_force(site).kind == "shipped"
    assert await violations(page) == []
    site.faults.clear()  # the browser logs refused requests


async def test_figure_is_made_of_the_parts_on_request(site: Site) -> None:
    page = await opened(site)
    # webd starts again after such a change, not in this test: it has no such model yet.
    await page.click("[data-remove]")
    await page.click("[data-confirm]")
    await expect(page.locator("[data-figure=generated]")).to_contain_text("Made of the parts")
    assert in_force(site).is_generated
    await expect(page.locator("[data-remove]")).to_have_count(0)
    await expect(page.locator("[data-shows='head.pan']")).to_contain_text("head_pan")
    await expect(page.locator("[data-shows='head.pan'] select")).to_have_count(0)
    await expect(page.locator("[data-figure-state=failed]")).to_be_visible()
    site.faults.clear()


async def put_in_force(site: Site) -> FigureFiles:
    """Have the owner's figure in force, without a page."""
    service, files = site.robot.parts.service, received(figure())
    await asyncio.to_thread(service.places.figures.add, files)
    wanted = SetFigure(digest=files.digest)
    await FigureService(service).put_in_force(wanted, "")
    assert in_force(site).kind == "own"
    return files


async def test_robot_with_its_figure_is_imported_from_one_file(site: Site) -> None:
    files = await put_in_force(site)
    text = site.robot.parts.service.loaded.text
    await site.robot.parts.service.undo(UndoRobot(number=1), "")
    await asyncio.to_thread(site.robot.parts.service.places.figures.forget_all)
    page = await site.open("parts/file")
    await page.wait_for_selector("textarea")
    await chosen(page, "robot.zip", packed_robot(text, files))
    review = page.locator("[data-review]")
    await expect(review).to_contain_text("figure")
    assert await page.input_value("textarea") == text
    await expect(page.locator("[name=note]")).to_have_value("robot.zip")
    assert in_force(site).kind == "shipped"  # stored, not in force
    assert await violations(page) == []
    await page.click("[data-apply]")
    await page.wait_for_selector("[data-applied]")
    assert (in_force(site).kind, in_force(site).digest) == ("own", files.digest)
    async with page.expect_download() as waiting:
        await page.click("[data-export]")
    exported = await (await waiting.value).path()
    assert opened_robot(exported.read_bytes())[0] == text


async def test_file_that_holds_no_robot_is_refused_and_changes_nothing(site: Site) -> None:
    page = await site.open("parts/file")
    await page.wait_for_selector("textarea")
    before = await page.input_value("textarea")
    for data, said in ((figure(), "holds no robot.yaml"), (b"PK nothing", "")):
        await chosen(page, "mine.zip", data)
        await expect(page.locator(".refusal")).to_contain_text(said)
        assert await page.input_value("textarea") == before
    assert await violations(page) == []
    assert not site.robot.parts.service.loaded.is_own
    site.faults.clear()  # the browser logs refused requests


async def chosen(page: Any, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "application/zip", "buffer": data}
    await page.set_input_files(".parts-file input", file)


@pytest.mark.parametrize(("copies", "kind", "said"), [
    (1, "own", "Its last good copy is shown"),
    (2, "generated", "A figure made of the parts is shown instead"),
])  # fmt: skip
async def test_damaged_figure_says_so_here_and_with_the_parts(
    site: Site, copies: int, kind: str, said: str
) -> None:
    service, files = site.robot.parts.service, await put_in_force(site)
    path = service.places.figures.folder / f"{files.digest}.zip"
    for each in (path, last_good(path))[:copies]:
        await asyncio.to_thread(each.write_bytes, b"PK damaged")
    await service.load()
    page = await site.open("parts/figure")
    problem = page.locator("[data-figure-problem]")
    await expect(problem).to_contain_text(said)
    await expect(page.locator("[data-figure]")).to_have_attribute("data-figure", kind)
    assert await violations(page) == []
    await page.click(".tabs a[href='/parts']")
    await expect(page.locator(".notice")).to_contain_text(said)
    await page.close()  # it may still be fetching
    site.faults.clear()  # webd, which does not start again here, has the model of before
