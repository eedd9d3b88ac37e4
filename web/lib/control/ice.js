// Finding a way to the robot: which servers of the internet help, and how long to wait for them.

import { problemOf } from "../api.js";

/** @typedef {import("../api.js").Api} Api */

/**
 * Give a new connection the STUN and TURN servers of the robot. Without them it still reaches a
 * robot in the same network.
 * @param {RTCPeerConnection} peer
 * @param {Api} api
 * @returns {Promise<number>} how long to wait for their answers, in ms
 */
export async function useServers(peer, api) {
  try {
    const { servers, wait_s } = await api.request("teleop", "ice_servers");
    peer.setConfiguration({ iceServers: servers });
    return wait_s * 1000;
  } catch (err) {
    // The page may be connected again by the time its session is made, and then lack them.
    if (problemOf(err).code === "no_connection") throw err;
    console.warn("No STUN and TURN servers are used.", err);
    return 1000;
  }
}

/**
 * Wait for all candidates: there is no trickle.
 * @param {RTCPeerConnection} peer
 * @param {number} limitMs a dead server must not hold up a robot in the same room for longer
 */
export function gathered(peer, limitMs) {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((done) => {
    const end = () => done(undefined);
    setTimeout(end, limitMs);
    peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && end();
  });
}

/** @param {RTCPeerConnection} peer */
export const isBroken = ({ iceConnectionState }) =>
  ["disconnected", "failed"].includes(iceConnectionState);
