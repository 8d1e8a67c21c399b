'use strict';
// The data, the colours, numbers with their units, and the buttons above a chart.

const DATA = JSON.parse(document.getElementById('data').textContent);
const SINGLE = DATA.profiles.length === 1;
const encode = (text) => echarts.format.encodeHTML(String(text));
const OP_NAMES = { read: 'reads', write: 'writes', durable: 'durable writes' };
const COLOURS = [
  'paper',
  'card',
  'ink',
  'soft',
  'line',
  'grid',
  'read',
  'write',
  'durable',
  'alpha',
  'alpha1',
  'p0',
  'p1',
  'p2',
  'p3',
  'p4',
  'p5',
];

/** What is chosen for all charts at once. */
const state = { pattern: null, block: null, op: 'read' };

/** Colours now in force; charts are drawn anew when they change. */
let palette = {};
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  palette = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue('--' + name).trim()]));
}
/** Print is always light, and at `beforeprint` the print rules are not yet in force. */
const PRINT_PALETTE = {
  paper: '#fff',
  card: '#fff',
  ink: '#000',
  soft: '#444',
  line: '#bbb',
  grid: '#ddd',
  read: '#0072b2',
  write: '#a66300',
  durable: '#bb3e1c',
  alpha: '#00805d',
  alpha1: '#a94a83',
  p0: '#0072b2',
  p1: '#a66300',
  p2: '#00805d',
  p3: '#a94a83',
  p4: '#bb3e1c',
  p5: '#6a5acd',
};

// ---- numbers ----

/** A number and its unit stay in one line. */
const NO_BREAK = '\u00a0';

function significant(value) {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}
function scaled(value, units) {
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit + 1 < units.length) {
    value /= 1000;
    unit += 1;
  }
  return [value, units[unit]];
}
const withUnit = (units) => (value) => {
  const [number, unit] = scaled(value, units);
  return (significant(number) + NO_BREAK + unit).trim();
};
/** On an axis: no digits that say nothing. */
const axisUnit = (units) => (value) => {
  const [number, unit] = scaled(value, units);
  return (parseFloat(number.toPrecision(3)) + NO_BREAK + unit).trim();
};
const COUNT = ['', 'k', 'M', 'G'];
const BANDWIDTH = ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s'];
const MICROS = ['µs', 'ms', 's'];
const count = (value) => withUnit(COUNT)(value).replace(NO_BREAK, '');
const axisCount = (value) => axisUnit(COUNT)(value).replace(NO_BREAK, '');
const bandwidth = withUnit(BANDWIDTH);
const micros = withUnit(MICROS);
function blockName(bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) === 0) return (bytes >> 20) + 'M';
  if (bytes >= 1024 && bytes % 1024 === 0) return (bytes >> 10) + 'K';
  return bytes + 'B';
}
function binaryBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.length) {
    bytes /= 1024;
    unit += 1;
  }
  return significant(bytes) + NO_BREAK + units[unit];
}

// ---- rows of a curve, as chart_data.rs writes them ----

const ROW = ['k', 'iops', 'low', 'high', 'bandwidth', 'mean', 'p50', 'p99', 'p999', 'cpuBound'];
for (const profile of DATA.profiles) {
  for (const curve of profile.curves) {
    curve.points = curve.points.map((row) => Object.fromEntries(ROW.map((name, i) => [name, row[i]])));
    for (const p of curve.points) p.ends = p.low === null ? null : [p.low, p.high];
  }
}

/** The lines of the chosen pattern and block size: one per operation, or one per profile in a comparison. */
function lines() {
  const chosen = (curve) => curve.pattern === state.pattern && curve.block === state.block;
  if (SINGLE) {
    return DATA.profiles[0].curves
      .filter(chosen)
      .map((curve) => ({
        key: curve.op,
        label: OP_NAMES[curve.op],
        colour: palette[curve.op],
        curve,
        knee: { read: 'k_r', write: 'k_w', durable: 'k' }[curve.op],
      }));
  }
  return DATA.profiles.flatMap((profile, i) =>
    profile.curves
      .filter((curve) => chosen(curve) && curve.op === state.op)
      .map((curve) => ({
        key: 'p' + i,
        label: profile.label,
        colour: profileColour(i),
        curve,
        knee: curve.op === 'read' ? 'k_r' : 'k_w',
      })),
  );
}
const profileColour = (i) => palette['p' + (i % 6)];

// ---- buttons ----

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
function key(item) {
  const made = element('span', 'key ' + (item.style || ''));
  if (item.style === 'area') made.style.background = item.colour;
  else made.style.borderColor = item.colour || palette.soft;
  return made;
}
/** One of several. */
function choice(name, options, current, choose) {
  const group = element('div', 'group-of choice');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', name);
  group.append(element('span', 'name', name));
  for (const [value, label] of options) {
    const chip = element('button', 'chip', label);
    chip.type = 'button';
    chip.setAttribute('aria-pressed', String(value === current));
    chip.onclick = () => choose(value);
    group.append(chip);
  }
  return group;
}
/** Any of several: the legend. */
function toggles(items, hidden, changed) {
  const group = element('div', 'group-of');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'Shown');
  for (const item of items) {
    const chip = element('button', 'chip');
    chip.type = 'button';
    chip.append(key(item), element('span', '', item.label));
    chip.setAttribute('aria-pressed', String(!hidden.has(item.key)));
    chip.onclick = () => {
      if (!hidden.delete(item.key)) hidden.add(item.key);
      changed();
    };
    group.append(chip);
  }
  return group;
}
