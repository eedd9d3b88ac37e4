"""The page "Drive" as users drive with it, by a simulated game pad."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from saint_services.lib.api.adoption import NodeState
from saint_services.webd.config import AuthSettings, Config
from tests.waiting import let_pass, stays, until
from tests.web.axe import violations
from tests.web.conftest import Site, site_of
from tests.web.relay import Relay

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

FAKE_PAD = """
  let pad = null;
  navigator.getGamepads = () => [pad && { ...pad, axes: [...pad.axes], buttons: pad.buttons.map((b) => ({ ...b })) }];
  window.plug = () => {
    const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
    pad = { id: "Test Pad (STANDARD GAMEPAD Vendor: 045e Product: 028e)", index: 0, connected: true,
            mapping: "standard", axes: [0, 0, 0, 0], buttons };
    dispatchEvent(new Event("gamepadconnected"));
  };
  window.unplug = () => {
    pad = null;
    dispatchEvent(new Event("gamepaddisconnected"));
  };
  window.push = (...axes) => (pad.axes = axes);
  window.press = (button, pressed) => (pad.buttons[button].pressed = pressed);
"""  # noqa: E501
# Resolves when an element has kept its place for ten drawn frames: a finger that comes down while
# the page still builds up meets what lay there a frame ago.
IN_PLACE = """selector => new Promise((done) => {
  let [last, frames] = ["", 0];
  const look = () => {
    const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
    const place = [x, y, width, height].join();
    [last, frames] = place === last ? [last, frames + 1] : [place, 0];
    if (frames === 10) done({ x, y, width, height });
    else requestAnimationFrame(look);
  };
  look();
})"""
L1 = 4
FULL = {"linear": 0.375, "angular": 0.0}  # a quarter of 1.5 m/s
REST = {"linear": 0.0, "angular": 0.0}


class Drive:
    """The page, the pad and the samples on the bus."""

    def __init__(self, site: Site, page: Any) -> None:
        self.page = page
        self.site = site
        self.published = site.robot.listen_to_clients()

    def samples(self, target: str = "tracks") -> list[dict[str, float]]:
        return [
            dict(zip(sample.names, sample.values, strict=True))
            for sample in self.published
            if sample.target == target
        ]

    async def pad(self, script: str) -> None:
        await self.page.evaluate(script)

    async def drives(self) -> None:
        await self.page.wait_for_selector("[data-state=driving]")

    async def rests(self) -> None:
        await self.page.wait_for_selector("[data-state=resting]")

    async def stays_silent(self) -> None:
        """No more samples arrive, after those in transit."""
        await let_pass(0.1)
        count = len(self.published)
        await stays(lambda: len(self.published) == count, 0.3)


async def drive_page(site: Site, **options: Any) -> Drive:
    page = await site.browser.new_page(**options)
    page.set_default_timeout(20_000)
    page.on("pageerror", lambda error: site.faults.append(str(error)))
    await page.add_init_script(FAKE_PAD)
    await page.goto(site.url + "drive")
    await page.wait_for_selector("[data-link=open]")
    await page.wait_for_selector("[data-stick]:not(.is-off)")
    return Drive(site, page)


@pytest_asyncio.fixture(loop_scope="session")
async def drive(site: Site) -> Drive:
    made = await drive_page(site)
    await made.pad("plug()")
    await made.page.wait_for_selector("select[data-pads='1']")
    return made


async def test_pad_moves_nothing_without_the_dead_man(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.stays_silent()
    assert drive.published == []


async def test_pad_drives_while_the_dead_man_is_held(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    await let_pass(1.0)
    await drive.pad(f"press({L1}, false)")
    await drive.rests()
    await drive.stays_silent()
    values = drive.samples()
    assert 10 <= len(values) <= 90  # fifty a second, for a second and what the browser took
    assert all(value == FULL for value in values[:-1])
    assert values[-1] == REST
    assert drive.samples("head") == []


async def test_page_that_sends_while_rc_has_control_shows_it(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    chip = await drive.page.wait_for_selector("[data-control=other]")
    assert (await chip.inner_text()).strip() == "RC has control"
    assert "warn" in (await chip.get_attribute("class")).split()
    assert await drive.page.locator("[data-command]").inner_text() == "Command from this page"


async def test_page_that_has_control_drives(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    drive.site.robot.driver = drive.published[0].source
    chip = await drive.page.wait_for_selector("[data-control=ours]")
    assert (await chip.inner_text()).strip() == "Driving"
    assert "good" in (await chip.get_attribute("class")).split()


async def test_robots_own_motion_is_named_whatever_the_page_commands(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    await drive.page.wait_for_selector("[data-motion]:text-is('driving backward')")
    drive.site.robot.set_estop(True, "test", "")
    await drive.page.wait_for_selector("[data-motion]:text-is('standing still')")


async def test_unknown_speed_is_not_shown_as_standing_still(drive: Drive) -> None:
    drive.site.robot.is_speed_known = False
    await drive.page.wait_for_selector("[data-motion]:text-is('speed unknown')")


async def test_middle_of_a_worn_stick_is_rest(drive: Drive) -> None:
    await drive.pad("push(0.1, -0.1, 0.1, 0.1)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    await until(lambda: len(drive.samples()) >= 5)
    assert set(map(str, drive.samples())) == {str(REST)}
    assert drive.samples("head") == []


async def test_right_stick_looks_and_left_is_positive(drive: Drive) -> None:
    await drive.pad("push(-1, 0, -1, -1)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    await until(lambda: drive.samples() and drive.samples("head"))
    assert drive.samples()[0] == {"linear": 0.0, "angular": 0.75}
    assert drive.samples("head")[0] == {"pan": 90.0, "tilt": 60.0}


async def _hide(drive: Drive) -> None:
    hidden = "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true});"
    await drive.pad(hidden + "document.dispatchEvent(new Event('visibilitychange'))")


async def _blur(drive: Drive) -> None:
    await drive.pad("dispatchEvent(new Event('blur'))")


async def _stop(drive: Drive) -> None:
    drive.site.robot.set_estop(True, "rc", "switch")
    await drive.page.wait_for_selector("[data-estop=latched]")
    drive.site.robot.set_estop(False, "rc", "")
    await drive.page.wait_for_selector("[data-estop=ready]")


@pytest.mark.parametrize("happen", [_blur, _hide, _stop])
async def test_losing_the_page_releases_control_until_all_is_released(
    drive: Drive, happen: Callable[[Drive], Awaitable[None]]
) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    await happen(drive)
    await drive.rests()
    await drive.stays_silent()
    assert drive.samples()[-1] == REST
    await drive.pad(f"press({L1}, false)")
    await let_pass(0.1)  # some frames: the page looks at the pad with each
    await drive.pad(f"press({L1}, true)")
    await drive.drives()


async def test_pad_that_is_taken_during_a_stop_must_be_released(drive: Drive) -> None:
    drive.site.robot.set_estop(True, "rc", "switch")
    await drive.page.wait_for_selector("[data-estop=latched]")
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await let_pass(0.2)
    drive.site.robot.set_estop(False, "rc", "")
    await drive.page.wait_for_selector("[data-estop=ready]")
    await drive.stays_silent()
    assert drive.published == []
    await drive.pad(f"press({L1}, false)")
    await let_pass(0.1)
    await drive.pad(f"press({L1}, true)")
    await drive.drives()


async def test_pad_that_is_unplugged_stops_and_must_be_released(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    await drive.pad("unplug()")
    await drive.rests()
    await drive.stays_silent()
    assert drive.samples()[-1] == REST
    await drive.pad(f"plug(); push(0, -1, 0, 0); press({L1}, true)")
    await drive.stays_silent()


async def test_another_page_stops(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    await drive.page.click("a[href='/dashboard']")
    await drive.stays_silent()
    assert drive.samples()[-1] == REST


async def test_lost_connection_releases_control(drive: Drive, relay: Relay) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    await drive.pad(f"press({L1}, true)")
    await drive.drives()
    relay.cut()
    await drive.rests()
    await drive.page.wait_for_selector("[data-camera=unknown] [data-camera-switch]:disabled")
    relay.restore()
    await drive.page.wait_for_selector("[data-link=open]")
    await drive.stays_silent()  # still held


async def test_button_on_the_screen_is_a_dead_man_too(drive: Drive) -> None:
    await drive.pad("push(0, -1, 0, 0)")
    button = drive.page.locator("[data-hold]")
    await button.scroll_into_view_if_needed()
    await button.hover()
    await drive.page.mouse.down()
    await drive.drives()
    await drive.page.mouse.up()
    await drive.rests()
    assert drive.samples()[-1] == REST


@pytest.mark.parametrize("has_touch", [False, True])
async def test_stick_on_the_screen_drives_while_it_is_held(site: Site, has_touch: bool) -> None:
    options = {"viewport": {"width": 390, "height": 844}, "has_touch": has_touch}
    drive = await drive_page(site, **options)
    box = await drive.page.evaluate(IN_PLACE, "[data-stick]")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = await _finger(drive.page, has_touch)
    await finger("down", x, y)
    await finger("move", x, box["y"])
    await drive.drives()
    half = pytest.approx(0.375, abs=0.01)
    await until(lambda: drive.samples()[-1]["linear"] == half)
    await finger("up", x, box["y"])
    await drive.rests()
    await drive.stays_silent()
    values = drive.samples()
    assert values[-2]["linear"] == half
    assert values[-1] == REST


async def _finger(page: Any, has_touch: bool) -> Callable[[str, float, float], Awaitable[None]]:
    if not has_touch:

        async def mouse(what: str, x: float, y: float) -> None:
            await page.mouse.move(x, y)
            if what != "move":
                await getattr(page.mouse, what)()

        return mouse
    session = await page.context.new_cdp_session(page)
    kinds = {"down": "touchStart", "move": "touchMove", "up": "touchEnd"}

    async def touch(what: str, x: float, y: float) -> None:
        points = [] if what == "up" else [{"x": x, "y": y}]
        event = {"type": kinds[what], "touchPoints": points}
        await session.send("Input.dispatchTouchEvent", event)

    return touch


async def test_missing_pad_is_explained(site: Site) -> None:
    drive = await drive_page(site)
    assert "Connect one" in await drive.page.locator("[data-pads='0']").inner_text()


@pytest.mark.parametrize(
    ("width", "height"),
    [(360, 844), (844, 390), pytest.param(768, 844, marks=pytest.mark.long), (1280, 844)],
)
async def test_nothing_is_wider_than_the_window(site: Site, width: int, height: int) -> None:
    drive = await drive_page(site, viewport={"width": width, "height": height})
    await drive.pad("plug()")
    await drive.page.wait_for_selector("select[data-pads='1']")
    wide = await drive.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    stop = await drive.page.locator(".estop").bounding_box()
    assert stop["height"] >= 64 and stop["x"] + stop["width"] <= width


async def test_keys_drive_only_while_their_field_has_the_focus(site: Site) -> None:
    drive = await drive_page(site)
    await drive.page.keyboard.down("w")
    await drive.stays_silent()
    await drive.page.keyboard.up("w")
    await drive.page.focus("[data-keys]")
    await drive.page.keyboard.press("3")  # half of the top speed
    await drive.page.keyboard.down("ArrowUp")
    await drive.drives()
    await drive.page.keyboard.down("a")
    await until(lambda: drive.samples()[-1] == {"linear": 0.75, "angular": 1.5})
    await drive.page.focus("input[type=range]")  # the field lost the focus, no key was released
    await drive.rests()
    await drive.stays_silent()
    values = drive.samples()
    assert values[0] == {"linear": 0.75, "angular": 0.0}
    assert values[-2] == {"linear": 0.75, "angular": 1.5}
    assert values[-1] == REST
    assert drive.samples("head") == []


async def test_second_stick_turns_the_head_and_leaves_the_tracks_alone(site: Site) -> None:
    drive = await drive_page(site)
    box = await drive.page.locator("[data-look]").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await drive.page.mouse.move(*middle)
    await drive.page.mouse.down()
    await drive.page.mouse.move(box["x"], middle[1])
    await drive.drives()
    await until(lambda: drive.samples("head")[-1]["pan"] == pytest.approx(90.0, abs=1))
    await drive.page.mouse.up()
    await drive.rests()
    assert drive.samples("head")[-1]["pan"] == pytest.approx(90.0, abs=1)
    assert drive.samples() == []


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
async def test_axe_finds_nothing(site: Site, theme: str) -> None:
    drive = await drive_page(site, color_scheme=theme)
    await drive.pad("plug()")
    await drive.page.wait_for_selector("select[data-pads='1']")
    assert await violations(drive.page) == []


OFFLINE = {"state": NodeState.OFFLINE}
WINDOWS = [(390, 844), (844, 390), (1280, 900)]
BOXES = """() => [...document.querySelectorAll(".stick")].map((stick) => {
  const { x, y, width } = stick.getBoundingClientRect();
  return [x, y, width];
})"""
NOT_DESCRIBED = """
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (!String(data).includes('"describe"')) send.call(this, data);
  };
"""


@pytest.mark.parametrize(("width", "height"), WINDOWS)
async def test_sticks_stay_where_they_are_whatever_the_page_shows(
    site: Site, width: int, height: int
) -> None:
    drive = await drive_page(site, viewport={"width": width, "height": height})
    await drive.page.wait_for_selector("[data-camera=on]")
    places = await drive.page.evaluate(BOXES)
    robot = site.robot
    robot.nodes["sim_tracks"] = robot.nodes["sim_tracks"].model_copy(update=OFFLINE)
    robot.is_tracks_live = robot.is_camera_on = False
    await drive.page.wait_for_selector("[data-camera=off]")
    await drive.page.wait_for_selector("[data-absent=tracks]")
    assert await drive.page.evaluate(BOXES) == places
    await drive.pad("plug()")
    await drive.page.wait_for_selector("select[data-pads='1']")
    await drive.pad(f"push(0, -1, 1, 1); press({L1}, true)")
    await drive.drives()
    assert await drive.page.evaluate(BOXES) == places


async def test_held_stick_keeps_its_command_when_the_page_moves(site: Site) -> None:
    drive = await drive_page(site)
    box = await drive.page.evaluate(IN_PLACE, "[data-stick]")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await drive.page.mouse.move(x, y)
    await drive.page.mouse.down()
    await drive.page.mouse.move(x, y - box["height"] / 4)
    await drive.drives()
    await drive.page.evaluate("document.querySelector('main').style.paddingTop = '160px'")
    await drive.page.mouse.move(x + 1, y - box["height"] / 4)
    drive.published.clear()
    await until(drive.samples)
    await drive.page.mouse.up()
    await drive.rests()
    assert drive.samples()[0]["linear"] == pytest.approx(FULL["linear"] / 2, abs=0.01)


async def test_sticks_drive_nothing_before_the_robot_is_described(site: Site) -> None:
    page = await site.browser.new_page()
    await page.add_init_script(NOT_DESCRIBED)
    await page.goto(site.url + "drive")
    await page.wait_for_selector("[data-link=open]")
    await page.wait_for_selector("[data-estop=ready]")
    assert await page.locator(".stick.is-off").count() == 2


async def test_walking_robot_is_led_to_the_page_that_operates_it(
    browser: Any, tmp_path: Path
) -> None:
    config = Config(robot="asimov", auth=AuthSettings(required=False))
    async for site in site_of(browser, tmp_path, config=config):
        page = await site.open("drive")
        link = page.locator(".empty a")
        await expect(link).to_have_text("Remote")
        await expect(link).to_have_attribute("href", "/operate")
