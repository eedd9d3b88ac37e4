"""What was set by hand on the receiver, in a backup."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.api.backup import DaemonBackup, RestoreNotes, SectionData
from saint_services.lib.api.rc import FailsafeInfo, SetFailsafe
from saint_services.lib.errors import SaintError
from tests.unit.rcd.rig import Line, robot


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "receiver")
    yield made
    made.unplug()


async def test_failsafe_comes_back_and_lasts_over_a_restart(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.client.post("/failsafe", SetFailsafe(action="neutral"), FailsafeInfo)
        backup = await rc.client.get("/backup", DaemonBackup)
        await rc.client.post("/failsafe", SetFailsafe(action="estop"), FailsafeInfo)
        await rc.client.put("/backup", backup, RestoreNotes)
        assert (await rc.client.get("/failsafe", FailsafeInfo)).action == "neutral"
    async with robot(line, tmp_path) as rc:
        assert (await rc.client.get("/failsafe", FailsafeInfo)).action == "neutral"
        await rc.client.delete("/backup", RestoreNotes)
        assert (await rc.client.get("/failsafe", FailsafeInfo)).action == "hold"


async def test_backup_that_does_not_fit_the_settings_is_refused(line: Line, tmp_path: Path) -> None:
    section = SectionData(version=3, data={"protocol": "ppm", "pins": [28]})
    async with robot(line, tmp_path) as rc:
        with pytest.raises(SaintError, match="ppm_pin"):
            await rc.client.put(
                "/backup", DaemonBackup(sections={"receiver": section}), RestoreNotes
            )
