// What a browser shows of a page, as text: an SVG of boxes, lines, words and icons at the places and
// in the colours that the browser worked out. A picture that can be read, compared and kept beside
// the code. Not here: shadows, gradients, canvases (the robot in three dimensions, curves) but for lists of values.

const SHAPES = "path, circle, ellipse, rect, line, polyline, polygon";
const PAINT = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "opacity"];
const GEOMETRY = ["d", "cx", "cy", "r", "rx", "ry", "x", "y", "x1", "y1", "x2", "y2", "width", "height", "points"];

/** Drawings that the page shows as pictures, by address. @type {Map<string, string>} */
const PICTURES = new Map();

/** The part of the page that the window shows. @returns {Promise<string>} */
export async function drawing() {
  for (const { src } of document.images)
    if (src.endsWith(".svg")) PICTURES.set(src, await (await fetch(src)).text());
  const parts = [...draw(document.body, new DOMRect(0, 0, innerWidth, innerHeight))];
  const size = `width="${innerWidth}" height="${innerHeight}" viewBox="0 0 ${innerWidth} ${innerHeight}"`;
  const ground = getComputedStyle(document.body).backgroundColor;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}>`,
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/**
 * An element and what is in it, in the order of the document.
 * @param {Element} element
 * @param {DOMRect} room what those around it let be seen
 * @returns {Generator<string>}
 */
function* draw(element, room) {
  const style = getComputedStyle(element);
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
  if (element instanceof SVGSVGElement) return yield* icon(element, room);
  const box = element.getBoundingClientRect();
  if (element instanceof HTMLImageElement) return yield placed(PICTURES.get(element.src), box);
  if (style.display !== "contents") yield* surface(box, style, room, turn(element, style));
  const inside = style.overflowX === "visible" ? room : shared(box, room);
  if (!inside || style.clipPath !== "none") return;
  for (const which of ["::before", "::after"]) yield* ornament(element, which, box, inside);
  if (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) yield* entry(element, style, inside);
  else
    for (const child of element.childNodes)
      if (child instanceof Text) yield* words(child, style, inside);
      else if (child instanceof Element) yield* draw(child, inside);
  if (element.matches(".gauges li")) yield* gauge(element, inside);
}

/** A bar and a number that the page paints on a canvas: from what they tell those who hear them. @param {Element} row @param {DOMRect} room */
function* gauge(row, room) {
  const [meter, bar, number] = ["[role=meter]", ".track i", ".number"].map((part) => /** @type {Element} */ (row.querySelector(part)));
  const [low, high, now] = [meter.ariaValueMin, meter.ariaValueMax, meter.ariaValueNow].map(Number);
  const box = meter.getBoundingClientRect();
  const [from, to] = [0, now].map((value) => box.x + box.width * Math.min(1, Math.max(0, (value - low) / (high - low)))).sort((a, b) => a - b);
  const seen = shared(new DOMRect(from, box.y, to - from, box.height), room);
  const at = seen && `x="${n(seen.x)}" y="${n(seen.y)}" width="${n(seen.width)}" height="${n(seen.height)}"`;
  if (seen) yield `<rect ${at} rx="${n(Math.min(4, seen.width / 2))}" fill="${getComputedStyle(bar).color}"/>`;
  const style = getComputedStyle(number);
  const { right, y, height } = number.getBoundingClientRect();
  const { ascent, descent, pen } = font(style);
  const text = meter.ariaValueText ?? "";
  const width = pen.measureText(text).width;
  const place = new DOMRect(right - width, y, width, height);
  if (within(place, room)) yield word(text, place.x, y + (height - ascent - descent) / 2 + ascent, width, style);
}

/** A drawing at its place. @param {string | undefined} svg @param {DOMRect} box */
function placed(svg, box) {
  const place = `x="${n(box.x)}" y="${n(box.y)}" width="${n(box.width)}" height="${n(box.height)}"`;
  return (svg ?? "").trim().replace(/^[^]*?<svg/, `<svg ${place}`);
}

/** Degrees by which an element is turned, and its box before. @param {Element} element @param {CSSStyleDeclaration} style */
function turn(element, style) {
  const { a, b } = new DOMMatrix(style.transform);
  const degrees = parseFloat(style.rotate) || (Math.atan2(b, a) * 180) / Math.PI;
  return { degrees, width: parseFloat(style.width), height: parseFloat(style.height) };
}

const UPRIGHT = { degrees: 0, width: 0, height: 0 };

/**
 * Ground and edges of a box.
 * @param {DOMRect} box @param {CSSStyleDeclaration} style @param {DOMRect} room @param {typeof UPRIGHT} turned
 */
function* surface(box, style, room, turned = UPRIGHT) {
  if (turned.degrees) {
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    yield `<rect x="${n(x - turned.width / 2)}" y="${n(y - turned.height / 2)}" width="${n(turned.width)}" height="${n(turned.height)}" fill="${style.backgroundColor}" transform="rotate(${n(turned.degrees)} ${n(x)} ${n(y)})"/>`;
    return;
  }
  const seen = shared(box, room);
  if (!seen) return;
  const edges = ["Top", "Right", "Bottom", "Left"].map((side) => ({
    width: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
    color: style[`border${side}Color`],
  }));
  const { width, color } = edges[0];
  const isRing = edges.every((edge) => edge.width === width && edge.color === color) && width > 0;
  const fill = isClear(style.backgroundColor) ? "none" : style.backgroundColor;
  const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, seen.width / 2, seen.height / 2);
  const rx = style.borderTopLeftRadius.endsWith("%") ? seen.width / 2 : radius;
  const isEdged = isRing && !isClear(color);
  if (fill !== "none" || isEdged) {
    const inset = isEdged ? width / 2 : 0;
    const at = `x="${n(seen.x + inset)}" y="${n(seen.y + inset)}" width="${n(seen.width - 2 * inset)}" height="${n(seen.height - 2 * inset)}"`;
    yield `<rect ${at}${rx ? ` rx="${n(rx - inset)}"` : ""} fill="${fill}"${isEdged ? ` stroke="${color}" stroke-width="${n(width)}"` : ""}/>`;
  }
  yield* strip(box, style, room, rx);
  if (!isRing) yield* rules(seen, edges);
}

/**
 * A background of one colour that fills a part of its box: a live bar, or the mark where its zero is.
 * @param {DOMRect} box @param {CSSStyleDeclaration} style @param {DOMRect} room @param {number} rx
 */
function* strip(box, style, room, rx) {
  const color = /^linear-gradient\((rgba?\([^)]*\)), \1\)$/.exec(style.backgroundImage)?.[1];
  if (!color || isClear(color)) return;
  const [wide, high = wide] = style.backgroundSize.split(" ");
  const [left, top] = style.backgroundPosition.split(" ");
  const [width, height] = [length(wide, box.width), length(high, box.height)];
  const x = box.x + length(left, box.width - width);
  const seen = shared(new DOMRect(x, box.y + length(top, box.height - height), width, height), room);
  if (!seen) return;
  const round = Math.min(rx, seen.width / 2, seen.height / 2);
  const at = `x="${n(seen.x)}" y="${n(seen.y)}" width="${n(seen.width)}" height="${n(seen.height)}"`;
  yield `<rect ${at}${round ? ` rx="${n(round)}"` : ""} fill="${color}"/>`;
}

/** Pixels of a share or a number of them. @param {string} told @param {number} whole */
function length(told, whole) {
  return told.endsWith("%") ? (parseFloat(told) / 100) * whole : parseFloat(told);
}

/** Edges that only some sides have. @param {DOMRect} box @param {{width: number, color: string}[]} edges */
function* rules(box, edges) {
  const { x, y, width, height } = box;
  const places = [
    [x, y, width, edges[0].width],
    [x + width - edges[1].width, y, edges[1].width, height],
    [x, y + height - edges[2].width, width, edges[2].width],
    [x, y, edges[3].width, height],
  ];
  for (const [side, [left, top, w, h]] of places.entries())
    if (edges[side].width && !isClear(edges[side].color))
      yield `<rect x="${n(left)}" y="${n(top)}" width="${n(w)}" height="${n(h)}" fill="${edges[side].color}"/>`;
}

/** A placed ::before or ::after. @param {Element} element @param {string} which @param {DOMRect} box @param {DOMRect} room */
function* ornament(element, which, box, room) {
  const style = getComputedStyle(element, which);
  if (style.content === "none" || style.position !== "absolute") return;
  const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(parseFloat);
  if (![left, top, width, height].every(Number.isFinite)) return;
  const moved = style.transform === "none" ? new DOMMatrix() : new DOMMatrix(style.transform);
  yield* surface(new DOMRect(box.x + left + moved.e, box.y + top + moved.f, width, height), style, room);
}

/** What is written in a field. @param {HTMLInputElement | HTMLSelectElement} field @param {CSSStyleDeclaration} style @param {DOMRect} room */
function* entry(field, style, room) {
  if (["checkbox", "radio", "range", "file", "hidden"].includes(field.type)) return;
  const text = field instanceof HTMLSelectElement ? (field.selectedOptions[0]?.label ?? "") : field.value || field.placeholder;
  const box = field.getBoundingClientRect();
  const size = parseFloat(style.fontSize);
  if (text && within(box, room)) yield word(text, box.x + parseFloat(style.paddingLeft) + 1, box.y + box.height / 2 + size * 0.36, 0, style);
}

/** A text, line by line. @param {Text} node @param {CSSStyleDeclaration} style @param {DOMRect} room */
function* words(node, style, room) {
  if (!node.data.trim()) return;
  for (const { text, box } of lines(node)) {
    if (!within(box, room)) continue;
    const { ascent, descent } = font(style);
    yield word(text, box.x, box.y + (box.height - ascent - descent) / 2 + ascent, box.width, style);
  }
}

/** The lines of a text without the space at their ends. @param {Text} node */
function lines(node) {
  /** @type {{text: string, box: DOMRect}[]} */ const found = [];
  const range = document.createRange();
  for (const { 0: letters, index } of node.data.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + letters.length);
    for (const box of range.getClientRects()) {
      const line = found.at(-1);
      if (line && Math.abs(line.box.y - box.y) < 2) {
        line.text += ` ${letters}`;
        line.box = new DOMRect(line.box.x, line.box.y, box.right - line.box.x, line.box.height);
      } else found.push({ text: letters, box });
      break; // a word that is broken within stands where it begins
    }
  }
  return found;
}

/** @param {string} text @param {number} x @param {number} y of the base line @param {number} width 0: as it comes @param {CSSStyleDeclaration} style */
function word(text, x, y, width, style) {
  const family = style.fontFamily.includes("mono") ? "monospace" : "sans-serif";
  const shown = style.textTransform === "uppercase" ? text.toUpperCase() : text;
  const weight = Number(style.fontWeight) >= 600 ? ' font-weight="bold"' : "";
  const length = width ? ` textLength="${n(width)}" lengthAdjust="spacingAndGlyphs"` : "";
  const line = style.textDecorationLine === "underline" ? ' text-decoration="underline"' : "";
  return `<text x="${n(x)}" y="${n(y)}"${length} font-family="DejaVu Sans,${family}" font-size="${n(parseFloat(style.fontSize))}"${weight}${line} fill="${style.color}">${escaped(shown)}</text>`;
}

/** The shapes of an icon or a drawing, as they stand. @param {SVGSVGElement} svg @param {DOMRect} room */
function* icon(svg, room) {
  for (const shape of svg.querySelectorAll(SHAPES)) {
    if (shape.closest("defs, mask, clipPath, symbol") || !shape.checkVisibility() || !within(shape.getBoundingClientRect(), room)) continue;
    const style = getComputedStyle(shape);
    const matrix = /** @type {SVGGraphicsElement} */ (shape).getScreenCTM();
    if (!matrix) continue;
    const geometry = GEOMETRY.filter((name) => shape.hasAttribute(name)).map((name) => `${name}="${escaped(shape.getAttribute(name) ?? "")}"`);
    const paint = PAINT.filter((name) => isTold(name, style)).map((name) => `${name}="${style.getPropertyValue(name).replaceAll('"', "'")}"`);
    const { a, b, c, d, e, f } = matrix;
    const place = `transform="matrix(${[a, b, c, d, e, f].map(n).join(" ")})"`;
    yield `<${shape.tagName} ${[...geometry, ...paint, place].join(" ")}/>`;
  }
  for (const text of svg.querySelectorAll("text"))
    for (const child of text.childNodes) if (child instanceof Text) yield* words(child, getComputedStyle(text), room);
}

const USUAL = { "stroke": "none", "stroke-linecap": "butt", "stroke-linejoin": "miter", "stroke-dasharray": "none", "opacity": "1" };

/** @param {string} name @param {CSSStyleDeclaration} style */
function isTold(name, style) {
  const value = style.getPropertyValue(name);
  if (name.startsWith("stroke-") && style.stroke === "none") return false;
  return value !== USUAL[/** @type {keyof typeof USUAL} */ (name)];
}

/** @type {Map<string, {ascent: number, descent: number, pen: CanvasRenderingContext2D}>} */
const FONTS = new Map();

/** @param {CSSStyleDeclaration} style */
function font(style) {
  const key = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  let found = FONTS.get(key);
  if (!found) {
    const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    pen.font = key;
    const measured = pen.measureText("x");
    found = { ascent: measured.fontBoundingBoxAscent, descent: measured.fontBoundingBoxDescent, pen };
    FONTS.set(key, found);
  }
  return found;
}

/** What two boxes have in common; null where that is nothing. @param {DOMRect} one @param {DOMRect} other */
function shared(one, other) {
  const [left, top] = [Math.max(one.left, other.left), Math.max(one.top, other.top)];
  const [right, bottom] = [Math.min(one.right, other.right), Math.min(one.bottom, other.bottom)];
  return right > left && bottom > top ? new DOMRect(left, top, right - left, bottom - top) : null;
}

/** Whether the middle of a box can be seen. @param {DOMRect} box @param {DOMRect} room */
function within(box, room) {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x >= room.left && x <= room.right && y >= room.top && y <= room.bottom;
}

/** @param {string} color */
function isClear(color) {
  return color === "transparent" || /, 0\)$/.test(color);
}

/** @param {number} value */
function n(value) {
  return String(Math.round(value * 100) / 100);
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll(/\s+/g, " ");
}
