"""What the layout check finds in the web pages."""

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
    """Pages as they should be."""
    for name, text in GOOD.items():
        _write(tmp_path / name, text)
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_pages_as_they_should_be_have_no_fault(web: Path) -> None:
    assert list(web_layout.faults(web)) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("lib/store.js", 'import { frame } from "../views/frame.js";', "lib knows no page"),
        ("lib/store.js", 'import { PAGES } from "../pages.js";', "lib knows no page"),
        ("lib/store.js", 'const later = import("../pages/logs/page.js");', "lib knows no page"),
        ("views/frame.js", 'export { row } from "../pages/nodes/row.js";', "views stand around"),
        ("pages/logs/page.js", 'import "../nodes/row.js";', "pages do not know each other"),
        ("pages/logs/page.js", "new WebSocket(place);", "talks to the network"),
        ("pages/logs/page.js", "/** @param {any} value */", "says any"),
        ("pages/logs/page.js", "const a = /** @type {Map<string, any>} */ (b);", "says any"),
        ("pages/logs/page.js", "// " + "x" * 98, "page.js:1 has over 100 columns"),
        ("style/base.css", "/* " + "x" * 98 + " */", "base.css:1 has over 100 columns"),
        ("index.html", "<p>" + "x" * 98, "index.html:1 has over 100 columns"),
    ],
)
def test_fault_is_found(web: Path, name: str, text: str, expected: str) -> None:
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
def test_what_only_names_a_type_is_no_import(web: Path, text: str) -> None:
    _write(web / "lib/store.js", text + "\n")
    assert list(web_layout.faults(web)) == []


def test_modules_that_import_each_other_are_found(web: Path) -> None:
    _write(web / "lib/one.js", 'import "./two.js";\n')
    _write(web / "lib/two.js", 'const later = () => import("./three.js");\n')
    _write(web / "lib/three.js", 'export * from "./one.js";\n')
    circles = [each for each in web_layout.faults(web) if "circle" in each]
    assert len(circles) == 1
    assert all(f"lib/{name}.js" in circles[0] for name in ("one", "two", "three"))
