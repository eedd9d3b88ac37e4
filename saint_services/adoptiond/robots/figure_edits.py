"""Edits a robot's text by its figure: which model it names, and which joint shows which part. Keeps
the owner's comments and order. Not here: whether the result is sound (lib/robot/source.py).
"""

import re
from typing import Any

from ...lib.errors import Code, SaintError
from ...lib.robot.figure.builder import Joints
from ...lib.robot.manifest import RobotDescription
from ...lib.robot.urdf import UrdfModel
from .edits import document_of, entry_of, text_of

_NAMES_A_MODEL = re.compile(r"^(urdf|figure):.*\n", re.MULTILINE)
_KEYS = ("urdf", "figure")


def with_figure(
    text: str, robot: RobotDescription, digest: str, model: UrdfModel, joints: Joints
) -> str:
    """Return the text with the owner's figure. Raises not_found for an unknown role."""
    for target in joints:
        if target not in robot.roles:
            known = ", ".join(robot.roles)
            what = f"the robot has no role {target!r}"
            raise SaintError(Code.NOT_FOUND, what, fix=f"Roles: {known}.")
    document = _without_model(text)
    document.insert(list(document).index("name") + 1, "figure", digest)
    for target in robot.roles:
        entry = entry_of(document, target)
        shown = {name: joint for name, joint in joints.get(target, {}).items() if joint}
        _show(entry, shown)
        if "hand" in entry and entry["hand"].get("link") not in model.links:
            del entry["hand"]
    return text_of(document)


def without_figure(text: str, robot: RobotDescription) -> str:
    """Return the text with the figure that is made of the parts."""
    document = _without_model(text)
    for target in robot.roles:
        entry = entry_of(document, target)
        for key in ("joints", "hand"):
            entry.pop(key, None)
    return text_of(document)


def _without_model(text: str) -> Any:
    """Return the document without a model. A line that is taken out leaves the comments around it;
    a key that is taken out of the document would take them with it."""
    document = document_of(_NAMES_A_MODEL.sub("", text))
    for key in _KEYS:
        document.pop(key, None)
    return document


def _show(entry: Any, joints: dict[str, str]) -> None:
    from ruamel.yaml.comments import CommentedMap

    if not joints:
        entry.pop("joints", None)
        return
    if "joints" not in entry:
        entry["joints"] = CommentedMap()
    given = entry["joints"]
    for name in [name for name in given if name not in joints]:
        del given[name]
    given.update(joints)
