// The context that app.js creates and passes to views and pages. Each module declares the members
// that it uses: With<"api" | "draw">.

import type { Api } from "./lib/api.js";
import type { StopKeys } from "./lib/control/stop-keys.js";
import type { Teleop } from "./lib/control/teleop.js";
import type { PageRouter } from "./lib/router.js";
import type { StateStore } from "./lib/store.js";
import type { Toasts } from "./lib/toasts.js";
import type { Description, NodeInfo } from "./lib/types.js";
import type { OpenControl, OpenPresets } from "./pages/dashboard/quick-controls.js";
import type { OpenFirmware } from "./pages/firmware/dialogs.js";
import type { OpenUpdatePolicy } from "./pages/firmware/policy-dialog.js";
import type { OpenCode } from "./pages/inputs/livelink/listeners.js";
import type { OpenChannel } from "./pages/inputs/rc/channel-form.js";
import type { OpenDrill } from "./pages/inputs/rc/failsafe-drill-dialog.js";
import type { OpenBlending } from "./pages/routes/blending.js";
import type { OpenMapping } from "./pages/routes/diagram/mapping-dialog.js";
import type { OpenImport } from "./pages/routes/import-export.js";
import type { OpenRestore } from "./pages/settings/backup.js";
import type { OpenUser } from "./pages/settings/user-dialogs.js";
import type { OpenQuestion } from "./parts/confirm.js";
import type { StopsQuestion } from "./parts/stop-changes.js";
import type { OpenClearing } from "./views/estop.js";
import type { Finder } from "./views/finder.js";

export interface App {
  api: Api;
  store: StateStore;
  /** Fields of the robot with units and limits; null until they are known. */
  robot: Description | null;
  router: PageRouter;
  /** While a dialog is open only the stop works outside of it. */
  dialogs: Dialogs;
  /** Whether the list of pages is open on a phone. */
  isMenuOpen: boolean;
  toasts: Toasts;
  stopKeys: StopKeys;
  teleop: Teleop;
  /** Time of this drawing (performance.now). */
  now: number;
  draw: () => void;
}

/** The members that a module uses. */
export type With<Member extends keyof App> = Pick<App, Member>;

/** State of the request that a dialog sends. */
interface DialogRequest {
  isBusy: boolean;
  refusal: string;
}

/** State of each dialog; a dialog is open while its state is set. */
export interface Dialogs {
  account?: DialogRequest | null;
  blending?: OpenBlending | null;
  browser?: object | null;
  calibration?: (DialogRequest & { hasStarted: boolean }) | null;
  channel?: OpenChannel | null;
  clearing?: OpenClearing | null;
  code?: OpenCode | null;
  confirm?: OpenQuestion | null;
  control?: OpenControl | null;
  drill?: OpenDrill | null;
  finder?: Finder | null;
  firmware?: OpenFirmware | null;
  updatePolicy?: OpenUpdatePolicy | null;
  importing?: OpenImport | null;
  leaving?: { to: string; refusal: string } | null;
  mapping?: OpenMapping | null;
  preset?: (DialogRequest & { name: string }) | null;
  presets?: OpenPresets | null;
  renaming?: (DialogRequest & { node: NodeInfo; name: string }) | null;
  replacing?: (DialogRequest & { node: NodeInfo; by: string }) | null;
  restore?: OpenRestore | null;
  stop?: { failed: string; isActive?: boolean } | null;
  stops?: StopsQuestion | null;
  users?: OpenUser | null;
}
