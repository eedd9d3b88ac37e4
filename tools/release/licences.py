"""Which licences a Debian package names in its copyright file, as SPDX identifiers where there
is one. It says what the file says; it is no legal opinion.
"""

import re
from pathlib import Path

# Debian's names (Debian Policy, "Machine-readable debian/copyright", 7.1) and habits -> SPDX.
_SPDX = {
    "0bsd": "0BSD", "agpl-3": "AGPL-3.0-only", "agpl-3+": "AGPL-3.0-or-later",
    "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "apache2": "Apache-2.0",
    "artistic": "Artistic-1.0-Perl", "artistic-2": "Artistic-2.0", "beerware": "Beerware",
    "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd-4-clause": "BSD-4-Clause", "bsd-4-clause-uc": "BSD-4-Clause-UC", "bsl-1.0": "BSL-1.0",
    "cc0": "CC0-1.0", "cc0-1.0": "CC0-1.0", "cc-by-sa-4.0": "CC-BY-SA-4.0", "curl": "curl",
    "epl-2.0": "EPL-2.0", "expat": "MIT", "mit": "MIT", "fsfap": "FSFAP", "fsful": "FSFUL",
    "fsfullr": "FSFULLR", "gfdl-1.3": "GFDL-1.3-only", "gfdl-1.3+": "GFDL-1.3-or-later",
    "gfdl-niv-1.3+": "GFDL-1.3-no-invariants-or-later", "gpl-1": "GPL-1.0-only",
    "gpl-1+": "GPL-1.0-or-later", "gpl-2": "GPL-2.0-only", "gpl-2.0": "GPL-2.0-only",
    "gpl-2+": "GPL-2.0-or-later", "gpl-2.0+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only",
    "gpl-3.0": "GPL-3.0-only", "gpl-3+": "GPL-3.0-or-later", "gpl-3.0+": "GPL-3.0-or-later",
    "isc": "ISC", "lgpl-2": "LGPL-2.0-only", "lgpl-2.0": "LGPL-2.0-only",
    "lgpl-2+": "LGPL-2.0-or-later", "lgpl-2.0+": "LGPL-2.0-or-later",
    "lgpl-2.1": "LGPL-2.1-only", "lgpl-2.1+": "LGPL-2.1-or-later", "lgpl-3": "LGPL-3.0-only",
    "lgpl-3.0": "LGPL-3.0-only", "lgpl-3+": "LGPL-3.0-or-later",
    "lgpl-3.0+": "LGPL-3.0-or-later", "mpl-1.1": "MPL-1.1", "mpl-2.0": "MPL-2.0",
    "openldap-2.8": "OLDAP-2.8", "openssl": "OpenSSL", "psf-2": "PSF-2.0",
    "python-2.0": "Python-2.0", "unicode-dfs-2016": "Unicode-DFS-2016", "unlicense": "Unlicense",
    "x11": "X11", "zlib": "Zlib",
}  # fmt: skip
# Words by which a licence is known where only its text is given.
_WORDS = {
    "python software foundation license": "PSF-2.0",
    "permission is hereby granted, free of charge, to any person obtaining a copy": "MIT",
    "neither the name of": "BSD-3-Clause",
    "permission to use, copy, modify, and distribute this software and its documentation": "HPND",
    "permission to use, copy, modify, and/or distribute this software for any": "ISC",
}
_IDENTIFIERS = {*_SPDX.values(), *_WORDS.values()}
_MACHINE_READABLE = "copyright-format/1"
_FIRST_LINES = 5
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .,+()/_-]{0,79}")
_JOINED = re.compile(r",?\s+(?:and|or)\s+", re.IGNORECASE)
_COMMON = re.compile(r"/usr/share/common-licenses/([A-Za-z][A-Za-z0-9.+-]*[A-Za-z0-9+])")
_OLD_STYLE = re.compile(r"^(A?L?GPL|GFDL)[v-]?([0-9](?:\.[0-9])?)(\+?)$", re.IGNORECASE)


def of(tree: Path, package: str) -> list[str]:
    """The licences' names, sorted; an empty list when the package does not say."""
    text = _copyright(tree, package)
    if _MACHINE_READABLE in "".join(text.splitlines(keepends=True)[:_FIRST_LINES]):
        named = _fields(text)
    else:
        plain = " ".join(text.lower().split())
        named = _COMMON.findall(text) + [spdx for words, spdx in _WORDS.items() if words in plain]
    return sorted({each for name in named for each in _split(name)})


def is_spdx(name: str) -> bool:
    """Whether this is one of SPDX's identifiers, not a name of Debian's."""
    return name in _IDENTIFIERS


def _copyright(tree: Path, package: str) -> str:
    folder = tree / "usr/share/doc" / package
    if folder.is_symlink():  # several packages of one source share a folder
        target = Path(folder.readlink())
        folder = tree / target.relative_to("/") if target.is_absolute() else folder
    try:
        return (folder / "copyright").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _fields(text: str) -> list[str]:
    lines = (line for line in text.splitlines() if line.lower().startswith("license:"))
    return [line.partition(":")[2].strip() for line in lines]


def _split(name: str) -> list[str]:
    """One SPDX name per part of 'GPL-2+ or Artistic'; prose is left out."""
    if not _NAME.fullmatch(name) or name.count(" ") > 6:
        return []
    return [_spdx(part.strip(" ,")) for part in _JOINED.split(name) if part.strip(" ,")]


def _spdx(name: str) -> str:
    old = _OLD_STYLE.match(name)
    plain = f"{old[1]}-{old[2]}{old[3]}" if old else name
    return _SPDX.get(plain.casefold(), name)
