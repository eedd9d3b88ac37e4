"""`saintctl audit`: who did what, when, from where."""

from typing import Annotated

import typer

from ...lib.api.users import AuditEntry, AuditReply, GetAuditLog
from ..access.users import day
from ..connect import tell
from ..console import AsJson, print_json, print_table, run

app = typer.Typer(help="Who came in, took control, stopped the robot, changed what others use.")


@app.command("list")
def show(
    context: typer.Context,
    search: Annotated[str, typer.Option(help="In names, addresses and what was done.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=500, help="The newest ones.")] = 30,
    as_json: AsJson = False,
) -> None:
    """The newest entries, the latest first."""
    body = GetAuditLog(search=search, limit=limit)
    path = "/api/v1/system/get_audit_log"
    reply = run(tell(context.obj, "webd", path, body, AuditReply), as_json)
    if as_json:
        print_json(reply)
        return
    rows = [
        (day(e.time_s), e.who or "nobody", e.address or "this machine", e.what, _detail(e))
        for e in reply.entries
    ]
    print_table(("when", "who", "from", "what", "detail"), rows, "The log has no such entry.")


def _detail(entry: AuditEntry) -> str:
    """The parameters, and why it was not done."""
    return f"{entry.detail} (refused: {entry.refused})" if entry.refused else entry.detail
