"""Writes what goes beside an image: its bill of materials and its list of packages."""

from pathlib import Path

from tools.image.names import Names

from . import bill, components, dpkg

ROOT = Path(__file__).parents[2]


def write(tree: Path, out: Path, version: str, moment: str = "") -> tuple[Path, ...]:
    """Both documents of one root tree, whose packages are Debian's of that moment; their paths."""
    names = Names.read(ROOT / "pi-gen.conf")
    packages = dpkg.installed(tree)
    out.mkdir(parents=True, exist_ok=True)
    stem = f"{names.image}-{version}"
    made = out / f"{stem}.cdx.json", out / f"{stem}.packages.txt"
    contents = bill.text(describe(tree, packages, version, moment)), _table(packages)
    for path, content in zip(made, contents, strict=True):
        path.write_text(content, encoding="utf-8")
    return made


def describe(tree: Path, packages: list[dpkg.Package], version: str, moment: str = "") -> bill.Bill:
    """The bill of one root tree."""
    names = Names.read(ROOT / "pi-gen.conf")
    system = components.system(names.image, version, moment)
    ours = components.services(version)
    pages = list(components.web(ROOT / "web" / "package-lock.json"))
    release = f"debian-{_debian_version(tree) or names.release}"
    parts = [components.debian(package, tree, release) for package in packages]
    refs = {package.name: components.debian_ref(package) for package in packages}
    needs = [
        bill.Dependency(ref=refs[name], depends_on=_refs([refs[each] for each in needed]))
        for name, needed in dpkg.dependencies(packages).items()
    ]
    wheels = list(components.wheels(tree))
    everything = [ours, *pages, *wheels, *parts]
    needs += [
        bill.Dependency(ref=system.bom_ref, depends_on=_refs([c.bom_ref for c in everything])),
        bill.Dependency(ref=ours.bom_ref, depends_on=_refs([c.bom_ref for c in [*pages, *wheels]])),
    ]
    writer = components.writer(version)
    metadata = bill.Metadata(tools=bill.Tools(components=(writer,)), component=system)
    return bill.make(metadata, everything, needs)


def _refs(refs: list[str]) -> tuple[str, ...] | None:
    return tuple(sorted(refs)) or None


def _debian_version(tree: Path) -> str:
    """13, of VERSION_ID; testing releases have none."""
    path = tree / "usr/lib/os-release"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = (line.partition("=") for line in text.splitlines())
    return next((value.strip('"') for key, _, value in lines if key == "VERSION_ID"), "")


def _table(packages: list[dpkg.Package]) -> str:
    rows = [(each.name, each.version, each.architecture) for each in packages]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    lines = (f"{name:{widths[0]}}  {version:{widths[1]}}  {arch}" for name, version, arch in rows)
    return "\n".join(lines) + "\n"
