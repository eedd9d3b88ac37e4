// Finding a way to the robot: which servers of the internet help, and how long to wait for them.

/** @typedef {import("../api.js").Api} Api */

const GATHER_LIMIT_MS = 1000; // a dead server must not hold up a robot in the same room

/**
 * Give a new connection the STUN and TURN servers of the robot.
 * @param {RTCPeerConnection} peer
 * @param {Api} api
 */
export async function useServers(peer, api) {
  const { servers } = await api.request("teleop", "ice_servers");
  peer.setConfiguration({ iceServers: servers });
}

/** Wait for all candidates: there is no trickle. @param {RTCPeerConnection} peer */
export function gathered(peer) {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((done) => {
    const end = () => done(undefined);
    setTimeout(end, GATHER_LIMIT_MS);
    peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && end();
  });
}

/** @param {RTCPeerConnection} peer */
export const isBroken = ({ iceConnectionState }) =>
  ["disconnected", "failed"].includes(iceConnectionState);
