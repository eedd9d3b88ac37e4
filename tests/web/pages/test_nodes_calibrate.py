"""The page "Calibrate" as users beside a heavy arm use it."""

from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api.calibration import Calibrate
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import InputSample
from tests.waiting import every, until
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

ARM = "nodes/sim_arm_left/calibrate/arms.left.joint_1"
PLUS, MINUS = "[data-way='1']", "[data-way='-1']"


async def opened(site: Site, place: str = ARM, **options: Any) -> Any:
    page = await site.open(place, **options)
    await page.wait_for_selector("[data-calibrate]")
    await page.locator("[data-position]", has_text="°").first.wait_for()
    return page


async def silence(samples: list[InputSample]) -> int:
    """Count the samples until none has arrived for a quarter of a second."""
    count = -1
    async for _ in every(0.25):
        if count == len(samples):
            break
        count = len(samples)
    return count


async def test_opening_moves_nothing_and_a_held_button_moves_one_joint_slowly(site: Site) -> None:
    samples = site.robot.listen_to_clients()
    page = await opened(site)
    assert await page.locator("[data-position]").inner_text() == "20.0°"
    assert samples == []
    button = page.locator(PLUS)
    await button.hover()
    await page.mouse.down()
    await until(lambda: len(samples) >= 20)
    await page.locator("[data-jog]", has_text="Moving").wait_for()
    await page.mouse.up()
    count = await silence(samples)
    assert {(each.target, tuple(each.names)) for each in samples} == {("arms.left", ("joint_1",))}
    values = [each.values[0] for each in samples]
    assert values == sorted(values) and 20.0 < values[0] <= values[-1]
    # The arm does not follow, so the goal leads by 0.4 s of half a percent of 180 degrees.
    assert values[-1] == pytest.approx(20.36)
    assert count == len(samples)


async def test_arrow_keys_move_it_while_held_and_losing_the_focus_releases_it(site: Site) -> None:
    samples = site.robot.listen_to_clients()
    page = await opened(site)
    await page.focus(PLUS)
    await page.keyboard.down("ArrowLeft")
    await until(lambda: len(samples) >= 4)
    await page.focus("input[name=low]")
    count = await silence(samples)
    assert samples[-1].values[0] < 20.0
    await page.keyboard.up("ArrowLeft")
    await page.focus(MINUS)
    assert await silence(samples) == count


async def test_stop_ends_a_motion_and_what_stays_held_moves_nothing_afterwards(site: Site) -> None:
    samples = site.robot.listen_to_clients()
    page = await opened(site)
    await page.hover(PLUS)
    await page.mouse.down()
    await until(lambda: len(samples) >= 3)
    site.robot.set_estop(True, "rc", "switch")
    await page.locator("[data-jog]", has_text="emergency stop").wait_for()
    count = await silence(samples)
    site.robot.set_estop(False, "rc", "")
    await page.locator("[data-jog]", has_text="Hold a button").wait_for()
    assert await silence(samples) == count
    await page.mouse.up()


async def test_joint_that_another_source_drives_is_not_moved(site: Site) -> None:
    samples = site.robot.listen_to_clients()
    page = await opened(site, "nodes/sim_head/calibrate/head.tilt")
    await page.locator("[data-jog]", has_text="LiveLink FaceCapture drives this joint").wait_for()
    await page.hover(PLUS)
    await page.mouse.down()
    await page.mouse.up()
    assert await silence(samples) == 0


async def test_position_becomes_zero_is_saved_after_confirmation_and_undone(site: Site) -> None:
    page = await opened(site)
    await page.click("[data-mark=offset]")
    await expect(page.locator("input[name=offset]")).to_have_value("20")
    assert "manifest 0.0°" in await page.inner_text("[data-hint=offset]")
    assert "from −90.0° to 70.0°" in await page.inner_text("[data-reach]")
    await page.check("input[name=reversed]")
    await page.locator("fieldset.marks[disabled]").wait_for()  # its sign changes
    await page.uncheck("input[name=reversed]")
    await page.click("[data-save]")
    dialog = page.locator(".dialog")
    assert "move slowly to neutral" in await dialog.inner_text()
    assert site.robot.trims.asked == []
    await page.click("[data-confirm]")
    await page.locator("[data-message]", has_text="as soon as its outputs are safe").wait_for()
    assert site.robot.trims.asked == [
        Calibrate(
            target="arms.left",
            field="joint_1",
            offset=20,
            minimum=-90,
            maximum=90,
            is_reversed=False,
        )
    ]
    await page.locator("[data-joint='arms.left.joint_1']", has_text="calibrated").wait_for()
    await page.click("[data-undo]")
    await page.click("[data-confirm]")
    await expect(page.locator("[data-undo]")).to_have_count(0)
    shown = {each.field: each for each in site.robot.trims.at("arms.left").fields}
    assert (shown["joint_1"].offset, shown["joint_1"].limits) == (0.0, (-90.0, 90.0))


async def test_invalid_value_is_reported_at_its_field_an_error_in_the_dialog(
    site: Site,
) -> None:
    page = await opened(site)
    for name, text, words in (
        ("high", "91", "The manifest allows −90.0° to 90.0°"),
        ("low", "5", "Neutral (0.0°) must stay within the limits"),
        ("offset", "37", "At most ±36.0°"),
        ("offset", "much", "Type a number in degrees"),
    ):
        await page.fill(f"input[name={name}]", text)
        await page.locator(f"[data-hint={name}]", has_text=words).wait_for()
        assert await page.get_attribute(f"input[name={name}]", "aria-invalid") == "true"
        assert await page.locator("[data-save]").is_disabled()
        await page.click("[data-discard]")
    await page.fill("input[name=high]", "45")
    site.robot.trims.refusal = SaintError(Code.INTERNAL, "the disk is full")
    await page.click("[data-save]")
    await page.click("[data-confirm]")
    await page.locator(".dialog .refusal", has_text="the disk is full").wait_for()
    await page.keyboard.press("Escape")
    assert await page.input_value("input[name=high]") == "45"  # nothing typed is lost


async def test_speed_has_limits_but_no_buttons_that_move_it(site: Site) -> None:
    page = await site.open("nodes/sim_tracks/calibrate")
    await page.get_by_text("Speeds and switches are not tried here").wait_for()
    assert await page.locator("[data-way], [name=offset], [data-mark]").count() == 0
    await page.fill("input[name=high]", "0.8")
    await page.click("[data-save]")
    await page.click("[data-confirm]")
    await page.locator("[data-message]", has_text="Saved").wait_for()
    assert site.robot.trims.at("tracks").fields[0].limits == (-1.5, 0.8)


@pytest.mark.parametrize(
    ("theme", "width"), [pytest.param("light", 1280, marks=pytest.mark.long), ("dark", 390)]
)
async def test_axe_finds_nothing(site: Site, theme: Any, width: int) -> None:
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 844}}
    page = await opened(site, **options)
    await page.fill("input[name=high]", "91")
    await page.locator("[data-hint=high].wrong").wait_for()
    assert await violations(page) == []
    wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


async def test_space_stops_also_on_a_button_that_moves_the_joint(site: Site) -> None:
    page = await opened(site)
    await page.keyboard.press("Tab")  # by keyboard: then Space works controls
    await page.locator(PLUS).focus()
    await page.keyboard.press("Space")
    await page.wait_for_selector(".estop.is-latched")
