// What the finder knows without the robot: pages, tabs and sections, with the words that people use
// for them.

import { PAGES } from "../pages.js";

/**
 * @typedef {object} Found
 * @property {string} title
 * @property {string} kind
 * @property {string} href
 * @property {string} [words] other names for it
 * @property {import("../pages.js").PageEntry["isOf"]} [isOf] found for these robots only
 */

/** Other names of pages. @type {Record<string, string>} */
const PAGE_WORDS = {
  dashboard: "home overview start status state health temperature history cpu memory uptime",
  robot: "3d model view urdf picture pose body hand reach",
  arms: "leader follower teleoperation sequence record play joints gripper lerobot calibrate so101",
  parts: "servo motor actuator sensor pin channel pulse width pca9685 hardware wire build",
  nodes: "pi raspberry board computer machine device adopt unadopt scan pins gpio header ram",
  routes: "map mapping wiring patch connect priority blend mix preset scale dead zone curve expo",
  inputs: "sources transmitter remote sender signal",
  drive: "joystick stick gamepad pad control steer teleop move keyboard wasd camera video picture",
  base: "wagon can balance board arm disarm tilt battery receiver elrs crossfire gains pid vesc",
  operate: "teleop remote operation webrtc video picture fpv operator control takeover viewer",
  firmware: "update upgrade release version rollout roll-out rollback flash ota install changelog",
  logs: "log journal messages errors warnings debug download",
  settings: "options preferences configuration setup config",
};

/** @type {[title: string, kind: string, href: string, words: string][]} */
const TABS = [
  ["Add a part", "Parts", "/parts/add", "new servo motor sensor light relay chip i2c device"],
  ["Wiring sheet", "Parts", "/parts/wiring", "print cable wires pins header supply ground"],
  [
    "Figure of the robot",
    "Parts",
    "/parts/figure",
    "urdf 3d model mesh stl cad upload joints body",
  ],
  ["Robot file", "Parts", "/parts/file", "yaml edit import export text git manifest"],
  ["Templates", "Parts", "/parts/templates", "example robot start from rover saint"],
  ["Versions of the robot", "Parts", "/parts/versions", "undo history differences return"],
  [
    "RC receiver",
    "Inputs",
    "/inputs",
    "rc radio transmitter remote sbus ibus crsf elrs dsm spektrum ppm pwm channel failsafe " +
      "calibrate calibration limits end points reverse trim arm switch binding rssi",
  ],
  [
    "LiveLink: faces and bodies",
    "Inputs",
    "/inputs/livelink",
    "face capture mocap iphone phone unreal arkit blendshapes vmc record recording playback " +
      "replay zero neutral sender accept",
  ],
  [
    "Map a face to the robot",
    "Routes",
    "/routes/wizard/face",
    "face wizard animatronic mouth jaw eyes brows smile blink expression puppet servo range teach",
  ],
  ["Clients", "Inputs", "/inputs/websocket", "websocket browser connected programs sessions"],
  [
    "Programs that drive",
    "Inputs",
    "/inputs/autonomous",
    "autonomous ai ros navigation script planner",
  ],
  ["Stop test", "Page", "/stop-test", "emergency e-stop estop drill safety kill halt brake"],
  ["API reference", "Page", "/reference", "openapi asyncapi websocket http json developer help"],
  ["Name of the robot", "Settings", "/settings/robot", "rename title call"],
  [
    "Network and Wi-Fi",
    "Settings",
    "/settings/network",
    "wifi wlan hotspot password ip address ethernet hostname dhcp mdns internet",
  ],
  ["Check for updates", "Settings", "/settings/firmware", "upgrade version last update newest"],
  [
    "Failsafe and protocol of the RC receiver",
    "Settings",
    "/settings/rc",
    "signal loss lost timeout time-out sbus crsf",
  ],
  [
    "LiveLink formats",
    "Settings",
    "/settings/livelink",
    "port ports broadcast name unreal face udp rate limit",
  ],
  ["Programs on the server", "Settings", "/settings/programs", "app script python sandbox upload"],
  [
    "Users, tokens, encryption",
    "Settings",
    "/settings/users",
    "account login log in sign-in sign-out password authentication auth security https tls " +
      "certificate key api role",
  ],
  ["Backup and restore", "Settings", "/settings/backup", "save export import copy settings"],
  [
    "Restart, shut down, diagnostics, factory reset",
    "Settings",
    "/settings/maintenance",
    "reboot power off turn off switch off halt erase support report",
  ],
  ["Activity", "Logs", "/logs/activity", "events history happened timeline"],
  ["Audit log", "Logs", "/logs/audit", "who did changes user trace"],
];

/** Links to what a node's page has; the list of nodes leads there. @type {typeof TABS} */
const ON_NODES = [
  ["Joint limits and calibration", "Nodes", "/nodes", "servo trim offset centre jog travel range"],
  ["Self-test of a machine", "Nodes", "/nodes", "selftest check hardware i2c wiring"],
];

/** @type {Found[]} */
export const PLACES = [
  ...PAGES.map(({ name, title, isOf }) => ({
    title,
    isOf,
    kind: "Page",
    href: `/${name}`,
    words: PAGE_WORDS[name],
  })),
  ...[...TABS, ...ON_NODES].map(([title, kind, href, words]) => ({ title, kind, href, words })),
];
