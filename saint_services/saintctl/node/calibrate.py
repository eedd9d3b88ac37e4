"""`saintctl node calibrate`: trim and direction of servos, narrower limits, kept on the server."""

from typing import Annotated

import typer

from ...lib.api.calibration import CALIBRATE, GET_CALIBRATION, CalibratedField
from ..connect import asked
from ..console import AsJson, print_json, print_table


def calibrate(
    context: typer.Context,
    role: Annotated[str, typer.Argument(help="head, arms, tracks or console")],
    field: Annotated[str, typer.Argument(help="Without one: show what is in force")] = "",
    instance: Annotated[str, typer.Option(help="left or right, for arms")] = "",
    offset: Annotated[
        float | None, typer.Option(help="The servo stands so far beside what it is told")
    ] = None,
    minimum: Annotated[float | None, typer.Option("--min", help="Not below this")] = None,
    maximum: Annotated[float | None, typer.Option("--max", help="Not above this")] = None,
    is_reversed: Annotated[
        bool | None,
        typer.Option("--reversed/--straight", help="It turns against the manifest, or as it says"),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="As the manifest says")] = False,
    as_json: AsJson = False,
) -> None:
    """Show or change how a role's own hardware differs from its manifest."""
    target = f"{role}.{instance}" if instance else role
    if field:
        reply = asked(
            context.obj,
            CALIBRATE,
            as_json,
            target=target,
            field=field,
            offset=offset,
            minimum=minimum,
            maximum=maximum,
            is_reversed=is_reversed,
            clear=clear,
        )
    else:
        if clear or (offset, minimum, maximum, is_reversed) != (None,) * 4:
            raise typer.BadParameter("name the field that is meant")
        reply = asked(context.obj, GET_CALIBRATION, as_json, target=target)
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
    given = f"{field.manifest_limits[0]:g} to {field.manifest_limits[1]:g}"
    direction = ("reversed" if field.is_reversed else "straight") if field.has_offset else "-"
    return field.field, offset, direction, f"{low:g}", f"{high:g}", field.unit, given
