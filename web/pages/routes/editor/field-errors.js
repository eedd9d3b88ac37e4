// Assigns an error of the robot to a field of a form. Pure.

const FIRST =
  "id|enabled|priority|weight|input|output|mapping|combine|timeout_ms|mode|fields|" +
  "blend_time_ms|hysteresis_ms|source_timeout_ms";
const FIELD = new RegExp(
  `^(?:params\\.)?(?:route|blending)(?:\\.| [^:]+: )((?:${FIRST})(?:\\[\\d+\\]|\\.[a-z_]+)*)[: ]*`,
);

const NAME = "use 1 to 64 letters, digits, _ . and -"; // instead of the pattern

/**
 * @typedef {{key: string, text: string, whole: string}} Fault `key` is empty without a field
 */

/**
 * Split an error: "route a: mapping[0].to 'pam' is not known" concerns mapping[0].to.
 * @param {unknown} error
 * @returns {Fault}
 */
export function faultOf(error) {
  const { message, fix = "" } = /** @type {{message: string, fix?: string}} */ (error);
  const found = FIELD.exec(message);
  if (!found) return { key: "", text: message, whole: [message, fix].filter(Boolean).join(" ") };
  const rest =
    found[1] === "id" && message.includes("of the form") ? NAME : message.slice(found[0].length);
  return {
    key: found[1],
    text: rest.charAt(0).toUpperCase() + rest.slice(1),
    whole: message.replace(/^params\./, ""),
  };
}
