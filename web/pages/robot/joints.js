// Which joint of the model stands where: measured by the roles, and commanded by the router. Pure;
// the mapping from fields to joints is the robot manifest's (app.robot.joints).

/**
 * @typedef {object} Part one field of a role that the model shows
 * @property {string} key "arms.left.joint_0"
 * @property {string} target "arms.left"
 * @property {string} field "joint_0"
 * @property {string} joint of the model
 * @property {any} spec unit, kind, limits of the field; null: a motor, which turns without an end
 */

/** @param {any} robot what `system describe` told @returns {Part[]} */
export function partsOf(robot) {
  return Object.entries(robot?.joints ?? {}).flatMap(([target, fields]) =>
    Object.entries(/** @type {Record<string, string>} */ (fields)).map(([field, joint]) => ({
      key: `${target}.${field}`,
      target,
      field,
      joint,
      spec: robot.targets[target]?.[field] ?? null,
    })),
  );
}

/**
 * Where the role says that it is, in the field's unit.
 * @param {Part} part
 * @param {Record<string, any>} data by topic
 * @returns {number | null}
 */
export function measured({ target, field }, data) {
  const [role, instance = ""] = target.split(".");
  if (role === "head") return data.head?.[field] ?? null;
  if (role !== "arms") return null;
  const arm = data.arms?.[instance];
  if (field === "gripper") return arm?.gripper?.position ?? null;
  const number = Number(field.replace("joint_", ""));
  return arm?.joint_positions?.[number] ?? null;
}

/**
 * What the router sends.
 * @param {Part} part
 * @param {Record<string, any>} data
 * @returns {any} its row of the topic "outputs"
 */
export function commanded({ target, field }, data) {
  const rows = data.outputs?.fields ?? [];
  return (
    rows.find((/** @type {any} */ row) => row.target === target && row.field === field) ?? null
  );
}

/** Topic that tells where it is. @param {Part} part */
export const topicOf = ({ target }) => target.split(".")[0];

/**
 * As the model's joint understands it: radians or metres.
 * @param {number} value in the field's unit
 * @param {string} unit
 * @param {{lower: number, upper: number}} limit of the joint: a ratio is a share of its way
 */
export function inModel(value, unit, limit) {
  if (unit === "deg") return (value * Math.PI) / 180;
  if (unit === "ratio") return limit.lower + value * (limit.upper - limit.lower);
  return value;
}

/**
 * A motor shows how far its track has gone.
 * @param {Part} part
 * @param {any} tracks
 * @returns {number} metres a second
 */
export function trackSpeed({ field }, tracks) {
  return (field.startsWith("left") ? tracks?.left_velocity : tracks?.right_velocity) ?? 0;
}
