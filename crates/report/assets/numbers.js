'use strict';
// Numbers by the names of their units, words of tooltips, and axes, as `leadline_figures::chart` describes them.

// ---- numbers, by the names of their units ----

const trimmed = (digits) => (v) => String(parseFloat(v.toPrecision(digits)));
const whole = (v) => Math.round(v).toLocaleString('en');
function powersOf1024(bytes) {
  const units = ['B', 'K', 'M', 'G', 'T', 'P', 'E'];
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.length) {
    bytes /= 1024;
    unit += 1;
  }
  return parseFloat(bytes.toPrecision(3)) + units[unit];
}
function duration(s) {
  return s >= 120 ? `${trimmed(3)(s / 60)}${NO_BREAK}min` : `${trimmed(3)(s)}${NO_BREAK}s`;
}
const PERCENT = NO_BREAK + '%';
/** In a tooltip. */
const SHOW = {
  count,
  bandwidth,
  micros,
  significant,
  whole,
  duration,
  bytes: binaryBytes,
  block: blockName,
  size: powersOf1024,
  share: (v) => trimmed(3)(100 * v) + PERCENT,
  percent: (v) => Math.round(100 * v) + PERCENT,
  percents: (v) => significant(100 * v) + PERCENT,
  times: (v) => trimmed(3)(v) + '×',
  fixed: (v) => v.toFixed(2),
  fixed1: (v) => v.toFixed(1),
  fixed3: (v) => v.toFixed(3),
  brief: trimmed(2),
  short: trimmed(3),
  seconds: (v) => micros(v * 1e6),
};
/** On an axis: no digits that say nothing. */
const SHOW_ON_AXIS = {
  ...SHOW,
  count: axisCount,
  bandwidth: axisUnit(BANDWIDTH),
  micros: axisUnit(MICROS),
  whole: (v) => String(Math.round(v)),
  bytes: (v) => binaryBytes(v).replace(/\.0+(?=\s)/, ''),
  days: (v) => trimmed(3)(v / 86400),
  hours: (v) => trimmed(3)(v / 3600),
  min: (v) => trimmed(3)(v / 60),
  s: trimmed(3),
  seconds: (v) => (v === 0 ? '0' : axisUnit(MICROS)(v * 1e6)),
};
const shownAs = (unit) => SHOW[unit] ?? String;
const axisWords = (unit) => SHOW_ON_AXIS[unit] ?? ((v) => String(parseFloat(v.toPrecision(10))));
const colourOf = (colour) => (Array.isArray(colour) ? ramp(...colour) : palette[colour]);

// ---- words of tooltips ----

const faint = (words) => `<span style="opacity:.75">${words}</span>`;
/** `{3|micros}` is a cell, `{2-3|micros}` an interval. */
const filledWith = (template, cells, escape) =>
  template.replace(/\{(\d+)(?:-(\d+))?(?:\|(\w+))?\}/g, (_, from, to, unit) => {
    const [low, high] = [cells[from], cells[to ?? from]];
    if (to !== undefined) return low === null ? '' : interval(low, high, shownAs(unit));
    return low === null ? '–' : escape(unit ? shownAs(unit)(low) : low);
  });
/** The same for a tooltip, where what follows `~` is paler, in a line of its own. */
function filled(template, cells) {
  const part = (words) => filledWith(words.replaceAll('\n', '<br>'), cells, encode);
  const [plain, pale] = template.split('~').map(part);
  return pale ? `${plain}<br>${faint(pale)}` : plain;
}
const head = (words) => `<div style="margin-bottom:3px">${words}</div>`;
const saysRow = (series, cells) =>
  row(colourOf(series.colour), series.title ? filled(series.title, cells) : series.label, filled(series.tip ?? '', cells));

// ---- axes ----

const SCALES = { linear: (v) => v, log2: LOG2, log10: LOG10, names: (v) => v, bars: (v) => v };
/** Powers of two. */
function powers(low, high, step) {
  const from = Math.ceil(low / step - 1e-9) * step;
  return Array.from({ length: Math.max(0, Math.floor((high - from) / step + 1e-9) + 1) }, (_, i) => from + i * step);
}
const FROM_SCALES = { log2: (v) => 2 ** v, log10: (v) => 10 ** v };
/** What an axis says of a place, or of a place and the number that stands there. */
function toldOf(of) {
  const words = axisWords(of.unit);
  const named = of.scale === 'names' || of.scale === 'bars';
  return (place) => {
    const [at, number] = Array.isArray(place) ? place : [place, (FROM_SCALES[of.scale] ?? ((v) => v))(place)];
    return named ? (of.ticks[Math.round(at)]?.[1] || words(of.ticks[Math.round(at)]?.[0] ?? at)) : words(number);
  };
}
/** An axis over `values`. */
function axisOf(of, values) {
  const made = axisFor(of, values);
  const told = toldOf(of);
  return Array.isArray(made) ? made.map((one) => ({ ...one, told })) : { ...made, told };
}
function axisFor(of, values) {
  const to = SCALES[of.scale];
  const words = axisWords(of.unit);
  const all = [...values.filter((v) => !(v <= of.over)), ...(of.also ?? [])];
  const option = {
    ...(of.name ? { name: of.name } : {}),
    nameGap: of.gap ?? 24,
    ...(of.grid ? { splitLine: grid() } : {}),
    ...(of.room ? { boundaryGap: [0, of.room] } : {}),
    ...(of.interval ? { interval: of.interval } : {}),
  };
  const padded = (made) =>
    of.pad ? { ...made, min: made.min - of.pad[0], max: made.max + of.pad[1] } : made;
  const ends = {
    ...(of.min === undefined ? {} : { min: to(of.min) }),
    ...(of.max === undefined ? {} : { max: to(of.max) }),
    ...(of.headroom ? { max: of.headroom * Math.max(...all) } : {}),
    ...(of.around ? { min: -of.around[0] * Math.max(...all), max: of.around[1] * Math.max(...all) } : {}),
  };
  const ticks = of.ticks && {
    ...ticksAt(
      of.ticks.map(([at]) => to(at)),
      (v) => {
        const [at, name] = of.ticks.reduce((a, b) => (Math.abs(to(b[0]) - v) < Math.abs(to(a[0]) - v) ? b : a));
        return name || words(at);
      },
    ),
  };
  if (of.scale === 'bars') {
    const broken = { interval: 0, hideOverlap: false, lineHeight: 15, width: 100, overflow: 'break' };
    const over = (data, option) =>
      axis({
        type: 'category',
        data,
        axisTick: { show: false },
        axisLabel: { color: palette.soft, hideOverlap: true, ...(of.above ? broken : {}) },
        ...option,
      });
    const below = over(of.ticks.map(([at, name]) => name || words(at)), option);
    return of.above ? [below, over(of.above, { position: 'top' })] : below;
  }
  if (of.scale === 'names') return axis({ min: -0.5, max: of.ticks.length - 0.5, ...ticks, ...option, ...ends });
  if (of.scale === 'log10') {
    const made = logAxis(all, words, of.grid ? {} : { splitLine: { show: false } });
    return padded({ ...made, ...ticks, ...option, ...ends });
  }
  if (of.scale === 'log2') {
    const logs = all.filter((v) => v > 0).map(LOG2);
    const low = ends.min ?? Math.min(0, ...logs) - 0.12,
      high = ends.max ?? Math.max(1, ...logs) + 0.12;
    const step = of.unit === 'size' ? Math.max(1, Math.ceil((high - low) / 9)) : 1;
    const made = ticks ?? ticksAt(powers(low, high, step), (v) => words(2 ** v));
    return padded(axis({ ...option, min: low, max: high, ...made }));
  }
  const label = {
    color: palette.soft,
    hideOverlap: true,
    ...(of.unit ? { formatter: words } : {}),
    ...(of.no_first ? { showMinLabel: false } : {}),
    ...(of.no_last ? { showMaxLabel: false } : {}),
  };
  return axis({ ...option, ...ends, ...(ticks ?? { axisLabel: label }) });
}
