"""The owner's robot over the control plane: changes, versions, refusals, power cuts."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from saint_services.adoptiond.robots import service
from saint_services.adoptiond.robots.versions import MOST_VERSIONS, SavedVersion, VersionStore
from saint_services.lib.api import Done, adoption
from saint_services.lib.api import robot as rows
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Nothing, WatchRequest
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Client
from saint_services.lib.robot import restart
from saint_services.lib.robot.source import RobotPlaces, template_text
from tests.unit.adoptiond.adoption_rig import FakeNode, Robot
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
    """A node in a role, whose outputs are live."""
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
        review = await client.request(rows.CHECK_ROBOT, rows.CheckRobot(text=faulty))
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
    """The node reports its PWM channels: GPIO18 has none."""
    text = SAINT.replace("tilt: {type: servo, pin: 13,", "tilt: {type: servo, pin: 18,")
    line = next(at for at, each in enumerate(text.splitlines(), 1) if "pin: 18," in each)
    async with robot.registry() as client:
        node = await adopted(client, robot, "head")
        node.pwm = {12: 0, 13: 1}

        async def refusal() -> str:
            node.live()
            return (await client.request(rows.CHECK_ROBOT, rows.CheckRobot(text=text))).refusal

        await until(refusal)
        said = await refusal()
        assert f"robot.yaml, line {line}: head.gpio_mapping.tilt.pin: GPIO18 of head (tilt)" in said
        with pytest.raises(SaintError) as caught:
            await apply(client, text)
        assert caught.value.code is Code.REFUSED
        assert (await document(client)).version == 0


async def test_outputs_do_not_change_while_a_node_that_drove_is_cut_off(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server does not receive it any more; its motors may turn all the same."""
    async with robot.registry() as client:
        node = await adopted(client, robot, "head")  # reports live outputs
        silent_s = service.monotonic_s() + 60.0
        monkeypatch.setattr(service, "monotonic_s", lambda: silent_s)
        with pytest.raises(SaintError) as caught:
            await apply(client, RENAMED)
        assert caught.value.code is Code.REFUSED
        assert "went offline while outputs were live" in caught.value.message
        await apply(client, OTHER_PIN)  # pins alone: the node changes them when it rests
        await client.request(adoption.RESET_NODE, adoption.ResetNode(node_id=node.node_id))
        monkeypatch.undo()


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


async def test_several_parts_are_set_in_one_version(robot: Robot) -> None:
    tilt = rows.PartEdit(target="head", name="tilt", output={"max_rate": 90})
    imu = rows.PartEdit(target="head", name="imu", rename="balance")
    async with robot.registry() as client:
        applied = await client.request(rows.SET_PARTS, rows.SetParts(parts=[tilt, imu], base=0))
        listed = await client.request(rows.LIST_VERSIONS, Nothing())
    assert applied.version == 2 and len(applied.changes) == 3
    assert [each.note for each in listed.versions] == ["head.tilt, head.imu", "template saint"]


async def test_several_parts_are_set_whole_or_not_at_all(robot: Robot) -> None:
    sound = rows.PartEdit(target="head", name="tilt", output={"max_rate": 90})
    faulty = rows.PartEdit(target="head", name="pan", hardware={"pin": 13})  # that of tilt
    async with robot.registry() as client:
        for parts in ([sound, faulty], [sound, sound]):
            with pytest.raises(SaintError):
                await client.request(rows.SET_PARTS, rows.SetParts(parts=parts))
        assert (await document(client)).text == SAINT


async def test_backup_brings_the_robot_back_and_a_reset_the_template(robot: Robot) -> None:
    async with robot.registry() as client:
        await apply(client, RENAMED)
        saved = await client.get("/backup", DaemonBackup)
        await client.delete("/backup", Done)
        assert (await document(client)).is_own is False
        await client.put("/backup", saved, RestoreNotes)
        assert (await document(client)).name == "Robi"


async def test_template_that_grew_offers_its_new_parts_to_who_began_with_it(robot: Robot) -> None:
    await asyncio.to_thread(robot.copy_manifests)
    role = robot.directories.share / "manifests/roles/parts_face.yaml"
    async with robot.registry() as client:
        used = rows.UseTemplate(name="face", note="my face")
        await client.request(rows.USE_TEMPLATE, used)
        await client.request(rows.REMOVE_PART, rows.RemovePart(target="parts.face", name="jaw"))

        async def offered() -> list[str]:
            listed = await client.request(rows.LIST_TEMPLATES, Nothing())
            return [each for template in listed.templates for each in template.news]

        assert await offered() == []
        nose = "  nose: {command: cmd, kind: switch}\n\n"
        nose += "gpio_mapping:\n  nose: {type: switch, pin: 6}\n"
        role.write_text(role.read_text().replace("\ngpio_mapping:\n", nose))
        assert await offered() == [
            "parts.face.nose: output is new (kind switch, limits 0 to 1).",
            "parts.face.nose: hardware is new (type switch, pin 6).",
        ]
        wanted = rows.SetPart(
            target="parts.face", name="nose", hardware={"type": "switch", "pin": 6}
        )
        await client.request(rows.SET_PART, wanted)
        assert await offered() == []


def test_fifty_versions_are_kept(tmp_path: Path) -> None:
    store = VersionStore(RobotPlaces(MANIFESTS, tmp_path, "saint"))
    for number in range(MOST_VERSIONS + 3):
        assert store.add(SavedVersion(note=str(number), text=SAINT)) == number + 1
    assert store.numbers() == list(range(4, MOST_VERSIONS + 4))
