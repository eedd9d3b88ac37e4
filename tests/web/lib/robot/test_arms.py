"""What the page Arms computes: who has an arm, and a calibration as LeRobot counts it. The numbers
are compared with those of saintctl (lib/hw/feetech/calibration.py).
"""

import json
from typing import Any

import pytest

from saint_services.lib.hw.bus_servos.scale import TickScale
from saint_services.lib.hw.feetech import calibration
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

PART = {
    "target": "parts.follower",
    "name": "elbow_flex",
    "unit": "deg",
    "limits": [-90, 90],
    "hardware": {"servo_id": 3, "ticks": [1024, 3072], "homing_offset": -5},
}
MOTOR = {"id": 3, "drive_mode": 0, "homing_offset": 20, "range_min": 900, "range_max": 3100}


async def call(site: Site, body: str, argument: Any = None) -> Any:
    page = await site.open("logs")
    return await page.evaluate(
        "async (given) => { const arms = await import('/lib/robot/arms.js');" + body + "}", argument
    )


async def test_offsets_and_positions_are_those_of_the_driver(site: Site) -> None:
    places = [0, 1, 2047, 2048, 4094, 4095, 4101, -3]
    found = await call(
        site,
        "return given.map(a => [arms.homingOffset(a), arms.present(a, arms.homingOffset(a))]);",
        places,
    )
    offsets = [calibration.homing_offset(place) for place in places]
    pairs = zip(places, offsets, strict=True)
    assert found == [[o, calibration.present(p, o)] for p, o in pairs]


@pytest.mark.parametrize("is_reversed", [False, True])
async def test_position_at_a_value_is_that_of_the_scale(site: Site, is_reversed: bool) -> None:
    part = PART | {"hardware": {"servo_id": 3, "ticks": [1024, 3072], "reversed": is_reversed}}
    values = [-90.0, -12.5, 0.0, 60.0]
    scale = TickScale((-90, 90), (1024, 3072), is_reversed)
    found = await call(site, "return given[1].map(v => arms.ticksAt(given[0], v));", [part, values])
    assert found == pytest.approx([scale.ticks(value) for value in values], abs=1)


async def test_recorder_notices_the_seam_and_a_joint_that_was_not_moved(site: Site) -> None:
    body = """
      const of = ticks => {
        const found = new arms.RangeRecorder(ticks[0]);
        for (const each of ticks) found.saw(each);
        return [found.low, found.high, found.problem];
      };
      return [of([2047, 900, 2000, 3100, 2000]), of([100, 10, 4090]), of([2047, 2050])];
    """
    good, seam, still = await call(site, body)
    assert good == [900, 3100, ""]
    assert "end of its turn" in seam[2]
    assert still[2] == "not moved yet"


async def test_limits_are_those_of_lerobot(site: Site) -> None:
    limits = await call(site, "return arms.limitsOf(given, 'deg');", MOTOR)
    motor = calibration.MotorCalibration.model_validate(MOTOR)
    assert limits == pytest.approx(motor.limits_deg, abs=1e-4)
    assert await call(site, "return arms.limitsOf(given, 'ratio');", MOTOR) == [0, 1]


async def test_written_file_is_read_by_saintctl_and_by_the_page(site: Site) -> None:
    text = await call(site, "return arms.written([given]);", PART)
    found = calibration.read(text.encode(), "page")
    assert found["elbow_flex"].homing_offset == -5
    assert found["elbow_flex"].limits_deg == pytest.approx((-90, 90), abs=0.1)
    edits = await call(
        site,
        "return arms.editsOf([given[0]], arms.readFile(given[1], [given[0]]));",
        [PART, json.dumps({"elbow_flex": MOTOR})],
    )
    assert edits[0]["hardware"] == {"ticks": [900, 3100], "homing_offset": 20}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"),
        ("[]", "no calibration"),
        (json.dumps({"nose": MOTOR}), "no joint nose"),
        (json.dumps({"elbow_flex": MOTOR | {"id": 4}}), "id 4 in the file, 3 here"),
        (json.dumps({"elbow_flex": MOTOR | {"homing_offset": 2048}}), "homing_offset is 2048"),
        (json.dumps({"elbow_flex": MOTOR | {"range_min": 3100}}), "not below"),
        (json.dumps({"elbow_flex": None}), "id is undefined"),
    ],
)
async def test_wrong_file_is_refused_with_a_sentence(site: Site, text: str, says: str) -> None:
    body = "try { arms.readFile(given[1], [given[0]]); } catch (err) { return err.message; }"
    assert says in await call(site, body, [PART, text])


@pytest.mark.parametrize(
    ("kind", "holder", "says"),
    [
        ("none", "", ""),
        ("client", "websocket:me", ""),
        ("client", "websocket:other", "Client other has this arm"),
        ("leader", "leader:hand", "open its clutch"),
        ("sequence", "autonomous:sequence_parts_follower", "A sequence has this arm"),
    ],
)
async def test_locked_panel_says_who_has_the_arm(
    site: Site, kind: str, holder: str, says: str
) -> None:
    master = {"target": "parts.follower", "kind": kind, "holder": holder, "leaders": []}
    text = await call(site, "return arms.lockText(given, 'me');", master)
    assert says in text and bool(text) is bool(says)


async def test_robot_without_bus_servos_has_no_page_arms_in_its_menu(site: Site) -> None:
    page = await site.open("dashboard")
    await page.wait_for_selector(".pages a[href='/parts']")
    assert await page.locator(".pages a[href='/arms']").count() == 0
