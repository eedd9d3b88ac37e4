"""What the pages ask about calibrations, over the socket."""

from saint_services.lib.api.calibration import Calibrate
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import ArmState
from tests.unit.webd.web_rig import Rig


async def test_calibration_is_shown_changed_and_named_in_the_log(rig: Rig) -> None:
    chat = await rig.chat()
    shown = await chat.do("management", "get_calibration", target="arms.left")
    before = {each["field"]: each for each in shown["fields"]}
    assert (before["joint_1"]["offset"], before["joint_1"]["largest_offset"]) == (0.0, 36.0)
    kept = await chat.do(
        "management", "calibrate", target="arms.left", field="joint_1", offset=4.5, is_reversed=True
    )
    after = {each["field"]: each for each in kept["fields"]}
    assert (after["joint_1"]["offset"], after["joint_1"]["is_reversed"]) == (4.5, True)
    assert kept["message"] == "saved; arms left applies it as soon as its outputs are safe"
    assert rig.robot.trims.asked == [
        Calibrate(target="arms.left", field="joint_1", offset=4.5, is_reversed=True)
    ]
    log = await chat.do("management", "get_activity_log")
    assert "arms.left.joint_1 was calibrated" in [entry["text"] for entry in log["entries"]]


async def test_calibration_that_the_manifest_does_not_allow_is_refused_with_its_limits(
    rig: Rig,
) -> None:
    chat = await rig.chat()
    refused = await chat.fail("management", "calibrate", target="head", field="pan", maximum=181.0)
    assert refused["message"] == "head.pan moves from -180 to 180 deg; 181 is outside of it"
    entry = (await chat.do("system", "get_audit_log"))["entries"][0]
    assert (entry["what"], entry["refused"]) == ("management calibrate", refused["message"])
    assert "target: head, field: pan, maximum: 181.0" in entry["detail"]
    unknown = await chat.fail("management", "get_calibration", target="tail")
    assert "no role 'tail'" in unknown["message"]


async def test_silent_arm_has_an_older_age_than_the_other(rig: Rig) -> None:
    chat = await rig.chat()
    await chat.subscribe("arms")
    arms = rig.domain.bus("arms")
    left, right = (arms.publisher(topics.ARM_STATE.at(instance=i)) for i in ("left", "right"))
    left.publish(ArmState((1.0,) * 6))
    first = await chat.state("arms")
    assert first["data"]["left"]["age_ms"] < 2000 and "right" not in first["data"]
    ages = [first["data"]["left"]["age_ms"]]
    while ages[-1] <= ages[0]:  # the left one says nothing meanwhile
        right.publish(ArmState((float(len(ages)),) * 6))  # moves, so each state is sent
        ages.append((await chat.state("arms"))["data"]["left"]["age_ms"])
