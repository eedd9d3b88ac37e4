"""The owner's figure over the control plane: uploads, bindings, versions, backup, damage."""

import asyncio
import base64
import re
from pathlib import Path

import pytest

from saint_services.adoptiond.robots.versions import SavedVersion, VersionStore
from saint_services.lib.api import robot as rows
from saint_services.lib.api import robot_figure as figure_rows
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.robot_figure import (
    AddFigure,
    FigureParams,
    OpenArchive,
    RemoveFigure,
    RobotFigure,
    SetFigure,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import HealthReport
from saint_services.lib.ipc import Client
from saint_services.lib.robot import restart
from saint_services.lib.robot.figure.archive import received
from saint_services.lib.robot.source import RobotPlaces, load_robot, template_text
from saint_services.lib.state import last_good
from tests.unit.adoptiond.adoption_rig import Robot
from tests.unit.lib.robot.figure.uploads import URDF, figure, stl
from tests.unit.noded.power_cut import PowerCut, PowerCutError

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
SAINT = template_text(MANIFESTS, "saint")
ARCHIVE = base64.b64encode(figure()).decode()
OTHER = base64.b64encode(figure(URDF.replace('upper="4"', 'upper="2"'))).decode()


@pytest.fixture(autouse=True)
def _adoptiond_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It restarts half a second after such a change: tests/unit/lib/robot/test_restart.py."""
    monkeypatch.setattr(restart, "_PAUSE_S", 60.0)


async def add(client: Client, archive: str = ARCHIVE) -> RobotFigure:
    return await client.request(figure_rows.ADD_FIGURE, AddFigure(archive=archive))


async def put(client: Client, archive: str = ARCHIVE) -> str:
    added = await add(client, archive)
    await client.request(figure_rows.SET_FIGURE, SetFigure(digest=added.digest))
    return added.digest


async def shown(client: Client) -> RobotFigure:
    return await client.request(figure_rows.GET_FIGURE, FigureParams())


async def text(client: Client) -> str:
    return (await client.request(rows.GET_ROBOT, Nothing())).text


async def stored(robot: Robot) -> list[str]:
    return await asyncio.to_thread(places(robot).figures.digests)


def places(robot: Robot) -> RobotPlaces:
    return RobotPlaces(MANIFESTS, robot.directories.state.parent / "robot", "saint")


async def test_upload_is_proposed_and_not_in_force(robot: Robot) -> None:
    async with robot.registry() as client:
        found = await add(client)
        bound = {f"{each.target}.{each.name}": each.joint for each in found.parts if each.joint}
        assert bound == {"head.pan": "neck_yaw", "head.jaw": "mouth"}
        assert not found.is_in_force
        assert (found.triangles, found.shapes) == (2, 1)
        assert (await shown(client)).kind == "shipped"
        assert await text(client) == SAINT


async def test_figure_is_a_version_of_the_robot_with_its_joints(robot: Robot) -> None:
    async with robot.registry() as client:
        digest = await put(client)
        found = await shown(client)
        assert (found.kind, found.digest, found.problem) == ("own", digest, "")
        now = await text(client)
        assert f"figure: {digest}" in now
        assert "urdf:" not in now
        assert "# base_link lies on the ground." in now  # the owner's comments stay
        listed = await client.request(rows.LIST_VERSIONS, Nothing())
        assert listed.versions[0].note == "figure mine/urdf/mine.urdf"
        await client.request(rows.UNDO_ROBOT, rows.UndoRobot())
        assert (await shown(client)).kind == "shipped"
    async with robot.registry() as client:
        assert await text(client) == SAINT


async def test_joints_are_those_that_were_chosen_and_a_wrong_one_is_refused(robot: Robot) -> None:
    async with robot.registry() as client:
        digest = (await add(client)).digest
        wrong = SetFigure(digest=digest, joints={"tracks": {"left_motor": "mouth"}})
        with pytest.raises(SaintError, match="must be continuous"):
            await client.request(figure_rows.SET_FIGURE, wrong)
        assert await text(client) == SAINT
        chosen = SetFigure(digest=digest, joints={"tracks": {"left_motor": "propeller"}})
        await client.request(figure_rows.SET_FIGURE, chosen)
        bound = {each.name: each.joint for each in (await shown(client)).parts if each.joint}
        assert bound == {"left_motor": "propeller"}


async def test_removed_figure_is_made_of_the_parts(robot: Robot) -> None:
    async with robot.registry() as client:
        await put(client)
        await client.request(figure_rows.REMOVE_FIGURE, RemoveFigure())
        found = await shown(client)
        assert (found.kind, found.shapes, found.problem) == ("generated", 0, "")
        assert all(part.joint for part in found.parts)


async def test_refused_upload_leaves_nothing(robot: Robot) -> None:
    async with robot.registry() as client:
        for archive in ("%", base64.b64encode(b"PK nothing").decode()):
            with pytest.raises(SaintError):
                await add(client, archive)
        assert await stored(robot) == []


async def test_figures_of_versions_stay_and_of_the_others_the_newest(robot: Robot) -> None:
    async with robot.registry() as client:
        kept = await put(client)
        await put(client, OTHER)
        for number in range(8):
            data = figure(**{"mine/meshes/skull.stl": stl(number + 3)})
            await add(client, base64.b64encode(data).decode())
        found = await stored(robot)
        assert kept in found
        assert len(found) == 2 + 4


async def test_robot_with_its_figure_goes_to_another_robot_as_one_file(robot: Robot) -> None:
    async with robot.registry() as client:
        digest = await put(client)
        wanted = await text(client)
        packed = await client.request(figure_rows.EXPORT_ARCHIVE, Nothing())
        await client.request(rows.UNDO_ROBOT, rows.UndoRobot(number=1))
        await asyncio.to_thread(places(robot).figures.forget_all)
        review = await client.request(rows.CHECK_ROBOT, rows.CheckRobot(text=wanted))
        assert "is not stored on this robot" in review.problem
        opened = await client.request(figure_rows.OPEN_ARCHIVE, OpenArchive(archive=packed.archive))
        assert (opened.text, opened.digest) == (wanted, digest)
        await client.request(rows.APPLY_ROBOT, rows.ApplyRobot(text=opened.text))
        assert (await shown(client)).digest == digest


async def test_backup_holds_the_figure(robot: Robot) -> None:
    async with robot.registry() as client:
        digest = await put(client)
        saved = await client.get("/backup", DaemonBackup)
        assert len(saved.model_dump_json()) < 1 << 20
        await client.delete("/backup", RestoreNotes)
        assert await stored(robot) == []
        assert (await shown(client)).kind == "shipped"
        await client.put("/backup", saved, RestoreNotes)
        found = await shown(client)
        assert (found.kind, found.digest) == ("own", digest)


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
async def test_damaged_figure_is_replaced_by_its_copy_then_by_one_of_the_parts(
    robot: Robot, damage: str
) -> None:
    async with robot.registry() as client:
        digest = await put(client)
    path = places(robot).figures.folder / f"{digest}.zip"

    def damaged(file: Path) -> None:
        raw = base64.b64decode(OTHER) if damage == "changed" else file.read_bytes()[:100]
        file.unlink() if damage == "gone" else file.write_bytes(raw)

    damaged(path)
    async with robot.registry() as client:
        found = await shown(client)
        assert found.kind == "own"
        assert "last good copy is shown" in found.problem
    damaged(last_good(path))
    async with robot.registry() as client:
        found = await shown(client)
        assert found.kind == "generated"
        assert "made of the parts is shown instead" in found.problem
        assert found.problem in (await client.request(rows.GET_ROBOT, Nothing())).problem
        health = await client.get("/health", HealthReport)
        assert any(found.problem in issue.text for issue in health.issues)
        assert (await text(client)).count(digest) == 1
        await add(client)  # the same file again repairs it
    async with robot.registry() as client:
        assert ((await shown(client)).kind, (await shown(client)).problem) == ("own", "")


def test_power_cut_leaves_the_old_or_the_new_figure(tmp_path: Path) -> None:
    old, new = received(figure()), received(base64.b64decode(OTHER))
    wanted = SAINT.replace("urdf: robots/saint.urdf", f"figure: {old.digest}")
    wanted = wanted.replace("\n    joints:", "\n    unused:")
    bare = re.sub(r"\n    (unused:(\n      .*)+|hand: .*)", "", wanted)
    text_of = {old.digest: bare, new.digest: bare.replace(old.digest, new.digest)}
    for at in range(300):
        found = RobotPlaces(MANIFESTS, tmp_path / str(at), "saint")
        store = VersionStore(found)
        store.open()
        found.figures.add(old)
        store.put_in_force(text_of[old.digest])
        with pytest.MonkeyPatch.context() as monkeypatch:
            cut = PowerCut(monkeypatch, at)
            try:
                found.figures.add(new)
                store.add(SavedVersion(text=text_of[new.digest]))
                store.put_in_force(text_of[new.digest])
                is_done = True
            except PowerCutError:
                is_done = False
            cut.left = 10**9
        loaded = load_robot(found)
        shown_now = loaded.description.figure
        assert text_of[shown_now.digest] == loaded.text
        assert not shown_now.problem
        if is_done:
            assert shown_now.digest == new.digest
            return
    pytest.fail("the change has more than 300 operations on the disk")


async def test_figure_that_no_longer_fits_the_robot_is_refused_with_the_text(robot: Robot) -> None:
    async with robot.registry() as client:
        await put(client)
        wrong = (await text(client)).replace("pan: neck_yaw", "pan: neck")
        with pytest.raises(SaintError) as caught:
            await client.request(rows.APPLY_ROBOT, rows.ApplyRobot(text=wrong))
        assert caught.value.code is Code.CONFIG_INVALID
        assert "is shown by neck, which figure" in caught.value.message
