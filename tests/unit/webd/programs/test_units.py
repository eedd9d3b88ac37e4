"""What systemd says about the units of programs."""

from saint_services.webd.programs.units import UnitState, parse

SHOWN = """\
Id=saint-program@patrol.service
ActiveState=active
NRestarts=2
MemoryCurrent=41000000

Id=saint-program@lamp.service
ActiveState=activating
NRestarts=90
MemoryCurrent=[not set]

Id=saint-program@old.service
ActiveState=inactive
NRestarts=0
MemoryCurrent=18446744073709551615
"""


def test_states_are_read_by_name() -> None:
    assert parse(SHOWN) == {
        "patrol": UnitState("running", 2, 41_000_000),
        "lamp": UnitState("waiting", 90, None),
        "old": UnitState("stopped", 0, None),
    }


def test_rubbish_is_unknown() -> None:
    assert parse("") == {"": UnitState()}
    assert parse("Id=saint-program@a.service\nActiveState=odd\n") == {"a": UnitState()}
