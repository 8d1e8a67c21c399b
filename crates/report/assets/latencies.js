'use strict';
// The latency of one request at a time, with the paper's numbers.

const PAPER_ITEMS = (reference) =>
  [...new Set(reference.map((r) => r[0]))].map((name) => ({
    key: name,
    label: name,
    colour: palette.soft,
    style: PAPER_STYLES[name],
  }));
const foregroundColour = (line) => palette[foregroundName(line)];
const microsAxis = (values, option) => logAxis(values, axisUnit(MICROS), option);
const alone = {
  id: 'd-latency',
  hidden: new Set(),
  hiddenPaper: new Set(['NAND P3700']),
  items() {
    return DEVICES.latency.lines.map((line) => ({
      ...line,
      key: `${line.durable ? 'durable ' : ''}${foreground(line)}`,
      label: `${line.durable ? 'durable ' : ''}${foreground(line)}s`,
      colour: foregroundColour(line),
      style: line.durable ? 'dashed' : 'solid',
    }));
  },
  chips(redraw) {
    return [
      toggles(this.items(), this.hidden, redraw),
      toggles(PAPER_ITEMS(DEVICES.latency.reference), this.hiddenPaper, redraw),
    ];
  },
  option() {
    const shown = this.items()
      .filter((item) => !this.hidden.has(item.key))
      .map((item) => ({
        ...item,
        data: inNines(item.points),
      }))
      .filter((item) => item.data.length);
    if (!shown.length) return nothing('Nothing shown here.');
    const most = Math.max(1, ...shown.map((item) => item.data.at(-1)[1]));
    const paper = DEVICES.latency.reference.filter(([name]) => !this.hiddenPaper.has(name));
    const drawn = shown.map(distributionSeries);
    // A drive whose patterns take the same time has one mark for both; marks that stand close share a label.
    const marks = new Map();
    for (const [name, op, , us] of paper) marks.set(`${name} ${op} ${us}`, [name, op, us]);
    const marked = [...marks.values()].sort((a, b) => a[2] - b[2]);
    const groups = [];
    for (const mark of marked) {
      if (groups.length && mark[2] < 1.4 * groups.at(-1)[0][2]) groups.at(-1).push(mark);
      else groups.push([mark]);
    }
    const labelOf = (mark) => {
      const group = groups.find((g) => g[0] === mark);
      return group && group.map(([name, op, us]) => `${name} ${op}s ${micros(us)}`).join('\n');
    };
    drawn[0].markLine = {
      silent: true,
      symbol: 'none',
      animation: false,
      data: marked.map((mark) => ({
        xAxis: LOG10(mark[2]),
        lineStyle: { color: palette.soft, type: PAPER_STYLES[mark[0]], width: 1.3 },
        label: {
          show: Boolean(labelOf(mark)),
          formatter: labelOf(mark) || '',
          color: palette.soft,
          position: 'insideEndTop',
          rotate: 90,
          lineHeight: 15,
          distance: 3,
        },
      })),
    };
    return frame({
      tooltip: tooltip(fasterThan(shown), 'y'),
      xAxis: microsAxis(
        [
          ...shown.flatMap((item) => [10 ** item.data[0][0], 10 ** item.data.at(-1)[0]]),
          ...marked.flatMap((m) => [m[2] * 0.7, m[2]]),
        ],
        { name: `latency of ${blockName(DEVICES.latency.block)}`, nameGap: 24 },
      ),
      yAxis: ninesAxis(most),
      series: drawn,
    });
  },
};
