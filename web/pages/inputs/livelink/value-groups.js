// Groups LiveLink's values for display, and returns the range of each value. Pure.

/** In the order of display; the first match counts. @type {[string, RegExp][]} */
const FACE = [
  ["Head", /^head(Yaw|Pitch|Roll)$/],
  ["Eyes", /^(eye|leftEye|rightEye)/],
  ["Brows", /^brow/],
  ["Jaw and tongue", /^(jaw|tongue)/],
  ["Mouth", /^mouth/],
  ["Cheeks and nose", /^(cheek|nose)/],
];
const POSE = /^(x|y|z|yaw|pitch|roll)$/;
const SIGNED = /^(head|leftEye|rightEye)(Yaw|Pitch|Roll)$/;
const DEGREES = 180;

/** @param {string[]} names @returns {[string, string[]][]} */
export function grouped(names) {
  /** @type {Map<string, string[]>} */
  const found = new Map(FACE.map(([group]) => [group, []]));
  for (const name of names) {
    const group = groupOf(name);
    found.set(group, [...(found.get(group) ?? []), name]);
  }
  return [...found].filter(([, members]) => members.length);
}

/** @param {string} name */
function groupOf(name) {
  const face = FACE.find(([, pattern]) => pattern.test(name));
  if (face) return face[0];
  if (POSE.test(name)) return "Position and rotation";
  const [bone, rest] = name.split(".");
  return rest === undefined ? "Other" : bone;
}

/** @param {string} name @param {number | null} value @returns {[number, number]} */
export function range(name, value) {
  if (SIGNED.test(name)) return [-1, 1];
  const size = Math.abs(value ?? 0);
  if (name.includes(".") || /^(yaw|pitch|roll)$/.test(name))
    return size > 1 || name.includes(".") ? [-DEGREES, DEGREES] : [-1, 1];
  if (POSE.test(name)) return [-Math.max(2, size), Math.max(2, size)];
  return (value ?? 0) < 0 || size > 1 ? [-Math.max(1, size), Math.max(1, size)] : [0, 1];
}
