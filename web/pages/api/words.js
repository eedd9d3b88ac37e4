// What somebody needs before the first request, and the live states.

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
      Everything that these pages do goes through one table of actions, and programs may use the
      same: over HTTP, on the WebSocket, by the Python client, or by <code>saintctl</code>. Each
      action says who may ask for it.
    </p>
    <ol>
      <li>
        Make a token: <a href="#/settings/users">Settings, users and tokens</a>. It is shown once.
      </li>
      <li>
        Send it with each request. A program with a token of the level <b>viewer</b> looks and may
        stop the robot, <b>operator</b> moves it, <b>admin</b> does the rest.
      </li>
      <li>
        What is refused comes with a code, a sentence, and what to do: <code>code</code>,
        <code>message</code>, <code>fix</code>.
      </li>
    </ol>
    ${example(
      "How is the robot?",
      `curl -H "Authorization: Bearer $TOKEN" '${origin}/api/v1/system/status'`,
    )}
    ${example(
      "Stop everything",
      'curl -H "Authorization: Bearer $TOKEN" ' +
        `--json '{"enable": true, "reason": "test"}' '${origin}/api/v1/system/estop'`,
    )}
    ${example("Live states, in Python", LISTEN.replace("ORIGIN", origin))}
    <p>
      <b>Driving means sending.</b> A velocity holds for 0.3 s and is not repeated for a program
      that has gone; a position that was asked for is reached. RC and whoever holds a target alone
      come first: ask <a href="#/api/router">router</a> <code>get_output</code> why something does
      not move.
    </p>
  </section>
`;

/** @param {{name: string, text: string, fields: import("./document.js").Field[]}[]} topics */
export const topicList = (topics) => html`
  <section class="api-requests" aria-label="Live states">
    <h2>Live states</h2>
    <p class="quiet">
      On the WebSocket: subscribe to topics with a rate in Hz; 0 is every change. Each state comes
      whole, and only the newest counts.
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
