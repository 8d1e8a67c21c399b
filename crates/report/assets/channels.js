'use strict';
// Busy channels over requests: thrown at once, and in a stream.

const channels = {
  id: 'e-channels',
  hidden: new Set(),
  items() {
    return [
      { key: 'once', label: 'thrown at once', colour: palette.p0 },
      { key: 'stream', label: 'in a stream', colour: palette.p4 },
    ];
  },
  chips(redraw) {
    return [toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const data = EXPERIMENTS.channels;
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const words = {
      once: (p) => `${p[0]} at once: ${significant(p[1])} channels busy`,
      stream: (p) => `${p[0]} in flight: ${significant(p[1])} times the throughput of one`,
    };
    const formatter = ({ data: point, color }) =>
      row(
        color,
        point.item.label,
        words[point.item.key](point.row) + interval(point.row[2], point.row[3], significant),
      );
    const line = (points) => points.map((p) => [LOG2(p[0]), LOG2(p[1])]);
    const values = [...data.once, ...data.stream, ...data.once_law].map((p) => p[1]);
    const most = Math.max(...[...data.once, ...data.stream].map((p) => p[0]));
    const high = LOG2(Math.max(2, ...values)) + 0.5;
    const low = Math.min(0, LOG2(Math.min(...values)));
    const ticks = Array.from({ length: Math.floor(high) + 1 }, (_, i) => i);
    const level = {
      silent: true,
      symbol: 'none',
      animation: false,
      data: [{ yAxis: LOG2(data.n ?? 1) }],
      lineStyle: { color: palette.ink, type: 'dotted', width: 1.3 },
      label: { formatter: `${data.n} channels`, color: palette.ink, position: 'insideStartTop' },
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: powersAxis(LOG2(most), 'reads at once, or in flight all the time'),
      yAxis: axis({
        name: 'busy channels; throughput / that of one',
        nameGap: 34,
        min: low - 0.1,
        max: high,
        splitLine: grid(),
        ...ticksAt(ticks, (v) => String(Math.round(2 ** v))),
      }),
      series: shown.flatMap((item, i) => {
        const points = data[item.key].filter((p) => p[1] > 0);
        const law = curveSeries(item.label, line(data[item.key + '_law']), item.colour, { width: 1.8 });
        if (i === 0 && data.n !== null) law.markLine = level;
        const unlimited = curveSeries(item.label, line(data[item.key + '_unlimited']), item.colour, {
          width: 1.2,
          type: 'dashed',
        });
        return [
          law,
          unlimited,
          whiskerSeries(
            points.filter((p) => p[2] > 0).map((p) => [LOG2(p[0]), LOG2(p[2]), LOG2(p[3])]),
            item.colour,
          ),
          pointSeries(
            item.label,
            points.map((p) => ({ value: [LOG2(p[0]), LOG2(p[1])], row: p, item })),
            item.colour,
          ),
        ];
      }),
    });
  },
};
