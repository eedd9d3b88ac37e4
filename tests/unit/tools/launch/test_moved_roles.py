"""When a simulated robot is whole: also after the user has moved a role to another node."""

from tools.launch.registry import Known, Role
from tools.launch.robot import Node, is_settled, lacking

HEAD, ARM = Role("head"), Role("arms", "left")
BOTH = Node("both", "Both", (HEAD, ARM))
SPARE = Node("spare", "Spare")


def test_new_node_lacks_its_roles_and_is_settled_with_them() -> None:
    known = {"sim_both": Known("unadopted"), "sim_spare": Known("unadopted")}
    assert lacking(BOTH, known) == (HEAD, ARM)
    assert not is_settled(BOTH, known)
    assert is_settled(SPARE, known)
    known["sim_both"] = Known("active", frozenset([HEAD]))
    assert lacking(BOTH, known) == (ARM,)
    assert not is_settled(BOTH, known)
    known["sim_both"] = Known("active", frozenset([HEAD, ARM]))
    assert is_settled(BOTH, known)


def test_role_that_was_moved_stays_where_it_is() -> None:
    known = {
        "sim_both": Known("active", frozenset([ARM])),
        "sim_spare": Known("active", frozenset([HEAD])),
    }
    assert lacking(BOTH, known) == ()
    assert is_settled(BOTH, known)
    assert is_settled(SPARE, known)


def test_node_whose_roles_were_all_moved_waits_without_any() -> None:
    known = {
        "sim_both": Known("unadopted"),
        "sim_spare": Known("offline", frozenset([HEAD, ARM])),
    }
    assert lacking(BOTH, known) == ()
    assert is_settled(BOTH, known)
    assert not is_settled(SPARE, known), "it has not started yet"


def test_unknown_and_starting_nodes_are_waited_for() -> None:
    assert not is_settled(SPARE, {})
    assert not is_settled(SPARE, {"sim_spare": Known("boot")})
    assert lacking(BOTH, {"sim_both": Known("adopting")}) == ()
