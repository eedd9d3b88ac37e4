"""Formats and parses routes as YAML. Not here: checks against a robot (routerd/routes), files."""

from ..api.routing import RouteFile, RouteList
from . import settings


def write(file: RouteFile) -> str:
    """Format routes as YAML, without default values."""
    return settings.write_yaml(file.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def write_list(listed: RouteList) -> str:
    """Format a robot's routes as YAML. Unusable routes are named in a comment: read back, they
    would cause all routes to be refused.
    """
    used = [info.route for info in listed.routes if not info.fault]
    left_out = [info.route.id for info in listed.routes if info.fault]
    note = (
        f"# Left out because this robot cannot use them: {', '.join(left_out)}\n"
        if left_out
        else ""
    )
    return note + write(RouteFile(routes=used, blending=listed.blending))


def read(text: str, name: str) -> RouteFile:
    """Parse routes; raises config_invalid that names `name`, line and key."""
    return settings.parse(RouteFile, text, name)
