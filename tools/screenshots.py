"""Takes screenshots of all pages: light and dark, desktop and phone, in various states.

make screenshots                                        # of a fake robot, to build/screenshots
make screenshots ARGS="--to /tmp/pictures --url http://127.0.0.1:8080/"
make screenshots ARGS="--robot saul_tee --only base"    # of a template, one page in all its states
"""

import argparse
import asyncio
import contextlib
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = (
    "--no-sandbox",
    "--headless=new",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--enable-unsafe-swiftshader",  # the robot is drawn without a graphics card
    # The suggestions below the address bar cost two renderers for each window, a third of a page's
    # cost. The others are those that Playwright turns off; only the last such list counts.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,"
    "DestroyProfileOnBrowserClose,HttpsUpgrades,LensOverlay,MediaRouter,OptimizationHints,"
    "PaintHolding,PreconnectToSearch,SpareRendererForSitePerProcess,ThirdPartyStoragePartitioning",
)
FOLDER = Path("build/screenshots")
TEMPLATE = "saint"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
REDRAWN_S = 0.5  # numbers change five times a second, less often on a slow computer
_HEIGHT = "document.documentElement.scrollHeight"
SETTLE_S = 1.2
LONGEST_MS = 60_000


def chromium() -> str | None:
    """Return the path of the system's Chromium."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def windowless() -> str | None:
    """Return Chromium's build that draws no window around a page, for tests: a page costs half as
    much. Where it is not installed, Chromium itself.
    """
    return shutil.which("chromium-headless-shell") or chromium()


@contextlib.asynccontextmanager
async def robot(url: str, template: str = TEMPLATE) -> AsyncIterator[tuple[Any, str]]:
    """Yield the robot at `url`, or start a fake one of a template."""
    if url:
        yield None, url
        return
    from saint_services.webd.config import AuthSettings, Config
    from tests.web.fakes.robot import fake_robot

    config = Config(auth=AuthSettings(required=False), robot=template)
    with tempfile.TemporaryDirectory() as directory:
        async with fake_robot(Path(directory), config=config) as (fake, address, _):
            fake.wagon.is_live = True
            playing = asyncio.create_task(fake.play())
            try:
                yield fake, f"http://{address}/"
            finally:
                playing.cancel()


# Addresses in addition to the pages of the menu.
PLACES = (
    "nodes/sim_head",
    "nodes/sim_spare/adopt",
    "nodes/sim_arm_left/calibrate",
    "inputs/livelink",
    "settings/users",
    "stop-test",
    "self-test/sim_head",
    "reference",
    "reference/head",
    "parts/part/head/pan",
    "parts/add",
    "parts/templates",
    "routes/wizard/face",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which robot and which pages."""

    url: str = ""
    template: str = TEMPLATE
    pages: tuple[str, ...] = ()  # all, if empty


async def take(choice: Choice, folder: Path) -> None:
    """Take all screenshots."""
    from playwright.async_api import async_playwright

    async with robot(choice.url, choice.template) as (fake, address), async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=windowless(), args=list(ARGUMENTS))
        for size, (width, height) in SIZES.items():
            for theme in ("light", "dark"):
                page = await browser.new_page(
                    viewport={"width": width, "height": height}, color_scheme=theme
                )
                page.set_default_timeout(LONGEST_MS)
                page.on("console", lambda message: print("console:", message.text))
                page.on("pageerror", lambda error: print("error:", error))
                await page.goto(address)
                await page.wait_for_selector("[data-link=open]")
                stem = folder / f"{size}-{theme}"
                places = choice.pages or await everywhere(page, fake, choice)
                await visit(page, places, stem)
                if fake and "base" in places:
                    await wagon_states(page, fake, stem)
                if fake and theme == "light" and choice == Choice():
                    await states(page, fake, folder / size)
                await page.close()
        await browser.close()


async def everywhere(page: Any, fake: Any, choice: Choice) -> tuple[str, ...]:
    """Return every page of the menu and the places above, which are those of one robot."""
    links = "links => links.map((link) => link.pathname.slice(1))"
    names = await page.eval_on_selector_all(".pages a", links)
    return (*names, *(PLACES if fake and choice.template == TEMPLATE else ()))


async def visit(page: Any, places: tuple[str, ...], stem: Path) -> None:
    """Take these pages."""
    for place in places:
        await go(page, place)
        if place == "robot" and await page.locator("[data-part='head.pan']").count():
            await page.click("[data-part='head.pan']")
            await page.wait_for_selector("[data-scene=shown], [data-scene=failed]")
        if place == "drive":
            await page.evaluate(_PAD)
        await asyncio.sleep(SETTLE_S)
        await shot(page, stem.with_name(f"{stem.name}-{place.replace('/', '-')}.png"))
        if place == "drive":
            await page.evaluate("navigator.getGamepads = () => []")


# Of a wagon, each on top of the one before; what is shown of it at rest is taken with its page.
_WAGON: dict[str, dict[str, object]] = {
    "prevented": {
        "prevents": ("stick: the pilot's sticks are not neutral", "switch: at DISARM, not at ARM"),
        "arm_switch": False, "gains": (0.6, 0.1, 0.05),
    },
    "driving": {
        "state": "armed", "prevents": (), "arm_switch": True, "why": "", "speed": 0.82,
        "yaw_rate": 14.0, "commanded_speed": 0.9, "motor_current": (8.4, 6.9), "pitch": -4.2,
        "fault": "the battery is low", "battery_voltage": 32.6,
    },
    "fail-over": {"receiver": "second", "receiver_rssi": (float("nan"), -74.0), "fault": ""},
    "tilted": {
        "state": "tilt", "pitch": 31.0, "speed": 0.0, "yaw_rate": 0.0, "commanded_speed": 0.0,
        "prevents": ("tilt: 31 degrees, at most 25", "state: tilted too far; disarm it first"),
        "why": "the wagon is tilted too far", "motor_current": (0.0, 0.0), "must_cycle": True,
    },
    "host-lost": {
        "state": "armed", "mode": "rc", "pitch": 1.0, "prevents": (), "must_cycle": False,
        "why": "the pilot drives (RC)",
    },
    "board-silent": {
        "state": "silent", "why": "the board does not report", "receiver_rssi": (),
        "prevents": ("link: the BALANCE board does not report",), "pitch": float("nan"),
        "speed": float("nan"), "yaw_rate": float("nan"), "battery_voltage": float("nan"),
        "receiver": "", "mode": "", "arm_switch": False,
    },
    "stopped": {
        "state": "estop", "mode": "autonomous", "pitch": 1.0, "speed": 0.0, "receiver": "first",
        "yaw_rate": 0.0, "arm_switch": True,
        "battery_voltage": 37.1, "receiver_rssi": (-61.0, -74.0), "why": "the robot is stopped",
        "prevents": ("stop: the robot is stopped", "state: stopped; disarm it first"),
    },
}  # fmt: skip


async def wagon_states(page: Any, fake: Any, stem: Path) -> None:
    """Take the page of the base in the states of its wagon."""
    from tests.web.fakes.wagon import at_rest

    await go(page, "base")
    for name, values in _WAGON.items():
        fake.wagon.change(**values)
        if name == "stopped":
            fake.set_estop(True, "rc", "channel 6 is high")
        await asyncio.sleep(SETTLE_S)
        await shot(page, stem.with_name(f"{stem.name}-base-{name}.png"))
    fake.set_estop(False, "web", "")
    fake.wagon.state = at_rest()


async def go(page: Any, place: str) -> None:
    """Open an address of the site and wait for its heading."""
    await page.evaluate(_GO, place)
    await page.wait_for_selector(f".page.is-{place.partition('/')[0]} main h1", state="attached")


_GO = """(place) => {  // loads nothing again
  history.pushState(null, "", `/${place}`);
  dispatchEvent(new PopStateEvent("popstate"));
}"""
_PAD = """() => {
  const button = (pressed) => ({ pressed, value: Number(pressed) });
  const pad = { id: "Xbox Wireless Controller (STANDARD GAMEPAD Vendor: 045e Product: 0b13)", index: 0,
                connected: true, mapping: "standard", axes: [0, 0, 0, 0],
                buttons: Array.from({ length: 17 }, () => button(false)) };
  navigator.getGamepads = () => [pad];
  setTimeout(() => { pad.axes = [-0.35, -0.8, 0.3, 0]; pad.buttons[4] = button(true); }, 100);
}"""  # noqa: E501


async def states(page: Any, fake: Any, stem: Path) -> None:
    """Take rare states: roll-outs, a stop and its refused clear, the menu, a confirmation."""
    await rollouts(page, fake, stem)
    await go(page, "dashboard")
    if await page.locator(".menu-button").is_visible():
        await page.click(".menu-button")
        await shot(page, stem.with_name(f"{stem.name}-menu.png"), is_whole=False)
        await page.click(".menu-button")
    await page.click("[data-quick=home]")
    await shot(page, stem.with_name(f"{stem.name}-question.png"), is_whole=False)
    await page.keyboard.press("Escape")
    fake.is_rc_live = fake.is_face_live = False
    fake.set_estop(True, "rc", "channel 6 is high")
    await page.wait_for_selector("[data-estop=latched]")
    await asyncio.sleep(SETTLE_S)
    await shot(page, stem.with_name(f"{stem.name}-stopped.png"))
    fake.clear_refusal = "rc channel_2 is not centred (0.41)"
    await page.click("[data-estop=latched]")
    await page.click("[data-clear]")
    await page.wait_for_selector(".dialog .refusal strong")
    await shot(page, stem.with_name(f"{stem.name}-refused.png"), is_whole=False)
    fake.set_estop(True, "websocket:tablet", "a child stands in front of the robot")
    await page.wait_for_selector(".presses .is-new")
    await shot(page, stem.with_name(f"{stem.name}-pressed-again.png"), is_whole=False)
    await page.keyboard.press("Escape")
    fake.clear_refusal = ""
    fake.set_estop(False, "web", "")
    fake.is_rc_live = fake.is_face_live = True
    await page.wait_for_selector("[data-estop=ready]")


async def rollouts(page: Any, fake: Any, stem: Path) -> None:
    """Take the firmware page during a roll-out and after a halted one."""
    machines, releases, plan = fake.otad.machines, fake.otad.releases, fake.otad.plan
    await go(page, "firmware")
    for name in ("work", "halt"):
        fake.otad.machines, fake.otad.releases, fake.otad.plan = machines, list(releases), plan
        getattr(fake.otad, name)()
        await asyncio.sleep(SETTLE_S)
        await shot(page, stem.with_name(f"{stem.name}-rollout-{name}.png"))
    fake.otad.machines, fake.otad.releases, fake.otad.plan = machines, releases, plan


async def shot(page: Any, path: Path, *, is_whole: bool = True) -> None:
    """Take one screenshot; the window grows to a whole page, because the rest is not painted."""
    window = page.viewport_size
    if is_whole:
        await page.set_viewport_size({**window, "height": await page.evaluate(_HEIGHT)})
        await asyncio.sleep(REDRAWN_S)
    await page.screenshot(path=path)
    await page.set_viewport_size(window)
    print(path)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--to", type=Path, default=FOLDER, metavar="FOLDER", help=f"default: {FOLDER}"
    )
    parser.add_argument("--url", default="", help="a running robot; default: a fake one")
    parser.add_argument(
        "--robot", default=TEMPLATE, metavar="NAME", help="a template of manifests/robots"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="PAGE", help="its address; repeatable"
    )
    options = parser.parse_args()
    if not windowless():
        print("chromium is not installed", file=sys.stderr)
        return 3
    options.to.mkdir(parents=True, exist_ok=True)
    choice = Choice(options.url, options.robot, tuple(options.only))
    asyncio.run(take(choice, options.to))
    return 0


if __name__ == "__main__":
    sys.exit(main())
