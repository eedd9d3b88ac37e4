"""`saintctl audit`: who did what, when, from which address."""

import typer

from ...lib.api.users import AuditEntry, AuditReply
from ...lib.api.webd.users import GET_AUDIT_LOG
from ..access.users import day
from ..console import print_table
from ..row_command import row_command

app = typer.Typer(
    help="Audit log: who signed in, took control, stopped the robot, changed settings."
)


@row_command(app, "list", GET_AUDIT_LOG, fixed={"offset": 0}, defaults={"limit": 30})
def print_entries(reply: AuditReply) -> None:
    rows = [
        (day(e.time_s), e.who or "nobody", e.address or "this machine", e.what, _detail(e))
        for e in reply.entries
    ]
    print_table(("when", "who", "from", "what", "detail"), rows, "The log has no such entry.")


def _detail(entry: AuditEntry) -> str:
    """Return the parameters, and the reason of a refusal."""
    return f"{entry.detail} (refused: {entry.refused})" if entry.refused else entry.detail
