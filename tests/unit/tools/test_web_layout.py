"""The layout check of the web pages."""

from pathlib import Path

import pytest

from tools import web_layout

GOOD = {
    "app.js": 'import { PAGES } from "./pages.js";\nimport { frame } from "./views/frame.js";\n',
    "pages.js": 'export const PAGES = [() => import("./pages/nodes/page.js")];\n',
    "lib/api.js": "const answer = fetch(path);\n",
    "lib/store.js": 'import { Api } from "./api.js";\n',
    "views/frame.js": 'import "../lib/store.js";\n',
    "views/menu.js": 'import { PAGES } from "../pages.js";\n',
    "pages/nodes/page.js": 'import { html } from "/vendor/lit-html/lit-html.js";\n'
    'import { row } from "./row.js";\nimport { frame } from "../../views/frame.js";\n',
    "pages/nodes/row.js": 'import {\n  Store,\n} from "../../lib/store.js";\n',
    "pages/logs/page.js": "/** @param {unknown} value not any at all */\n",
    "style/base.css": "body {}\n",
    "node_modules/x/x.js": 'import "../../lib/api.js";' + " " * 200,
}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Return a folder of web pages without a fault."""
    for name, text in GOOD.items():
        _write(tmp_path / name, text)
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_valid_pages_have_no_fault(web: Path) -> None:
    assert list(web_layout.faults(web)) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("lib/store.js", 'import { frame } from "../views/frame.js";', "lib imports no part"),
        ("lib/store.js", 'import { PAGES } from "../pages.js";', "lib imports no part"),
        ("lib/store.js", 'const later = import("../pages/logs/page.js");', "lib imports no part"),
        ("lib/robot/nodes.js", 'import "../../parts/bar.js";', "lib imports no part"),
        ("parts/bar.js", 'import "../views/frame.js";', "parts import lib alone"),
        (
            "views/frame.js",
            'export { row } from "../pages/nodes/row.js";',
            "views surround every page",
        ),
        ("pages/logs/page.js", 'import "../nodes/row.js";', "pages do not import each other"),
        ("pages/logs/page.js", "new WebSocket(place);", "uses the network"),
        ("pages/logs/page.js", "/** @param {any} value */", "uses any"),
        ("pages/logs/page.js", "const a = /** @type {Map<string, any>} */ (b);", "uses any"),
        ("pages/logs/page.js", "// x\n" * 401, "page.js is longer than 400 lines"),
        ("pages/logs/page.js", "// " + "x" * 98, "page.js:1 is longer than 100 columns"),
        ("style/base.css", "/* " + "x" * 98 + " */", "base.css:1 is longer than 100 columns"),
        ("index.html", "<p>" + "x" * 98, "index.html:1 is longer than 100 columns"),
    ],
)
def test_fault_is_reported(web: Path, name: str, text: str, expected: str) -> None:
    _write(web / name, text + "\n")
    found = list(web_layout.faults(web))
    assert any(expected in sentence for sentence in found), found


@pytest.mark.parametrize(
    "text",
    [
        '/** @typedef {import("../views/frame.js").Frame} Frame */',
        '// import { frame } from "../views/frame.js";',
        '/**\n * import { frame } from "../views/frame.js"\n */',
        'const company = "of any kind";',
    ],
)
def test_import_in_a_comment_is_allowed(web: Path, text: str) -> None:
    _write(web / "lib/store.js", text + "\n")
    assert list(web_layout.faults(web)) == []


def test_import_circle_is_reported(web: Path) -> None:
    _write(web / "lib/one.js", 'import "./two.js";\n')
    _write(web / "lib/two.js", 'const later = () => import("./three.js");\n')
    _write(web / "lib/three.js", 'export * from "./one.js";\n')
    circles = [each for each in web_layout.faults(web) if "circle" in each]
    assert len(circles) == 1
    assert all(f"lib/{name}.js" in circles[0] for name in ("one", "two", "three"))
