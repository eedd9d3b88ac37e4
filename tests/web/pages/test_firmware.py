"""The firmware page as users see and use it."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api.firmware import RolloutState, UpdateState, UpdateVerdict
from saint_services.lib.errors import Code, SaintError
from tests.web.conftest import Site
from tests.web.fakes.otad import release

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def opened(site: Site) -> Any:
    page = await site.open()
    await page.click("a[href='/firmware']")
    await page.wait_for_selector("[data-machine=sim_head]")
    return page


async def text(page: Any, selector: str) -> str:
    found: str = await page.locator(selector).inner_text()
    return found


async def test_one_version_is_shown_with_every_machine(site: Site) -> None:
    page = await opened(site)
    assert await text(page, "[data-robot-version]") == "0.1.0"
    assert "on 6 machines; 1 offline" in await text(page, ".release-card")
    assert await page.locator("[data-machine]").count() == 7
    head = page.locator("[data-machine=sim_head]")
    await expect(head).to_contain_text("Head")  # the nodes' names come after the machines
    assert "slot A" in await head.inner_text()
    assert "Offline" in await text(page, "[data-machine=sim_console]")


async def test_address_of_the_page_leads_to_it(site: Site) -> None:
    page = await site.open()
    await page.goto(site.url + "firmware")
    await page.wait_for_selector("[data-robot-version]")
    await page.click("a[href='/dashboard']")
    await page.wait_for_selector("[data-node=sim_head]")


async def test_progress_of_an_installation_is_followed(site: Site) -> None:
    page = await opened(site)
    site.robot.otad.work()
    await page.wait_for_selector("[data-plan=running]")
    row = page.locator("[data-machine=sim_arm_left]")
    assert "Installing 46 %" in await row.inner_text()
    assert await row.locator("[role=progressbar]").get_attribute("aria-valuenow") == "46"
    assert "its outputs are live" in await text(page, "[data-machine=sim_tracks]")
    site.robot.otad.change("sim_arm_left", state=UpdateState.VERIFYING)
    await page.wait_for_selector("[data-machine=sim_arm_left] >> text=Verifying")


async def test_verdict_reason_and_log_of_a_failure_are_shown(site: Site) -> None:
    page = await opened(site)
    site.robot.otad.halt()
    await page.wait_for_selector("[data-plan=halted]")
    assert "starts again and again" in await text(page, "[data-plan-reason]")
    said = await text(page, "[data-machine=sim_tracks] [data-verdict]")
    assert said.startswith("Release 0.2.0 was rolled back: saint-role-tracksd starts again")
    await page.click("[data-machine=sim_tracks] summary")
    assert "ImportError" in await text(page, "[data-machine=sim_tracks] pre")
    await page.goto(f"{site.url}nodes/sim_tracks")
    assert "was rolled back" in await text(page, "section:has([data-update])")


async def test_roll_out_is_started_with_its_canary(site: Site) -> None:
    site.robot.otad.releases.insert(0, release("0.2.0"))
    page = await opened(site)
    await page.click("[data-release='0.2.0'] [data-rollout]")
    await page.select_option(".dialog select", "sim_tracks")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-plan=running]")
    assert site.robot.otad.requests == ["rollout 0.2.0 canary=sim_tracks force=False"]
    assert await page.locator("[data-release='0.1.0'] [data-rollout]").is_disabled()


async def test_refused_roll_out_says_why(site: Site) -> None:
    site.robot.otad.refusal = SaintError(Code.REFUSED, "0.1.0 is older than 0.2.0 on sim_head")
    page = await opened(site)
    await page.click("[data-release='0.1.0'] [data-rollout]")
    await page.click("[data-confirm]")
    await page.wait_for_selector(".dialog .refusal >> text=older than 0.2.0 on sim_head")


@pytest.mark.parametrize(
    ("state", "button", "sent"),
    [
        (RolloutState.RUNNING, "pause", "pause"),
        (RolloutState.PAUSED, "resume", "resume"),
        (RolloutState.HALTED, "resume", "resume"),
        (RolloutState.HALTED, "cancel", "cancel"),
    ],
)
async def test_roll_out_is_controlled(
    site: Site, state: RolloutState, button: str, sent: str
) -> None:
    otad = site.robot.otad
    otad.work()
    assert otad.plan is not None
    otad.plan = otad.plan.model_copy(update={"state": state})
    page = await opened(site)
    await page.click(f"[data-control={button}]")
    await page.wait_for_selector(f"[data-plan={state}]", state="detached")
    assert otad.requests == [sent]


async def test_rollback_of_all_needs_confirmation(site: Site) -> None:
    site.robot.otad.work()
    page = await opened(site)
    await page.click("[data-rollback]")
    assert site.robot.otad.requests == []
    await page.click("[data-confirm]")
    await page.wait_for_selector(".dialog", state="detached")
    assert site.robot.otad.requests == ["rollback"]


async def test_chosen_file_is_uploaded_whole(site: Site, tmp_path: Path) -> None:
    bundle = tmp_path / "saint-os-0.2.0.raucb"
    bundle.write_bytes(bytes(range(256)) * 12_000)
    page = await opened(site)
    await page.set_input_files("input[type=file]", bundle)
    await page.wait_for_selector("[data-upload=done]")
    assert site.robot.otad.uploaded == bundle.read_bytes()
    await page.wait_for_selector("[data-release='0.2.0']")


async def test_dropped_file_is_uploaded(site: Site) -> None:
    page = await opened(site)
    await page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["a bundle"], "saint-os-0.2.0.raucb"));
          const options = { dataTransfer: data, bubbles: true, cancelable: true };
          document.querySelector("[data-upload]").dispatchEvent(new DragEvent("drop", options));
        }"""
    )
    await page.wait_for_selector("[data-upload=done]")
    assert site.robot.otad.uploaded == b"a bundle"


async def test_refused_upload_says_why(site: Site, tmp_path: Path) -> None:
    words = "the release is signed by a key that this robot does not trust"
    site.robot.otad.refusal = SaintError(Code.RELEASE_INVALID, words)
    bundle = tmp_path / "x.raucb"
    bundle.write_bytes(b"not from us")
    page = await opened(site)
    await page.set_input_files("input[type=file]", bundle)
    await page.wait_for_selector(f"[data-upload=refused] >> text={words}")
    site.faults.clear()  # the browser notes the status 422 itself


async def test_deleting_a_release_needs_confirmation(site: Site) -> None:
    site.robot.otad.releases.append(release("0.0.9"))
    page = await opened(site)
    await page.click("[data-release='0.0.9'] [data-delete]")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-release='0.0.9']", state="detached")
    assert await page.locator("[data-release='0.1.0'] [data-delete]").is_disabled()


async def test_missing_update_service_is_reported(site: Site) -> None:
    page = await opened(site)
    await site.robot.stop("otad")
    await page.wait_for_selector(".notice >> text=The update service does not reply")


async def test_text_of_others_is_only_text(site: Site) -> None:
    evil = "<img src=x onerror=alert(1)>"
    site.robot.otad.change(
        "sim_head",
        verdict=UpdateVerdict.FAILED,
        reason=evil,
        log_excerpt=evil,
        target_version="0.2.0",
    )
    page = await opened(site)
    assert evil in await text(page, "[data-machine=sim_head] [data-verdict]")
    assert await page.locator("img[src=x]").count() == 0
