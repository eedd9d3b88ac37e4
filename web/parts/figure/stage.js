// The 3D stage: light, ground, camera, the robot and its ghost. Draws only after a change. Not
// here: values (lib/robot/joints.js), the page around it (view.js).

import {
  AmbientLight,
  Box3,
  DirectionalLight,
  Group,
  HemisphereLight,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Ground } from "./ground.js";

const TOLERANCE = 0.004; // in metres or parts of a unit axis
const CLICK_PX = 6; // a longer motion turns the camera
const LOOKS = {
  front: [1, 0, 0.25],
  side: [0, -1, 0.25],
  top: [0.001, 0, 1],
  corner: [0.8, -0.62, 0.5],
};

/** @typedef {import("./model.js").RobotModel} Model */

export class RobotStage {
  #isScheduled = false;
  #isSized = false;
  #scene = new Scene();
  #base = new Group(); // moved by odometry; z is up in it, as in the model
  #world = new Group();
  #size = 1;
  #centre = new Vector3();

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Model} model
   * @param {Model} ghost
   * @param {(joint: string) => void} onPick
   */
  constructor(canvas, model, ghost, onPick) {
    this.canvas = canvas;
    this.model = model;
    this.ghost = ghost;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.camera = new PerspectiveCamera(38, 1, 0.02, 200);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.drawSoon());
    this.ground = this.#build();
    this.#listen(onPick);
    this.resizing = new ResizeObserver(() => this.#resize());
    this.resizing.observe(canvas);
  }

  #build() {
    this.#world.rotation.x = -Math.PI / 2; // z up, as in the model
    this.#world.add(this.#base);
    this.#base.add(this.model.robot, this.ghost.robot);
    const sun = new DirectionalLight("#ffffff", 2.4);
    sun.position.set(3, 6, 2);
    this.#world.updateMatrixWorld(true);
    const box = new Box3().setFromObject(this.model.robot);
    this.#size = Math.max(0.1, box.getSize(new Vector3()).length());
    box.getCenter(this.#centre);
    const ground = new Ground(this.#size);
    this.#scene.add(
      this.#world,
      ground.mesh,
      new AmbientLight("#ffffff", 0.5),
      new HemisphereLight("#ffffff", "#8a8478", 1.4),
      sun,
    );
    this.controls.minDistance = this.#size * 0.25;
    this.controls.maxDistance = this.#size * 8;
    return ground;
  }

  /** @param {(joint: string) => void} onPick */
  #listen(onPick) {
    /** @type {[number, number]} */ let from = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
    this.canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) <= CLICK_PX)
        onPick(this.#at(event));
    });
  }

  /** The joint under the pointer; "" when there is none. @param {PointerEvent} event */
  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.camera);
    const [hit] = ray.intersectObject(this.model.robot, true);
    return hit ? this.model.jointOf(hit.object) : "";
  }

  /** Move the camera to a viewpoint. @param {keyof typeof LOOKS} name */
  look(name) {
    const [x, y, z] = LOOKS[name];
    const narrow = Math.max(1, 1 / this.camera.aspect); // a phone: all of it, smaller
    const distance = this.#size * 1.5 * narrow;
    const way = new Vector3(x, z, -y).normalize().multiplyScalar(distance);
    const target = this.#centre.clone().add(this.#shift());
    this.camera.position.copy(target).add(way);
    this.controls.target.copy(target);
    this.controls.update();
    this.drawSoon();
  }

  /** Return the position of the base by odometry, in camera coordinates. */
  #shift() {
    return new Vector3(this.#base.position.x, 0, -this.#base.position.y);
  }

  /** @param {{x: number, y: number, heading: number}} pose */
  place({ x, y, heading }) {
    const { position, rotation } = this.#base;
    if (position.x === x && position.y === y && rotation.z === heading) return;
    const before = this.#shift();
    this.#base.position.set(x, y, 0);
    this.#base.rotation.z = heading;
    const step = this.#shift().sub(before);
    this.camera.position.add(step); // the camera follows, the ground stays
    this.controls.target.add(step);
    this.ground.follow(x, -y);
    this.drawSoon();
  }

  /** @param {string} colour of the ground's lines */
  setGround(colour) {
    this.ground.paint(colour);
    this.drawSoon();
  }

  /** Draw at the next frame. */
  drawSoon() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#showGhost();
      this.renderer.render(this.#scene, this.camera);
    });
  }

  /** Show the ghost only where it differs, or it would hide the measured pose. */
  #showGhost() {
    this.#scene.updateMatrixWorld();
    this.ghost.all.forEach((mesh, at) => {
      const [a, b] = [mesh.matrixWorld.elements, this.model.all[at].matrixWorld.elements];
      mesh.visible = a.some((each, i) => Math.abs(each - b[i]) > TOLERANCE);
    });
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const isFirst = !this.#isSized;
    this.#isSized = true;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (isFirst) this.look("corner");
    this.drawSoon();
  }

  dispose() {
    this.resizing.disconnect();
    this.controls.dispose();
    this.model.dispose();
    this.ghost.dispose();
    this.ground.dispose();
    this.renderer.dispose();
  }
}
