'use strict';
// Charts of a replay.

const REPLAY = DATA.replay;
const percent = (share) => `${parseFloat((share * 100).toPrecision(3))} %`;
const SIDES = () =>
  [
    ['reads', 'reads', palette.read],
    ['writes', 'writes', palette.write],
  ]
    .filter(([key]) => REPLAY[key].requests > 0)
    .map(([key, label, colour]) => ({ key, label, colour }));
const line = (name, data, colour, option = {}) => ({
  type: 'line',
  name,
  symbol: 'none',
  data,
  itemStyle: { color: colour },
  lineStyle: { color: colour, width: 2 },
  ...option,
});

/** Of one side: [latency in µs, share that took no longer, share that took longer], ascending. */
function distribution(side) {
  const { requests, histogram } = REPLAY[side.key];
  let faster = 0;
  return histogram.map(([us, n]) => {
    faster += n;
    return [us, faster / requests, 1 - faster / requests];
  });
}
/** Over latency, one line a side. */
function overLatency(id, y, yAxis, words, beginning) {
  return {
    id,
    hidden: new Set(),
    chips(redraw) {
      return [toggles(SIDES(), this.hidden, redraw)];
    },
    option() {
      const shown = SIDES()
        .filter((side) => !this.hidden.has(side.key))
        .map((side) => ({ ...side, points: distribution(side) }));
      if (!shown.length) return nothing('Nothing shown here.');
      const latencies = shown.flatMap((side) => side.points.map((p) => p[0]));
      const formatter = (params) => {
        const us = 10 ** params[0].axisValue;
        return (
          `<div style="margin-bottom:3px">${micros(us)}</div>` +
          shown
            .map((side) =>
              row(side.colour, side.label, words(side.points.filter((p) => p[0] <= us).at(-1) ?? [0, 0, 1])),
            )
            .join('')
        );
      };
      return frame({
        tooltip: tooltip(formatter, 'x'),
        xAxis: {
          ...logAxis(latencies, axisUnit(MICROS), { splitLine: { show: false } }),
          name: 'latency',
          nameGap: 24,
        },
        yAxis: yAxis(shown),
        series: shown.map((side) =>
          line(
            side.label,
            [
              [LOG10(side.points[0][0]), beginning],
              ...side.points.map((p) => [LOG10(p[0]), y(p)]).filter((p) => Number.isFinite(p[1])),
            ],
            side.colour,
            { step: 'end' },
          ),
        ),
      });
    },
  };
}

const distributionChart = overLatency(
  'r-cdf',
  (p) => p[1],
  () => axis({ min: 0, max: 1, splitLine: grid(), axisLabel: { color: palette.soft, formatter: percent } }),
  (p) => `${percent(p[1])} took no longer`,
  0,
);

/** Shares that rounding made of nothing are none. */
const longer = (p) => (p[2] > 1e-12 ? LOG10(p[2]) : NaN);
const tailChart = overLatency(
  'r-tail',
  longer,
  (shown) => {
    const most = Math.max(...shown.map((side) => REPLAY[side.key].requests), 10);
    const decades = Math.ceil(LOG10(most) - 1e-9);
    return axis({
      min: -decades,
      max: 0,
      splitLine: grid(),
      ...ticksAt(
        Array.from({ length: decades + 1 }, (_, i) => -i),
        (v) => percent(10 ** v),
      ),
    });
  },
  (p) => `${p[2] > 1e-12 ? percent(p[2]) : 'none'} took longer`,
  0,
);

function timeAxis() {
  const end = (REPLAY.over_time.at(-1)?.at_seconds ?? 0) + REPLAY.moment_seconds;
  const [unit, length] = end >= 7200 ? ['hours', 3600] : end >= 120 ? ['min', 60] : ['s', 1];
  return axis({
    name: `time, ${unit}`,
    nameGap: 24,
    min: 0,
    max: end,
    axisLabel: {
      color: palette.soft,
      hideOverlap: true,
      showMaxLabel: false,
      formatter: (v) => String(parseFloat((v / length).toPrecision(3))),
    },
  });
}
const momentAt = (seconds) =>
  REPLAY.over_time.find((m) => seconds < m.at_seconds + REPLAY.moment_seconds) ?? REPLAY.over_time.at(-1);
const middle = (m) => m.at_seconds + REPLAY.moment_seconds / 2;

const overTime = {
  id: 'r-time',
  hidden: new Set(),
  items() {
    return [
      { key: 'mean_us', label: 'mean', colour: palette.read },
      { key: 'max_us', label: 'longest', colour: palette.durable },
    ];
  },
  chips(redraw) {
    return [toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    const busy = REPLAY.over_time.filter((m) => m.requests > 0);
    if (!shown.length || !busy.length) return nothing('Nothing shown here.');
    const formatter = (params) => {
      const m = momentAt(params[0].axisValue);
      return (
        `<div style="margin-bottom:3px">${significant(m.at_seconds)} s, ${m.requests} requests</div>` +
        (m.requests ? shown.map((item) => row(item.colour, item.label, micros(m[item.key]))).join('') : '')
      );
    };
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: timeAxis(),
      yAxis: logAxis(
        shown.flatMap((item) => busy.map((m) => m[item.key])),
        axisUnit(MICROS),
      ),
      series: shown.map((item) =>
        line(
          item.label,
          REPLAY.over_time.map((m) => [middle(m), m.requests ? LOG10(m[item.key]) : null]),
          item.colour,
          {
            lineStyle: { color: item.colour, width: 1.4 },
            symbol: 'circle',
            symbolSize: 2.5,
            showAllSymbol: true,
          },
        ),
      ),
    });
  },
};

const load = {
  id: 'r-load',
  metric: 'requests',
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
    ];
  },
  option() {
    const bytes = this.metric === 'bytes';
    const rate = (m) => m[this.metric] / REPLAY.moment_seconds;
    const words = (m) => (bytes ? bandwidth(rate(m)) : count(rate(m)) + ' requests/s');
    return frame({
      tooltip: tooltip((params) => {
        const m = momentAt(params[0].axisValue);
        return row(palette.alpha, `${significant(m.at_seconds)} s`, words(m));
      }, 'x'),
      xAxis: timeAxis(),
      yAxis: axis({
        min: 0,
        splitLine: grid(),
        axisLabel: { color: palette.soft, formatter: bytes ? axisUnit(BANDWIDTH) : axisCount },
      }),
      series: [
        line(
          'load',
          REPLAY.over_time.flatMap((m) => [
            [m.at_seconds, rate(m)],
            [m.at_seconds + REPLAY.moment_seconds, rate(m)],
          ]),
          palette.alpha,
          {
            areaStyle: { color: palette.alpha, opacity: 0.15 },
            lineStyle: { color: palette.alpha, width: 1.4 },
          },
        ),
      ],
    });
  },
};

show([distributionChart, tailChart, overTime, load]);
