// The ground under the robot: a grid that fades out around it, in cells that suit the robot's size.
// Computed for each pixel: lines that reach behind the camera are not drawn by every graphics
// driver. Not here: where the robot stands (stage.js).

import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial } from "three";

const CELLS_M = [0.05, 0.1, 0.25, 0.5, 1];
const CELLS_A_ROBOT = 5; // at least so many along its diagonal
const REACH = 3; // robots, until nothing is seen of it

const VERTEX = `
varying vec2 place;
void main() {
  vec4 at = modelMatrix * vec4(position, 1.0);
  place = at.xz;
  gl_Position = projectionMatrix * viewMatrix * at;
}`;

const FRAGMENT = `
uniform vec3 colour;
uniform vec2 centre;
uniform float cell;
uniform float reach;
varying vec2 place;
void main() {
  vec2 at = place / cell;
  vec2 width = max(fwidth(at), 1e-6);
  vec2 lines = 1.0 - min(abs(fract(at - 0.5) - 0.5) / width, 1.0);
  // Lines closer than their width would be a grey haze.
  float seen = max(lines.x * (1.0 - smoothstep(0.2, 0.6, width.x)),
                   lines.y * (1.0 - smoothstep(0.2, 0.6, width.y)));
  float near = 1.0 - smoothstep(0.15, 1.0, distance(place, centre) / reach);
  gl_FragColor = vec4(colour, 0.3 * seen * near);
  #include <colorspace_fragment>
}`;

export class Ground {
  /** @param {number} size of the robot in metres: the diagonal of the box around it */
  constructor(size) {
    const reach = size * REACH;
    const wanted = CELLS_M.filter((each) => each * CELLS_A_ROBOT <= size);
    this.material = new ShaderMaterial({
      uniforms: {
        colour: { value: new Color() },
        centre: { value: [0, 0] },
        cell: { value: wanted.at(-1) ?? CELLS_M[0] },
        reach: { value: reach },
      },
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.mesh = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), this.material);
    this.mesh.rotation.x = -Math.PI / 2;
  }

  /** Follow the robot; the lines stay where they are. @param {number} x @param {number} z */
  follow(x, z) {
    this.mesh.position.set(x, 0, z);
    this.material.uniforms.centre.value = [x, z];
  }

  /** @param {string} colour of the lines */
  paint(colour) {
    this.material.uniforms.colour.value.set(colour);
  }

  dispose() {
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
