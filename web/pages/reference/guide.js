// The guide for the first request, and the list of live states.

import { html } from "/vendor/lit-html/lit-html.js";
import { example, table } from "./requests.js";

const LISTEN = `import asyncio

from saint_services.client import Robot
from saint_services.lib.api.states import TracksState


async def main() -> None:
    async with Robot("ORIGIN", token="...") as robot:
        async for tracks in robot.watch(TracksState, rate_hz=10):
            print(tracks)


asyncio.run(main())`;

/** @param {string} origin of the robot */
export const introduction = (origin) => html`
  <section class="card api-words">
    <h2>First steps</h2>
    <p>
      Pages and programs use the same table of actions: over HTTP, the WebSocket, the Python client
      or <code>saintctl</code>. Each action shows the role that it needs.
    </p>
    <ol>
      <li>
        Add a token in <a href="/settings/users">Settings, users and tokens</a>. Its secret is
        shown once.
      </li>
      <li>
        Send the secret with each request. The role <b>viewer</b> can read and stop the robot,
        <b>operator</b> can move it, <b>admin</b> can do everything.
      </li>
      <li>
        An error has a code, a message and a remedy: <code>code</code>, <code>message</code>,
        <code>fix</code>.
      </li>
    </ol>
    ${example(
      "Read the status",
      `curl -H "Authorization: Bearer $TOKEN" '${origin}/api/v1/system/status'`,
    )}
    ${example(
      "Stop the robot",
      'curl -H "Authorization: Bearer $TOKEN" ' +
        `--json '{"enable": true, "reason": "test"}' '${origin}/api/v1/system/estop'`,
    )}
    ${example("Live states, in Python", LISTEN.replace("ORIGIN", origin))}
    <p>
      <b>To drive, keep sending.</b> A velocity times out after 0.3 s; a position is repeated until
      it is reached. RC and a holder of exclusive control override a program:
      <a href="/reference/router">router</a> <code>get_output</code> reports why an output does
      not move.
    </p>
  </section>
`;

/** @param {{name: string, text: string, fields: import("./document.js").Field[]}[]} topics */
export const topicList = (topics) => html`
  <section class="api-requests" aria-label="Live states">
    <h2>Live states</h2>
    <p class="quiet">
      Subscribe on the WebSocket with a rate in Hz; 0 is every change. Each state is complete, and
      only the newest counts.
    </p>
    ${example(
      "Subscribe",
      JSON.stringify({ type: "subscribe", topics: ["head", "tracks"], rate_hz: 10 }),
    )}
    ${topics.map(
      ({ name, text, fields }) => html`
        <details class="card api-request" data-topic=${name}>
          <summary><code>${name}</code><span class="api-text">${text}</span></summary>
          ${table(fields, false)}
        </details>
      `,
    )}
  </section>
`;
