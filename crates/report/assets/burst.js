'use strict';
// Burst credit: throughput over the time of each load.

const burst = {
  id: 'e-burst',
  hidden: new Set(),
  items() {
    const all = EXPERIMENTS.burst.loads;
    return all.map((load, i) => ({
      ...load,
      key: i,
      label: load.rest === 0 ? 'at first' : `after ${duration(load.rest)} of rest`,
      colour: ramp(i, all.length),
    }));
  },
  chips(redraw) {
    return EXPERIMENTS.burst.loads.length > 1 ? [toggles(this.items(), this.hidden, redraw)] : [];
  },
  option() {
    const { baseline, op } = EXPERIMENTS.burst;
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    // Ticks at whole minutes where the load lasted for minutes.
    const longest = Math.max(...shown.map((item) => item.samples.at(-1)?.[0] ?? 0));
    const unit = longest >= 180 ? 60 : 1;
    const formatter = (params) => {
      const x = params[0].axisValue * unit;
      const rows = shown
        .filter((item) => item.samples.length && x <= item.samples.at(-1)[0] + 1)
        .map((item) => row(item.colour, item.label, `${count(nearestOf(item.samples, x)[1])} IOPS`));
      return `<div style="margin-bottom:3px"><b>${duration(x)}</b> of load</div>${rows.join('')}`;
    };
    const series = shown.map((item) => ({
      ...curveSeries(
        item.label,
        item.samples.map(([x, iops]) => [x / unit, iops]),
        item.colour,
        { width: 1.6 },
      ),
      silent: false,
      step: 'end',
      markPoint:
        item.fell === null
          ? undefined
          : {
              silent: true,
              symbol: 'triangle',
              symbolRotate: 180,
              symbolSize: 9,
              symbolOffset: [0, -10],
              itemStyle: { color: item.colour },
              data: [{ coord: [item.fell / unit, nearestOf(item.samples, item.fell * 0.9)[1]] }],
            },
    }));
    if (baseline !== null) {
      series[0].markLine = {
        silent: true,
        symbol: 'none',
        animation: false,
        data: [{ yAxis: baseline }],
        lineStyle: { color: palette.ink, type: 'dotted', width: 1.4 },
        label: {
          formatter: `baseline ${count(baseline)} IOPS`,
          color: palette.ink,
          position: 'insideEndTop',
        },
      };
    }
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: axis({
        name: `${unit === 60 ? 'minutes' : 'seconds'} since the load began`,
        nameGap: 24,
        min: 0,
      }),
      yAxis: named(`${op} per second`, { axisLabel: { color: palette.soft, formatter: axisCount } }),
      series,
    });
  },
};
