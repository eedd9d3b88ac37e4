// What a person has done of the first steps on a new robot, in this browser. Not here: showing them
// (pages/dashboard/firststeps.js), what the robot itself knows (a node with a role, an input that
// lives).

import { prefer, preference } from "../preferences.js";

/** @typedef {"routes" | "drill" | "drive" | "backup"} Step */

const STAGES = /** @type {const} */ (["open", "taken"]);

/** @param {Step} step */
export const took = (step) => prefer(`step.${step}`, "taken");

/** @param {Step} step */
export const hasTaken = (step) => preference(`step.${step}`, "open", STAGES) === "taken";
