// Names of the face-capture formats.

/** By the format's key in livelinkd.yaml. @type {Record<string, string>} */
export const FACE_FORMATS = {
  llf: "Live Link Face",
  json: "JSON LiveLink",
  vmc: "VMC",
  ifacialmocap: "iFacialMocap",
  lines: "JSON lines (TCP)",
  capture: "Live Link Face, newer mode (experimental)",
};
