"""Old data looks old within half a second, by the page's own clock: from the last value that
reached it to the mark of what is stale.
"""

import pytest

from tests.web.conftest import Site
from tests.web.relay import Relay

LIMIT_MS = 500  # what was promised; store.js and app.js divide it

pytestmark = [
    pytest.mark.web,
    pytest.mark.timed,
    pytest.mark.asyncio(loop_scope="session"),
]

# When the receiver's newest value came, and when the page first showed that it is old.
_CLOCK = """
  window.received = { at: 0, sequence: -1 };
  window.staleAt = new Promise((done) => {
    new MutationObserver((changes) => {
      const isStale = ({ target }) => target.matches("[data-source=rc][data-stale]");
      if (window.isEnding && changes.some(isStale)) done(performance.now());
    }).observe(document, { subtree: true, attributeFilter: ["data-stale"] });
  });
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        const { node, data: state } = JSON.parse(data);
        if (node !== "inputs" || state.rc?.sequence === window.received.sequence) return;
        window.received = { at: performance.now(), sequence: state.rc?.sequence };
      });
    }
  };
"""


@pytest.mark.parametrize("fault", ["source", "connection"])
async def test_last_value_looks_stale_within_half_a_second(
    site: Site, relay: Relay, fault: str
) -> None:
    page = await site.browser.new_page()
    await page.add_init_script(_CLOCK)
    await page.goto(site.url)
    await page.wait_for_selector("[data-source=rc]:not([data-stale])", timeout=20_000)
    await page.evaluate("window.isEnding = true")
    if fault == "source":
        site.robot.is_rc_live = False
    else:
        relay.freeze()
    stale_at = await page.evaluate("window.staleAt")
    received_at = await page.evaluate("window.received.at")
    assert 0 < received_at < stale_at
    assert stale_at - received_at <= LIMIT_MS
