'use strict';
// Placement against caching: time over the size of the fast device, and by the files that are placed.

const PLACE = DATA.place;
const asTime = (seconds) => micros(seconds * 1e6);
const axisTime = (seconds) => (seconds === 0 ? '0' : axisUnit(MICROS)(seconds * 1e6));
const fileNames = (files) => files.map((file) => DATA.labels[file]).join(' + ');

/** The query that the charts of one query show. */
const asked = { query: 0 };
function queryChips() {
  if (PLACE.queries.length < 2) return [];
  const options = PLACE.queries.map((query, i) => [i, query.name]);
  return [
    choice('Query', options, asked.query, (i) => {
      asked.query = i;
      drawAll();
    }),
  ];
}

/** What is compared: key, words, colour. */
const kinds = () => [
  { key: 'placed', label: 'best placement, with copying', colour: palette.p0 },
  { key: 'cached', label: 'best block cache', colour: palette.p1 },
  { key: 'slow', label: 'slow device alone', colour: palette.soft, style: 'dashed' },
  { key: 'fast', label: 'fast device alone', colour: palette.p2, style: 'dashed' },
];
const hiddenKinds = new Set();

/** What a point says beyond its time. */
function details(kind, best) {
  if (kind === 'placed') return `${encode(fileNames(best.files))}, ${binaryBytes(best.bytes)}`;
  return `${encode(best.policy)}, ${encode(best.admission)}`;
}

/** The points of a kind; a gap where nothing can be placed. `runs`: by which times are divided. */
function points(kind, scope, runs) {
  return scope.sizes.map((size) => {
    const best = size[kind][0];
    const seconds = best ? best.seconds / runs : null;
    return { value: [size.fast_bytes, seconds], best };
  });
}

function overSize(scope, runs) {
  const shown = kinds().filter((kind) => !hiddenKinds.has(kind.key));
  if (!shown.length) return nothing('Nothing shown here.');
  const sizes = scope.sizes.map((size) => size.fast_bytes);
  const level = { slow: scope.slow_seconds / runs, fast: scope.fast_seconds / runs };
  const ends = sizes.length > 1 ? [sizes[0], sizes.at(-1)] : [sizes[0] * 0.9, sizes[0] * 1.1];
  const series = shown.map((kind) => {
    const horizontal = kind.key in level;
    return {
      type: 'line',
      name: kind.label,
      symbol: 'circle',
      symbolSize: horizontal ? 0 : 7,
      showAllSymbol: true,
      z: horizontal ? 2 : 4,
      lineStyle: { color: kind.colour, width: horizontal ? 1.4 : 2, type: kind.style || 'solid' },
      itemStyle: { color: kind.colour },
      data: horizontal
        ? ends.map((size) => ({ value: [size, level[kind.key]] }))
        : points(kind.key, scope, runs),
    };
  });
  const formatter = (rows) => {
    const one = scope.sizes.find((size) => size.fast_bytes === rows[0].axisValue);
    const bytes = rows[0].axisValue;
    const lines = shown.map((kind) => {
      if (kind.key in level) return row(kind.colour, kind.label, asTime(level[kind.key]));
      const best = one && one[kind.key][0];
      const words = best
        ? `${asTime(best.seconds / runs)}<br><span style="opacity:.75">${details(kind.key, best)}</span>`
        : 'nothing fits that saves time';
      return row(kind.colour, kind.label, words);
    });
    return `<b>${binaryBytes(bytes)}</b>` + lines.join('');
  };
  return frame({
    tooltip: tooltip(formatter, 'x'),
    xAxis: axis({
      name: 'size of the fast device',
      nameGap: 26,
      min: ends[0] - 0.03 * (ends[1] - ends[0]),
      max: ends[1] + 0.03 * (ends[1] - ends[0]),
      ...ticksAt(sizes, (bytes) => binaryBytes(bytes).replace(/\.0+(?= )/, '')),
    }),
    yAxis: axis({
      name: 'time',
      nameGap: 58,
      min: 0,
      splitLine: grid(),
      axisLabel: { color: palette.soft, formatter: axisTime },
    }),
    series,
  });
}

const overAll = {
  id: 'p-all',
  chips: () => [toggles(kinds(), hiddenKinds, drawAll)],
  option: () => overSize(PLACE.all, 1),
};

const overQuery = {
  id: 'p-query',
  chips: () => [...queryChips(), toggles(kinds(), hiddenKinds, drawAll)],
  option: () => overSize(PLACE.each[asked.query], PLACE.queries[asked.query].weight || 1),
};

const bySets = {
  id: 'p-sets',
  chips: queryChips,
  option() {
    const query = PLACE.queries[asked.query];
    const bytes = (files) => files.reduce((sum, file) => sum + PLACE.files[file].bytes, 0);
    const bars = [
      { name: 'nothing', size: 0, seconds: query.slow_seconds, colour: palette.soft },
      ...query.sets.map(([files, seconds]) => ({
        name: fileNames(files),
        size: bytes(files),
        seconds,
        colour: palette.p0,
      })),
      { name: 'all on the fast device', size: null, seconds: query.fast_seconds, colour: palette.p2 },
    ];
    const category = (data, option) =>
      axis({
        type: 'category',
        data,
        axisTick: { show: false },
        axisLabel: { color: palette.soft, interval: 0, hideOverlap: false, lineHeight: 15, width: 100, overflow: 'break' },
        ...option,
      });
    const short = (bar) => (bar.size === null ? '' : binaryBytes(bar.size).replace(/\.0+(?= )/, ''));
    const formatter = ({ data }) =>
      row(data.itemStyle.color, data.bar.name, `${asTime(data.value)}, ` +
        `${parseFloat((query.slow_seconds / data.value).toPrecision(3))} × as fast as with nothing`);
    return frame(
      {
        tooltip: { ...tooltip(formatter), trigger: 'item' },
        dataZoom: [],
        xAxis: [
          category(bars.map((bar) => bar.name)),
          category(bars.map(short), { position: 'top' }),
        ],
        yAxis: axis({
          name: 'time',
          nameGap: 58,
          min: 0,
          splitLine: grid(),
          axisLabel: { color: palette.soft, formatter: axisTime },
        }),
        series: [
          {
            type: 'bar',
            barMaxWidth: 64,
            label: {
              show: true,
              position: 'top',
              color: palette.ink,
              formatter: ({ value }) => asTime(value),
            },
            data: bars.map((bar) => ({ value: bar.seconds, bar, itemStyle: { color: bar.colour } })),
          },
        ],
      },
      44,
    );
  },
};

show([overAll, overQuery, bySets]);
