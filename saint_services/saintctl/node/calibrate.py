"""`saintctl node calibrate`: trim and direction of servos and narrower limits of a role."""

from typing import Annotated

import typer

from ...lib.api.adoption import ROLE_NAMES
from ...lib.api.calibration import CALIBRATE, GET_CALIBRATION, Calibrate, CalibratedField
from ..connect import run_request
from ..console import AsJson, print_json, print_table
from ..row_command import help_of


def calibrate(
    context: typer.Context,
    role: Annotated[str, typer.Argument(help=ROLE_NAMES)],
    field: Annotated[str, typer.Argument(help="Left out: show what is in force.")] = "",
    instance: Annotated[str, typer.Option(help="left or right for arms, the name of parts")] = "",
    offset: Annotated[float | None, typer.Option(help=help_of(Calibrate, "offset"))] = None,
    minimum: Annotated[
        float | None, typer.Option("--min", help=help_of(Calibrate, "minimum"))
    ] = None,
    maximum: Annotated[
        float | None, typer.Option("--max", help=help_of(Calibrate, "maximum"))
    ] = None,
    is_reversed: Annotated[
        bool | None, typer.Option("--reversed/--straight", help=help_of(Calibrate, "is_reversed"))
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help=help_of(Calibrate, "clear"))] = False,
    as_json: AsJson = False,
) -> None:
    """Show or change how a role's own hardware differs from its manifest. Kept on the server."""
    target = f"{role}.{instance}" if instance else role
    changes = {"offset": offset, "minimum": minimum, "maximum": maximum, "is_reversed": is_reversed}
    if field:
        fields = {"target": target, "field": field, "clear": clear, **changes}
        reply = run_request(context.obj, CALIBRATE, as_json, **fields)
    elif clear or any(value is not None for value in changes.values()):
        raise typer.BadParameter("name the field to change")
    else:
        reply = run_request(context.obj, GET_CALIBRATION, as_json, target=target)
    if as_json:
        print_json(reply)
        return
    columns = ("field", "offset", "direction", "from", "to", "unit", "by the manifest")
    print_table(columns, [_row(each) for each in reply.fields], f"{target} drives nothing.")
    if reply.message:
        print(reply.message)


def _row(field: CalibratedField) -> tuple[str, ...]:
    low, high = field.limits
    offset = f"{field.offset:g}" if field.has_offset else "-"
    by_manifest = f"{field.manifest_limits[0]:g} to {field.manifest_limits[1]:g}"
    direction = ("reversed" if field.is_reversed else "straight") if field.has_offset else "-"
    return field.field, offset, direction, f"{low:g}", f"{high:g}", field.unit, by_manifest
