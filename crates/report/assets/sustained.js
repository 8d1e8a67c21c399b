'use strict';
// Burst against sustained writes, and reads beside writes that can be sustained.

/** By powers of ten, or rather of 1024 as sizes are. Values are log2 of bytes. */
function bytesAxis(values, name) {
  const logs = values.filter((v) => v > 0).map(LOG2);
  const low = Math.floor(Math.min(...logs)),
    high = Math.max(...logs);
  const step = high - low > 12 ? 4 : 2;
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high; t += step) ticks.push(t);
  return axis({
    name,
    nameGap: 24,
    min: low,
    max: high + 0.1,
    ...ticksAt(ticks, (v) => binaryBytes(2 ** v).replace(/\.0+ /, ' ')),
  });
}

const sustained = {
  id: 'w-sustained',
  hidden: new Set(),
  items() {
    return EXPERIMENTS.sustained.loads.map((load) => ({
      ...load,
      key: load.pattern,
      label: `${load.pattern}, ${load.k} × ${blockName(load.block)}`,
      colour: palette[FOREGROUND_COLOURS[load.pattern + ' write']],
    }));
  },
  chips(redraw) {
    return [toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key) && item.samples.length);
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) =>
      row(
        color,
        data.item.label,
        `${bandwidth(data.rate)} after ${binaryBytes(2 ** data.value[0])}<br>` +
          `<span style="opacity:.75">for long ${bandwidth(data.item.sustained)}, ` +
          `${(100 * data.item.ratio).toFixed(0)} % of the burst</span>`,
      );
    // By decades where what is sustained would lie on the ground of a chart that shows the burst.
    const rates = shown.flatMap((item) => [item.sustained, ...item.samples.map((s) => s[1])]);
    const high = Math.max(...rates);
    const wide = high > 8 * Math.min(...shown.map((item) => item.sustained));
    const to = wide ? LOG10 : (rate) => rate;
    const words = (colour) => ({ color: colour, fontSize: 12 });
    // Two cliffs of nearly the same size would write one name over the other.
    const taken = [];
    const nameOf = (at) => {
      const free = taken.every((other) => Math.abs(LOG2(at / other)) > 1.5);
      if (free) taken.push(at);
      return free ? binaryBytes(at) : '';
    };
    const highest = Math.max(...shown.map((item) => item.sustained));
    const marks = (item) => ({
      silent: true,
      symbol: 'none',
      animation: false,
      data: [
        {
          yAxis: to(item.sustained),
          lineStyle: { color: item.colour, type: 'dashed', width: 1.2 },
          label: {
            ...words(item.colour),
            formatter: `${item.pattern}: ${bandwidth(item.sustained)} for long`,
            position: item.sustained < highest ? 'insideStartBottom' : 'insideStartTop',
          },
        },
        ...item.cliffs.map(([at]) => ({
          xAxis: LOG2(at),
          lineStyle: { color: item.colour, type: 'dotted', width: 1.3 },
          label: { ...words(item.colour), formatter: nameOf(at), position: 'end' },
        })),
      ],
    });
    return frame(
      {
        tooltip: { ...tooltip(formatter), trigger: 'item' },
        xAxis: bytesAxis(
          shown.flatMap((item) => item.samples.map((s) => s[0])),
          'bytes written since the rest',
        ),
        yAxis: wide
          ? logAxis(
              rates.filter((rate) => rate > high / 1e4),
              axisUnit(BANDWIDTH),
              { name: 'bandwidth', nameGap: 62 },
            )
          : named('bandwidth', {
              nameGap: 62,
              axisLabel: { color: palette.soft, formatter: axisUnit(BANDWIDTH) },
            }),
        series: shown.map((item) => ({
          type: 'line',
          name: item.label,
          z: 3,
          symbol: 'circle',
          symbolSize: 3,
          showAllSymbol: true,
          lineStyle: { color: item.colour, width: 1.5 },
          itemStyle: { color: item.colour },
          markLine: marks(item),
          data: item.samples
            .filter(([, rate]) => rate > 0 || !wide)
            .map(([at, rate]) => ({ value: [LOG2(at), to(rate)], rate, item })),
        })),
      },
      52,
    );
  },
};

const UNDER_LOAD = ['p50', 'p90', 'p99', 'p99.9'];

/** Latency of reads over writes beside them; `rows` as BesideRow in for_settings_charts.rs. */
const besideWrites = (of) => ({
  id: of.id,
  hidden: new Set(),
  items() {
    const percentiles = UNDER_LOAD.map((name, i) => ({
      key: name,
      label: name,
      colour: ramp(i, UNDER_LOAD.length),
      of: (p) => p[6][i],
    }));
    return [{ key: 'mean', label: 'mean', colour: palette.ink, of: (p) => p[3] }, ...percentiles];
  },
  chips(redraw) {
    return [toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const points = of.rows();
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) =>
      row(
        color,
        data.item.label,
        micros(data.item.of(data.row)) +
          (data.item.key === 'mean' ? interval(data.row[4], data.row[5], micros) : '') +
          ` beside ${of.written(data.row[1])}<br>` +
          `<span style="opacity:.75">${count(data.row[2])} reads</span>`,
      );
    const values = shown.flatMap((item) => points.map(item.of)).filter((us) => us > 0);
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: of.axis,
        nameGap: 24,
        min: -3,
        max: 100,
        ...ticksAt(
          points.map((p) => 100 * p[0]),
          (v) => String(Math.round(v)),
        ),
      }),
      yAxis: microsAxis(values),
      series: shown.flatMap((item) => [
        ...(item.key === 'mean'
          ? [
              whiskerSeries(
                points.filter((p) => p[4] !== null).map((p) => [100 * p[0], LOG10(p[4]), LOG10(p[5])]),
                item.colour,
              ),
            ]
          : []),
        {
          type: 'line',
          name: item.label,
          z: 3,
          symbol: 'circle',
          symbolSize: 6,
          lineStyle: { color: item.colour, width: 2 },
          itemStyle: { color: item.colour },
          data: points
            .filter((p) => item.of(p) > 0)
            .map((p) => ({ value: [100 * p[0], LOG10(item.of(p))], row: p, item })),
        },
      ]),
    });
  },
});

const underLoad = besideWrites({
  id: 'w-under-load',
  rows: () => EXPERIMENTS.sustained.latencies,
  axis: 'random writes, percent of what can be sustained',
  written: (rate) => `${bandwidth(rate)} of writes`,
});
