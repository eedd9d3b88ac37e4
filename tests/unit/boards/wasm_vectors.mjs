// Runs vectors.py on MicroPython's WebAssembly build: node wasm_vectors.mjs BUILD.mjs ROOT
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [build, root] = process.argv.slice(2);
const { loadMicroPython } = await import(build);
const lines = [];
const python = await loadMicroPython({
  heapsize: 4 << 20,
  linebuffer: true,
  stdout: (line) => lines.push(line),
});
for (const folder of ["image", "image/boards"]) python.FS.mkdir(folder);
for (const part of ["shared", "balance", "io"]) {
  const folder = join("image/boards", part);
  python.FS.mkdir(folder);
  for (const name of readdirSync(join(root, folder)).filter((each) => each.endsWith(".py")))
    python.FS.writeFile(join(folder, name), readFileSync(join(root, folder, name)));
}
python.runPython(readFileSync(join(root, "tests/unit/boards/vectors.py"), "utf8"));
process.stdout.write(lines.join("\n") + "\n");
