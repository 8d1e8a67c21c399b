'use strict';
// The chart of a graph store.

const BINS = DATA.graph.degrees;
const whole = (value) => Math.round(value).toLocaleString('en');

/** Vertices by degree, on two logarithmic axes. Degree 0 has no place on them; the table below has it. */
const degrees = {
  id: 'g-degrees',
  chips() {
    return [];
  },
  option() {
    const bins = BINS.filter((bin) => bin.from > 0);
    if (!bins.length) return nothing('No vertex has an edge.');
    const x = (bin) => Math.sqrt(bin.from * bin.to);
    const y = (bin) => bin.vertices / (bin.to - bin.from + 1);
    const formatter = ({ data: { bin } }) =>
      row(
        palette.read,
        bin.from === bin.to ? `degree ${whole(bin.from)}` : `degrees ${whole(bin.from)}–${whole(bin.to)}`,
        `${whole(bin.vertices)} vertices, ` +
          `${parseFloat(((100 * bin.vertices) / DATA.graph.vertices).toPrecision(3))} %`,
      );
    return frame({
      tooltip: { ...tooltip(formatter, 'x'), trigger: 'item' },
      xAxis: {
        ...logAxis(bins.map(x), axisCount, { splitLine: { show: false } }),
        name: 'outgoing edges',
        nameGap: 24,
      },
      yAxis: logAxis(bins.map(y), axisCount),
      series: [
        {
          type: 'scatter',
          name: 'vertices',
          symbolSize: 6,
          itemStyle: { color: palette.read },
          data: bins.map((bin) => ({ value: [LOG10(x(bin)), LOG10(y(bin))], bin })),
        },
      ],
    });
  },
};

show([degrees]);
