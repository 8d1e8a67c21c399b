'use strict';
// A measured RocksDB beside its predictions: over fanouts, over clients, and each against the other.

const CELLS = DATA.lsm.cells;
const KINDS = { point: 'point queries', scan: 'scans', fill: 'fills' };
const KIND_COLOURS = { point: 'p0', scan: 'p1', fill: 'p2' };
const numerically = (values) => [...new Set(values)].sort((a, b) => a - b);
const axisMicros = axisUnit(MICROS);

/** Whether a time is that of one client's query, or that of a query of all clients together. */
const pick = { time: 'all' };

/** What is drawn of a number: microseconds. */
function drawn(cell, value) {
  if (value === null) return null;
  if (cell.kind === 'fill') return value * 1e6;
  return pick.time === 'all' ? value / cell.clients : value;
}
const log = (cell, value) => LOG10(Math.max(drawn(cell, value), 1e-3));
const shownTime = (cell, value) => micros(drawn(cell, value));
function words(cell) {
  const { measured: m, predicted: p } = cell;
  const show = (value) => shownTime(cell, value);
  const error = p ? (100 * (p.value / m.value - 1)).toFixed(1) : '';
  return (
    `measured ${show(m.value)}${interval(m.low, m.high, show)}` +
    (p ? `<br>predicted ${show(p.value)}${interval(p.low, p.high, show)}, error ${error} %` : '')
  );
}
const threads = (n) => `${n} compaction thread${n === 1 ? '' : 's'}`;
const clientsOf = (n) => `${n} client${n === 1 ? '' : 's'}`;
const askedBy = (cell) => (cell.kind === 'fill' ? threads(cell.jobs) : clientsOf(cell.clients));
const cellName = (cell) => `${KINDS[cell.kind]}, ${cell.layout}, ${askedBy(cell)}`;

/** Measured points with whiskers; `x` and the label may depend on the cell. */
function measuredSeries(name, cells, x, colour, option) {
  const ends = cells.filter((cell) => cell.measured.low !== null);
  return [
    pointSeries(
      name,
      cells.map((cell) => ({ value: [x(cell), log(cell, cell.measured.value)], cell })),
      colour,
      option,
    ),
    whiskerSeries(
      ends.map((cell) => [x(cell), log(cell, cell.measured.low), log(cell, cell.measured.high)]),
      colour,
    ),
  ];
}
const timeAxis = (cells, name) =>
  logAxis(
    cells.flatMap((cell) =>
      [cell.measured, cell.predicted].flatMap((n) =>
        n ? [n.value, n.low ?? n.value, n.high ?? n.value].map((v) => drawn(cell, v)) : [],
      ),
    ),
    axisMicros,
    { name, nameGap: 54 },
  );
const timeName = (kind) =>
  kind === 'fill'
    ? 'time of a fill'
    : pick.time === 'all'
      ? 'time per query, all clients together'
      : "time of one client's query";
const itemTooltip = () => ({
  ...tooltip(({ color, data }) => row(color, cellName(data.cell), `<br>${words(data.cell)}`), 'x'),
  trigger: 'item',
});

// ---- over the fanout ----

const FANOUTS = numerically(CELLS.map((cell) => cell.fanout).filter((fanout) => fanout !== null));
const OTHERS = [...new Set(CELLS.filter((cell) => cell.fanout === null).map((cell) => cell.layout))];
/** Fanouts by their logarithm, other layouts in categories of their own to the right. */
const first = FANOUTS.length ? LOG2(FANOUTS.at(-1)) + 1.2 : 0;
const place = (cell) => (cell.fanout === null ? first + OTHERS.indexOf(cell.layout) : LOG2(cell.fanout));
function layoutAxis() {
  const names = new Map([
    ...FANOUTS.map((fanout) => [LOG2(fanout), String(fanout)]),
    ...OTHERS.map((name, i) => [first + i, name]),
  ]);
  const places = [...names.keys()];
  const nearest = (v) => places.reduce((a, b) => (Math.abs(b - v) < Math.abs(a - v) ? b : a));
  return axis({
    name: 'fanout, or layout',
    nameGap: 24,
    min: places[0] - 0.4,
    max: places.at(-1) + 0.4,
    ...ticksAt(places, (v) => names.get(nearest(v))),
  });
}

/** One line per number of clients or of threads. */
function overFanouts(kind, by, name) {
  const hidden = new Set();
  const all = CELLS.filter((cell) => cell.kind === kind);
  const groups = numerically(all.map((cell) => cell[by]));
  const items = () =>
    groups.map((n, i) => ({ key: n, label: name(n), colour: ramp(i, groups.length) }));
  return {
    id: `v-${kind}`,
    chips(redraw) {
      return groups.length > 1 ? [toggles(items(), hidden, redraw)] : [];
    },
    option() {
      const shown = items().filter((item) => !hidden.has(item.key));
      const cells = all.filter((cell) => !hidden.has(cell[by]));
      if (!cells.length) return nothing('Nothing is chosen.');
      // Side by side, so that whiskers do not cover one another.
      const x = (i) => (cell) => place(cell) + (i - (shown.length - 1) / 2) * 0.07;
      const series = shown.flatMap((item, i) => {
        const own = cells.filter((cell) => cell[by] === item.key);
        const predicted = own.filter((cell) => cell.predicted);
        const at = (cell) => [x(i)(cell), log(cell, cell.predicted.value)];
        const line = predicted.filter((cell) => cell.fanout !== null).sort((a, b) => a.fanout - b.fanout);
        return [
          curveSeries(item.label, line.map(at), item.colour, { opacity: 0.75 }),
          {
            ...pointSeries(
              item.label,
              predicted.filter((cell) => cell.fanout === null || line.length === 1).map(at),
              item.colour,
            ),
            silent: true,
            symbol: 'rect',
            symbolSize: [20, 2.5],
            z: 2,
          },
          ...measuredSeries(item.label, own, x(i), item.colour),
        ];
      });
      return frame({
        tooltip: itemTooltip(),
        xAxis: layoutAxis(),
        yAxis: timeAxis(cells, timeName(kind)),
        series,
      });
    },
  };
}

// ---- the single level against the layout for flash ----

const RATIO_TEXT = { fontSize: 11, lineHeight: 13 };
function againstFlash(kind) {
  const all = CELLS.filter((cell) => cell.kind === kind && ['single', 'flash'].includes(cell.layout));
  const colours = { single: 'p0', flash: 'p4' };
  const ratioOf = (cell, of) => {
    const other = all.find((c) => c.layout === 'single' && c.clients === cell.clients);
    return other && other[of] && cell[of] ? (cell[of].value / other[of].value).toFixed(2) + '×' : '';
  };
  const label = ({ data }) => {
    const predicted = ratioOf(data.cell, 'predicted');
    return ratioOf(data.cell, 'measured') + (predicted && `\n(${predicted})`);
  };
  return {
    id: `v-flash-${kind}`,
    chips() {
      const items = Object.entries(colours).map(([name, colour]) => ({
        key: name,
        label: name,
        colour: palette[colour],
      }));
      const group = element('div', 'group-of');
      for (const item of items) {
        const name = element('span', 'name');
        name.append(key(item), element('span', '', ' ' + item.label));
        group.append(name);
      }
      return [group];
    },
    option() {
      const x = (cell) => LOG2(cell.clients);
      const series = Object.entries(colours).flatMap(([layout, name]) => {
        const own = all.filter((cell) => cell.layout === layout).sort((a, b) => a.clients - b.clients);
        const predicted = own.filter((cell) => cell.predicted);
        const labels =
          layout === 'flash'
            ? { label: { show: true, position: 'top', formatter: label, ...RATIO_TEXT, color: palette.ink } }
            : {};
        return [
          curveSeries(
            layout,
            predicted.map((cell) => [x(cell), log(cell, cell.predicted.value)]),
            palette[name],
            { opacity: 0.75 },
          ),
          ...measuredSeries(layout, own, x, palette[name], labels),
        ];
      });
      const yAxis = timeAxis(all, timeName(kind));
      const clients = powersAxis(Math.max(...all.map(x)), 'clients');
      return frame({
        tooltip: itemTooltip(),
        // Room for the ratios.
        xAxis: { ...clients, min: clients.min - 0.25, max: clients.max + 0.25 },
        yAxis: { ...yAxis, max: yAxis.max + 0.12 },
        series,
      });
    },
  };
}

// ---- predicted against measured ----

const hiddenKinds = new Set();
const scatter = {
  id: 'v-scatter',
  chips(redraw) {
    const items = Object.entries(KINDS)
      .filter(([kind]) => CELLS.some((cell) => cell.kind === kind && cell.predicted))
      .map(([kind, label]) => ({ key: kind, label, colour: palette[KIND_COLOURS[kind]] }));
    return items.length > 1 ? [toggles(items, hiddenKinds, redraw)] : [];
  },
  option() {
    const cells = CELLS.filter((cell) => cell.predicted && !hiddenKinds.has(cell.kind));
    if (!cells.length) return nothing('Nothing is chosen.');
    const values = cells.flatMap((cell) =>
      [cell.measured, cell.predicted].map((n) => drawn(cell, n.value)),
    );
    const both = (option) => logAxis(values, axisMicros, option);
    const xAxis = both({ name: 'measured', nameGap: 24 });
    const parallel = (factor, option) =>
      curveSeries(
        String(factor),
        [xAxis.min, xAxis.max].map((v) => [v, v + LOG10(factor)]),
        palette.soft,
        { width: 1, ...option },
      );
    return frame({
      tooltip: itemTooltip(),
      xAxis,
      yAxis: both({ name: 'predicted', nameGap: 54 }),
      series: [
        parallel(1, {}),
        parallel(1.15, { type: 'dashed' }),
        parallel(0.85, { type: 'dashed' }),
        ...Object.keys(KINDS).map((kind) =>
          pointSeries(
            KINDS[kind],
            cells
              .filter((cell) => cell.kind === kind)
              .map((cell) => ({
                value: [log(cell, cell.measured.value), log(cell, cell.predicted.value)],
                cell,
              })),
            palette[KIND_COLOURS[kind]],
          ),
        ),
      ],
    });
  },
};

function timeControls() {
  const queries = CELLS.some((cell) => cell.kind !== 'fill' && cell.clients > 1);
  const again = (time) => {
    pick.time = time;
    timeControls();
    drawAll();
  };
  const options = [
    ['all', 'per query, all clients together'],
    ['one', "of one client's query"],
  ];
  const groups = queries ? [choice('Time', options, pick.time, again)] : [];
  document.getElementById('controls').replaceChildren(...groups);
}

timeControls();
show([
  overFanouts('point', 'clients', clientsOf),
  overFanouts('scan', 'clients', clientsOf),
  overFanouts('fill', 'jobs', threads),
  againstFlash('point'),
  againstFlash('scan'),
  scatter,
]);
