"""The memory that each unit may take, and who is ended first when it is short."""

from pathlib import Path

import pytest

from tools.launch.unit_files import parsing, units

FOLDER = Path(__file__).resolve().parents[4] / "systemd"
# Megabytes of each daemon alone at rest: python -m tools.bench.memory, x86_64, 2026-11-22.
MEASURED = {
    "adoptiond": 49, "guardd": 20, "livelinkd": 44, "noded": 55, "otad": 52, "rcd": 48,
    "role-armsd": 46, "role-consoled": 47, "role-headd": 47, "role-leaderd": 51, "role-legsd": 54,
    "role-partsd": 47, "role-tracksd": 46, "role-wagond": 51, "routerd": 46,
    "teleopd": 86, "webd": 69,  # teleopd with five viewers; leader, legs, wagon: 2026-11-26
}  # fmt: skip
# What works on the way from input to output: it must never be slowed down by MemoryHigh.
CONTROL = {
    "guardd",
    "noded",
    "rcd",
    "routerd",
    "webd",
    *(name for name in MEASURED if "role-" in name),
}
FIRST_TO_LAST = [
    "livelinkd",
    "otad",
    "webd",
    "adoptiond",
    "noded",
    "routerd",
    "role-tracksd",
    "guardd",
]
INSTANCES = [name for name in MEASURED if name.startswith("role-")]


def setting(unit: str, key: str) -> str:
    """As systemd takes it: the last one of the unit and its drop-ins."""
    path = FOLDER / unit
    found = [s.value for file in (path, *units.drop_ins(path)) for s in parsing.read(file)
             if s.key == key]  # fmt: skip
    return found[-1] if found else ""


def megabytes(text: str) -> int:
    assert text.endswith("M"), f"{text!r} is not in megabytes"
    return int(text.removesuffix("M"))


def test_every_daemon_is_measured() -> None:
    names = {path.name.removeprefix("saint-").removesuffix(".service")
             for path in FOLDER.glob("saint-*.service") if "@" not in path.name}  # fmt: skip
    assert names == MEASURED.keys()


@pytest.mark.parametrize(
    "unit",
    [f"saint-{name}.service" for name in MEASURED]
    + [f"saint-{name}@.service" for name in INSTANCES],
)
def test_limit_is_three_to_six_times_what_was_measured(unit: str) -> None:
    name = unit.removeprefix("saint-").removesuffix(".service").removesuffix("@")
    most = megabytes(setting(unit, "MemoryMax"))
    assert 3 * MEASURED[name] <= most <= 6 * MEASURED[name]


@pytest.mark.parametrize("name", sorted(CONTROL))
def test_control_is_never_slowed_down_for_memory(name: str) -> None:
    assert setting(f"saint-{name}.service", "MemoryHigh") == ""


@pytest.mark.parametrize("name", sorted(CONTROL - {"webd"}))
def test_control_is_never_swapped_out(name: str) -> None:
    """Boards with 512 MB keep compressed what is seldom used."""
    assert setting(f"saint-{name}.service", "MemorySwapMax") == "0"


@pytest.mark.parametrize("name", sorted(MEASURED.keys() - CONTROL - {"adoptiond"}))
def test_other_daemons_are_slowed_down_before_they_are_ended(name: str) -> None:
    unit = f"saint-{name}.service"
    high, most = (megabytes(setting(unit, key)) for key in ("MemoryHigh", "MemoryMax"))
    assert 3 * MEASURED[name] <= high < most


def test_what_moves_the_robot_is_ended_last() -> None:
    scores = [int(setting(f"saint-{name}.service", "OOMScoreAdjust")) for name in FIRST_TO_LAST]
    assert scores == sorted(set(scores), reverse=True)
    assert scores[2] > 0 > scores[3]  # webd and what is missed less, before any other program
    assert scores[-1] == -1000  # the node's guard alone


@pytest.mark.parametrize("name", INSTANCES)
def test_second_process_of_a_role_has_the_limits_of_the_first(name: str) -> None:
    for key in ("MemoryMax", "MemorySwapMax", "OOMScoreAdjust"):
        assert setting(f"saint-{name}@.service", key) == setting(f"saint-{name}.service", key)
