"""Which files of the web libraries go into the image."""

import re
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image.web_files import libraries

ROOT = Path(__file__).parents[4]
MAP = '<script type="importmap">{"imports": {"big": "/vendor/big/main.js", "big/": "/vendor/big/"}}'


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """One page, two libraries, much that no browser requests."""
    files = {
        "index.html": MAP + "</script>",
        "app.js": 'import { a } from "/vendor/small/a.js";\nimport("big/extras/more.mjs");\n',
        "style/x.css": '@import "/vendor/small/a.css";',
        "node_modules/small/a.js": '// import "./not-there.js"\nimport "./b.js";\n',
        "node_modules/small/b.js": "import * as big from 'big';\n",
        "node_modules/small/a.css": "",
        "node_modules/small/unused.js": "",
        "node_modules/small/package.json": "{}",
        "node_modules/small/LICENSE": "",
        "node_modules/big/main.js": "",
        "node_modules/big/extras/more.mjs": "/* import './gone.js' */ export {x} from '../main.js'",
        "node_modules/big/huge.js": "",
        "node_modules/big/LICENSE.txt": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_a_browser_loads_is_taken_and_nothing_else(web: Path) -> None:
    assert [str(path) for path in libraries(web)] == [
        "big/LICENSE.txt", "big/extras/more.mjs", "big/main.js",
        "small/LICENSE", "small/a.css", "small/a.js", "small/b.js", "small/package.json",
    ]  # fmt: skip


def test_missing_library_is_named(web: Path) -> None:
    (web / "node_modules/small/b.js").unlink()
    with pytest.raises(SaintError, match=r"/vendor/small/b\.js"):
        libraries(web)


def test_every_import_of_the_pages_is_in_the_image() -> None:
    web = ROOT / "web"
    if not (web / "node_modules").is_dir():
        pytest.skip("the web libraries are not here: make setup")
    taken = {path.as_posix() for path in libraries(web)}
    pages = [path for path in web.rglob("*.js") if "node_modules" not in path.parts]
    named = {
        name.replace("/vendor/", "")
        for page in pages
        for name in re.findall(r'"((?:/vendor/|three/)[^"]+\.m?js)"', page.read_text())
    }
    assert named and named <= taken
    assert sum((web / "node_modules" / path).stat().st_size for path in taken) < 2_000_000
