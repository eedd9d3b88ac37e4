// Records in this browser which of a new robot's first steps are done. Not here: the steps that the
// robot itself reports, such as a node with a role (pages/dashboard/first-steps.js).

import { prefer, preference } from "../preferences.js";

/** @typedef {"routes" | "drill" | "drive" | "backup"} Step */

const STAGES = /** @type {const} */ (["open", "taken"]);

/** @param {Step} step */
export const completeStep = (step) => prefer(`step.${step}`, "taken");

/** @param {Step} step */
export const isStepDone = (step) => preference(`step.${step}`, "open", STAGES) === "taken";
