"""`python -m tools.release`: documents of a release, the differences of two, Imager's list,
the folder that robots follow."""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from saint_services.lib.errors import SaintError

from . import bill, difference, documents, imager, publish

_COLOURS = {"added": "green", "removed": "red", "changed": "yellow"}


def main() -> int:
    """Command line."""
    options = _parser().parse_args()
    try:
        return int(options.run(options) or 0)
    except SaintError as err:
        print(f"tools.release: {err}\n{err.fix}", file=sys.stderr)
        return err.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    verb = verbs.add_parser("documents", help="bill of materials and package list of a root tree")
    verb.add_argument("tree", type=Path, help="the root tree, or the base it was made of")
    verb.add_argument("out", type=Path, help="folder to write into")
    verb.add_argument("--version", required=True, help="of the release: 0.2.0")
    verb.set_defaults(run=_documents)

    verb = verbs.add_parser("diff", help="what changed between two releases")
    verb.add_argument("old", type=Path, help="saint-os-<version>.cdx.json")
    verb.add_argument("new", type=Path, help="the same of the newer release")
    verb.add_argument("--plain", action="store_true", help="one line per change, for programs")
    verb.set_defaults(run=_diff)

    verb = verbs.add_parser("os-list", help="the list for Raspberry Pi Imager")
    verb.add_argument("image", type=Path, help="saint-os-<version>.img.zst")
    verb.add_argument("--url", default="", help="where it is downloaded; default: this file")
    verb.add_argument("--out", type=Path, help="folder to write into; default: the image's")
    verb.set_defaults(run=_os_list)

    verb = verbs.add_parser("check-os-list", help="hold a list to Imager's rules")
    verb.add_argument("list", type=Path, help="os_list.json")
    verb.add_argument("image", type=Path, nargs="?", help="also compare sizes and hashes")
    verb.set_defaults(run=_check_os_list)

    verb = verbs.add_parser("publish", help="add a bundle to the folder that robots follow")
    verb.add_argument("bundle", type=Path, help="saint-os-<version>.raucb, signed")
    verb.add_argument("folder", type=Path, help="what you upload to your HTTPS server")
    verb.set_defaults(run=_publish)
    return parser


def _publish(options: argparse.Namespace) -> None:
    version = publish.publish(options.bundle, options.folder)
    print(f"Release {version} is in {options.folder}. Upload the folder, manifest.json last.")


def _documents(options: argparse.Namespace) -> None:
    for path in documents.write(options.tree, options.out, options.version):
        print(path)


def _diff(options: argparse.Namespace) -> None:
    old, new = bill.read(options.old), bill.read(options.new)
    changes = difference.between(old, new)
    names = old.metadata.component.version, new.metadata.component.version
    if options.plain:
        for change in changes:
            print(change.kind, change.name, change.old or "-", change.new or "-", sep="\t")
        return
    if not changes:
        print(f"{names[0]} and {names[1]} have the same components.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", "component", *names):
        table.add_column(title, overflow="fold")
    for change in changes:
        mark = f"[{_COLOURS[change.kind]}]{change.kind}[/]"
        table.add_row(mark, change.name, change.old or "-", change.new or "-")
    Console(highlight=False).print(table)


def _os_list(options: argparse.Namespace) -> int:
    path = imager.write(options.image, options.out or options.image.parent, url=options.url)
    print(path)
    return _say(imager.faults(path))


def _check_os_list(options: argparse.Namespace) -> int:
    found = _say(imager.faults(options.list, options.image))
    if not found:
        print(f"{options.list} follows the rules.")
    return found


def _say(faults: list[str]) -> int:
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
