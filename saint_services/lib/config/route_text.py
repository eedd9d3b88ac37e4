"""Routes as the YAML that people keep, send and edit, and back. Not here: whether they fit a robot
(routerd/routes.py), where the text lies.
"""

from ..api.routing import RouteFile, RouteList
from . import settings


def write(file: RouteFile) -> str:
    """Without what is as it would be anyway."""
    return settings.write_yaml(file.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def write_list(listed: RouteList) -> str:
    """What a robot has; routes that it cannot use are named, not written: read back, they would
    be refused with all others.
    """
    used = [info.route for info in listed.routes if not info.fault]
    left_out = [info.route.id for info in listed.routes if info.fault]
    note = (
        f"# Left out, for this robot cannot use them: {', '.join(left_out)}\n" if left_out else ""
    )
    return note + write(RouteFile(routes=used, blending=listed.blending))


def read(text: str, name: str) -> RouteFile:
    """Raises SaintError config_invalid naming `name`, line and key."""
    return settings.parse(RouteFile, text, name)
