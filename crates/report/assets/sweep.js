'use strict';
// Simulated pools: one chart a dimension of the sweep, one line or bar a way of writing back.

const { columns: COLUMNS, rows: ROWS, ...POOL } = DATA.sweep;
POOL.cells = ROWS.map((cells) => Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i]])));
const times = (v) => parseFloat(v.toPrecision(3)) + '×';
function runtime(v) {
  if (v === 0) return '0';
  return v < 1e-3
    ? significant(v * 1e6) + NO_BREAK + 'µs'
    : v < 1
      ? significant(v * 1e3) + NO_BREAK + 'ms'
      : v < 600
        ? significant(v) + NO_BREAK + 's'
        : significant(v / 60) + NO_BREAK + 'min';
}
const axisDuration = (v) =>
  runtime(v)
    .replace(/(\.\d*?)0+(?=\s)/, '$1')
    .replace(/\.(?=\s)/, '');

/** What is drawn of a pool. */
const METRICS = {
  seconds: { name: 'runtime', show: runtime, axis: axisDuration },
  gain: { name: 'speed-up over no ACE, no cleaner', show: times, axis: times, one: true },
  p99_us: { name: 'p99 latency', show: micros, axis: axisUnit(MICROS) },
  misses: { name: 'misses', show: count, axis: axisCount },
  writes: { name: 'page writes', show: count, axis: axisCount },
  write_amplification: { name: 'write amplification', show: times, axis: times },
};
/** Whether caches hold bytes, and not a number of pages. */
const IN_BYTES = POOL.cells.some((cell) => cell.in_bytes);
const sizeWords = IN_BYTES ? blockName : axisCount;
/** What a pool is chosen by. Cleaner and ACE are what is compared. */
const CHOICES = {
  policy: 'Policy',
  n: 'n',
  frames: IN_BYTES ? 'Cache' : 'Frames',
  clients: 'Clients',
  read_share: 'Reads',
  alpha_1: 'α₁',
};
const choiceWords = { read_share: (v) => v + PERCENT, frames: sizeWords };

/** A pool that writes one page at a time has no n; one that finds it has all. */
const hasN = (cell) => !cell.adaptive && (cell.ace !== 'off' || cell.cleaner === 'auto');
const valueOf = (cell, dim) => (dim === 'n' && !hasN(cell) ? null : cell[dim]);
const sortedValues = (values) =>
  values.every((v) => typeof v === 'number') ? values.sort((a, b) => a - b) : values;
const VALUES = Object.fromEntries(
  [...Object.keys(CHOICES), 'cleaner'].map((dim) => [
    dim,
    sortedValues([...new Set(POOL.cells.map((cell) => valueOf(cell, dim)).filter((v) => v !== null))]),
  ]),
);
const METRIC_KEYS = Object.keys(METRICS).filter((key) =>
  POOL.cells.some((cell) => cell[key] !== null && cell[key] !== undefined),
);

const pick = {
  metric: METRIC_KEYS[0],
  ...Object.fromEntries(Object.keys(CHOICES).map((dim) => [dim, VALUES[dim][0]])),
};
// One page at a time is no ACE.
pick.n = VALUES.n.includes(8) ? 8 : VALUES.n.at(-1);

/** The pools that are chosen, all along `free`. */
function chosenPools(...free) {
  return POOL.cells.filter((cell) =>
    Object.keys(CHOICES).every((dim) => {
      const value = valueOf(cell, dim);
      return free.includes(dim) || value === null || value === pick[dim];
    }),
  );
}
function poolControls() {
  const again = () => {
    poolControls();
    drawAll();
  };
  const of = (dim) =>
    choice(
      CHOICES[dim],
      VALUES[dim].map((v) => [v, choiceWords[dim] ? choiceWords[dim](v) : String(v)]),
      pick[dim],
      (v) => {
        pick[dim] = v;
        again();
      },
    );
  const groups = Object.keys(CHOICES)
    .filter((dim) => VALUES[dim].length > 1)
    .map(of);
  if (METRIC_KEYS.length > 1) {
    groups.unshift(
      choice(
        'Show',
        METRIC_KEYS.map((key) => [key, METRICS[key].name]),
        pick.metric,
        (v) => {
          pick.metric = v;
          again();
        },
      ),
    );
  }
  refill(document.getElementById('controls'), groups);
}

// ---- ways of writing back ----

const ACE_COLOURS = { off: 'soft', cow: 'p0', 'cow-x': 'p1', 'cow-e': 'p2', 'cow-x-e': 'p3' };
const CLEANER_STYLES = { off: 'solid', auto: 'dotted' };
const styleOf = (cleaner) => CLEANER_STYLES[cleaner] || 'dashed';
function variantItems(cells) {
  const items = new Map();
  for (const cell of cells) {
    items.set(cell.variant, {
      key: cell.variant,
      label: cell.variant === 'off' ? 'no ACE' : cell.variant.replace(/^off \+/, 'no ACE +'),
      ace: cell.ace,
      cleaner: cell.cleaner,
      colour: palette[cell.adaptive ? 'p4' : ACE_COLOURS[cell.ace] || 'p5'],
      style: styleOf(cell.cleaner),
    });
  }
  return [...items.values()];
}
/** Where there are many, ACE and a cleaner together wait to be asked for. */
function hiddenAtFirst() {
  const items = variantItems(POOL.cells);
  return new Set(
    items.length > 8 ? items.filter((i) => i.ace !== 'off' && i.cleaner !== 'off').map((i) => i.key) : [],
  );
}
const say = (metric, cell) =>
  METRICS[metric].show(cell[metric]) +
  (metric === 'seconds' && cell.gain !== null && cell.variant !== 'off'
    ? ` <span style="opacity:.75">(${times(cell.gain)})</span>`
    : '');
const holds = (cell, metric) => cell && cell[metric] !== null && cell[metric] !== undefined;
const unityMark = () => ({
  silent: true,
  symbol: 'none',
  animation: false,
  data: [{ yAxis: 1 }],
  label: { show: false },
  lineStyle: { color: palette.soft, type: 'dashed', width: 1 },
});

function metricAxis(metric, fromZero) {
  const m = METRICS[metric];
  const near = !fromZero && m.one;
  return axis({
    min: near ? undefined : 0,
    scale: near,
    splitLine: grid(),
    name: m.name,
    nameGap: 52,
    axisLabel: { color: palette.soft, hideOverlap: true, formatter: m.axis },
  });
}

/** Bars by a property that is a name. */
function barChart(id, dim, words) {
  return {
    id,
    hidden: hiddenAtFirst(),
    words,
    cells() {
      return chosenPools(dim).filter((cell) => holds(cell, pick.metric));
    },
    items() {
      const items = dim === 'cleaner' ? aceItems(this.cells()) : variantItems(this.cells());
      return items;
    },
    chips(redraw) {
      return [
        toggles(
          this.items().map((i) => ({ ...i, colour: barColour(i), style: 'area' })),
          this.hidden,
          redraw,
        ),
      ];
    },
    option() {
      const shown = this.items().filter((item) => !this.hidden.has(item.key));
      const names = VALUES[dim];
      const find = (name, item) =>
        this.cells().find(
          (cell) =>
            String(cell[dim]) === String(name) &&
            (dim === 'cleaner' ? aceOf(cell) : cell.variant) === item.key,
        );
      const all = shown.flatMap((item) => names.map((name) => find(name, item))).filter(Boolean);
      if (!all.length) return nothing('Nothing shown here.');
      const formatter = (params) =>
        `<div style="margin-bottom:3px"><b>${encode(params[0].axisValue)}</b></div>` +
        shown
          .map((item) => [item, find(names[params[0].dataIndex], item)])
          .filter(([, cell]) => cell)
          .map(([item, cell]) => row(barColour(item), item.label, say(pick.metric, cell)))
          .join('');
      const few = all.length <= 14;
      return frame({
        tooltip: { ...tooltip(formatter, 'x'), axisPointer: { type: 'shadow' } },
        dataZoom: [],
        xAxis: axis({
          type: 'category',
          data: names.map((name) => words(name)),
          axisLabel: {
            color: palette.ink,
            interval: 0,
            hideOverlap: false,
            rotate: names.length > 7 ? 30 : 0,
          },
        }),
        yAxis: { ...metricAxis(pick.metric, true), boundaryGap: [0, few ? '8%' : 0] },
        series: shown.map((item, i) => ({
          type: 'bar',
          name: item.label,
          barGap: '8%',
          barMaxWidth: 46,
          barCategoryGap: '24%',
          itemStyle: barStyle(item),
          data: names.map((name) => {
            const cell = find(name, item);
            return cell ? cell[pick.metric] : null;
          }),
          label: {
            show: few,
            position: 'top',
            fontSize: 11,
            color: palette.soft,
            formatter: ({ value }) =>
              value === null || value === undefined ? '' : METRICS[pick.metric].show(value),
          },
          ...(i === 0 && METRICS[pick.metric].one ? { markLine: unityMark() } : {}),
        })),
      });
    },
  };
}
/** A cleaner makes a bar paler, so that ACE keeps its colour. */
const barColour = (item) =>
  echarts.color.lerp(!item.cleaner || item.cleaner === 'off' ? 0 : item.cleaner === 'auto' ? 0.6 : 0.3, [
    item.colour,
    palette.card,
  ]);
const barStyle = (item) => ({ color: barColour(item) });
const aceOf = (cell) => cell.ace + (cell.adaptive ? ' adaptive' : '');
/** By cleaner: ACE alone. */
function aceItems(cells) {
  return [...new Set(cells.map(aceOf))].map((ace) => ({
    key: ace,
    label: ace === 'off' ? 'no ACE' : ace,
    colour: palette[ACE_COLOURS[ace] || 'p4'],
  }));
}

/** One bar a way of writing back. */
const modes = {
  id: 'p-modes',
  chips() {
    return [];
  },
  option() {
    const cells = chosenPools().filter((cell) => holds(cell, pick.metric));
    const items = variantItems(cells);
    if (!items.length) return nothing('Nothing shown here.');
    const cellOf = (item) => cells.find((cell) => cell.variant === item.key);
    const formatter = ({ dataIndex, color }) => {
      const cell = cellOf(items[dataIndex]);
      return row(color, items[dataIndex].label, say(pick.metric, cell));
    };
    return frame(
      {
        tooltip: { ...tooltip(formatter), trigger: 'item' },
        dataZoom: [],
        xAxis: axis({
          type: 'category',
          data: items.map((item) => item.label.replace(' + ', '\n+ ')),
          axisLabel: {
            color: palette.ink,
            interval: 0,
            hideOverlap: false,
            lineHeight: 15,
            rotate: items.length > 9 ? 30 : 0,
          },
        }),
        yAxis: { ...metricAxis(pick.metric, true), boundaryGap: [0, '14%'] },
        series: [
          {
            type: 'bar',
            barMaxWidth: 60,
            data: items.map((item) => ({ value: cellOf(item)[pick.metric], itemStyle: barStyle(item) })),
            label: {
              show: true,
              position: 'top',
              color: palette.soft,
              fontSize: 11,
              lineHeight: 14,
              formatter: ({ dataIndex, value }) => {
                const cell = cellOf(items[dataIndex]);
                return (
                  METRICS[pick.metric].show(value) +
                  (pick.metric === 'seconds' && cell.gain !== null && cell.variant !== 'off'
                    ? `\n${times(cell.gain)}`
                    : '')
                );
              },
            },
            ...(METRICS[pick.metric].one ? { markLine: unityMark() } : {}),
          },
        ],
      },
      46,
    );
  },
};

/** Lines over a numeric property. `fixed` is drawn where there is such a line, whatever is chosen. */
function lineChart(id, dim, name, options = {}) {
  const metric = () => (options.fixed && METRIC_KEYS.includes(options.fixed) ? options.fixed : pick.metric);
  return {
    id,
    hidden: hiddenAtFirst(),
    cells() {
      return chosenPools(dim).filter((cell) => holds(cell, metric()));
    },
    chips(redraw) {
      return [toggles(variantItems(this.cells()), this.hidden, redraw)];
    },
    option() {
      const values = VALUES[dim],
        x = options.linear ? (v) => v : LOG2;
      const lines = variantItems(this.cells())
        .filter((item) => !this.hidden.has(item.key))
        .map((item) => {
          const cells = this.cells().filter((cell) => cell.variant === item.key);
          const at = (v) => cells.find((cell) => valueOf(cell, dim) === v || (dim === 'n' && !hasN(cell)));
          return { ...item, points: values.map((v) => [v, at(v)]).filter(([, cell]) => cell) };
        });
      const all = lines.flatMap((line) => line.points.map(([, cell]) => cell));
      if (!all.length) return nothing('Nothing shown here.');
      const formatter = (params) => {
        const value = values.reduce((best, v) =>
          Math.abs(x(v) - params[0].axisValue) < Math.abs(x(best) - params[0].axisValue) ? v : best,
        );
        return (
          '<div style="margin-bottom:3px">' +
          `<b>${options.words ? options.words(value) : value.toLocaleString('en')}</b> ` +
          `${encode(name)}</div>` +
          lines
            .map((line) => [line, line.points.find(([v]) => v === value)])
            .filter(([, found]) => found)
            .map(([line, [, cell]]) => row(line.colour, line.label, say(metric(), cell)))
            .join('')
        );
      };
      const places = values.map(x),
        span = Math.max(places.at(-1) - places[0], 0.1);
      const show = options.words || axisCount;
      return frame({
        tooltip: tooltip(formatter, 'x'),
        xAxis: axis({
          name,
          nameGap: 26,
          min: places[0] - span * 0.04,
          max: places.at(-1) + span * 0.04,
          ...ticksAt(places, (v) => show(options.linear ? v : Math.round(2 ** v * 1e6) / 1e6)),
        }),
        yAxis: metricAxis(metric(), false),
        series: lines.map((line, i) => ({
          type: 'line',
          name: line.label,
          symbol: 'circle',
          symbolSize: 7,
          z: 3,
          itemStyle: { color: line.colour },
          lineStyle: { color: line.colour, width: 2, type: line.style },
          data: line.points.map(([v, cell]) => [x(v), cell[metric()]]),
          ...(i === 0 && METRICS[metric()].one ? { markLine: unityMark() } : {}),
        })),
      });
    },
  };
}

const POOL_CHARTS = [
  barChart('p-policy', 'policy', (name) => name),
  modes,
  barChart('p-cleaner', 'cleaner', (name) =>
    name === 'off' ? 'no cleaner' : name === 'auto' ? 'auto' : `depth ${name}`,
  ),
  lineChart('p-n', 'n', 'pages written at once (n)'),
  lineChart('p-frames', 'frames', IN_BYTES ? 'cache' : 'frames', IN_BYTES ? { words: blockName } : {}),
  lineChart('p-clients', 'clients', 'clients'),
  lineChart('p-reads', 'read_share', 'reads', { linear: true, fixed: 'gain', words: (v) => v + PERCENT }),
  lineChart('p-alpha', 'alpha_1', 'α₁', { fixed: 'gain', words: String }),
];
