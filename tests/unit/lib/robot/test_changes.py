"""What differs between two robots, in words."""

from pathlib import Path

from saint_services.lib.robot.changes import changed_roles, changes
from saint_services.lib.robot.source import checked, template_text

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
TEXT = template_text(MANIFESTS, "saint")
SAINT = checked(MANIFESTS, TEXT, "saint")


def said(before: str, after: str) -> list[str]:
    assert before in TEXT
    return changes(SAINT, checked(MANIFESTS, TEXT.replace(before, after, 1), "robot.yaml"))


def test_equal_robots_have_no_changes() -> None:
    assert changes(SAINT, SAINT) == []
    assert changed_roles(SAINT, SAINT) == set()


def test_pin_and_limits_are_named_with_both_values() -> None:
    assert said("pan: {type: servo, pin: 12", "pan: {type: servo, pin: 18") == [
        "head.pan: pin 12 -> 18."
    ]
    assert said("limits: [-35, 35]", "limits: [-30, 30]") == [
        "head.eye_pan: limits -35 to 35 -> -30 to 30."
    ]


def test_name_and_margin_of_the_robot_are_named() -> None:
    assert said("SAINT-01", "Robi") == ["The robot's name SAINT-01 -> Robi."]
    assert said("margin_m: 0.01", "margin_m: 0.02") == [
        "The robot's collision margin_m 0.01 -> 0.02."
    ]


def test_new_and_removed_roles_are_named() -> None:
    rover = checked(MANIFESTS, template_text(MANIFESTS, "rover"), "rover")
    assert "Role head is new, with 6 outputs." in changes(rover, SAINT)
    assert "Role head is removed." in changes(SAINT, rover)
    assert changed_roles(SAINT, rover) == {"head", "arms.left", "arms.right", "console"}
