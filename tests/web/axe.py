"""Checks a page with axe-core: rules of WCAG 2.2 A and AA, and best practices. The library
comes by npm for the tests alone; webd does not serve it.
"""

from pathlib import Path
from typing import Any

_AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """async () => {
  const found = await axe.run(document, { preload: false, resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
}"""


async def violations(page: Any) -> list[str]:
    """Return one line for each element that breaks a rule."""
    if not await page.evaluate("typeof axe === 'object'"):
        # Not as a <script>: the site's content security policy forbids foreign ones, as it should.
        await page.evaluate(_AXE.read_text(encoding="utf-8"))
    found: list[str] = await page.evaluate(_RUN)
    return found
