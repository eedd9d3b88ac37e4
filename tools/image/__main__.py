"""Command line of the image builder. What a build does is in build.py."""

import argparse
import sys

from rich.console import Console

from saint_services.lib.errors import SaintError

from . import build
from .stages import Progress


def main() -> None:
    """Run one command; a fault ends it with a sentence."""
    options = _parser().parse_args()
    console = Console(stderr=True)
    progress = Progress(console)
    try:
        shop = build.open_workshop(progress)
        match options.command:
            case "tools":
                console.print(f"The tools tree is {shop.tree.path}", highlight=False)
            case "base":
                path = build.ensure_base(shop, anew=options.anew)
                console.print(f"The base is {path}", highlight=False)
            case "build":
                made = build.build_image(shop, compress=not options.no_compress)
                progress.close(shop.names.version, made)
    except SaintError as err:
        console.print(f"[red]{err}[/]\n{err.fix}", highlight=False)
        sys.exit(err.exit_code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.image", description="Build the disk image and the update bundle."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("tools", help="make the tools tree, and say where it is")
    base = commands.add_parser("base", help="make the base (Debian alone), and say where it is")
    base.add_argument("--anew", action="store_true", help="although it is in the cache")
    image = commands.add_parser("build", help="make the disk image")
    image.add_argument("--no-compress", action="store_true", help="leave out the .xz")
    return parser


if __name__ == "__main__":
    main()
