"""`saintctl link`: links to remote masters and slaves, and who is connected."""

import typer

from ...lib.api import Done
from ...lib.api.webd import links
from ...lib.api.webd.links import LinkInfo, LinkList, RemoteInfo, RemoteList
from ..console import print_table
from ..row_command import row_command

app = typer.Typer(
    help="Remote masters and slaves of an arm: list, add, remove, engage, status.",
    no_args_is_help=True,
)
_NAME = typer.Argument(metavar="LINK", help="Its name, see `list`.")
_URL = typer.Argument(metavar="URL", help="ws://host:port of the other server.")
_TOKEN = typer.Option(
    "--token", envvar="SAINT_LINK_TOKEN", help="Of the other server; better in SAINT_LINK_TOKEN."
)


@row_command(app, "list", links.LIST_LINKS)
def print_links(reply: LinkList) -> None:
    """List the links."""
    _print_links(reply.links)


@row_command(app, "status", links.LINK_STATUS)
def print_status(reply: RemoteList) -> None:
    """Show every remote master and slave with its state, delay and error."""
    _print_links(reply.links)
    print()
    rows = [_row(each) for each in reply.connected]
    columns = ("connected", "target", "kind", "state", "delay", "commands", "refused", "problem")
    print_table(columns, rows, "Nobody is connected.")


@row_command(app, "add", links.ADD_LINK, link=_NAME, url=_URL, token=_TOKEN)
def print_added(reply: LinkInfo) -> None:
    """Add a link, or replace the one of its name. It moves nothing until it is engaged."""
    print(f"Link {reply.name} was added. Engage it when it is connected: link engage {reply.name}")


@row_command(app, "remove", links.REMOVE_LINK, link=_NAME)
def print_removed(reply: Done) -> None:
    """Remove a link."""
    print(reply.message)


@row_command(app, "engage", links.ENGAGE_LINK, link=_NAME)
def print_engaged(reply: LinkInfo) -> None:
    """Let a link move something, from the next command on."""
    _print_links([reply])


@row_command(app, "disengage", links.DISENGAGE_LINK, link=_NAME)
def print_disengaged(reply: LinkInfo) -> None:
    """Let a link move nothing; joints stay where they are."""
    _print_links([reply])


def _print_links(found: list[LinkInfo]) -> None:
    from rich.markup import escape

    rows = [
        (each.name, each.kind, each.target, f"{each.url} {each.robot_id}", escape(_state(each)))
        for each in found
    ]
    print_table(("link", "kind", "target", "other side", "state"), rows, "There are no links.")


def _state(link: LinkInfo) -> str:
    if link.connection is None:
        return f"not connected: {link.problem}"
    state = link.connection.state
    if state == "disengaged" and not link.connection.problem:
        return f"disengaged; move it with: saintctl link engage {link.name}"
    return f"{state}: {link.connection.problem}" if link.connection.problem else state


def _row(each: RemoteInfo) -> tuple[str, ...]:
    from rich.markup import escape

    delay = "-" if each.delay_ms is None else f"{each.delay_ms:.0f} ms"
    return (
        each.name,
        each.target,
        each.kind,
        each.state,
        delay,
        str(each.commands),
        str(each.refused),
        escape(each.problem) or "-",
    )
