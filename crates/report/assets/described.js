'use strict';
// What experiments draw, as descriptions for `plot`.

const EXPERIMENTS = DATA.experiments ?? {};
const DEVICES = EXPERIMENTS.devices ?? {};
/** Drives of the paper, and how their lines are drawn. */
const PAPER_STYLES = { 'Optane P4800X': 'dashed', 'NAND P3700': 'dotted' };
/** Operation and pattern have a colour each, in all charts. */
const FOREGROUND_COLOURS = {
  'sequential read': 'p5',
  'random read': 'p0',
  'sequential write': 'p1',
  'random write': 'p4',
};
const foreground = (line) => line.pattern + ' ' + line.op;
const foregroundName = (line) => FOREGROUND_COLOURS[foreground(line)];

/** The line of a curve at x, by its nearest place. */
function nearestOf(line, x) {
  return line.reduce((best, p) => (best && Math.abs(best[0] - x) <= Math.abs(p[0] - x) ? best : p), null);
}

const circle = (size, more) => ({ shape: 'circle', size, ...more });
/** A legend of series, each name once. */
function legendOf(series) {
  const named = series.filter((one) => one.keys?.length);
  const once = named.filter((one, i) => named.findIndex((other) => other.label === one.label) === i);
  return once.map(({ label, colour, key_style: style }) => ({ label, colour, style }));
}
/** Of drives of the paper; at first those in `hidden` are not shown. */
const paperLegend = (reference, hidden = []) =>
  [...new Set(reference.map((r) => r[0]))].map((label) => ({
    label,
    colour: 'soft',
    style: PAPER_STYLES[label],
    hidden: hidden.includes(label),
  }));
const one = (label, colour, more) => ({ label, keys: [label], colour, ...more });
const inFlight = (name = 'requests in flight (k)') => ({ scale: 'log2', name, unit: 'whole' });
const upFrom = (name, unit, more) => ({ scale: 'linear', name, gap: 46, unit, min: 0, grid: true, ...more });
const decades = (unit, more) => ({ scale: 'log10', unit, grid: true, ...more });
const micro = (more) => decades('micros', more);
const ofNames = (name, names) => ({ scale: 'names', name, ticks: names.map((words, i) => [i, words]) });
/** Shares in percent, from 0 to 1. */
const ofShares = (name) => ({ scale: 'linear', name, unit: 'percent', min: 0, max: 1, interval: 0.2 });
/** Panels of one choice. */
function byChoice(id, name, panels, more) {
  const options = panels.map(([words]) => words);
  return { id, choices: [{ name, options, ...more }], panels: panels.map(([, panel], i) => ({ when: [i], ...panel })) };
}
const given = (data, ...charts) => (data ? charts.flatMap((chart) => chart(data)) : []);
