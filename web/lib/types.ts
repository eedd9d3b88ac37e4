// What the robot is asked and answers, as its models say it. A reply is whole; a part of a state
// may be missing until it was heard. What ends in "Given" is what may be sent of a model that also
// comes back.
//
// Written by `make gen` from saint_services; do not edit.

/** A part of the log, newest first. */
export interface ActivityLog {
  limit?: number;
  offset?: number;
  level?: "DEBUG" | "INFO" | "WARNING" | "ERROR";
  source?: string | null;
  about?: string | null;
}

/** Newest first. */
export interface ActivityReply {
  entries: LogEntry[];
}

/** For one program or device. */
export interface AddToken {
  name: string;
  role: "viewer" | "operator" | "admin";
}

/** Somebody new. */
export interface AddUser {
  name: string;
  password: string;
  role: "viewer" | "operator" | "admin";
}

/** Gives a node its role; with `add` one more beside those that it has. */
export interface AdoptNode {
  node_id: string;
  role: string;
  instance?: string;
  display_name?: string;
  add?: boolean;
}

/** The node accepted; `topic_prefix` is where it now lives. */
export interface AdoptReply {
  message: string;
  topic_prefix: string;
  code: string;
}

/** All joints to neutral. */
export interface ArmHome {
  arm?: "left" | "right" | "both";
}

/** Joint angles, joint_0 first; a null leaves that joint where it is. */
export interface ArmMove {
  arm: "left" | "right";
  positions: (number | null)[];
  speed?: number | null;
}

/** Topic "arms". */
export interface ArmsState {
  left?: OneArm | null;
  right?: OneArm | null;
}

/** Who did what, when, from where. `refused`: why it was not done; empty: it was. */
export interface AuditEntry {
  time_s: number;
  who: string;
  level: string;
  address: string;
  what: string;
  detail: string;
  source: string;
  refused: string;
}

/** Newest first. */
export interface AuditReply {
  entries: AuditEntry[];
}

/** One part of it. */
export interface BackupContent {
  daemon: string;
  section: string;
  entries: number;
  bytes: number;
}

/** What a backup file holds, and whether this robot takes it. */
export interface BackupInfo {
  robot: string;
  version: string;
  created: string;
  contents: BackupContent[];
  outside: string[];
  notes: string[];
  confirm: string[];
}

export interface Blending {
  mode: "priority" | "blend" | "additive";
  fields: { [key: string]: "priority" | "blend" | "additive" };
  blend_time_ms: number;
  source_timeout_ms: number | { [key: string]: number } | null;
  hysteresis_ms: number;
}

export interface BlendingGiven {
  mode?: "priority" | "blend" | "additive";
  fields?: { [key: string]: "priority" | "blend" | "additive" };
  blend_time_ms?: number;
  source_timeout_ms?: number | { [key: string]: number } | null;
  hysteresis_ms?: number;
}

/** One field of a role, in its unit. What is left out stays. */
export interface Calibrate {
  target: string;
  field: string;
  offset?: number | null;
  minimum?: number | null;
  maximum?: number | null;
  is_reversed?: boolean | null;
  clear?: boolean;
}

/** Where the channel is now becomes this end, or the middle. */
export interface CalibrateChannel {
  channel: number;
  position: "min" | "max" | "center";
}

/** One field of a role, and what is in force for it. */
export interface CalibratedField {
  field: string;
  unit: string;
  offset: number;
  limits: [number, number];
  manifest_limits: [number, number];
  has_offset: boolean;
  largest_offset: number;
  is_reversed: boolean;
}

/** Something that a guided calibration has noticed. */
export interface CalibrationFinding {
  channel: number;
  kind: "reversed" | "unplugged" | "swapped" | "narrow";
  text: string;
}

/** Where the guided calibration is; also the answer to each step. */
export interface CalibrationInfo {
  step: "idle" | "center" | "ends" | "directions" | "done";
  text: string;
  channel: number | null;
  findings: CalibrationFinding[];
  seen: SeenRange[];
  proposal: RcChannelConfig[];
}

/** What is in force for every field of a role, and what its manifest says. */
export interface CalibrationReply {
  target: string;
  revision: number;
  fields: CalibratedField[];
  message: string;
}

/** What a person does in the guided calibration. */
export interface CalibrationStep {
  step: "start" | "next" | "skip" | "save" | "cancel";
}

/** Whether the camera was asked for; the topic "head" tells when pictures come. */
export interface CameraReply {
  camera_requested: boolean | null;
  camera_active: boolean | null;
}

/** One's own. */
export interface ChangePassword {
  old_password: string;
  password: string;
}

/** The channel that was asked for, or all of them. */
export type ChannelReply = RcChannelList | RcChannelConfig;

/** One RC channel; `normalized` runs from -1 to 1. */
export interface ChannelState {
  channel: number;
  raw: number;
  normalized: number | null;
}

/** One of them, or all. */
export interface Channels {
  channel?: number | null;
}

/** How a robot without an owner gets one. */
export interface ClaimInfo {
  is_claimed: boolean;
  code: string;
}

/** Everybody who is connected by a WebSocket now. */
export interface ClientList {
  clients: ClientState[];
}

/** One of the clients that are connected. */
export interface ClientParams {
  client_id: string;
}

/** A WebSocket that is open now. */
export interface ClientState {
  client_id: string;
  address: string;
  user: string;
  level: string;
  topics: string[];
  commands: number;
  messages_per_s: number;
  connected_s: number;
}

/** The command is on its way to the router; the topics show what comes of it. */
export interface CommandReply {
  limited: LimitedField[];
}

export interface Confirming {
  confirm?: string[];
}

/** What it shows. */
export interface ConsoleDisplayState {
  lines: string[];
  duration_s: number | null;
}

/** The last thing that was done at the console. */
export interface ConsoleInputState {
  time: number;
  control: string;
  event: string;
  value: number | null;
}

/** The last override that the console asked for. */
export interface ConsoleOverrideState {
  time: number;
  target: string;
  action: string;
}

/** Topic "console". */
export interface ConsoleState {
  input?: ConsoleInputState | null;
  override?: ConsoleOverrideState | null;
  display?: ConsoleDisplayState | null;
}

/** A route that wanted the field and did not get it. */
export interface ContenderInfo {
  route: string;
  source: string;
  value: number;
  age_ms: number | null;
  reason: string;
}

/** A route that wanted the field and did not get it. */
export interface ContenderState {
  route: string;
  source: string;
  value: number | null;
  age_ms: number | null;
  reason: string;
}

/** What can be done to a roll-out. */
export type ControlAction = "pause" | "resume" | "cancel" | "rollback";

/** Somebody has a target for himself. */
export interface ControlInfo {
  target: string;
  holder: string;
  remaining_ms: number;
}

/** Who has which target alone. */
export interface ControlReply {
  control: ControlInfo[];
}

/** The reply: pairs of input and output, both ends and every bend among them. */
export interface Curve {
  target: string;
  field: string;
  unit: string;
  limits: [number, number];
  points: [number, number][];
}

/** What this robot is made of. */
export interface Description {
  robot: string;
  targets: { [key: string]: { [key: string]: FieldDescription } };
  hardware: { [key: string]: RoleHardware };
  model: string;
  joints: { [key: string]: { [key: string]: string } };
  topics: string[];
}

/** What speaks on the line. */
export interface DetectReport {
  protocol: "crsf" | "sbus" | "ibus" | "ppm" | "pwm" | null;
  baud_rate: number | null;
  text: string;
  seen: DetectedSettings[];
}

/** How to listen for every protocol in turn; the robot is not driven meanwhile. */
export interface DetectRequest {
  seconds?: number;
  apply?: boolean;
}

/** What was seen on the line with one setting. */
export interface DetectedSettings {
  protocol: "crsf" | "sbus" | "ibus" | "ppm" | "pwm";
  baud_rate: number;
  bytes: number;
  frames: number;
  rejected: number;
  discarded_bytes: number;
}

/** A chip, line or camera that a role needs. */
export interface DeviceUse {
  name: string;
  kind: "i2c" | "spi" | "serial" | "camera";
  place: string;
  chip: string;
  required: boolean;
  drives: string[];
}

/** The answer of a command that has nothing to tell but a sentence. */
export interface Done {
  message: string;
}

/** The one under way, and the stored ones, newest first. */
export interface DrillInfo {
  running: DrillReport | null;
  reports: DrillReport[];
  limit_ms: number;
}

/** End the process of the role that drives this target. */
export interface DrillKill {
  target: string;
}

/** One drill. `began` and `ended` are ISO 8601, UTC; it is under way while `ended` is empty. */
export interface DrillReport {
  began: string;
  ended: string;
  by: string;
  versions: { [key: string]: string };
  steps: DrillStep[];
}

/** This way is not tried, and why. */
export interface DrillSkip {
  way: "page" | "rc" | "console" | "ros" | "kill";
  reason: string;
}

/** One way to stop. Open: not tried. Waiting: for the press. */
export interface DrillStep {
  way: "page" | "rc" | "console" | "ros" | "kill";
  state: "open" | "waiting" | "passed" | "failed" | "skipped";
  reason: string;
  source: string;
  targets: DrillTarget[];
}

/** What one target did. */
export interface DrillTarget {
  target: string;
  state: string;
  after_ms: number | null;
  detail: string;
}

/** The next press of this way is measured. Refused while already stopped. */
export interface DrillWait {
  way: "page" | "rc" | "console" | "ros";
}

/** One set-point; it holds for as long as a browser's does (300 ms). */
export interface Drive {
  linear?: number;
  angular?: number;
}

export interface EStop {
  enable?: boolean;
  reason?: string;
  generation?: number | null;
}

export interface EStopInfo {
  active: boolean;
  source: string;
  reason: string;
  since: string;
  generation: number;
  presses: PressInfo[];
  more: number;
  stored: boolean;
  problem: string;
  outcomes: StopOutcome[];
  confirmed: boolean;
}

/** On or off. */
export interface Enable {
  enable?: boolean;
}

/** A SaintError on the wire. */
export interface ErrorReply {
  code: string;
  message: string;
  fix: string;
  names: string[];
}

export interface FactoryReset {
  force?: boolean;
  confirm: string;
  nodes?: boolean;
}

/** When a signal is lost, and what happens then. */
export interface FailsafeInfo {
  action: "hold" | "neutral" | "estop" | "passthrough";
  timeout_ms: number;
  lost_frames: number;
  recovery_ms: number;
}

/** One field that may be commanded. */
export interface FieldDescription {
  unit: string;
  kind: "position" | "velocity";
  limits: number[];
  neutral: number;
  on_loss: "hold" | "neutral" | "park" | "ramp_to_zero";
  max_rate: number;
}

/** What is commanded for one output field and why. Its role's state says where it stands. */
export interface FieldOutput {
  target: string;
  field: string;
  unit: string;
  value: number | null;
  winner: string;
  source: string;
  age_ms: number | null;
  policy: "none" | "live" | "hold" | "ramp_to_zero" | "neutral" | "park" | "estop";
  clamped: boolean;
  changed_ms: number;
  rivals: ContenderInfo[];
}

/** One output field and why it has its value. */
export interface FieldState {
  target: string;
  field: string;
  unit: string;
  value: number | null;
  winner: string;
  source: string;
  age_ms: number | null;
  policy: string;
  clamped: boolean;
  changed_ms: number;
  rivals: ContenderState[];
}

/** Whether the machines run the newest release that lies on the server. */
export interface FirmwareCheck {
  newest: string;
  behind: string[];
  away: string[];
  message: string;
  checked: string;
}

/** One release. */
export interface FirmwareParams {
  version: string;
}

/** Releases, machines, the roll-out. */
export interface FirmwareReport {
  robot_version: string;
  versions: string[];
  releases: Release[];
  machines: MachineFirmware[];
  plan: RolloutPlan | null;
  updates_off: string;
}

/** Topic "firmware"; `problem` is why otad does not answer. */
export interface FirmwareState {
  robot_version?: string;
  versions?: string[];
  releases?: Release[];
  machines?: MachineFirmware[];
  plan?: RolloutPlan | null;
  updates_off?: string;
  problem: ErrorReply | null;
}

/** Also while the robot is moved. */
export interface Forced {
  force?: boolean;
}

/** One format and where it is heard. */
export interface FormatInfo {
  format: string;
  enabled: boolean;
  addresses: string[];
}

/** All formats that have a listener. */
export interface FormatList {
  formats: FormatInfo[];
  datagrams_per_second: number;
}

/** A part of the log, newest first. */
export interface GetAuditLog {
  limit?: number;
  offset?: number;
  search?: string;
}

/** Of one role. */
export interface GetCalibration {
  target: string;
}

/** How far back, and which points the caller has already. */
export interface GetHistory {
  span?: "minutes" | "hours";
  after?: number;
}

/** Header and buses of one node; a number that is not known is null. */
export interface GpioStatus {
  node_id: string;
  hardware_rev: string;
  firmware_version: string;
  pins: HeaderPin[];
  peripherals: Peripheral[];
  cpu_temp: number | null;
  cpu_usage: number | null;
  memory_usage: number | null;
  uptime_seconds: number;
}

/** 0 is closed, 1 is open. */
export interface Gripper {
  arm: "left" | "right";
  position: number;
  force?: number | null;
}

/** 0 is closed, 1 is open; newtons. */
export interface GripperState {
  position: number | null;
  force: number | null;
  moving: boolean;
  holding: boolean;
}

/** One thing that a role needs, looked for on one node. */
export interface HardwareFinding {
  name: string;
  what: string;
  verdict: "found" | "missing" | "taken" | "unknown";
  required: boolean;
  text: string;
}

/** Any of them; the others stay where they are. */
export interface HeadMove {
  pan?: number | null;
  tilt?: number | null;
  roll?: number | null;
  jaw?: number | null;
  eye_pan?: number | null;
  eye_tilt?: number | null;
  speed?: number | null;
}

/** Topic "head": degrees, ratios, metres, lux, degrees Celsius. */
export interface HeadState {
  pan?: number | null;
  tilt?: number | null;
  roll?: number | null;
  camera_active?: boolean | null;
  jaw?: number | null;
  eye_pan?: number | null;
  eye_tilt?: number | null;
  proximity?: number | null;
  ambient_light?: number | null;
  temperature?: number | null;
}

/** One of the 40 pins as it is now. */
export interface HeaderPin {
  number: number;
  pin_number: number;
  pin_name: string;
  direction: string;
  current_state: string;
  in_use: boolean;
  used_by: string;
  alternates: string[];
}

/** The points of one span. */
export interface HistoryReply {
  period_s: number;
  last: number;
  time: number;
  series: TrendSeries;
}

/** Do not offer it any more, or do so again. */
export interface IgnoreNode {
  node_id: string;
  is_ignored?: boolean;
}

/** A bundle at a path on the server, e.g. a USB stick. */
export interface ImportRequest {
  path: string;
}

/** All routes, as YAML. */
export interface ImportRoutes {
  confirm?: string[];
  yaml: string;
  name?: string;
  check_only?: boolean;
}

/** Topic "inputs". */
export interface InputsState {
  rc: RcState | null;
  livelink: NamedSource[];
  autonomous: NamedSource[];
  websocket: NamedSource[];
  clients: ClientState[];
}

/** A wireless network; without a password an open one. */
export interface JoinWifi {
  ssid: string;
  password?: string;
  country?: string | null;
  hidden?: boolean;
}

/** The e-stop after the request. */
export interface LatchReply {
  estop: EStopInfo;
}

/** The e-stop latch; `source`, `reason` and `since` are those of the first press. */
export interface LatchState {
  active: boolean;
  source: string;
  reason: string;
  since: number | null;
  generation: number;
  presses: PressState[];
  more: number;
  confirmed: boolean;
  outcomes: StopOutcome[];
}

/** One field of a command that asked for more than the robot may do. */
export interface LimitedField {
  field: string;
  asked: number;
  limited_to: number;
  unit: string;
  text: string;
}

/** Its routes take the place of all others. */
export interface LoadPreset {
  confirm?: string[];
  preset_name: string;
}

/** One line of the activity log. */
export interface LogEntry {
  number: number;
  time: number;
  level: "DEBUG" | "INFO" | "WARNING" | "ERROR";
  source: string;
  text: string;
}

/** One line. */
export interface LogLine {
  time: number;
  level: "DEBUG" | "INFO" | "WARNING" | "ERROR";
  source: string;
  node: string;
  text: string;
  cursor: string;
}

export interface LogNames {
  sources: string[];
  nodes: string[];
  scope: string;
  home: string;
}

/** Lines, newest first. `older` leads to the next page, it is empty at the end. */
export interface LogPage {
  lines: LogLine[];
  older: string;
}

/** One page, newest first. */
export interface LogQuery {
  level?: "DEBUG" | "INFO" | "WARNING" | "ERROR";
  source?: string;
  node?: string;
  search?: string;
  before?: string;
  limit?: number;
}

/** Topic "log": the newest lines of the activity log. */
export interface LogState {
  entries: LogEntry[];
}

/** How the last wish goes, or ended. */
export interface MachineChange {
  state: "" | "trying" | "done" | "taken_back" | "refused";
  message: string;
  begun_s: number;
}

/** What is known of one machine: a node, or the server itself. */
export interface MachineFirmware {
  node_id: string;
  is_server: boolean;
  is_online: boolean;
  version: string;
  slot: string;
  spare_version: string;
  state: UpdateState;
  progress: number;
  target_version: string;
  attempt: number;
  verdict: UpdateVerdict;
  reason: string;
  log_excerpt: string;
  blocked_by: string;
}

/** One machine of a roll-out, in its order. */
export interface MachineRollout {
  node_id: string;
  step: RolloutStep;
  reason: string;
}

export interface Mapping {
  from: string;
  to: string;
  mode: "axis" | "switch";
  threshold: number;
  inverted: boolean;
  deadzone: number;
  curve: "linear" | "exponential";
  expo: number;
  scale: number;
  offset: number;
  clamp: [number, number] | null;
}

export interface MappingGiven {
  from: string;
  to: string;
  mode?: "axis" | "switch";
  threshold?: number;
  inverted?: boolean;
  deadzone?: number;
  curve?: "linear" | "exponential";
  expo?: number;
  scale?: number;
  offset?: number;
  clamp?: [number, number] | null;
}

/** How people call it. */
export interface NameNode {
  node_id: string;
  display_name: string;
}

/** How the robot is called. */
export interface NameRobot {
  name: string;
}

/** A LiveLink subject, a client, a program. */
export interface NamedSource {
  sequence: number;
  age_ms: number;
  alive: boolean;
  failsafe: boolean;
  rate_hz: number;
  values: { [key: string]: number | null };
  subject: string;
}

/** One network card of the server. */
export interface NetworkInterface {
  name: string;
  place: "inside" | "outside" | "own";
  is_up: boolean;
  is_wireless: boolean;
  mac_address: string;
  addresses: string[];
}

/** A token with its secret, which is told this once. */
export interface NewToken {
  token: TokenInfo;
  secret: string;
}

/** What a node has, and how each role of the robot would fit on it. */
export interface NodeFit {
  status: GpioStatus;
  roles: RoleFit[];
}

/** Oldest first, one number a period; null while the node was not heard. */
export interface NodeHistory {
  node_id: string;
  period_s: number;
  cpu: (number | null)[];
  memory: (number | null)[];
  temp: (number | null)[];
}

export interface NodeInfo {
  node_id: string;
  display_name: string;
  state: NodeState;
  role: string;
  instance: string;
  topic_prefix: string;
  roles: NodeRole[];
  hardware_model: string;
  hardware_rev: string;
  firmware_version: string;
  config_version: string;
  mac_address: string;
  address: string;
  first_seen: string;
  seen_age_s: number;
  cpu_temp: number;
  cpu_usage: number;
  memory_usage: number;
  uptime_s: number;
  role_restarts: number;
  outputs_safe: boolean;
  reason: string;
  peripherals: Peripheral[];
  server: string;
  is_ours: boolean;
  code: string;
  is_ignored: boolean;
  is_offered: boolean;
  not_offered: string;
  replaced_by: string;
}

/** All of them, and who is none. */
export interface NodeList {
  nodes: NodeInfo[];
  strangers: UnknownDevice[];
}

/** One node. */
export interface NodeParams {
  node_id: string;
}

/** One role of a node. */
export interface NodeRole {
  role: string;
  instance: string;
  topic_prefix: string;
  state: NodeState;
  config_version: string;
  reason: string;
  role_restarts: number;
  role_alive: boolean;
  outputs_safe: boolean;
}

/** States of the node life cycle (specification, "Node States") plus offline. */
export type NodeState = "boot" | "updating" | "unadopted" | "adopting" | "active" | "offline";

/** Topic "nodes"; `problem` is why adoptiond does not answer. */
export interface NodesState {
  nodes: NodeInfo[];
  strangers: UnknownDevice[];
  robot: string;
  roles: RoleChoice[];
  problem: ErrorReply | null;
}

/** A request without parameters. */
export interface Nothing {

}

/** Metres, radians, m/s, rad/s. */
export interface OdometryState {
  x: number | null;
  y: number | null;
  heading: number | null;
  linear: number | null;
  angular: number | null;
}

/** Degrees, joint_0 first. */
export interface OneArm {
  joint_positions?: (number | null)[];
  joint_velocities?: (number | null)[];
  joint_efforts?: (number | null)[];
  in_motion?: boolean;
  error_state?: boolean;
  error_message?: string;
  age_ms?: number | null;
  gripper?: GripperState | null;
}

/** One field: "tracks.linear". */
export interface OutputParams {
  output: string;
}

/** Topic "outputs". */
export interface OutputsState {
  state: string;
  estop: boolean;
  stop_switches: string[];
  fields: FieldState[];
}

/** One device found on a bus of a node. */
export interface Peripheral {
  type: string;
  address: string;
  description: string;
  responsive: boolean;
}

/** A pin that a role needs. */
export interface PinUse {
  bcm: number;
  name: string;
  purpose: string;
  is_bus: boolean;
}

/** Which recording is played, and how. */
export interface PlayRecording {
  name: string;
  speed?: number;
  again?: boolean;
}

/** One preset. */
export interface PresetInfo {
  name: string;
  is_shipped: boolean;
  routes: number;
  fault: string;
}

/** All presets; `loaded` is in force, empty when routes were edited since. */
export interface PresetList {
  presets: PresetInfo[];
  loaded: string;
}

/** One preset. */
export interface PresetParams {
  preset_name: string;
}

/** One request to stop. */
export interface PressInfo {
  source: string;
  reason: string;
  since: string;
}

/** One request to stop. */
export interface PressState {
  source: string;
  reason: string;
  since: number | null;
}

/** The reply; `missing` are inputs of the route that were not given. */
export interface Preview {
  fields: PreviewField[];
  estop: boolean;
  missing: string[];
}

/** What one mapping of a route makes of a range of inputs; nothing is saved. */
export interface PreviewCurve {
  route: RouteGiven;
  index: number;
  low?: number;
  high?: number;
  steps?: number;
}

/** One field of a preview. */
export interface PreviewField {
  target: string;
  field: string;
  unit: string;
  value: number;
  asked: number;
  clamped: boolean;
}

/** What one route would make of these inputs; nothing is saved or moved. */
export interface PreviewRoute {
  route: RouteGiven;
  values?: { [key: string]: number };
}

/** Which protocol is listened for, and where. */
export interface ProtocolInfo {
  protocol: "crsf" | "sbus" | "ibus" | "ppm" | "pwm";
  device: string;
  baud_rate: number | null;
}

/** What the RC receiver listens for. */
export interface ProtocolReply {
  protocol: string;
}

/** One channel; `normalized` runs -1 to 1. */
export interface RcChannel {
  channel: number;
  name: string;
  raw: number;
  us: number;
  normalized: number;
}

/** One channel's range in microseconds. */
export interface RcChannelConfig {
  channel: number;
  name: string;
  min: number;
  max: number;
  center: number;
  reversed: boolean;
}

/** All channels. */
export interface RcChannelList {
  channels: RcChannelConfig[];
}

/** One receiver: where it hangs, and whether its signal may be believed. */
export interface RcLine {
  receiver: "primary" | "failover";
  protocol: string;
  device: string;
  connected: boolean;
  failsafe: boolean;
  rssi: number;
  link_quality: number;
  frame_rate_hz: number;
  frames: number;
  rejected: number;
  discarded_bytes: number;
  lost_frames: number;
  reason: string;
}

/** The receiver and the newest of its samples; each part only after it was heard. */
export interface RcState {
  sequence?: number | null;
  age_ms?: number | null;
  alive?: boolean | null;
  failsafe?: boolean | null;
  told?: boolean;
  rate_hz?: number | null;
  values?: { [key: string]: number | null };
  connected?: boolean | null;
  protocol?: string;
  rssi?: number | null;
  frame_rate_hz?: number | null;
  channels?: ChannelState[];
  receiver_age_ms?: number | null;
}

/** The receiver in charge, then all of them. */
export interface RcStatus {
  enabled: boolean;
  connected: boolean;
  protocol: string;
  device: string;
  failsafe: boolean;
  rssi: number;
  link_quality: number;
  frame_rate_hz: number;
  frames: number;
  rejected: number;
  discarded_bytes: number;
  channels: RcChannel[];
  reason: string;
  receiver: "primary" | "failover";
  receivers: RcLine[];
  failsafe_action: "hold" | "neutral" | "estop" | "passthrough";
  told: "hold" | "neutral" | "estop" | "passthrough" | null;
  armed: boolean | null;
  arm_channel: number | null;
  failsafe_channel: number | null;
  calibrating: boolean;
}

/** One node, or the server. */
export interface Reboot {
  force?: boolean;
  node?: string | null;
}

/** How long a recording is, and who sent what is in it. */
export interface RecordingDetail {
  name: string;
  datagrams: number;
  seconds: number;
  formats: { [key: string]: number };
  senders: { [key: string]: number };
}

/** One recording on disk. */
export interface RecordingInfo {
  name: string;
  size_bytes: number;
  made: number;
}

/** GET /recordings */
export interface RecordingList {
  recordings: RecordingInfo[];
  current: RecordingState | null;
  playing: string;
  played: number;
}

/** One recording by its name. */
export interface RecordingRef {
  name: string;
}

/** What is being recorded, or was last. */
export interface RecordingState {
  name: string;
  recording: boolean;
  datagrams: number;
  size_bytes: number;
  dropped: number;
  seconds: number;
  problem: string;
}

/** A signed bundle in the repository. */
export interface Release {
  version: string;
  release_date: string;
  compatible: string;
  checksum_sha256: string;
  size_bytes: number;
  changelog: string;
  is_current: boolean;
}

/** Gives it back; `force` takes it from another client. */
export interface ReleaseControl {
  target: string;
  force?: boolean;
}

/** Another node takes the place of this one, which is gone. */
export interface ReplaceNode {
  node_id: string;
  by: string;
  display_name?: string;
}

/** Takes its roles away, or only the one that is named. */
export interface ResetNode {
  node_id: string;
  factory_reset?: boolean;
  role?: string;
  instance?: string;
}

/** Which settings are forgotten, so that rcd.yaml counts again. */
export interface ResetRequest {
  parts?: ("enabled" | "protocol" | "failsafe" | "channels")[];
}

/** What became of a restore. `waiting`: daemons that did not answer; theirs follows later. */
export interface RestoreReply {
  restored: string[];
  waiting: string[];
  notes: string[];
}

/** A restore that has not come to its end, or nothing. */
export interface RestoreState {
  waiting: string[];
  since: string;
}

/** A role of the robot manifest and who holds it. */
export interface RoleChoice {
  role: string;
  instance: string;
  topic_prefix: string;
  node_id: string;
}

/** One role on one node. */
export interface RoleFit {
  role: string;
  instance: string;
  findings: HardwareFinding[];
  conflict: string;
}

/** All that a role needs of a Pi. */
export interface RoleHardware {
  pins: PinUse[];
  devices: DeviceUse[];
}

/** Roles of the robot and who holds them. */
export interface RoleList {
  robot: string;
  roles: RoleChoice[];
}

/** Pause, resume, cancel, take back. */
export interface RolloutControl {
  action: ControlAction;
}

/** The roll-out that runs, or ran last. */
export interface RolloutPlan {
  version: string;
  state: RolloutState;
  is_rollback: boolean;
  reason: string;
  steps: MachineRollout[];
}

/** Which release, for which machines, in which order. */
export interface RolloutRequest {
  version?: string;
  canary?: string;
  nodes?: string[];
  server_last?: boolean | null;
  force?: boolean;
}

/** A roll-out as a whole. */
export type RolloutState = "running" | "paused" | "halted" | "done" | "cancelled";

/** Where a machine stands in a roll-out. */
export type RolloutStep = "waiting" | "updating" | "healthy" | "failed" | "skipped";

/** One route, in the specification's form. */
export interface Route {
  id: string;
  enabled: boolean;
  priority: number | null;
  weight: number | null;
  input: RouteInput;
  output: RouteOutput;
  mapping: Mapping[] | "passthrough";
  timeout_ms: number | null;
}

/** On or off. */
export interface RouteEnabled {
  confirm?: string[];
  route_id: string;
  enabled: boolean;
}

/** A routes YAML: presets and the saved routes have this form. */
export interface RouteFile {
  routes: Route[];
  blending: Blending;
}

/** One route, in the specification's form. */
export interface RouteGiven {
  id: string;
  enabled?: boolean;
  priority?: number | null;
  weight?: number | null;
  input: RouteInputGiven;
  output: RouteOutputGiven;
  mapping: MappingGiven[] | "passthrough";
  timeout_ms?: number | null;
}

/** A route and whether it does anything now. */
export interface RouteInfo {
  route: Route;
  status: "active" | "standby" | "disabled";
  fault: string;
}

/** Where the values of a route come from. */
export interface RouteInput {
  source: "rc" | "websocket" | "livelink" | "autonomous" | "leader" | "safety";
  subject: string;
  type: string;
  protocol: string;
  command_types: string[];
}

/** Where the values of a route come from. */
export interface RouteInputGiven {
  source: "rc" | "websocket" | "livelink" | "autonomous" | "leader" | "safety";
  subject?: string;
  type?: string;
  protocol?: string;
  command_types?: string[];
}

/** All routes. */
export interface RouteList {
  routes: RouteInfo[];
  blending: Blending;
}

/** Which target a route drives: head, arms.left, arms.right, tracks, or * for any. */
export interface RouteOutput {
  target: string;
}

/** Which target a route drives: head, arms.left, arms.right, tracks, or * for any. */
export interface RouteOutputGiven {
  target: string;
}

/** One route. */
export interface RouteParams {
  confirm?: string[];
  route_id: string;
}

/** Higher wins; null is the source's default. */
export interface RoutePriority {
  confirm?: string[];
  route_id: string;
  priority: number | null;
}

/** The router as it is now. */
export interface RouterStatus {
  state: "idle" | "routing" | "blending" | "estop";
  estop: EStopInfo;
  outputs: FieldOutput[];
  sources: SourceInfo[];
  samples: number;
  refused: { [key: string]: number };
  control: ControlInfo[];
  stop_switches: string[];
}

/** All routes as a RouteFile in YAML. */
export interface RoutesText {
  yaml: string;
  routes: number;
}

/** The routes in force where they are not given. */
export interface SavePreset {
  preset_name: string;
  routes?: RouteGiven[] | null;
  blending?: BlendingGiven | null;
}

/** How far a channel was moved while a guided calibration runs, in microseconds. */
export interface SeenRange {
  channel: number;
  us: number;
  center: number | null;
  low: number | null;
  high: number | null;
}

/** A subject whose name ends with it is accepted by itself. */
export interface SenderCode {
  code: string;
}

/** One sender. A waiting one moves nothing; its first values show which phone it is. */
export interface SenderInfo {
  format: string;
  ip: string;
  subject_name: string;
  accepted_by: string;
  accepted_s: number;
  device: string;
  subject_type: string;
  frames: number;
  frame_rate: number;
  age_ms: number;
  tracked: boolean;
  values: { [key: string]: number };
}

/** All senders that wait or are accepted. */
export interface SenderList {
  accept: "known" | "all";
  waiting: SenderInfo[];
  accepted: SenderInfo[];
}

/** A sender is its format, address and subject. */
export interface SenderRef {
  format: "llf" | "json" | "vmc" | "ifacialmocap" | "lines" | "capture";
  ip: string;
  subject_name: string;
}

/** A browser that is signed in. */
export interface SessionInfo {
  id: string;
  user: string;
  via: "password" | "token";
  made_s: number;
  seen_s: number;
  address: string;
  browser: string;
  is_own: boolean;
}

/** All that the caller may end: an admin's are everybody's. */
export interface SessionList {
  sessions: SessionInfo[];
}

/** One browser that is signed in. */
export interface SessionParams {
  session_id: string;
}

/** How rivals for one field are combined. */
export interface SetBlending {
  confirm?: string[];
  blending: BlendingGiven;
}

/** Range and name of one channel in microseconds; what is left out stays. */
export interface SetChannel {
  channel: number;
  name?: string | null;
  min?: number | null;
  max?: number | null;
  center?: number | null;
  reversed?: boolean | null;
}

/** "all" turns the check off, for a closed network. */
export interface SetCheck {
  accept: "known" | "all";
}

/** On or off. */
export interface SetEnabled {
  enabled: boolean;
}

/** When a signal is lost, and what happens then; what is left out stays. */
export interface SetFailsafe {
  action?: "hold" | "neutral" | "estop" | "passthrough" | null;
  timeout_ms?: number | null;
  lost_frames?: number | null;
  recovery_ms?: number | null;
}

/** Switch formats on or off; what is not given stays as it is. */
export interface SetFormats {
  formats?: { [key: string]: boolean };
  datagrams_per_second?: number | null;
}

/** How the machine is called on the network: NAME.local. */
export interface SetHostname {
  hostname: string;
}

/** A new one, given by an admin; the user is signed out everywhere. */
export interface SetPassword {
  name: string;
  password: string;
}

/** Which protocol to listen for. */
export interface SetProtocol {
  protocol: "crsf" | "sbus" | "ibus" | "ppm" | "pwm";
  baud_rate?: number | null;
}

/** What the user may do from now on. */
export interface SetRole {
  name: string;
  role: "viewer" | "operator" | "admin";
}

/** Creates or replaces a route. */
export interface SetRoute {
  confirm?: string[];
  route: RouteGiven;
}

/** How much each named value counts; negative turns it round, 1 removes it. */
export interface SetScale {
  subject_name: string;
  scale: { [key: string]: number };
}

/** The subject looks straight ahead now; or forget that it did. */
export interface SetZero {
  subject_name: string;
  clear?: boolean;
}

/** What the settings page shows besides what other daemons tell. */
export interface SettingsInfo {
  hostname: string;
  wifi: string;
  hotspot: string;
  has_radio: boolean;
  name: string;
  shipped_name: string;
  version: string;
  is_simulated: boolean;
  machine_role: string;
  problems: string[];
  interfaces: NetworkInterface[];
  change: MachineChange;
  time: string;
}

/** One input source as the router sees it. */
export interface SourceInfo {
  source: string;
  age_ms: number;
  alive: boolean;
  failsafe: boolean;
  rate_hz: number;
  values: { [key: string]: number };
}

/** What is recorded, and for how long. */
export interface StartRecording {
  name: string;
  formats?: ("llf" | "json" | "vmc" | "ifacialmocap" | "lines" | "capture")[];
  seconds?: number;
}

export interface StopOutcome {
  target: string;
  node_id: string;
  state: "stopped" | "guard" | "stopping" | "silent" | "absent";
  after_ms: number | null;
  detail: string;
}

/** One subject with its newest values. */
export interface SubjectDetail {
  subject: SubjectInfo;
  values: { [key: string]: number };
  output: { [key: string]: number };
  zero: { [key: string]: number };
  scale: { [key: string]: number };
}

/** One LiveLink subject. */
export interface SubjectInfo {
  subject_name: string;
  subject_type: string;
  device: string;
  source_ip: string;
  source_address: string;
  frame_rate: number;
  last_frame: number;
  age_ms: number;
  frames: number;
  lost: number;
  tracked: boolean;
  properties: string[];
  format: string;
  is_open: boolean;
  is_tuned: boolean;
}

/** All subjects, and what was refused. */
export interface SubjectList {
  sources: SubjectInfo[];
  refused: { [key: string]: number };
  refused_by_sender: { [key: string]: { [key: string]: number } };
}

/** One subject by its name. */
export interface SubjectRef {
  subject_name: string;
}

/** What the topic "system" tells, and the robot's name. */
export interface SystemReply {
  estop: LatchState | null;
  router_age_ms: number | null;
  adoption_age_ms: number | null;
  server_name: string;
  version: string;
  uptime_seconds: number | null;
  cpu_usage: number | null;
  memory_usage: number | null;
  cpu_temp: number | null;
  nodes_active: number | null;
  nodes_offline: number | null;
  nodes_unadopted: number | null;
  clients: number | null;
  robot: string;
}

/** Topic "system", twice a second in any case; `estop` is null while no router was heard. */
export interface SystemState {
  estop: LatchState | null;
  router_age_ms: number | null;
  adoption_age_ms: number | null;
  server_name?: string;
  version?: string;
  uptime_seconds?: number | null;
  cpu_usage?: number | null;
  memory_usage?: number | null;
  cpu_temp?: number | null;
  nodes_active?: number | null;
  nodes_offline?: number | null;
  nodes_unadopted?: number | null;
  clients?: number | null;
}

/** A target for this client alone, until it is silent for so long or gives it back. */
export interface TakeControl {
  target: string;
  timeout_ms?: number;
}

/** Whether port 443 answers, and what people compare before they trust it. */
export interface TlsInfo {
  is_enabled: boolean;
  fingerprint: string;
  names: string[];
  ends_s: number;
}

/** A program's way in, without the secret. */
export interface TokenInfo {
  id: string;
  name: string;
  role: "viewer" | "operator" | "admin";
  made_s: number;
  used_s: number;
}

/** All tokens. */
export interface TokenList {
  tokens: TokenInfo[];
}

/** One token. */
export interface TokenParams {
  token_id: string;
}

/** Topic "tracks": m/s and amperes. */
export interface TracksState {
  left_velocity?: number | null;
  right_velocity?: number | null;
  left_current?: number | null;
  right_current?: number | null;
  estop_active?: boolean | null;
  motors_enabled?: boolean | null;
  odom?: OdometryState | null;
}

/** Oldest first; null where nothing was heard. */
export interface TrendSeries {
  cpu_usage: (number | null)[];
  memory_usage: (number | null)[];
  cpu_temp: (number | null)[];
  nodes_active: (number | null)[];
  rc_hz: (number | null)[];
  livelink_hz: (number | null)[];
  command_age_ms: (number | null)[];
  delay_ms: (number | null)[];
}

/** The newest release, for one node or for all machines. */
export interface TriggerUpdate {
  node_id?: string | null;
}

/** A device that was heard and is no node of the registry. */
export interface UnknownDevice {
  name: string;
  reason: string;
  seen_age_s: number;
}

/** What the update of one machine is doing. */
export type UpdateState = "idle" | "installing" | "restarting" | "verifying";

/** How the last try ended. */
export type UpdateVerdict = "" | "healthy" | "rolled_back" | "failed" | "refused";

/** Somebody with a password. */
export interface UserInfo {
  name: string;
  role: "viewer" | "operator" | "admin";
  made_s: number;
}

/** All users. */
export interface UserList {
  users: UserInfo[];
  is_required: boolean;
}

/** One user. */
export interface UserParams {
  name: string;
}

/** State by topic. */
export interface States {
  nodes: NodesState;
  firmware: FirmwareState;
  inputs: InputsState;
  outputs: OutputsState;
  head: HeadState;
  arms: ArmsState;
  tracks: TracksState;
  console: ConsoleState;
  system: SystemState;
  log: LogState;
}

/** What each action is given and what it answers, by group. */
export interface Actions {
  logs: {
    query: { params: LogQuery; reply: LogPage };
    names: { params: Nothing; reply: LogNames };
  };
  settings: {
    get: { params: Nothing; reply: SettingsInfo };
    set_name: { params: NameRobot; reply: SettingsInfo };
    set_hostname: { params: SetHostname; reply: Done };
    join_wifi: { params: JoinWifi; reply: Done };
    leave_wifi: { params: Nothing; reply: Done };
  };
  maintenance: {
    restart: { params: Forced; reply: Done };
    restore_state: { params: Nothing; reply: RestoreState };
    undo_restore: { params: Confirming; reply: RestoreReply };
    factory_reset: { params: FactoryReset; reply: RestoreReply };
  };
  drill: {
    status: { params: Nothing; reply: DrillInfo };
    begin: { params: Nothing; reply: DrillInfo };
    wait: { params: DrillWait; reply: DrillInfo };
    skip: { params: DrillSkip; reply: DrillInfo };
    kill: { params: DrillKill; reply: DrillInfo };
    finish: { params: Nothing; reply: DrillInfo };
  };
  head: {
    move: { params: HeadMove; reply: CommandReply };
    home: { params: Nothing; reply: CommandReply };
    camera: { params: Enable; reply: CameraReply };
  };
  arms: {
    move: { params: ArmMove; reply: CommandReply };
    home: { params: ArmHome; reply: CommandReply };
    gripper: { params: Gripper; reply: CommandReply };
  };
  tracks: {
    drive: { params: Drive; reply: CommandReply };
    stop: { params: Nothing; reply: CommandReply };
    estop: { params: EStop; reply: LatchReply };
  };
  system: {
    status: { params: Nothing; reply: SystemReply };
    describe: { params: Nothing; reply: Description };
    get_audit_log: { params: GetAuditLog; reply: AuditReply };
    get_tls: { params: Nothing; reply: TlsInfo };
    enable_tls: { params: Nothing; reply: TlsInfo };
    disable_tls: { params: Nothing; reply: TlsInfo };
    get_history: { params: GetHistory; reply: HistoryReply };
    list_clients: { params: Nothing; reply: ClientList };
    disconnect_client: { params: ClientParams; reply: Done };
    reboot: { params: Reboot; reply: Done };
    shutdown: { params: Forced; reply: Done };
    estop: { params: EStop; reply: LatchReply };
  };
  management: {
    list_nodes: { params: Nothing; reply: NodeList };
    get_node_info: { params: NodeParams; reply: NodeInfo };
    list_roles: { params: Nothing; reply: RoleList };
    adopt_node: { params: AdoptNode; reply: AdoptReply };
    replace_node: { params: ReplaceNode; reply: AdoptReply };
    reset_node: { params: ResetNode; reply: Done };
    ignore_node: { params: IgnoreNode; reply: NodeInfo };
    set_node_name: { params: NameNode; reply: NodeInfo };
    get_calibration: { params: GetCalibration; reply: CalibrationReply };
    calibrate: { params: Calibrate; reply: CalibrationReply };
    firmware_status: { params: Nothing; reply: FirmwareReport };
    firmware_rollout: { params: RolloutRequest; reply: RolloutPlan };
    firmware_control: { params: RolloutControl; reply: RolloutPlan };
    firmware_import: { params: ImportRequest; reply: Release };
    firmware_delete: { params: FirmwareParams; reply: Done };
    list_unadopted: { params: Nothing; reply: NodeList };
    list_adopted: { params: Nothing; reply: NodeList };
    get_gpio_status: { params: NodeParams; reply: GpioStatus };
    check_node: { params: NodeParams; reply: NodeFit };
    get_node_history: { params: NodeParams; reply: NodeHistory };
    firmware_check: { params: Nothing; reply: FirmwareCheck };
    trigger_update: { params: TriggerUpdate; reply: RolloutPlan };
    get_activity_log: { params: ActivityLog; reply: ActivityReply };
  };
  router: {
    get_status: { params: Nothing; reply: RouterStatus };
    get_output: { params: OutputParams; reply: FieldOutput };
    list_routes: { params: Nothing; reply: RouteList };
    set_route: { params: SetRoute; reply: RouteInfo };
    delete_route: { params: RouteParams; reply: Done };
    set_route_enabled: { params: RouteEnabled; reply: RouteInfo };
    set_route_priority: { params: RoutePriority; reply: RouteInfo };
    set_blending: { params: SetBlending; reply: Blending };
    preview_route: { params: PreviewRoute; reply: Preview };
    preview_curve: { params: PreviewCurve; reply: Curve };
    list_presets: { params: Nothing; reply: PresetList };
    get_preset: { params: PresetParams; reply: RouteFile };
    load_preset: { params: LoadPreset; reply: RouteList };
    save_preset: { params: SavePreset; reply: PresetInfo };
    delete_preset: { params: PresetParams; reply: Done };
    export_routes: { params: Nothing; reply: RoutesText };
    import_routes: { params: ImportRoutes; reply: RouteFile };
    take_control: { params: TakeControl; reply: ControlReply };
    release_control: { params: ReleaseControl; reply: ControlReply };
    list_livelink_sources: { params: Nothing; reply: SubjectList };
    get_livelink_subject: { params: SubjectRef; reply: SubjectDetail };
  };
  rc: {
    get_status: { params: Nothing; reply: RcStatus };
    set_enabled: { params: SetEnabled; reply: RcStatus };
    set_channel_config: { params: SetChannel; reply: RcChannelConfig };
    calibrate_channel: { params: CalibrateChannel; reply: RcChannelConfig };
    get_failsafe: { params: Nothing; reply: FailsafeInfo };
    set_failsafe: { params: SetFailsafe; reply: FailsafeInfo };
    set_protocol: { params: SetProtocol; reply: ProtocolInfo };
    get_calibration: { params: Nothing; reply: CalibrationInfo };
    calibration: { params: CalibrationStep; reply: CalibrationInfo };
    reset: { params: ResetRequest; reply: RcStatus };
    detect_protocol: { params: DetectRequest; reply: DetectReport };
    get_protocol: { params: Nothing; reply: ProtocolReply };
    get_channel_config: { params: Channels; reply: ChannelReply };
  };
  livelink: {
    list_sources: { params: Nothing; reply: SubjectList };
    get_subject: { params: SubjectRef; reply: SubjectDetail };
    list_formats: { params: Nothing; reply: FormatList };
    set_formats: { params: SetFormats; reply: FormatList };
    list_senders: { params: Nothing; reply: SenderList };
    accept_sender: { params: SenderRef; reply: SenderList };
    revoke_sender: { params: SenderRef; reply: SenderList };
    get_sender_code: { params: Nothing; reply: SenderCode };
    renew_sender_code: { params: Nothing; reply: SenderCode };
    set_sender_check: { params: SetCheck; reply: SenderList };
    release: { params: SubjectRef; reply: Done };
    zero: { params: SetZero; reply: SubjectDetail };
    scale: { params: SetScale; reply: SubjectDetail };
    list_recordings: { params: Nothing; reply: RecordingList };
    record: { params: StartRecording; reply: RecordingState };
    get_recording: { params: RecordingRef; reply: RecordingDetail };
    delete_recording: { params: RecordingRef; reply: Done };
    stop_recording: { params: Nothing; reply: RecordingState };
    play: { params: PlayRecording; reply: Done };
    stop_playing: { params: Nothing; reply: Done };
  };
  users: {
    list_users: { params: Nothing; reply: UserList };
    add_user: { params: AddUser; reply: Done };
    remove_user: { params: UserParams; reply: Done };
    set_role: { params: SetRole; reply: Done };
    set_password: { params: SetPassword; reply: Done };
    change_password: { params: ChangePassword; reply: Done };
    list_tokens: { params: Nothing; reply: TokenList };
    add_token: { params: AddToken; reply: NewToken };
    renew_token: { params: TokenParams; reply: NewToken };
    revoke_token: { params: TokenParams; reply: Done };
    list_sessions: { params: Nothing; reply: SessionList };
    end_session: { params: SessionParams; reply: Done };
    get_claim_code: { params: Nothing; reply: ClaimInfo };
  };
}
