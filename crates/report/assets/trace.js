'use strict';
// Charts of a trace.

const TRACE = DATA.trace;
const PAGE = TRACE.page_bytes;
const percent = (share) => `${parseFloat((share * 100).toPrecision(3))} %`;
const whole = (value) => Math.round(value).toLocaleString('en');
const nearestBy = (rows, x, of) =>
  rows.reduce((best, r) => (Math.abs(of(r) - x) < Math.abs(of(best) - x) ? r : best), rows[0]);
const shareOfAccesses = () =>
  axis({ min: 0, max: 1, splitLine: grid(), axisLabel: { color: palette.soft, formatter: percent } });

/** Sizes by powers of two, few enough to read. Values are log2 of bytes. */
function sizeAxis(low, high, option) {
  const step = Math.max(1, Math.ceil((high - low) / 9));
  const from = Math.ceil(low / step) * step;
  const ticks = Array.from(
    { length: Math.max(0, Math.floor((high - from) / step + 1e-9) + 1) },
    (_, i) => from + i * step,
  );
  return axis({
    nameGap: 24,
    min: low,
    max: Math.max(high, low + 1),
    ...ticksAt(ticks, (v) => blockSize(2 ** v)),
    ...option,
  });
}
function blockSize(bytes) {
  const units = ['B', 'K', 'M', 'G', 'T', 'P', 'E'];
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.length) {
    bytes /= 1024;
    unit += 1;
  }
  return parseFloat(bytes.toPrecision(3)) + units[unit];
}
const line = (name, data, colour, option = {}) => ({
  type: 'line',
  name,
  symbol: 'none',
  data,
  itemStyle: { color: colour },
  lineStyle: { color: colour, width: 2 },
  ...option,
});
/** The least that is missed, or what all alike would be: thin and dashed. */
const dashed = (name, data) =>
  line(name, data, palette.soft, {
    silent: true,
    tooltip: { show: false },
    lineStyle: { color: palette.soft, width: 1, type: 'dashed' },
  });

const misses = {
  id: 't-misses',
  chips() {
    return [];
  },
  option() {
    const curve = TRACE.reuse.lru_miss_ratios;
    if (!curve.length) return nothing('No accesses.');
    const x = ([pages]) => LOG2(pages * PAGE);
    const [low, high] = [x(curve[0]), x(curve.at(-1))];
    const formatter = (params) => {
      const [pages, ratio] = nearestBy(curve, params[0].axisValue, x);
      return row(
        palette.read,
        `${binaryBytes(pages * PAGE)}`,
        `(${whole(pages)} pages, ${percent(pages / TRACE.footprint_pages)} of the footprint)<br>` +
          `misses ${percent(ratio)} of the accesses`,
      );
    };
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: sizeAxis(low, high, { name: `size of the cache, in pages of ${blockSize(PAGE)}` }),
      yAxis: shareOfAccesses(),
      series: [
        line(
          'misses',
          curve.map((p) => [x(p), p[1]]),
          palette.read,
          { areaStyle: { color: palette.read, opacity: 0.1 }, symbol: curve.length < 3 ? 'circle' : 'none' },
        ),
        dashed('first accesses', [
          [low, TRACE.reuse.first_share],
          [Math.max(high, low + 1), TRACE.reuse.first_share],
        ]),
      ],
    });
  },
};

/** Bars over categories. */
function bars(names, values, words, option = {}) {
  return frame({
    tooltip: {
      ...tooltip(([p]) => words(p.dataIndex), 'x'),
      axisPointer: { type: 'shadow', shadowStyle: { color: palette.grid, opacity: 0.5 } },
    },
    xAxis: axis({
      type: 'category',
      data: names,
      axisLabel: { color: palette.soft, hideOverlap: true },
      axisTick: { show: false },
      nameGap: 24,
      ...option.x,
    }),
    yAxis: axis({
      min: 0,
      splitLine: grid(),
      axisLabel: { color: palette.soft, formatter: percent },
      ...option.y,
    }),
    series: [{ type: 'bar', data: values, barCategoryGap: '12%', itemStyle: { color: palette.read } }],
    dataZoom: [],
  });
}

const distances = {
  id: 't-distances',
  chips() {
    return [];
  },
  option() {
    const bins = TRACE.reuse.distances;
    const first = TRACE.reuse.first_share ?? 0;
    const names = [...bins.map((b) => axisCount(b.from)), 'first'];
    const values = [...bins.map((b) => b.share), { value: first, itemStyle: { color: palette.soft } }];
    return bars(
      names,
      values,
      (i) =>
        i < bins.length
          ? row(
              palette.read,
              `${whole(bins[i].from)}${bins[i].to > bins[i].from ? '–' + whole(bins[i].to) : ''} pages`,
              `${percent(bins[i].share)} of the accesses`,
            )
          : row(palette.soft, 'first access', `${percent(first)} of the accesses`),
      { x: { name: 'reuse distance, pages, from' } },
    );
  },
};

const hot = {
  id: 't-hot',
  scale: 'log',
  chips(redraw) {
    return [
      choice(
        'Pages',
        [
          ['log', 'logarithmic'],
          ['linear', 'linear'],
        ],
        this.scale,
        (v) => {
          this.scale = v;
          redraw();
        },
      ),
    ];
  },
  option() {
    const curve = TRACE.hotness.curve;
    if (!curve.length) return nothing('No accesses.');
    const log = this.scale === 'log';
    const x = log ? LOG10 : (v) => v;
    const even = log
      ? curve.map(([p]) => [LOG10(p), p])
      : [
          [0, 0],
          [1, 1],
        ];
    const formatter = (params) => {
      const [pages, accesses] = nearestBy(curve, params[0].axisValue, (p) => x(p[0]));
      return row(
        palette.alpha,
        percent(pages),
        `of the pages (${whole(pages * TRACE.footprint_pages)}) get ${percent(accesses)} of the accesses`,
      );
    };
    const name = 'share of the pages, hottest first';
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: log
        ? {
            ...logAxis(
              curve.map((p) => p[0]),
              percent,
              { splitLine: { show: false } },
            ),
            name,
            nameGap: 24,
          }
        : axis({ name, nameGap: 24, min: 0, max: 1, axisLabel: { color: palette.soft, formatter: percent } }),
      yAxis: shareOfAccesses(),
      series: [
        line('accesses', [...(log ? [] : [[0, 0]]), ...curve.map(([p, a]) => [x(p), a])], palette.alpha, {
          symbol: curve.length < 3 ? 'circle' : 'none',
        }),
        dashed('equally hot', even),
        {
          type: 'scatter',
          name: 'hot sets',
          symbolSize: 8,
          itemStyle: { color: palette.alpha },
          tooltip: { show: false },
          silent: true,
          label: {
            show: true,
            position: 'left',
            color: palette.ink,
            fontSize: 11,
            formatter: ({ data }) => data.words,
          },
          labelLayout: { hideOverlap: true },
          data: TRACE.hotness.hot_sets
            .slice(0, 3)
            .map((h) => ({
              value: [x(h.share_of_pages), h.share_of_accesses],
              words: percent(h.share_of_pages),
            })),
        },
      ],
    });
  },
};

/** Reads and writes of cells side by side along an axis, each where it begins; gaps stay empty. */
function stepped(cells, width) {
  const reads = [],
    writes = [];
  let end = null;
  for (const [at, r, w] of cells) {
    if (end !== null && at > end) for (const to of [reads, writes]) to.push([end, 0], [at, 0]);
    reads.push([at, r], [at + width, r]);
    writes.push([at, w], [at + width, w]);
    end = at + width;
  }
  return { reads, writes };
}
/** Multiples of a power of two, ten or fewer. */
function roundAddresses(low, high) {
  const step = 2 ** Math.ceil(LOG2(Math.max(high - low, 8) / 8));
  const from = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - from + 1 }, (_, i) => (from + i) * step);
}
const SIDES = () => [
  { key: 'reads', label: 'reads', colour: palette.read },
  { key: 'writes', label: 'writes', colour: palette.write },
];

const heat = {
  id: 't-heat',
  volume: 0,
  hidden: new Set(),
  chips(redraw) {
    const volumes = TRACE.requests.heat.map((h, i) => [i, String(h.volume)]);
    return [
      ...(volumes.length > 1
        ? [
            choice('Volume', volumes, this.volume, (v) => {
              this.volume = v;
              redraw();
            }),
          ]
        : []),
      toggles(SIDES(), this.hidden, redraw),
    ];
  },
  option() {
    const of = TRACE.requests.heat[this.volume];
    const shown = SIDES().filter((side) => !this.hidden.has(side.key));
    if (!of || !shown.length) return nothing('Nothing shown here.');
    const both = stepped(of.cells, of.cell_width);
    const words = TRACE.unit === 'byte' ? blockSize : axisCount;
    const [low, high] = [of.cells[0][0], of.cells.at(-1)[0] + of.cell_width];
    const formatter = (params) => {
      const at = params[0].axisValue;
      const cell = of.cells.find(([begin]) => at >= begin && at < begin + of.cell_width);
      const place = cell ? `${TRACE.unit} ${whole(cell[0])} on (${words(of.cell_width)})` : 'nothing here';
      return (
        `<div style="margin-bottom:3px">${place}</div>` +
        (cell
          ? shown
              .map((side) => row(side.colour, side.label, whole(cell[side.key === 'reads' ? 1 : 2])))
              .join('')
          : '')
      );
    };
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: axis({
        name: TRACE.unit === 'byte' ? 'address, bytes' : 'page',
        nameGap: 24,
        min: low,
        max: high,
        ...(TRACE.unit === 'byte'
          ? ticksAt(roundAddresses(low, high), words)
          : {
              axisLabel: {
                color: palette.soft,
                hideOverlap: true,
                showMaxLabel: false,
                showMinLabel: false,
                formatter: words,
              },
            }),
      }),
      yAxis: axis({
        min: 0,
        splitLine: grid(),
        name: '',
        axisLabel: { color: palette.soft, formatter: axisCount },
      }),
      series: shown.map((side) =>
        line(side.label, both[side.key], side.colour, {
          lineStyle: { color: side.colour, width: 1 },
          areaStyle: { color: side.colour, opacity: 0.35 },
        }),
      ),
    });
  },
};

const sizes = {
  id: 't-sizes',
  chips() {
    return [];
  },
  option() {
    const all = TRACE.requests.sizes.histogram;
    let groups = all.map(([size, n]) => [size, n]);
    if (groups.length > 16) {
      const by = new Map();
      for (const [size, n] of all) {
        const to = 2 ** Math.ceil(LOG2(size));
        by.set(to, (by.get(to) ?? 0) + n);
      }
      groups = [...by].sort((a, b) => a[0] - b[0]);
    }
    const grouped = groups.length < all.length;
    const name = (size) => (grouped ? '≤ ' : '') + (TRACE.unit === 'byte' ? blockSize(size) : String(size));
    const unit = TRACE.unit === 'byte' ? 'bytes' : 'pages';
    return bars(
      groups.map((g) => name(g[0])),
      groups.map((g) => g[1] / TRACE.requests.count),
      (i) =>
        row(
          palette.read,
          `${grouped ? 'up to ' : ''}${whole(groups[i][0])} ${unit}`,
          `${whole(groups[i][1])} requests, ${percent(groups[i][1] / TRACE.requests.count)}`,
        ),
      { x: { name: TRACE.unit === 'byte' ? 'size of a request' : 'pages of a request' } },
    );
  },
};

/** Time from the first request, in the unit that suits its length. */
function timeAxis(end) {
  const [unit, seconds] = [
    ['days', 172800],
    ['hours', 7200],
    ['min', 120],
    ['s', 0],
  ].find(([, from]) => end >= from);
  const length = { days: 86400, hours: 3600, min: 60, s: 1 }[unit];
  return axis({
    name: `time, ${unit}`,
    nameGap: 24,
    min: 0,
    max: Math.max(end, seconds, 1e-6),
    axisLabel: {
      color: palette.soft,
      hideOverlap: true,
      showMaxLabel: false,
      formatter: (v) => String(parseFloat((v / length).toPrecision(3))),
    },
  });
}

const rates = {
  id: 't-rates',
  metric: 'requests',
  hidden: new Set(),
  chips(redraw) {
    return [
      choice(
        'Unit',
        [
          ['requests', 'requests/s'],
          ['bytes', 'bytes/s'],
        ],
        this.metric,
        (v) => {
          this.metric = v;
          redraw();
        },
      ),
      ...(this.metric === 'requests' ? [toggles(SIDES(), this.hidden, redraw)] : []),
    ];
  },
  option() {
    const { cells, cell_seconds: width } = TRACE.requests.rates;
    const bytes = this.metric === 'bytes';
    const shown = bytes
      ? [{ key: 'bytes', label: 'all', colour: palette.alpha }]
      : SIDES().filter((side) => !this.hidden.has(side.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const number = bytes ? bandwidth : (v) => count(v) + ' requests/s';
    const formatter = (params) => {
      const cell = cells.find((c) => params[0].axisValue < c.at_seconds + width) ?? cells.at(-1);
      return (
        `<div style="margin-bottom:3px">${whole(cell.at_seconds)} s</div>` +
        shown.map((side) => row(side.colour, side.label, number(cell[side.key] / width))).join('')
      );
    };
    const points = (side) =>
      cells.flatMap((c) => [
        [c.at_seconds, c[side.key] / width],
        [c.at_seconds + width, c[side.key] / width],
      ]);
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: timeAxis(cells.at(-1).at_seconds + width),
      yAxis: axis({
        min: 0,
        splitLine: grid(),
        axisLabel: { color: palette.soft, formatter: bytes ? axisUnit(BANDWIDTH) : axisCount },
      }),
      series: shown.map((side) =>
        line(side.label, points(side), side.colour, { lineStyle: { color: side.colour, width: 1.2 } }),
      ),
    });
  },
};

show([misses, distances, hot, heat, sizes, rates]);
