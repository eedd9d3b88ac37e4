"""The evaluation of a failsafe drill, run in the browser on simulated states."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

WEB = Path(__file__).resolve().parents[3] / "web"
pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]
STEP_MS = 20
LOST_MS = 500  # the last good frame
REPORTED_MS = 100  # after it
JUDGE = """async (text) => {
  const [rules, pictures, offAt] = JSON.parse(text);
  const { FailsafeDrill } = await import("/pages/inputs/rc/failsafe-drill.js");
  const specs = { linear: { kind: "velocity", limits: [-1.5, 1.5], neutral: 0 },
                  pan: { kind: "position", limits: [-180, 180], neutral: 0 } };
  const drill = new FailsafeDrill(rules, (target, field) => specs[field]);
  for (const picture of pictures) {
    if (offAt !== null && picture.now >= offAt) drill.switchedOff(offAt);
    drill.add(picture);
  }
  return { phase: drill.phase, verdict: drill.verdict, reasons: drill.reasons,
           reportedMs: drill.reportedMs, backMs: drill.backMs,
           outputs: [...drill.outputs.values()] };
}"""
GOOD = {"rc": {"failsafe": False, "told": False, "age_ms": 5}}
Picture = dict[str, Any]


def output(field: str, value: float, drives: bool, changed_ms: float, source: str) -> Picture:
    policy = "live" if drives or source else "ramp_to_zero"
    return {
        "target": "tracks" if field == "linear" else "head", "field": field, "unit": "",
        "value": value, "policy": policy, "source": "rc" if drives else source,
        "changed_ms": changed_ms,
    }  # fmt: skip


def picture(
    now: int, release_ms: int | None = REPORTED_MS, taker: str = "", **more: Any
) -> Picture:
    """Return one state: driven until LOST_MS, released after `release_ms`, then at rest."""
    is_reported = now >= LOST_MS + REPORTED_MS
    is_released = release_ms is not None and now >= LOST_MS + release_ms
    changed_ms = now - LOST_MS - (release_ms or 0) if is_released else 60_000
    speed = 0.0 if is_released and not taker else 0.8
    fields = [
        output("linear", speed, not is_released, changed_ms, taker),
        output("pan", 30.0, not is_released, changed_ms, taker),
    ]
    age_ms = 5 if is_reported else max(5, now - LOST_MS)
    rc = {"failsafe": now >= LOST_MS + 120, "told": is_reported, "age_ms": age_ms}
    return {
        "now": now + 1, "rc": rc, "rcAt": now + 1, "fields": fields, "fieldsAt": now + 1,
        "isStopped": False, "speed": 0.0 if is_released else 0.8, **more,
    }  # fmt: skip


def course(**options: Any) -> list[Picture]:
    return [picture(now, **options) for now in range(0, 3200, STEP_MS)]


async def _serve(route: Any) -> None:
    """Open the site's files without a robot, which the evaluation does not need."""
    name = route.request.url.partition("//drill/")[2]
    if name:
        await route.fulfill(path=WEB / name, content_type="text/javascript")
    else:
        await route.fulfill(body="<!doctype html>", content_type="text/html")


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Any) -> AsyncIterator[Any]:
    made = await browser.new_page()
    await made.route("**/*", _serve)
    await made.goto("http://drill/")
    yield made
    await made.close()


async def judged(
    page: Any, pictures: list[Picture], action: str = "hold", off_at: int | None = None
) -> Picture:
    rules = {"action": action, "timeout_ms": 120}
    found: Picture = await page.evaluate(JUDGE, json.dumps([rules, pictures, off_at]))
    return found


async def test_robot_that_holds_passes_with_its_times(page: Any) -> None:
    back = [picture(now) | GOOD for now in (3200, 3220)]
    found = await judged(page, course() + back)
    assert (found["verdict"], found["reasons"]) == ("pass", [])
    assert found["reportedMs"] == pytest.approx(REPORTED_MS, abs=2 * STEP_MS)
    assert [each["leftMs"] for each in found["outputs"]] == [
        pytest.approx(REPORTED_MS, abs=STEP_MS)
    ] * 2
    assert found["backMs"] == pytest.approx(2700, abs=2 * STEP_MS)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"release_ms": None}, "still driven by RC"),
        ({"release_ms": 700}, "released after 700 ms, limit 240 ms"),
        ({"taker": "autonomous:ros"}, "autonomous:ros took over"),
    ],
)
async def test_robot_that_drives_on_fails_with_the_reason(
    page: Any, options: dict[str, Any], reason: str
) -> None:
    found = await judged(page, course(**options))
    assert found["verdict"] == "fail"
    assert f"tracks linear: {reason}." in found["reasons"]


async def test_robot_that_was_to_stop_but_did_not_raise_the_stop_fails(page: Any) -> None:
    found = await judged(page, course(), action="estop")
    assert found["verdict"] == "fail" and found["reasons"] == ["The emergency stop was not raised."]


async def test_receiver_that_hides_the_loss_fails(page: Any) -> None:
    live = [
        picture(now) | {"rc": {"failsafe": False, "age_ms": 5}} for now in range(0, 6200, STEP_MS)
    ]
    found = await judged(page, live, off_at=500)
    assert found["verdict"] == "fail" and "still sends good frames" in found["reasons"][0]
    assert (await judged(page, live))["phase"] == "waiting"  # the user has not reported it off


@pytest.mark.parametrize(
    ("pictures", "reason"),
    [
        ([each | {"fields": []} for each in course()], "drove no output"),
        (course()[:20] + course()[60:], "arrived too late"),
        ([each | {"fieldsAt": 0} for each in course()], "arrived too late"),
        ([each | {"isStopped": each["now"] > 700} for each in course()], "emergency stop"),
    ],
)
async def test_what_could_not_be_seen_is_not_judged(
    page: Any, pictures: list[Picture], reason: str
) -> None:
    found = await judged(page, pictures)
    assert found["verdict"] == "unjudged" and reason in found["reasons"][0]
