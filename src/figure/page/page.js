// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a figure: reads its numbers, tells the cell under the pointer, zooms, shows the
// baseline, and computes weights again where a factor acts on them in closed form.
"use strict";
(() => {
const DIGITS = 4; // of a number that is read out, as in the window
const LEAST = 1e-12, MOST = 1e3; // of a factor
const COLORS = 256, NAN = 256; // places in a palette
const MAX_ZOOM = 64;
const MAX_TABLE = 200; // rows and columns; copying takes all

const page = JSON.parse(document.getElementById("numbers").textContent);
const get = (id) => document.getElementById(id);
const stage = get("stage");
const svg = stage.querySelector("svg");
const panels = page.panels;

// Numbers ----------------------------------------------------------------------------------------

// printf's "%#.Ng", whose ties go to the even digit, with a short exponent below 1e-4.
const formatWeight = (value, digits) => {
  if (Number.isNaN(value)) return "not a number";
  const size = Math.abs(value), sign = value < 0 ? "-" : "";
  if (!Number.isFinite(value)) return sign + "inf";
  if (size === 0) return (0).toFixed(Math.max(digits, 1) - 1);
  let [figures, exponent] = size.toExponential(digits - 1).split("e");
  const [long] = size.toExponential(60).split("e");
  const kept = digits > 1 ? digits + 1 : 1; // of the digits, one stands before the point
  if (/^\.?50*$/.test(long.slice(kept)) && "02468".includes(long[kept - 1]))
    [figures, exponent] = [long.slice(0, kept), size.toExponential(60).split("e")[1]];
  const power = Number(exponent);
  if (power < -4 || power >= digits) return sign + figures + "e" + power;
  return sign + Number(figures + "e" + power).toFixed(Math.max(digits - 1 - power, 0));
};

// The fewest digits that read back to the same 32-bit float; of a rounded one those that count.
const formatExact = (value, bits) => {
  if (Number.isNaN(value)) return "NaN";
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value || (bits === 16 && digits === 4)) return String(short);
  }
  return String(Number(value.toPrecision(9)));
};

// A factor as the program writes it: in the fewest characters, "0.5" or "1e-10"; or, in a figure after a paper,
// always with its exponent, "5e-1".
const formatPower = (value) => value.toExponential().replace("+", "");
const formatFactor = (value) => {
  const power = formatPower(value);
  for (let digits = 0; digits < 6; digits++) {
    const plain = value.toFixed(digits);
    if (Number(plain) === value && plain.length <= power.length) return plain;
  }
  return power;
};
const FACTOR_FORMATS = [formatFactor, formatPower];

const decodeBase64 = (text) => {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
};

const decodeHalf = (half) => {
  const sign = half & 0x8000 ? -1 : 1, exponent = half >> 10 & 31, fraction = half & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
};

// The runs of a row's visible columns: first, end, first, end, ...
const getRuns = (matrix, row) =>
  matrix.visible === "all" ? [0, matrix.columns]
  : matrix.visible === "causal" ? [0, Math.min(row + 1, matrix.columns)] : matrix.visible[row];

// Values of a whole matrix, decoded when first asked for; masked cells hold 0.
const getValues = (index) => {
  const matrix = page.matrices[index];
  if (matrix.values) return matrix.values;
  const bytes = decodeBase64(matrix.data), view = new DataView(bytes.buffer);
  const values = new Float32Array(matrix.rows * matrix.columns);
  let at = 0;
  for (let row = 0; row < matrix.rows; row++) {
    const runs = getRuns(matrix, row);
    for (let i = 0; i < runs.length; i += 2)
      for (let column = runs[i]; column < runs[i + 1]; column++, at++)
        values[row * matrix.columns + column] =
          matrix.bits === 16 ? decodeHalf(view.getUint16(2 * at, true)) : view.getFloat32(4 * at, true);
  }
  matrix.data = null;
  return matrix.values = values;
};

const isVisible = (panel, row, column) => {
  const runs = getRuns(panel.matrix, row);
  for (let i = 0; i < runs.length; i += 2)
    if (column >= runs[i] && column < runs[i + 1]) return true;
  return false;
};

const countVisible = (panel, row) => {
  const runs = getRuns(panel.matrix, row);
  return runs.length ? runs[runs.length - 1] - runs[0] : 0;
};

// exp(x) for x up to 0 within 1e-11 of itself: exp(-i) exp(-j / 256) and the beginning of a series for the rest. It takes
// a quarter of the time of Math.exp, which is most of what a factor that moves over many heads takes.
const EXP_WHOLE = Float64Array.from({ length: 746 }, (_, i) => Math.exp(-i));
const EXP_PART = Float64Array.from({ length: 256 }, (_, j) => Math.exp(-j / 256));
const exp = (x) => {
  if (x < -745) return 0;
  const n = -x * 256 | 0, rest = -x - n / 256;
  return EXP_WHOLE[n >> 8] * EXP_PART[n & 255] * (1 - rest * (1 - rest / 2 * (1 - rest / 3)));
};

const pick = (list, index) => Array.isArray(list) ? list[index] : list;

// Adds a share of the weights of a head, or of its scores, to the cells that its queries and keys are part of: a row is
// the mean of its queries. A sink takes a share of each row.
const addHead = (panel, head, factor, share, values) => {
  const matrix = page.matrices[head.scores], scores = getValues(head.scores), { rows, columns } = matrix;
  const { sink = -Infinity, queryRest, queryPower, keyRest, keyPower } = head;
  const rowOf = page.places[head.rowOf], columnOf = page.places[head.columnOf], counts = [];
  const weights = new Float64Array(columns), keys = new Float64Array(columns);
  for (let k = 0; k < columns; k++) keys[k] = pick(keyRest, k) * factor ** pick(keyPower, k);
  if (rowOf) for (const row of rowOf) counts[row] = (counts[row] || 0) + 1;
  for (let row = 0; row < rows; row++) {
    const runs = getRuns(matrix, row), start = row * columns, scale = pick(queryRest, row) * factor ** pick(queryPower, row);
    let most = sink, sum = 1;
    for (let i = 0; i < runs.length; i += 2)
      for (let k = runs[i], end = runs[i + 1]; k < end; k++) {
        const score = weights[k] = scale * keys[k] * scores[start + k];
        if (score > most) most = score;
      }
    if (!panel.ofScores) {
      sum = sink > -Infinity ? exp(sink - most) : 0;
      for (let i = 0; i < runs.length; i += 2)
        for (let k = runs[i], end = runs[i + 1]; k < end; k++) sum += weights[k] = exp(weights[k] - most);
    }
    const part = share / sum / (rowOf ? counts[rowOf[row]] : 1), to = panel.columns * (rowOf ? rowOf[row] : row);
    for (let i = 0; i < runs.length; i += 2)
      for (let k = runs[i], end = runs[i + 1]; k < end; k++) {
        const column = columnOf ? columnOf[k] : k;
        if (column >= 0) values[to + column] += weights[k] * part;
      }
    if (panel.sinkColumn >= 0) values[to + panel.sinkColumn] += exp(sink - most) * part;
  }
};

// The mean of heads; of each row, if what is left of it is renormalised, relative to its sum.
const addHeads = (panel, heads, factor, sign, values) => {
  const { rows, columns } = panel, sums = panel.renormalises ? new Float64Array(rows * columns) : values;
  for (const head of heads) addHead(panel, head, factor, (panel.renormalises ? 1 : sign) / heads.length, sums);
  if (!panel.renormalises) return;
  for (let start = 0; start < sums.length; start += columns) {
    let sum = 0;
    for (let k = start; k < start + columns; k++) sum += sums[k];
    for (let k = start; k < start + columns; k++) values[k] += sign * sums[k] / sum;
  }
};

const addMatrix = (index, sign, values) => getValues(index).forEach((value, i) => { values[i] += sign * value; });

// The mean of the heads of a panel at a factor; of a difference less what is subtracted.
const rescale = (panel, factor) => {
  const values = panel.live || (panel.live = new Float32Array(panel.rows * panel.columns));
  values.fill(0);
  if (panel.heads.length) addHeads(panel, panel.heads, factor, 1, values);
  else for (const index of [panel.values, panel.baseline]) addMatrix(index, 1, values);
  if (panel.subtracted.length) addHeads(panel, panel.subtracted, factor, -1, values);
  else if (panel.difference) addMatrix(panel.baseline, -1, values);
};

// State ------------------------------------------------------------------------------------------

const whole = { x: 0, y: 0, width: page.width, height: page.height };
const state = { isBefore: false, view: { ...whole }, cell: null };
const factors = []; // { exported, value, panels, range, field }

for (const [index, panel] of panels.entries()) {
  panel.index = index;
  panel.matrix = page.matrices[panel.values];
  panel.rows = panel.matrix.rows;
  panel.columns = panel.matrix.columns;
  panel.queryLabels = page.labels[panel.queries];
  panel.keyLabels = page.labels[panel.keys];
  panel.colors = panel.scaleOf = page.scales[panel.scale];
  panel.group = svg.getElementById ? svg.getElementById(panel.id) : get(panel.id);
  panel.hasBefore = panel.baseline !== null && !(panel.difference && panel.minuendName);
  if (panel.epsilon) {
    let factor = factors.find((other) => other.exported === panel.epsilon);
    if (!factor) factors.push(factor = { exported: panel.epsilon, value: panel.epsilon, panels: [] });
    factor.panels.push(panel);
    panel.sinkColumn = Array.isArray(panel.keyPositions) ? panel.keyPositions.indexOf(-1) : -1;
    panel.isLive = panel.heads.length + panel.subtracted.length > 0;
    panel.factor = factor;
  }
}
const hasBefore = panels.some((panel) => panel.hasBefore);

// What a panel shows now.
const getShown = (panel) => {
  if (state.isBefore && panel.hasBefore)
    return panel.difference ? panel.zeros || (panel.zeros = new Float32Array(panel.rows * panel.columns))
                            : getValues(panel.baseline);
  const factor = panel.factor;
  if (!factor || factor.value === factor.exported || !panel.isLive) return getValues(panel.values);
  if (panel.liveFactor !== factor.value) {
    rescale(panel, factor.value);
    panel.liveFactor = factor.value;
  }
  return panel.live;
};

// The name of a panel, with its factor as it is now.
const getName = (panel) => {
  const name = panel.name || "Panel " + (panel.index + 1);
  if (!panel.factor) return name;
  const { exported, value } = panel.factor;
  const format = FACTOR_FORMATS.find((other) => name.includes("ε = " + other(exported)));
  return format ? name.replace("ε = " + format(exported), "ε = " + format(value)) : name;
};

const isChanged = () => state.isBefore || factors.some((factor) => factor.value !== factor.exported);

// Colours ----------------------------------------------------------------------------------------

const getPosition = (scale, value, nVisible) => {
  switch (scale.kind) {
  case "percentile": {
    const knots = scale.knots, last = knots.length - 1;
    let below = 0, end = 0;
    while (below <= last && knots[below] < value) below++;
    for (end = below; end <= last && knots[end] === value;) end++;
    if (Number.isNaN(value)) return NaN;
    if (below > last) return 1;
    if (end === 0) return 0;
    if (end > below) return (below + end - 1) / 2 / last;
    return (below - 1 + (value - knots[below - 1]) / (knots[below] - knots[below - 1])) / last;
  }
  case "log":
  case "ratio": {
    const shown = scale.kind === "ratio" ? value * nVisible : value;
    if (!(scale.factor > 0)) return Number.isNaN(shown) ? NaN : Number(shown >= scale.low);
    return shown > 0 ? (Math.log(shown) - scale.offset) * scale.factor : Number.isNaN(shown) ? NaN : -1;
  }
  default:
    if (!(scale.factor > 0)) return Number.isNaN(value) ? NaN : Number(value >= scale.low);
    return (value - scale.offset) * scale.factor;
  }
};

const getColorIndex = (panel, row, column, value) => {
  if (!isVisible(panel, row, column)) return panel.masked;
  const index = getPosition(panel.colors, value, countVisible(panel, row)) * COLORS;
  return index >= COLORS - 1 ? COLORS - 1 : index >= 0 ? Math.floor(index) : index < 0 ? 0 : NAN;
};

const palettes = page.palettes.map(decodeBase64);

const getColor = (panel, index) => {
  const palette = palettes[panel.palette];
  return [palette[3 * index], palette[3 * index + 1], palette[3 * index + 2]];
};

const getWords = (panel) => {
  const palette = palettes[panel.palette];
  if (!palette.words) {
    const bytes = new Uint8ClampedArray(4 * (palette.length / 3));
    for (let i = 0; i < palette.length / 3; i++)
      bytes.set([palette[3 * i], palette[3 * i + 1], palette[3 * i + 2], 255], 4 * i);
    palette.words = new Uint32Array(bytes.buffer);
  }
  return palette.words;
};

// Of blocks of cells the largest each, of a difference the farthest from 0; masked ones do not count.
const pool = (panel, values, block) => {
  const { rows, columns } = panel, width = Math.ceil(columns / block), height = Math.ceil(rows / block);
  const at = new Int32Array(width * height).fill(-1), sizes = panel.difference ? values.map(Math.abs) : values;
  for (let row = 0; row < rows; row++) {
    const runs = getRuns(panel.matrix, row), from = row * columns;
    for (let i = 0; i < runs.length; i += 2) {
      let to = Math.floor(row / block) * width + Math.floor(runs[i] / block), left = block - runs[i] % block;
      for (let k = from + runs[i], end = from + runs[i + 1]; k < end; k++) {
        if (at[to] < 0 || sizes[k] > sizes[at[to]]) at[to] = k;
        if (--left > 0) continue;
        to++;
        left = block;
      }
    }
  }
  return { at, width, height };
};

// Cells of a panel as a small picture, a pixel a block of cells that is at least a pixel wide.
const paintPanel = (panel, values, block) => {
  const { columns } = panel, scale = panel.colors, words = getWords(panel), step = scale.factor * COLORS;
  const isLinear = scale.factor > 0 && ["linear", "symmetric"].includes(scale.kind);
  const { at, width, height } = pool(panel, values, block);
  if (!panel.picture || panel.picture.width !== width || panel.picture.height !== height) {
    panel.picture = document.createElement("canvas");
    panel.picture.width = width;
    panel.picture.height = height;
    panel.pen = panel.picture.getContext("2d");
    panel.pixels = panel.pen.createImageData(width, height);
    panel.words = new Uint32Array(panel.pixels.data.buffer);
  }
  for (let i = 0; i < at.length; i++) {
    const value = values[at[i]];
    const index = isLinear ? (value - scale.offset) * step
                           : getPosition(scale, value, countVisible(panel, Math.max(Math.floor(at[i] / columns), 0))) * COLORS;
    panel.words[i] = words[at[i] < 0 ? panel.masked : index >= COLORS - 1 ? COLORS - 1 : index >= 0 ? index | 0 : index < 0 ? 0 : NAN];
  }
  panel.pen.putImageData(panel.pixels, 0, 0);
};

const canvas = document.createElement("canvas");
canvas.setAttribute("aria-hidden", "true");
stage.prepend(canvas);

// Milliseconds of a frame in which panels are painted anew; for what is left the next frame goes on.
const PAINTING_TIME = 8;
let firstPanel = 0; // of the next frame

// Draws behind the figure, whose own cells are hidden meanwhile, what has changed or is smaller than a pixel. Panels that
// there was no time for are shown as they were, and come first in the next frame.
const drawCells = () => {
  stage.removeAttribute("aria-busy");
  const box = stage.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
  const view = state.view, scale = width / view.width;
  if (!width || !height) return; // hidden, for now
  const changed = isChanged() || panels.some((panel) => Math.min(panel.cellWidth, panel.cellHeight) * scale < 1);
  svg.classList.toggle("changed", changed);
  svg.classList.toggle("other", isChanged());
  canvas.hidden = !changed;
  if (!changed) return;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = page.background || "#ffffff";
  pen.fillRect(0, 0, width, height);
  pen.imageSmoothingEnabled = false;
  const until = performance.now() + PAINTING_TIME, n = panels.length;
  let late = -1;
  for (let i = firstPanel; i < firstPanel + n; i++) {
    const panel = panels[i % n], x = (panel.x - view.x) * scale, y = (panel.y - view.y) * scale;
    if (x > width || y > height || x + panel.width * scale < 0 || y + panel.height * scale < 0) continue;
    if (panel.picture && performance.now() > until) {
      if (late < 0) late = i % n;
    } else {
      const values = getShown(panel), block = Math.ceil(Math.max(1 / (Math.min(panel.cellWidth, panel.cellHeight) * scale), 1));
      const key = values === panel.live ? panel.liveFactor : values;
      if (panel.painted !== key || panel.block !== block) paintPanel(panel, values, block);
      panel.painted = key;
      panel.block = block;
    }
    pen.save();
    pen.beginPath();
    pen.rect(x, y, panel.width * scale, panel.height * scale);
    pen.clip();
    pen.drawImage(panel.picture, (panel.left - view.x) * scale, (panel.top - view.y) * scale,
                  panel.picture.width * panel.block * panel.cellWidth * scale,
                  panel.picture.height * panel.block * panel.cellHeight * scale);
    pen.restore();
  }
  firstPanel = Math.max(late, 0);
  if (late < 0) return;
  stage.setAttribute("aria-busy", true);
  draw();
};

// Texts of the figure ----------------------------------------------------------------------------

// Places where the figure says a factor, and the titles of its panels.
const said = [], titles = [], notes = [];
for (const text of svg.querySelectorAll("text")) {
  const panel = panels.find((other) => other.group && other.group.contains(text));
  const nodes = [...text.childNodes].flatMap((node) => node.nodeType === 3 ? [node] : [...node.childNodes]);
  if (text.classList.contains("title") && panel) titles.push({ text, panel, nodes: [...text.childNodes] });
  if (text.classList.contains("caption")) notes.push({ text, nodes: [...text.childNodes] });
  for (const node of nodes)
    for (const factor of panel ? (panel.factor ? [panel.factor] : []) : factors) {
      const places = FACTOR_FORMATS.map((format) => [format, node.data.split("ε = " + format(factor.exported))]);
      const place = places.find(([, [, after, ...more]]) => after !== undefined && !more.length && !/^[0-9.e]/.test(after));
      if (place) said.push({ node, factor, format: place[0], before: place[1][0], after: place[1][1] });
    }
}

// Numbers in cells, by their place.
for (const panel of panels) {
  const texts = panel.group ? [...panel.group.querySelectorAll("text.value")] : [];
  panel.texts = texts.map((text) => {
    const size = Number(text.getAttribute("font-size"));
    const column = Math.floor((Number(text.getAttribute("x")) - panel.left) / panel.cellWidth);
    const row = Math.floor((Number(text.getAttribute("y")) - 0.36 * size - panel.top) / panel.cellHeight);
    return { text, row, column, exported: text.textContent, fill: text.getAttribute("fill") };
  });
  panel.isLarge = panel.texts.some(({ exported }) => exported.replace(/^-?\d*\.?/, "").replace(/e.*/, "").length > page.digits);
}

const formatCell = (panel, value) => {
  if (panel.isLarge && (value === 0 || Math.abs(value) >= 1e-4)) return formatWeight(value, page.digits);
  return value.toFixed(page.digits).replace(/^-(?=0\.?0*$)/, "");
};

const toLinear = (part) => part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4;

const writeTexts = () => {
  for (const { node, factor, format, before, after } of said)
    node.data = before + "ε = " + format(factor.value) + after;
  for (const { text, panel, nodes } of titles)
    if (state.isBefore && panel.hasBefore && !panel.difference) text.textContent = panel.baselineName || "Baseline";
    else if (text.firstChild !== nodes[0]) text.replaceChildren(...nodes);
  for (const [line, { text, nodes }] of notes.entries())
    if (state.isBefore) text.textContent = line ? "" : "Baseline: without the operations of this figure";
    else if (text.firstChild !== nodes[0]) text.replaceChildren(...nodes);
  for (const panel of panels) {
    if (!panel.texts.length) continue;
    const values = getShown(panel), isExported = values === getValues(panel.values);
    for (const { text, row, column, exported, fill } of panel.texts) {
      const value = values[row * panel.columns + column];
      const [red, green, blue] = getColor(panel, getColorIndex(panel, row, column, value)).map(toLinear);
      text.textContent = isExported ? exported : formatCell(panel, value);
      text.setAttribute("fill", isExported ? fill : 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff");
    }
  }
};

// Marks over the figure --------------------------------------------------------------------------

const NAMESPACE = "http://www.w3.org/2000/svg";
const make = (name, attributes, parent) => {
  const element = document.createElementNS(NAMESPACE, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return parent.appendChild(element);
};
const marks = make("svg", { id: "marks" }, stage);
svg.setAttribute("role", "img");
svg.setAttribute("aria-label", page.caption || document.title);

const count = (n, one, many) => n + " " + (n === 1 ? one : many);
for (const panel of panels) {
  panel.target = make("rect", {
    x: panel.x, y: panel.y, width: panel.width, height: panel.height, tabindex: 0,
    role: "application", "aria-roledescription": "matrix",
  }, marks);
}
const nameTarget = (panel) =>
  panel.target.setAttribute("aria-label", `${getName(panel)}, ${count(panel.rows, "row", "rows")}, ${count(panel.columns, "column", "columns")}`);
panels.forEach(nameTarget);
const band = make("path", { class: "band" }, marks);
const halo = make("path", { class: "halo" }, marks);
const ring = make("path", { class: "ring" }, marks);

const getQuery = (panel, row) => Array.isArray(panel.queryPositions) ? panel.queryPositions[row] : panel.queryPositions + row;
const getKey = (panel, column) => Array.isArray(panel.keyPositions) ? panel.keyPositions[column] : panel.keyPositions + column;
const find = (positions, position, n) =>
  Array.isArray(positions) ? positions.indexOf(position) : position >= positions && position < positions + n ? position - positions : -1;

// The cell of another panel that has the same query and key.
const findLinked = (panel, cell) => {
  if (panel === cell.panel) return cell;
  const row = find(panel.queryPositions, getQuery(cell.panel, cell.row), panel.rows);
  const column = find(panel.keyPositions, getKey(cell.panel, cell.column), panel.columns);
  return row >= 0 && column >= 0 ? { panel, row, column } : null;
};

const getBox = (panel, row, column, nRows, nColumns) => {
  const left = Math.max(panel.left + column * panel.cellWidth, panel.x);
  const top = Math.max(panel.top + row * panel.cellHeight, panel.y);
  const right = Math.min(panel.left + (column + nColumns) * panel.cellWidth, panel.x + panel.width);
  const bottom = Math.min(panel.top + (row + nRows) * panel.cellHeight, panel.y + panel.height);
  return `M${left} ${top}H${right}V${bottom}H${left}z`;
};

const drawMarks = () => {
  let rings = "", bands = "";
  if (state.cell)
    for (const panel of panels) {
      const linked = findLinked(panel, state.cell);
      if (!linked) continue;
      rings += getBox(panel, linked.row, linked.column, 1, 1);
      bands += getBox(panel, linked.row, 0, 1, panel.columns) + getBox(panel, 0, linked.column, panel.rows, 1);
    }
  halo.setAttribute("d", rings);
  ring.setAttribute("d", rings);
  band.setAttribute("d", bands);
};

const quote = (label) => "“" + label + "”";

// A label whose kind its axis says; with its position where some of the axis have the same, as tokens may.
const nameLabel = (labels, index, position) =>
  position >= 0 && new Set(labels).size < labels.length ? `${position} ${quote(labels[index])}` : labels[index];

const describe = ({ panel, row, column }) => {
  if (panel.names) return panel.names[row * panel.columns + column];
  const query = panel.queryLabels[row], key = panel.keyLabels[column], position = getKey(panel, column);
  if (panel.place)
    return panel.place[0] + nameLabel(panel.queryLabels, row, getQuery(panel, row)) + panel.place[1] + nameLabel(panel.keyLabels, column, position);
  return `${getQuery(panel, row)} ${quote(query)} → ` + (position < 0 ? key : `${position} ${quote(key)}`);
};

// An interval and a number that a cell has beside its value.
const listMore = ({ intervals, numbers }, at) => [
  intervals && intervals[2 * at] !== null && intervals.slice(2 * at, 2 * at + 2).map((end) => formatWeight(end, DIGITS)).join(" to "),
  numbers && page.numberWord && page.numberWord.replace("%u", numbers[at]),
];

const tell = (isSpoken) => {
  const cell = state.cell;
  if (!cell) {
    get("swatch").hidden = true;
    get("number").textContent = "";
    get("pair").textContent = get("beside").textContent = "";
    get("place").textContent = "Point at a cell to read it";
    return;
  }
  const { panel, row, column } = cell, at = row * panel.columns + column;
  const value = getShown(panel)[at], visible = isVisible(panel, row, column);
  const isBefore = state.isBefore && panel.hasBefore;
  const number = visible ? formatWeight(value, DIGITS) : "masked";
  const more = visible && !isBefore ? listMore(panel, at) : [];
  const isOther = panel.factor && panel.subtracted.length && panel.factor.value !== panel.factor.exported;
  if (visible && panel.baseline !== null && !isBefore && !isOther)
    more.push((panel.baselineName || "Baseline").toLowerCase() + " " + formatWeight(getValues(panel.baseline)[at], DIGITS));
  const beside = more.filter(Boolean).join(", ");
  get("swatch").hidden = false;
  get("swatch").style.backgroundColor = "rgb(" + getColor(panel, getColorIndex(panel, row, column, value)).join(",") + ")";
  get("number").textContent = number;
  get("pair").textContent = describe(cell);
  get("place").textContent = [getName(panel), panel.valueName || page.valueLabel].filter(Boolean).join(" · ") + (isBefore ? " · baseline" : "");
  get("beside").textContent = beside;
  if (isSpoken) get("spoken").textContent = `${describe(cell)}: ${number}` + (beside ? ", " + beside : "");
};

const choose = (cell, isSpoken) => {
  state.cell = cell;
  drawMarks();
  tell(isSpoken);
};

// View -------------------------------------------------------------------------------------------

let isDrawing = false;
const draw = () => {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    drawCells();
  });
};

const setView = (x, y, width) => {
  width = Math.min(Math.max(width, whole.width / MAX_ZOOM), whole.width);
  const height = width * whole.height / whole.width;
  state.view = {
    x: Math.min(Math.max(x, 0), whole.width - width), y: Math.min(Math.max(y, 0), whole.height - height), width, height,
  };
  const box = [state.view.x, state.view.y, width, height].join(" ");
  svg.setAttribute("viewBox", box);
  marks.setAttribute("viewBox", box);
  const isNear = width < whole.width;
  stage.classList.toggle("near", isNear);
  get("scale").textContent = Math.round(100 * whole.width / width) + " %";
  get("out").disabled = get("fit").disabled = !isNear;
  get("in").disabled = width <= whole.width / MAX_ZOOM;
  draw();
};

// Zooms so that the point at the fractions x, y of the stage stays where it is.
const zoom = (by, x = 0.5, y = 0.5) => {
  const view = state.view, width = Math.min(Math.max(view.width / by, whole.width / MAX_ZOOM), whole.width);
  setView(view.x + (view.width - width) * x, view.y + (view.width - width) * whole.height / whole.width * y, width);
};

const getPoint = (event) => {
  const box = marks.getBoundingClientRect();
  return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
};

const findCell = (event) => {
  const point = getPoint(event);
  const x = state.view.x + point.x * state.view.width, y = state.view.y + point.y * state.view.height;
  const panel = panels.find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
  if (!panel) return null;
  return {
    panel,
    row: Math.min(Math.max(Math.floor((y - panel.top) / panel.cellHeight), 0), panel.rows - 1),
    column: Math.min(Math.max(Math.floor((x - panel.left) / panel.cellWidth), 0), panel.columns - 1),
  };
};

// Moves the view so that the chosen cell is in it.
const reveal = () => {
  const { panel, row, column } = state.cell, view = state.view;
  const x = panel.left + column * panel.cellWidth, y = panel.top + row * panel.cellHeight;
  const left = Math.min(Math.max(view.x, x + panel.cellWidth - view.width), x);
  const top = Math.min(Math.max(view.y, y + panel.cellHeight - view.height), y);
  if (left !== view.x || top !== view.y) setView(left, top, view.width);
};

// Pointer: one moves the view where it is near, two zoom.
const pointers = new Map();
let isMoved = false;

marks.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, event);
  isMoved = false;
});
marks.addEventListener("pointermove", (event) => {
  const last = pointers.get(event.pointerId);
  if (!last) {
    const cell = findCell(event);
    if (cell) choose(cell, false);
    return;
  }
  const box = marks.getBoundingClientRect(), view = state.view;
  if (pointers.size === 2) {
    const [other] = [...pointers.values()].filter((pointer) => pointer.pointerId !== event.pointerId);
    const before = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY);
    const after = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
    const middle = getPoint({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 });
    if (before > 0) zoom(after / before, middle.x, middle.y);
    isMoved = true;
    pointers.set(event.pointerId, event);
  } else if (isMoved || Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) > 4) {
    if (!isMoved && view.width < whole.width) marks.setPointerCapture(event.pointerId);
    isMoved = true;
    stage.classList.toggle("moving", view.width < whole.width);
    setView(view.x - (event.clientX - last.clientX) / box.width * view.width,
            view.y - (event.clientY - last.clientY) / box.height * view.height, view.width);
    pointers.set(event.pointerId, event);
  }
});
const release = (event) => {
  pointers.delete(event.pointerId);
  stage.classList.remove("moving");
};
marks.addEventListener("pointerup", (event) => {
  const cell = isMoved ? null : findCell(event);
  release(event);
  if (!cell) return;
  cell.panel.target.focus({ preventScroll: true });
  choose(cell, true);
});
marks.addEventListener("pointercancel", release);
marks.addEventListener("pointerleave", (event) => {
  if (!marks.hasPointerCapture(event.pointerId)) release(event);
});
marks.addEventListener("wheel", (event) => {
  const point = getPoint(event), isFit = state.view.width >= whole.width;
  if (isFit && event.deltaY >= 0) return;
  event.preventDefault();
  zoom(2 ** (-event.deltaY * (event.deltaMode === 1 ? 16 : 1) / 240), point.x, point.y);
}, { passive: false });

// Keys -------------------------------------------------------------------------------------------

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity], PageUp: [-Infinity, 0], PageDown: [Infinity, 0] };
const clamp = (value, end) => Math.min(Math.max(value, 0), end - 1);

for (const panel of panels) {
  panel.target.addEventListener("focus", () => {
    if (state.cell && state.cell.panel === panel) return;
    const linked = state.cell && findLinked(panel, state.cell);
    choose(linked ? { ...linked, panel } : { panel, row: 0, column: 0 }, true);
    reveal();
  });
  panel.target.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const cell = state.cell && state.cell.panel === panel ? state.cell : { panel, row: 0, column: 0 };
    choose({ panel, row: clamp(cell.row + step[0], panel.rows), column: clamp(cell.column + step[1], panel.columns) }, true);
    reveal();
  });
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches && event.target.matches("input[type=text], select");
  if (isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
  if ((event.key === "b" || event.key === "B") && hasBefore) setBefore(!state.isBefore);
  else if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-") zoom(1 / 1.5);
  else if (event.key === "0") setView(0, 0, whole.width);
  else if (event.key === "Escape") choose(null, false);
  else return;
  event.preventDefault();
});

// Baseline and factors ---------------------------------------------------------------------------

const update = () => {
  get("before").setAttribute("aria-pressed", String(state.isBefore));
  get("reset").hidden = !factors.some((factor) => factor.value !== factor.exported);
  writeTexts();
  for (const panel of panels) {
    const name = getName(panel), option = chosen.options[panel.index];
    if (option.text === name) continue; // each that is written is an event of the list: many, in an atlas
    option.text = name;
    nameTarget(panel);
  }
  tell(false);
  draw();
  fillTable();
};

const setBefore = (isBefore) => {
  state.isBefore = isBefore;
  update();
  get("spoken").textContent = isBefore ? "Baseline" : "With the operations";
};

const setFactor = (factor, value) => {
  factor.value = value;
  factor.range.value = Math.log10(value);
  factor.range.setAttribute("aria-valuetext", formatFactor(value));
  if (document.activeElement !== factor.field) factor.field.value = formatFactor(value);
  factor.field.removeAttribute("aria-invalid");
  if (state.isBefore) state.isBefore = false;
  update();
};

for (const [index, factor] of factors.entries()) {
  const id = "factor-" + (index + 1), label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = "ε = " + formatFactor(factor.exported);
  const range = factor.range = document.createElement("input");
  Object.assign(range, { id, type: "range", min: Math.log10(LEAST), max: Math.log10(MOST), step: 0.01 });
  const field = factor.field = document.createElement("input");
  Object.assign(field, { type: "text", id: id + "-field", autocomplete: "off", spellcheck: false });
  field.setAttribute("aria-label", label.textContent + " becomes");
  const line = document.createElement("div");
  line.append(label, range, field);
  get("factors").append(line);
  range.value = Math.log10(factor.exported);
  range.setAttribute("aria-valuetext", formatFactor(factor.exported));
  field.value = formatFactor(factor.exported);
  range.addEventListener("input", () => setFactor(factor, Number((10 ** range.valueAsNumber).toPrecision(3))));
  field.addEventListener("input", () => {
    const value = Number(field.value.replace(",", "."));
    if (field.value.trim() !== "" && value >= LEAST && value <= MOST) setFactor(factor, value);
    else field.setAttribute("aria-invalid", "true");
  });
  field.addEventListener("blur", () => {
    field.value = formatFactor(factor.value);
    field.removeAttribute("aria-invalid");
  });
}
get("reset").addEventListener("click", () => factors.forEach((factor) => setFactor(factor, factor.exported)));

// Table ------------------------------------------------------------------------------------------

const details = get("table"), chosen = get("chosen");
const addCell = (row, name, text, scope) => {
  const cell = document.createElement(name);
  cell.textContent = text;
  if (scope) cell.scope = scope;
  row.append(cell);
};

const formatAt = (panel, values, row, column) =>
  isVisible(panel, row, column) ? formatExact(values[row * panel.columns + column], panel.matrix.bits) : "";

const fillTable = () => {
  if (!details.open || !panels.length) return;
  const panel = panels[chosen.selectedIndex], values = getShown(panel);
  const nRows = Math.min(panel.rows, MAX_TABLE), nColumns = Math.min(panel.columns, MAX_TABLE);
  const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  addCell(head, "th", `${page.rowTitle || "Query"} \\ ${page.columnTitle || "Key"}`, "col");
  for (let column = 0; column < nColumns; column++) addCell(head, "th", panel.keyLabels[column], "col");
  for (let row = 0; row < nRows; row++) {
    const line = body.insertRow();
    addCell(line, "th", panel.queryLabels[row], "row");
    for (let column = 0; column < nColumns; column++) addCell(line, "td", formatAt(panel, values, row, column));
  }
  get("cells").replaceChildren(table);
  const isCut = nRows < panel.rows || nColumns < panel.columns;
  get("cut").hidden = !isCut;
  get("cut").textContent = `The first ${nRows} of ${panel.rows} rows and ${nColumns} of ${panel.columns} columns; Copy takes all.`;
};

// Tab-separated, as a spreadsheet takes it.
const writeRows = (panel) => {
  const values = getShown(panel), clean = (text) => text.replace(/[\t\r\n]/g, " ");
  const lines = [["", ...panel.keyLabels.map(clean)].join("\t")];
  for (let row = 0; row < panel.rows; row++) {
    const line = [clean(panel.queryLabels[row])];
    for (let column = 0; column < panel.columns; column++) line.push(formatAt(panel, values, row, column));
    lines.push(line.join("\t"));
  }
  return lines.join("\n") + "\n";
};

get("copy").addEventListener("click", () => {
  const text = writeRows(panels[chosen.selectedIndex]);
  document.addEventListener("copy", (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }, { once: true });
  get("copied").textContent = document.execCommand("copy") ? "Copied" : "The browser did not copy";
});
details.addEventListener("toggle", fillTable);
chosen.addEventListener("change", fillTable);

// Beginning --------------------------------------------------------------------------------------

get("before").addEventListener("click", () => setBefore(!state.isBefore));
get("in").addEventListener("click", () => zoom(1.5));
get("out").addEventListener("click", () => zoom(1 / 1.5));
get("fit").addEventListener("click", () => setView(0, 0, whole.width));
window.addEventListener("resize", () => {
  fit();
  draw();
});
window.addEventListener("beforeprint", () => setView(0, 0, whole.width));

tell(false);
for (const panel of panels) chosen.add(new Option(getName(panel)));
get("which").hidden = panels.length < 2;
get("before").hidden = !hasBefore;
get("controls").hidden = false;
for (const id of ["readout", "table", "keys"]) get(id).hidden = !panels.length;
if (page.error > 0) {
  get("rounded").textContent = `The numbers are rounded to 16 bits; the largest error is ${page.error.toExponential(1).replace("+", "")}.`;
  get("rounded").hidden = false;
}
// As wide as the figure is where all of it, and what is read of it, fits the window's height: twice, for the controls may
// take more lines in the width that it leaves them.
const fit = () => {
  for (let i = 0; i < 2; i++) {
    const around = stage.offsetTop + get("readout").offsetHeight + 16;
    document.querySelector("main").style.setProperty("--figure", `calc((100vh - ${around}px) * ${(page.width / page.height).toFixed(4)})`);
  }
};
fit();
if (page.background) stage.style.backgroundColor = page.background;
setView(0, 0, whole.width);
})();
