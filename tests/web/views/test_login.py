"""Sign-in: claiming a robot, signing in and out, and the rights of each role."""

from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.webd.accounts import passwords
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

PASSWORD = "four words make it"


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords faster than a robot does, to save time."""
    cheap = passwords.Cost(log_n=4, r=1, p=1)
    monkeypatch.setattr(passwords.hash_password, "__defaults__", (cheap,))


def claim_code(site: Site) -> str:
    return (site.robot.runtime.parent / "state" / "token").read_text().strip()


async def claimed(site: Site) -> None:
    """Claim the robot without a page, which takes a second."""
    requests = (await site.browser.new_context()).request
    wanted = {"code": claim_code(site), "name": "ann", "password": PASSWORD}
    assert (await requests.post(f"{site.url}api/claim", data=wanted)).ok


async def claim(site: Site, page: Any) -> None:
    await page.fill("input[name=code]", claim_code(site))
    await page.fill("input[name=name]", "ann")
    await page.fill("input[name=password]", PASSWORD)
    await page.click(".login button[type=submit]")
    await page.wait_for_selector("[data-link=open]")


async def sign_in(page: Any, name: str, password: str) -> None:
    await page.fill("input[name=name]", name)
    await page.fill("input[name=password]", password)
    await page.click(".login button[type=submit]")


async def add_user(page: Any, name: str, role: str) -> None:
    await page.evaluate(
        """async ([name, role, password]) => {
          const answer = await fetch("/api/v1/users/add_user", { method: "POST",
            body: JSON.stringify({ name, role, password }) });
          if (!answer.ok) throw new Error(await answer.text());
        }""",
        [name, role, PASSWORD],
    )


async def test_robot_without_owner_is_claimed_and_remembers(locked_site: Site) -> None:
    page = await locked_site.open()
    await page.get_by_role("heading", name="Claim this robot").wait_for()
    assert await violations(page) == []
    await page.fill("input[name=code]", "wrong")
    await page.fill("input[name=name]", "ann")
    await page.fill("input[name=password]", PASSWORD)
    await page.click(".login button[type=submit]")
    await page.locator(".refusal", has_text="the claim code is wrong").wait_for()
    locked_site.faults.clear()  # the browser itself logs the 401
    await claim(locked_site, page)
    await page.wait_for_selector("[data-account=ann]")
    await page.reload()
    await page.wait_for_selector("[data-account=ann]")


# Pages that send requests when they are opened, one for each kind of request.
REQUESTING = ("nodes/sim_head", "routes", "inputs/rc", "settings/network", "logs", "logs/activity")


@pytest.mark.parametrize("place", REQUESTING)
async def test_page_that_was_opened_before_signing_in_shows_all_afterwards(
    locked_site: Site, place: str
) -> None:
    await claimed(locked_site)
    page = await locked_site.open(f"{place}")
    await page.get_by_role("heading", name="Sign in").wait_for()
    await sign_in(page, "ann", PASSWORD)
    await page.wait_for_selector("[data-account=ann]")
    await expect(page.locator("main")).not_to_contain_text("You are not signed in")
    await expect(page.locator("main").get_by_role("button", name="Try again")).to_have_count(0)
    locked_site.faults.clear()  # the browser itself logs each 401


async def test_wrong_password_says_so_and_the_right_one_opens(locked_site: Site) -> None:
    await claimed(locked_site)
    page = await locked_site.open()
    await page.get_by_role("heading", name="Sign in").wait_for()
    assert await violations(page) == []
    await sign_in(page, "ann", "not this one")
    await page.locator(".refusal", has_text="name or password is wrong").wait_for()
    locked_site.faults.clear()  # the browser itself logs the 401
    await sign_in(page, "ann", PASSWORD)
    await page.wait_for_selector("[data-account=ann]")


async def test_sign_in_is_switched_off_and_on_in_the_settings(locked_site: Site) -> None:
    page = await locked_site.open("settings/users")
    await claim(locked_site, page)
    switch = page.locator("[data-sign-in]")
    await expect(switch).to_be_checked()
    await switch.click()
    await page.click("[data-confirm]")
    visitor = await locked_site.open("settings/users")
    await expect(visitor.locator("[data-sign-in]")).not_to_be_checked()
    await visitor.get_by_text("No password").wait_for()
    assert await violations(visitor) == []
    await visitor.locator("[data-sign-in]").click()
    await visitor.get_by_text("Sign in with a user of the list").wait_for()
    await visitor.click("[data-confirm]")
    await visitor.get_by_role("heading", name="Sign in").wait_for()
    locked_site.faults.clear()  # the browser itself logs the 401


async def test_signing_out_ends_every_tab_of_this_browser(locked_site: Site) -> None:
    browser = await locked_site.browser.new_context()
    browser.set_default_timeout(20_000)
    page = await browser.new_page()
    await page.goto(locked_site.url)
    await claim(locked_site, page)
    other = await browser.new_page()
    await other.goto(locked_site.url)
    await other.wait_for_selector("[data-account=ann]")
    await page.click("[data-account=ann]")
    await page.click("[data-sign-out]")
    for each in (page, other):
        await each.get_by_role("heading", name="Sign in").wait_for()


async def test_viewer_may_stop_and_sees_why_not_drive(locked_site: Site) -> None:
    admin = await locked_site.open()
    await claim(locked_site, admin)
    await add_user(admin, "vic", "viewer")
    page = await locked_site.open("drive")
    await sign_in(page, "vic", PASSWORD)
    await page.wait_for_selector("[data-account=vic]")
    await page.locator("[data-viewer]").wait_for()
    await page.click(".estop")
    await page.wait_for_selector("[data-estop=latched]")
    stops = [each for each in locked_site.robot.requests if each.startswith("estop ")]
    assert stops[0].startswith("estop websocket:page-")
    await page.goto(f"{locked_site.url}stop-test")
    await expect(page.locator("[data-begin]")).to_be_disabled()


async def test_removed_user_is_out_at_once(locked_site: Site) -> None:
    admin = await locked_site.open()
    await claim(locked_site, admin)
    await add_user(admin, "bob", "operator")
    page = await locked_site.open()
    await sign_in(page, "bob", PASSWORD)
    await page.wait_for_selector("[data-account=bob]")
    await admin.evaluate(
        """() => fetch("/api/v1/users/remove_user",
                       { method: "POST", body: JSON.stringify({ name: "bob" }) })"""
    )
    await page.get_by_role("heading", name="Sign in").wait_for()
