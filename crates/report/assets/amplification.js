'use strict';
// Write amplification: window after window, and over fill levels.

const amplified = (value) => `${value.toFixed(2)} bytes per byte`;

const amplificationRuns = () => {
  const { runs, fills } = EXPERIMENTS.write_amplification;
  return runs.map((run, i) => ({
    ...run,
    key: i,
    label: fills ? `${run.pattern}, ${run.fill} %` : run.pattern,
    colour: profileColour(i),
  }));
};

const amplification = {
  id: 'w-amplification',
  hidden: new Set(),
  chips(redraw) {
    return [toggles(amplificationRuns(), this.hidden, redraw)];
  },
  option() {
    const shown = amplificationRuns().filter((run) => !this.hidden.has(run.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) =>
      row(
        color,
        data.run.label,
        `${amplified(data.value[1])}<br><span style="opacity:.75">window ${data.window + 1}, after ` +
          `${parseFloat(data.value[0].toPrecision(3))} times the part</span>`,
      );
    const level = (run) => ({
      silent: true,
      symbol: 'none',
      animation: false,
      data: [{ yAxis: run.level }],
      lineStyle: { color: run.colour, type: run.settled ? 'dashed' : 'dotted', width: 1.3 },
      label: {
        formatter: `${run.level.toFixed(2)}${run.settled ? '' : ', not settled'}`,
        color: run.colour,
        position: 'insideEndTop',
      },
    });
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({ name: 'written, in multiples of the part that is written to', nameGap: 24, min: 0 }),
      yAxis: named('write amplification', { nameGap: 34, boundaryGap: [0, '12%'] }),
      series: shown.map((run) => ({
        type: 'line',
        name: run.label,
        z: 3,
        symbol: 'circle',
        symbolSize: 6,
        showAllSymbol: true,
        lineStyle: { color: run.colour, width: 1.6 },
        itemStyle: { color: run.colour },
        markLine: level(run),
        data: run.windows.map((value, i) => ({
          value,
          run,
          window: i,
          itemStyle:
            i >= run.windows.length - run.used
              ? { color: run.colour }
              : { color: palette.card, borderColor: run.colour, borderWidth: 1.4 },
        })),
      })),
    });
  },
};

const fills = {
  id: 'w-fills',
  hidden: new Set(),
  items() {
    const patterns = [...new Set(EXPERIMENTS.write_amplification.runs.map((run) => run.pattern))];
    return patterns.map((pattern, i) => ({ key: pattern, label: pattern, colour: profileColour(i) }));
  },
  chips(redraw) {
    return this.items().length > 1 ? [toggles(this.items(), this.hidden, redraw)] : [];
  },
  option() {
    const shown = this.items()
      .filter((item) => !this.hidden.has(item.key))
      .map((item) => ({
        ...item,
        runs: EXPERIMENTS.write_amplification.runs
          .filter((run) => run.pattern === item.key)
          .sort((a, b) => a.fill - b.fill),
      }));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) =>
      row(
        color,
        `${data.run.pattern}, fill ${data.run.fill} %`,
        amplified(data.run.level) +
          (data.run.ci ? interval(data.run.ci[0], data.run.ci[1], (v) => v.toFixed(2)) : '') +
          (data.run.settled ? '' : ', not settled'),
      );
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({ name: 'fill level, percent', nameGap: 24, min: 0, max: 104 }),
      yAxis: named('write amplification', { nameGap: 34, boundaryGap: [0, '12%'] }),
      series: shown.flatMap((item) => [
        curveSeries(
          item.label,
          item.runs.map((run) => [run.fill, run.level]),
          item.colour,
          { width: 1.2 },
        ),
        whiskerSeries(
          item.runs.filter((run) => run.ci).map((run) => [run.fill, run.ci[0], run.ci[1]]),
          item.colour,
        ),
        pointSeries(
          item.label,
          item.runs.map((run) => ({
            value: [run.fill, run.level],
            run,
            itemStyle: run.settled
              ? { color: item.colour }
              : { color: palette.card, borderColor: item.colour, borderWidth: 1.5 },
          })),
          item.colour,
        ),
      ]),
    });
  },
};
