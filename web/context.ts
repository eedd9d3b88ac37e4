// What app.js makes once and hands to views and pages. The head of each module says what of it that
// module uses: With<"api" | "draw">.

import type { Api } from "./lib/api.js";
import type { StopKeys } from "./lib/control/stop-keys.js";
import type { Teleop } from "./lib/control/teleop.js";
import type { Router } from "./lib/router.js";
import type { Store } from "./lib/store.js";
import type { Toasts } from "./lib/toasts.js";
import type { Description, NodeInfo } from "./lib/types.js";
import type { OpenControl, OpenPresets } from "./pages/dashboard/quick-controls.js";
import type { OpenFirmware } from "./pages/firmware/dialogs.js";
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
  store: Store;
  /** What it is made of: fields with units and limits. */
  robot: Description | null;
  /** Which page is shown. */
  router: Router;
  /** While one is open nothing else can be used but the stop. */
  dialogs: Dialogs;
  /** The pages' list, on a phone. */
  isMenuOpen: boolean;
  toasts: Toasts;
  stopKeys: StopKeys;
  teleop: Teleop;
  /** performance.now() of this drawing. */
  now: number;
  draw: () => void;
}

/** What a module needs of it. */
export type With<Part extends keyof App> = Pick<App, Part>;

/** What a dialog says while it works, and when it was refused. */
interface Asking {
  isBusy: boolean;
  refusal: string;
}

/** Every dialog has its place; it is open while something is there. */
export interface Dialogs {
  account?: Asking | null;
  blending?: OpenBlending | null;
  browser?: object | null;
  calibration?: (Asking & { hasStarted: boolean }) | null;
  channel?: OpenChannel | null;
  clearing?: OpenClearing | null;
  code?: OpenCode | null;
  confirm?: OpenQuestion | null;
  control?: OpenControl | null;
  drill?: OpenDrill | null;
  finder?: Finder | null;
  firmware?: OpenFirmware | null;
  importing?: OpenImport | null;
  leaving?: { to: string; refusal: string } | null;
  mapping?: OpenMapping | null;
  preset?: (Asking & { name: string }) | null;
  presets?: OpenPresets | null;
  renaming?: (Asking & { node: NodeInfo; name: string }) | null;
  replacing?: (Asking & { node: NodeInfo; by: string }) | null;
  restore?: OpenRestore | null;
  stop?: { failed: string; isActive?: boolean } | null;
  stops?: StopsQuestion | null;
  users?: OpenUser | null;
}
