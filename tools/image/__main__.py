"""Command line of the image builder. What a build does is in build.py."""

import argparse
import sys

from rich.console import Console
from rich.markup import escape

from saint_services.lib.errors import SaintError

from . import build
from .stages import Progress


def main() -> None:
    """Run one command; a fault ends it with a sentence."""
    options = _parser().parse_args()
    console = Console(stderr=True)
    try:
        with build.open_workshop(Progress(console), options.version) as shop:
            _run(options, shop, console)
    except SaintError as err:
        console.print(f"[red]{escape(str(err))}[/]\n{escape(err.fix)}", highlight=False)
        sys.exit(err.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)


def _run(options: argparse.Namespace, shop: build.Workshop, console: Console) -> None:
    if options.command == "tools":
        console.print(f"The tools tree is {shop.tree.path}", highlight=False)
    elif options.command == "base":
        path = build.ensure_base(shop, again=options.again)
        console.print(f"The base is {path}", highlight=False)
    elif options.command == "bundle":
        shop.progress.close(shop.names.version, build.build_bundle(shop))
    elif options.check_reproducible:
        found = build.check_reproducible(shop)
        console.print(f"Two builds gave the same slot: {found}", highlight=False)
    else:
        made = build.build_image(shop, compress=not options.no_compress)
        shop.progress.close(shop.names.version, made)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.image", description="Build the disk image and the update bundle."
    )
    parser.set_defaults(version="")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("tools", help="make the tools tree, and say where it is")
    base = commands.add_parser("base", help="make the base (Debian alone), and say where it is")
    base.add_argument("--again", action="store_true", help="although it is in the cache")
    image = commands.add_parser("build", help="make the disk image")
    image.add_argument("--no-compress", action="store_true", help="leave out the .zst")
    image.add_argument(
        "--check-reproducible", action="store_true", help="only build the slot twice and compare"
    )
    bundle = commands.add_parser("bundle", help="make the signed update")
    for command in (image, bundle):
        command.add_argument("--version", default="", help="other than the one in pi-gen.conf")
    return parser


if __name__ == "__main__":
    main()
