"""The owner's robot over the control plane: changes, versions, refusals, power cuts."""

from contextlib import aclosing
from pathlib import Path

import pytest

from saint_services.adoptiond.robots.versions import MOST_VERSIONS, SavedVersion, VersionStore
from saint_services.lib.api import Done, adoption
from saint_services.lib.api import robot as rows
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Nothing, WatchRequest
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Client
from saint_services.lib.robot import restart
from saint_services.lib.robot.source import RobotPlaces, load_robot, template_text
from tests.unit.adoptiond.adoption_rig import FakeNode, Robot
from tests.unit.noded.power_cut import PowerCut, PowerCutError
from tests.waiting import until

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
SAINT = template_text(MANIFESTS, "saint")
ROVER = template_text(MANIFESTS, "rover")
PIN = "pan: {type: servo, pin: 12,"
OTHER_PIN = SAINT.replace(PIN, "pan: {type: servo, pin: 18,")
RENAMED = SAINT.replace("SAINT-01", "Robi")


@pytest.fixture(autouse=True)
def _adoptiond_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It restarts half a second after such a change: tests/unit/lib/robot/test_restart.py."""
    monkeypatch.setattr(restart, "_PAUSE_S", 60.0)


async def apply(client: Client, text: str, **more: object) -> rows.RobotApplied:
    params = rows.ApplyRobot.model_validate({"text": text, **more})
    return await client.request(rows.APPLY_ROBOT, params)


async def document(client: Client) -> rows.RobotDocument:
    return await client.request(rows.GET_ROBOT, Nothing())


async def adopted(client: Client, robot: Robot, role: str) -> FakeNode:
    """A node in a role, whose outputs are safe."""
    node = robot.node(role)

    async def is_known() -> bool:
        node.live()
        found = await client.request(adoption.LIST_NODES, Nothing())
        return any(each.is_offered for each in found.nodes)

    await until(is_known)
    await client.request(adoption.ADOPT_NODE, adoption.AdoptNode(node_id=node.node_id, role=role))
    return node


async def test_change_is_in_force_at_once_and_after_a_restart(robot: Robot) -> None:
    async with robot.registry() as client:
        assert (await document(client)).is_own is False
        applied = await apply(client, OTHER_PIN, note="pan moved")
        assert applied.changes == ["head.pan: pin 12 -> 18."]
    async with robot.registry() as client:
        found = await document(client)
    assert (found.text, found.version, found.is_own) == (OTHER_PIN, 2, True)


async def test_first_change_keeps_the_template_as_a_version(robot: Robot) -> None:
    async with robot.registry() as client:
        await apply(client, OTHER_PIN)
        listed = await client.request(rows.LIST_VERSIONS, Nothing())
        assert [(v.number, v.note) for v in listed.versions][-1] == (1, "template saint")
        undone = await client.request(rows.UNDO_ROBOT, rows.UndoRobot())
        assert undone.changes == ["head.pan: pin 18 -> 12."]
        assert (await document(client)).text == SAINT


async def test_change_of_another_version_than_the_one_in_force_is_a_conflict(
    robot: Robot,
) -> None:
    async with robot.registry() as client:
        await apply(client, OTHER_PIN, base=0)
        with pytest.raises(SaintError) as caught:
            await apply(client, RENAMED, base=0)
        assert caught.value.code is Code.CONFLICT
        assert (await document(client)).text == OTHER_PIN


async def test_faulty_text_changes_nothing_and_the_fault_is_named(robot: Robot) -> None:
    faulty = SAINT.replace("max_rate: 360", "max_rate: 0", 1)
    async with robot.registry() as client:
        review = await client.request(rows.CHECK_ROBOT, rows.RobotText(text=faulty))
        assert "line 20" in review.problem
        with pytest.raises(SaintError) as caught:
            await apply(client, faulty)
        assert caught.value.code is Code.CONFIG_INVALID
        assert (await document(client)).version == 0


async def test_mark_changes_with_outputs_only(robot: Robot) -> None:
    async with robot.registry() as client:

        async def mark() -> str:
            reports = client.follow(adoption.WATCH_NODES, WatchRequest(hold_s=0.5))
            async with aclosing(reports):
                return (await anext(reports)).robot_mark

        first = await mark()
        await apply(client, OTHER_PIN)
        assert await mark() == first
        await apply(client, RENAMED)
        assert await mark() not in ("", first)


async def test_role_that_a_node_holds_is_not_taken_from_the_robot(robot: Robot) -> None:
    async with robot.registry() as client:
        await adopted(client, robot, "head")
        with pytest.raises(SaintError) as caught:
            await apply(client, ROVER)
        assert caught.value.code is Code.REFUSED
        assert "holds head" in caught.value.message


async def test_robot_that_a_node_could_not_drive_is_refused_with_the_line(robot: Robot) -> None:
    """The node reports its PWM channels: GPIO12 and GPIO18 are one on a Pi 4."""
    text = SAINT.replace("tilt: {type: servo, pin: 13,", "tilt: {type: servo, pin: 18,")
    line = next(at for at, each in enumerate(text.splitlines(), 1) if "pin: 18," in each)
    async with robot.registry() as client:
        node = await adopted(client, robot, "head")
        node.pwm = {12: 0, 18: 0, 13: 1, 19: 1}

        async def refusal() -> str:
            node.live()
            return (await client.request(rows.CHECK_ROBOT, rows.RobotText(text=text))).refusal

        await until(refusal)
        said = await refusal()
        assert f"robot.yaml, line {line}: head.gpio_mapping.tilt.pin: GPIO12 of head (pan)" in said
        with pytest.raises(SaintError) as caught:
            await apply(client, text)
        assert caught.value.code is Code.REFUSED
        assert (await document(client)).version == 0


async def test_part_is_set_and_removed_by_name(robot: Robot) -> None:
    async with robot.registry() as client:
        await client.request(
            rows.SET_PART, rows.SetPart(target="head", name="pan", hardware={"pin": 18})
        )
        listed = await client.request(rows.LIST_PARTS, Nothing())
        pan = next(part for part in listed.parts if part.name == "pan")
        assert (pan.place, pan.limits, listed.version) == ("GPIO18", [-180.0, 180.0], 2)
        await client.request(rows.REMOVE_PART, rows.RemovePart(target="head", name="imu"))
        listed = await client.request(rows.LIST_PARTS, Nothing())
        assert "imu" not in [part.name for part in listed.parts]


async def test_backup_brings_the_robot_back_and_a_reset_the_template(robot: Robot) -> None:
    async with robot.registry() as client:
        await apply(client, RENAMED)
        saved = await client.get("/backup", DaemonBackup)
        await client.delete("/backup", Done)
        assert (await document(client)).is_own is False
        await client.put("/backup", saved, RestoreNotes)
        assert (await document(client)).name == "Robi"


def test_fifty_versions_are_kept(tmp_path: Path) -> None:
    store = VersionStore(RobotPlaces(MANIFESTS, tmp_path, "saint"))
    for number in range(MOST_VERSIONS + 3):
        assert store.add(SavedVersion(note=str(number), text=SAINT)) == number + 1
    assert store.numbers() == list(range(4, MOST_VERSIONS + 4))


def test_power_cut_at_any_write_leaves_the_old_or_the_new_robot(tmp_path: Path) -> None:
    """Every operation on the disk of a change is a point at which the power may go."""
    for at in range(300):
        places = RobotPlaces(MANIFESTS, tmp_path / str(at), "saint")
        store = VersionStore(places)
        store.open()
        store.put_in_force(SAINT)
        with pytest.MonkeyPatch.context() as monkeypatch:
            cut = PowerCut(monkeypatch, at)
            try:
                store.add(SavedVersion(text=RENAMED))
                store.put_in_force(RENAMED)
                is_done = True
            except PowerCutError:
                is_done = False
            cut.left = 10**9
        found = load_robot(places)
        assert found.text in (SAINT, RENAMED)
        assert not found.problem
        if is_done:
            assert found.text == RENAMED
            return
    pytest.fail("the change has more than 300 operations on the disk")
