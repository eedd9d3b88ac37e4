"""Pictures of the pages: light and dark, desktop and phone, in their various states.

.venv/bin/python -m tools.screenshots --to /tmp/pictures            # beside the fake robot
.venv/bin/python -m tools.screenshots --to /tmp/pictures --url http://127.0.0.1:8080/
"""

import argparse
import asyncio
import contextlib
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
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
)
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def chromium() -> str | None:
    """The system's browser."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextlib.asynccontextmanager
async def robot(url: str) -> AsyncIterator[tuple[Any, str]]:
    """The running robot at `url`, else a fake one."""
    if url:
        yield None, url
        return
    from tests.web.fake_robot import fake_robot

    with tempfile.TemporaryDirectory() as directory:
        async with fake_robot(Path(directory)) as (fake, address, _):
            playing = asyncio.create_task(fake.play())
            try:
                yield fake, f"http://{address}/"
            finally:
                playing.cancel()


async def take(url: str, folder: Path) -> None:
    """All pictures."""
    from playwright.async_api import async_playwright

    async with robot(url) as (fake, address), async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        for size, (width, height) in SIZES.items():
            for theme in ("light", "dark"):
                page = await browser.new_page(
                    viewport={"width": width, "height": height}, color_scheme=theme
                )
                page.on("console", lambda message: print("console:", message.text))
                page.on("pageerror", lambda error: print("error:", error))
                await page.goto(address)
                await page.wait_for_selector("[data-node]", timeout=5000)
                await asyncio.sleep(0.8)
                await shot(page, folder / f"{size}-{theme}.png")
                await firmware(page, fake, folder / f"{size}-{theme}-firmware.png")
                await drive(page, folder / f"{size}-{theme}-drive.png")
                if fake and theme == "light":
                    await states(page, fake, folder, size)
                await page.close()
        await browser.close()


async def firmware(page: Any, fake: Any, path: Path) -> None:
    """The firmware page: in the middle of a roll-out, and after one that was halted."""
    before = (fake.otad.machines, fake.otad.releases, fake.otad.plan) if fake else None
    for name, happen in (("", "work"), ("-halted", "halt")):
        if fake and before:
            fake.otad.machines, fake.otad.releases, fake.otad.plan = before
            fake.otad.releases = list(before[1])
            getattr(fake.otad, happen)()
        await page.click("a[href='#/firmware']")
        await page.wait_for_selector("[data-machine]")
        await asyncio.sleep(1.2)
        await shot(page, path.with_stem(path.stem + name))
        if not fake:
            break
    if fake and before:
        await page.click("a[href='#/dashboard']")
        await asyncio.sleep(0.3)
        await shot(page, path.with_stem(path.stem.replace("-firmware", "-rolledback")))
        fake.otad.machines, fake.otad.releases, fake.otad.plan = before
        await asyncio.sleep(0.7)


async def drive(page: Any, path: Path) -> None:
    """The page "Drive": at rest without a pad, and with one that drives."""
    await page.click("a[href='#/drive']")
    await asyncio.sleep(0.4)
    await shot(page, path.with_stem(path.stem + "-nopad"))
    await page.evaluate(_PAD)
    await asyncio.sleep(0.4)
    await shot(page, path)
    await page.evaluate("navigator.getGamepads = () => []")
    await page.click("a[href='#/dashboard']")


_PAD = """() => {
  const button = (pressed) => ({ pressed, value: Number(pressed) });
  const pad = { id: "Xbox Wireless Controller (STANDARD GAMEPAD Vendor: 045e Product: 0b13)", index: 0,
                connected: true, mapping: "standard", axes: [0, 0, 0, 0],
                buttons: Array.from({ length: 17 }, () => button(false)) };
  navigator.getGamepads = () => [pad];
  setTimeout(() => { pad.axes = [-0.35, -0.8, 0.3, 0]; pad.buttons[4] = button(true); }, 100);
}"""  # noqa: E501


async def states(page: Any, fake: Any, folder: Path, size: str) -> None:
    """Dialog, e-stop, stale."""
    await page.click("[data-adopt]")
    await shot(page, folder / f"{size}-adopt.png")
    await page.keyboard.press("Escape")
    fake.is_rc_live = fake.is_face_live = False
    fake.set_estop(True, "rc", "channel 6 is high")
    await asyncio.sleep(0.8)
    await shot(page, folder / f"{size}-stopped.png")
    fake.clear_refusal = "rc channel_2 is not in the middle (0.41)"
    await page.click("[data-estop=latched]")
    await page.click("[data-release]")
    await asyncio.sleep(0.3)
    await shot(page, folder / f"{size}-refused.png")
    await page.keyboard.press("Escape")
    fake.clear_refusal = ""
    fake.set_estop(False, "web", "")
    fake.is_rc_live = fake.is_face_live = True
    await asyncio.sleep(0.5)


async def shot(page: Any, path: Path) -> None:
    """One picture, of the whole page."""
    await page.screenshot(path=path, full_page="adopt" not in path.name and "ref" not in path.name)
    print(path)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--url", default="", help="a running robot; a fake one when left out")
    options = parser.parse_args()
    if not chromium():
        print("chromium is not installed", file=sys.stderr)
        return 3
    options.to.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(options.url, options.to))
    return 0


if __name__ == "__main__":
    sys.exit(main())
