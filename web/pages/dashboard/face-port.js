// The port that Live Link Face sends to, as the robot listens on it: a robot on a laptop may use
// another one than the usual. Empty: switched off.

import { Fetched } from "../../lib/fetched.js";

export const facePort = new Fetched(async (api) => {
  const { formats } = await api.request("livelink", "list_formats");
  const llf = formats.find((each) => each.format === "llf");
  return (llf?.enabled && /:(\d+)$/.exec(llf.addresses[0] ?? "")?.[1]) || "";
});
