// Prints the heap that a board's modules need on MicroPython's WebAssembly build, which has 32-bit
// pointers as the chip has: node footprint.mjs BUILD.mjs ROOT balance|io
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [build, root, board] = process.argv.slice(2);
const { loadMicroPython } = await import(build);
const lines = [];
const python = await loadMicroPython({
  heapsize: 4 << 20,
  linebuffer: true,
  stdout: (line) => lines.push(line),
});
for (const folder of ["boards"]) python.FS.mkdir(folder);
const skipped = ["main.py", "esp32.py"]; // they need the chip's own modules
const modules = [];
for (const part of ["shared", board]) {
  const folder = join("boards", part);
  python.FS.mkdir(folder);
  for (const name of readdirSync(join(root, "image", folder)).filter((each) => each.endsWith(".py"))) {
    python.FS.writeFile(join(folder, name), readFileSync(join(root, "image", folder, name)));
    if (!skipped.includes(name)) modules.push(`boards.${part}.${name.slice(0, -3)}`);
  }
}
const imports = modules.map((each) => `import ${each}`).join("\n");
python.runPython(`import gc
gc.collect()
before = gc.mem_alloc()
${imports}
gc.collect()
print(gc.mem_alloc() - before)`);
process.stdout.write(lines.join("\n") + "\n");
