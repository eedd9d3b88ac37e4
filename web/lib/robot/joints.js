// Joint positions, measured by the roles and commanded by the router. Pure. The robot manifest maps
// fields to joints of the model (app.robot.joints).

/** @typedef {import("../types.js").Description} Description */
/** @typedef {import("../types.js").FieldDescription} FieldDescription */
/** @typedef {import("../types.js").TracksState} TracksState */
/** @typedef {import("../types.js").States} States */
/** @typedef {import("../types.js").FieldState} FieldState */
/** @typedef {import("../types.js").HeadState} HeadState */
/** @typedef {{target: string, field: string}} Field */

/**
 * @typedef {object} JointField one field of a role that the model shows
 * @property {string} key "arms.left.joint_0"
 * @property {string} target "arms.left"
 * @property {string} field "joint_0"
 * @property {string} joint of the model
 * @property {FieldDescription | null} spec unit, kind and limits of the field; null: a motor
 * without joint limits
 */

/** @param {Description | null} robot reply of `system describe` @returns {JointField[]} */
export function jointFields(robot) {
  return Object.entries(robot?.joints ?? {}).flatMap(([target, fields]) =>
    Object.entries(/** @type {Record<string, string>} */ (fields)).map(([field, joint]) => ({
      key: `${target}.${field}`,
      target,
      field,
      joint,
      spec: robot?.targets[target]?.[field] ?? null,
    })),
  );
}

/** Return the position of one axis of the head. @param {HeadState} head @param {string} field */
export function axisOf(head, field) {
  const value = /** @type {Record<string, unknown>} */ (head)[field];
  return typeof value === "number" ? value : null;
}

const HEAD_FIELDS = ["pan", "tilt", "roll", "jaw", "eye_pan", "eye_tilt"];

/** Whether the topic "parts" has the position: the role's own topic has only its own fields. */
const isPart = (/** @type {Field} */ { target, field }) =>
  target.startsWith("parts") ||
  (target === "head" && !HEAD_FIELDS.includes(field)) ||
  (target.startsWith("arms") && field !== "gripper" && !/^joint_\d+$/.test(field));

/**
 * Return the position that the role reports, in the field's unit.
 * @param {Field} part
 * @param {Partial<States>} data by topic
 * @returns {number | null}
 */
export function measured(part, data) {
  const { target, field } = part;
  const parts = data.parts?.targets?.[target];
  const position = // a servo on a bus measures it
    parts?.sensors[`${field}_position`]?.value ?? parts?.outputs[field]?.value ?? null;
  if (position !== null || isPart(part)) return position;
  const [role, instance = ""] = target.split(".");
  if (role === "head") return (data.head && axisOf(data.head, field)) ?? null;
  if (role !== "arms") return null;
  const arm = { left: data.arms?.left, right: data.arms?.right }[instance];
  if (field === "gripper") return arm?.gripper?.position ?? null;
  const number = Number(field.replace("joint_", ""));
  return arm?.joint_positions?.[number] ?? null;
}

/**
 * Return what the router sends.
 * @param {Field} part
 * @param {Partial<States>} data
 * @returns {FieldState | null} its row of the topic "outputs"
 */
export function commanded({ target, field }, data) {
  const rows = data.outputs?.fields ?? [];
  return rows.find((row) => row.target === target && row.field === field) ?? null;
}

/** Return the topic with the field's position. @param {Field} part */
export const topicOf = (part) => (isPart(part) ? "parts" : part.target.split(".")[0]);

/**
 * Convert a value to the unit of the model's joint, radians or metres.
 * @param {number} value in the field's unit
 * @param {string} unit
 * @param {{lower: number, upper: number}} limit joint limits; a ratio is a share of the range
 */
export function inModel(value, unit, limit) {
  if (unit === "deg") return (value * Math.PI) / 180;
  if (unit === "ratio") return limit.lower + value * (limit.upper - limit.lower);
  return value;
}

/**
 * Return the speed of the track that a motor drives.
 * @param {JointField} part
 * @param {TracksState | undefined} tracks
 * @returns {number} in m/s
 */
export function trackSpeed({ field }, tracks) {
  return (field.startsWith("left") ? tracks?.left_velocity : tracks?.right_velocity) ?? 0;
}
