'use strict';
// What the settings of other systems are derived from: mixes, reads beside durable writes, io.cost.model.

const mixLine = {
  id: 's-mix',
  block: null,
  hidden: new Set(),
  size() {
    const sizes = EXPERIMENTS.mix_line;
    return sizes.find((size) => size.block === this.block) ?? sizes[0];
  },
  items() {
    const { by_k: byK } = this.size();
    const items = kItems(byK.map((one) => one.k));
    return byK.map((one, i) => ({ ...one, ...items[i] }));
  },
  chips(redraw) {
    const sizes = EXPERIMENTS.mix_line.map(({ block }) => [block, blockName(block)]);
    const block = choice('Block', sizes, this.size().block, (v) => {
      this.block = v;
      redraw();
    });
    return [...(sizes.length > 1 ? [block] : []), toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const { block, line } = this.size();
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) => {
      const [reads, iops, low, high] = data.row;
      const straight = nearestOf(line, reads)[1];
      return row(
        color,
        data.item.label,
        `${significant(100 * reads)} % reads of ${blockName(block)}<br>` +
          `${count(iops)} IOPS${interval(low, high, count)}<br>` +
          `<span style="opacity:.75">${significant((100 * iops) / straight)} % of the straight line</span>`,
      );
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: shareAxis('share of reads'),
      yAxis: iopsAxis(),
      series: [
        curveSeries('straight line', line, palette.ink, { width: 1.4, type: 'dashed' }),
        ...shown.flatMap((item) => [
          curveSeries(
            item.label,
            item.points.map((p) => [p[0], p[1]]),
            item.colour,
            { width: 1.4 },
          ),
          whiskerSeries(
            item.points.filter((p) => p[2] !== null).map(([x, , low, high]) => [x, low, high]),
            item.colour,
          ),
          pointSeries(
            item.label,
            item.points.map((p) => ({ value: [p[0], p[1]], row: p, item })),
            item.colour,
          ),
        ]),
      ],
    });
  },
};

const besideDurable = besideWrites({
  id: 's-durable',
  rows: () => EXPERIMENTS.durable_writes.latencies,
  axis: 'durable writes, percent of what the device can do',
  written: (rate) => `${count(rate)} durable writes/s`,
});

const costRounds = {
  id: 's-cost',
  hidden: new Set(),
  items() {
    const { rates } = EXPERIMENTS.io_cost;
    return rates.map((rate, i) => ({
      ...rate,
      key: rate.name,
      label: rate.name,
      colour: palette['p' + i],
    }));
  },
  chips(redraw) {
    return [toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) => {
      const { item, round, rate } = data;
      const words = item.bytes ? bandwidth : (value) => `${count(value)} IOPS`;
      return row(
        color,
        item.label,
        `${words(rate)} in round ${round}<br>` +
          `<span style="opacity:.75">reported: ${words(item.rate)}</span>`,
      );
    };
    const most = Math.max(...shown.map((item) => item.rounds.length));
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: 'round',
        nameGap: 24,
        min: 0.5,
        max: most + 0.5,
        ...ticksAt(
          Array.from({ length: most }, (_, i) => i + 1),
          (v) => String(Math.round(v)),
        ),
      }),
      yAxis: named('percent of the rate reported', { boundaryGap: [0, '8%'] }),
      series: shown.map((item) => ({
        type: 'line',
        name: item.label,
        z: 3,
        symbol: 'circle',
        symbolSize: 6,
        lineStyle: { color: item.colour, width: 1.5 },
        itemStyle: { color: item.colour },
        data: item.rounds.map((rate, i) => ({
          value: [i + 1, (100 * rate) / item.rate],
          round: i + 1,
          rate,
          item,
        })),
      })),
    });
  },
};
