// One copy of the robot's 3D model: joints by name, and meshes with colours by state. Not here:
// camera and scene (stage.js), joint positions (lib/robot/joints.js).

import {
  CanvasTexture,
  Color,
  CylinderGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshStandardMaterial,
  Sprite,
  SpriteMaterial,
} from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import URDFLoader from "/vendor/urdf-loader/src/URDFLoader.js";
import { readBytes, readText } from "../../lib/transfer.js";

const STOPPED = new Color("#d32d21");
const OLD = new Color("#8b949b");
const LABELLED = "part_"; // begins the names of links that have their name beside them
const LABEL_PX = 32;
const LABEL_M = 0.04;

/** Policy for XML that is parsed and never inserted into the page. */
const policy =
  /** @type {{trustedTypes?: import("trusted-types/lib").TrustedTypePolicyFactory}} */ (
    globalThis
  ).trustedTypes?.createPolicy("robot-model", { createHTML: (text) => text });
/** @param {string} text */
const trusted = (text) =>
  /** @type {string} */ (/** @type {unknown} */ (policy?.createHTML(text) ?? text));

export class RobotModel {
  /** Shapes that could not be loaded. @type {string[]} */ problems = [];
  /** @type {Map<string, import("three").Mesh[]>} by moving joint, "" for the base */
  meshes = new Map();
  /** Every mesh, in the order of the file. @type {import("three").Mesh[]} */ all = [];
  /** @type {Sprite[]} */ labels = [];

  /**
   * @param {import("/vendor/urdf-loader/src/URDFLoader.js").URDFRobot} robot
   * @param {Set<string>} joints with a field
   */
  constructor(robot, joints) {
    this.robot = robot;
    this.joints = joints;
  }

  /** @param {string} joint @param {number} value radians or metres */
  set(joint, value) {
    return this.robot.setJointValue(joint, value);
  }

  /** @param {string} joint */
  limit(joint) {
    return this.robot.joints[joint]?.limit ?? { lower: 0, upper: 0 };
  }

  /** Return the radius of a wheel. @param {string} joint */
  radius(joint) {
    let found = 0.1;
    this.robot.joints[joint]?.traverse((each) => {
      if (!(each instanceof Mesh) || !(each.geometry instanceof CylinderGeometry)) return;
      found = each.geometry.parameters.radiusTop || found;
    });
    return found;
  }

  /**
   * Return the nearest joint with a field above a mesh; "" for the base.
   * @param {import("three").Object3D} object
   */
  jointOf(object) {
    for (let at = /** @type {import("three").Object3D | null} */ (object); at; at = at.parent) {
      const name = nameOf(at);
      if (this.joints.has(name)) return name;
    }
    return "";
  }

  /** Give every mesh its own material, after all are loaded. @param {boolean} isGhost */
  setMaterials(isGhost) {
    this.meshes.clear();
    this.all = [];
    this.robot.traverse((each) => {
      if (!(each instanceof Mesh)) return;
      const before = Array.isArray(each.material) ? each.material[0] : each.material;
      const material = isGhost ? ghostly() : solid(before);
      each.material = material;
      each.userData.colour = material.color.clone();
      each.renderOrder = isGhost ? 1 : 0;
      this.all.push(each);
      const joint = this.jointOf(each);
      this.meshes.set(joint, [...(this.meshes.get(joint) ?? []), each]);
    });
  }

  /**
   * Colour the meshes by state; the most severe state counts.
   * @param {{isStopped: boolean, old: Set<string>, chosen: string, accent: string}} state
   */
  paint({ isStopped, old, chosen, accent }) {
    for (const [joint, meshes] of this.meshes) {
      for (const mesh of meshes) {
        const material = materialOf(mesh);
        material.color.copy(mesh.userData.colour);
        if (old.has(joint)) material.color.lerp(OLD, 0.85);
        else if (isStopped) material.color.lerp(STOPPED, 0.55);
        material.emissive.set(joint && joint === chosen ? accent : "#000000");
        material.emissiveIntensity = 0.55;
      }
    }
  }

  /** Write the names of small bodies beside them. */
  addLabels() {
    for (const [name, link] of Object.entries(this.robot.links ?? {})) {
      if (!name.startsWith(LABELLED)) continue;
      const label = labelOf(name.slice(LABELLED.length).replaceAll("_", " "));
      label.position.set(0, 0, 0.06);
      link.add(label);
      this.labels.push(label);
    }
  }

  dispose() {
    for (const label of this.labels) {
      label.material.map?.dispose();
      label.material.dispose();
    }
    for (const mesh of this.all) {
      mesh.geometry.dispose();
      materialOf(mesh).dispose();
    }
  }
}

/** Return a text that faces the camera. @param {string} text */
function labelOf(text) {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const font = `600 ${LABEL_PX}px system-ui, sans-serif`;
  if (!context) return new Sprite();
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + LABEL_PX / 2;
  canvas.height = LABEL_PX * 1.5;
  context.font = font; // a new size has reset it
  context.fillStyle = "rgb(20 24 28 / 72%)";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "#ffffff";
  context.textBaseline = "middle";
  context.fillText(text, LABEL_PX / 4, canvas.height / 2);
  const label = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas) }));
  label.scale.set((LABEL_M * canvas.width) / canvas.height, LABEL_M, 1);
  return label;
}

/** @param {import("three").Mesh} mesh after setMaterials() */
const materialOf = (mesh) => /** @type {MeshStandardMaterial} */ (mesh.material);

/** Return the name of a joint, or of the joint that it mimics. @param {object} part */
function nameOf(part) {
  const joint = /** @type {{isURDFJoint?: boolean, mimicJoint?: string, urdfName?: string}} */ (
    part
  );
  return (joint.isURDFJoint && (joint.mimicJoint ?? joint.urdfName)) || "";
}

/** @param {import("three").Material} before */
function solid(before) {
  const { opacity = 1, transparent = false } = before;
  const { color, map = null } = /** @type {Partial<MeshStandardMaterial>} */ (before);
  return new MeshStandardMaterial({
    color,
    map,
    opacity,
    transparent,
    roughness: 0.62,
    metalness: 0.1,
    side: DoubleSide,
  });
}

const ghostly = () =>
  new MeshStandardMaterial({
    color: "#3aa89d",
    opacity: 0.34,
    transparent: true,
    depthWrite: false,
    roughness: 1,
  });

/**
 * Load a model; its shapes must be in the same folder or below.
 * @param {string} url
 * @param {Set<string>} joints with a field
 * @returns {Promise<[RobotModel, RobotModel]>} the solid model and the ghost
 */
export async function loadModels(url, joints) {
  const text = await readText(url);
  const folder = url.slice(0, url.lastIndexOf("/") + 1);
  const solidModel = await readModel(text, folder, joints);
  const ghost = await readModel(text, folder, joints);
  solidModel.setMaterials(false);
  solidModel.addLabels();
  ghost.setMaterials(true);
  return [solidModel, ghost];
}

/** @param {string} text @param {string} folder @param {Set<string>} joints */
async function readModel(text, folder, joints) {
  /** @type {Promise<void>[]} */ const fetching = [];
  /** @type {string[]} */ const problems = [];
  const loader = new URDFLoader();
  loader.packages = () => folder.slice(0, -1);
  loader.loadMeshCb = (path, _, done) => {
    const work = readShape(path).then(done, () => void problems.push(path.slice(folder.length)));
    fetching.push(work);
  };
  loader.workingPath = folder;
  const robot = loader.parse(trusted(text));
  await Promise.all(fetching);
  const model = new RobotModel(robot, joints);
  model.problems = problems;
  return model;
}

/** @param {string} path */
async function readShape(path) {
  const kind = path.split(".").at(-1)?.toLowerCase();
  if (kind === "stl") return new Mesh(new STLLoader().parse(await readBytes(path)));
  if (kind === "obj") return new OBJLoader().parse(await readText(path));
  if (kind === "dae") return new ColladaLoader().parse(trusted(await readText(path)), path).scene;
  if (kind === "glb") return (await new GLTFLoader().parseAsync(await readBytes(path), path)).scene;
  return new Group(); // unknown format
}
