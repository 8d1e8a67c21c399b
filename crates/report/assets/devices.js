'use strict';
// Experiments on the device as such: one request at a time, beside background load, of many sizes; with the
// paper's numbers.

const DEVICES = DATA.devices;
const PAPER_STYLES = { 'Optane P4800X': 'dashed', 'NAND P3700': 'dotted' };
const PAPER_ITEMS = (reference) =>
  [...new Set(reference.map((r) => r[0]))].map((name) => ({
    key: name,
    label: name,
    colour: palette.soft,
    style: PAPER_STYLES[name],
  }));
/** Operation and pattern have a colour each, in all charts. */
const FOREGROUND_COLOURS = {
  'sequential read': 'p5',
  'random read': 'p0',
  'sequential write': 'p1',
  'random write': 'p4',
};
const foreground = (line) => line.pattern + ' ' + line.op;
const foregroundColour = (line) => palette[FOREGROUND_COLOURS[foreground(line)]];
const microsAxis = (values, option) => logAxis(values, axisUnit(MICROS), option);
/** A diamond of the paper. */
const paperPoints = (name, data) => ({
  type: 'scatter',
  name,
  z: 5,
  symbol: 'diamond',
  symbolSize: 11,
  itemStyle: { color: palette.card, borderColor: palette.ink, borderWidth: 1.5 },
  data,
});

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

const interleaving = {
  id: 'd-interleaving',
  name: null,
  hidden: new Set(),
  names() {
    return [...new Set(DEVICES.interleaving.lines.map(foreground))];
  },
  now() {
    return this.name ?? this.names().at(0);
  },
  items() {
    const lines = DEVICES.interleaving.lines.filter((line) => foreground(line) === this.now());
    return lines.map((line, i) => ({
      ...line,
      key: line.block,
      label: blockName(line.block),
      colour: ramp(i, lines.length),
    }));
  },
  chips(redraw) {
    return [
      choice(
        'Requests',
        this.names().map((name) => [name, name + 's']),
        this.now(),
        (v) => {
          this.name = v;
          redraw();
        },
      ),
      toggles(this.items(), this.hidden, redraw),
    ];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const op = shown[0].op;
    const paper = DEVICES.interleaving.reference.filter(
      (r) => r[1] === op && shown.some((item) => item.block === r[2]),
    );
    const formatter = ({ data, color }) =>
      data.paper
        ? row(
            palette.ink,
            data.paper[0],
            `${bandwidth(data.paper[4])} with ${data.paper[3]} in flight (paper)`,
          )
        : row(
            color,
            data.item.label,
            `${bandwidth(data.row[0][1])}${interval(data.row[0][2], data.row[0][3], bandwidth)}<br>` +
              `${data.row[0][0]} in flight${data.row[1] ? ', in the profile already' : ''}`,
          );
    const tops = ([p]) => (shown.length > 2 ? p[1] : (p[3] ?? p[1]));
    const values = [...shown.flatMap((item) => item.points.map(tops)), ...paper.map((r) => r[4])];
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: powersAxis(
        Math.max(
          1,
          ...shown.flatMap((item) => item.points.map(([p]) => LOG2(p[0]))),
          ...paper.map((r) => LOG2(r[3])),
        ),
      ),
      yAxis: axis({
        min: 0,
        max: Math.max(...values) * 1.06,
        splitLine: grid(),
        axisLabel: { color: palette.soft, formatter: axisUnit(BANDWIDTH), showMaxLabel: false },
      }),
      series: [
        // Those of more lines would hide the lines.
        ...(shown.length > 2 ? [] : shown).map((item) =>
          whiskerSeries(
            item.points.filter(([p]) => p[2] !== null).map(([[k, , low, high]]) => [LOG2(k), low, high]),
            item.colour,
          ),
        ),
        ...shown.map((item) => ({
          type: 'line',
          name: item.label,
          z: 3,
          symbol: 'circle',
          showAllSymbol: true,
          lineStyle: { color: item.colour, width: 2 },
          data: item.points.map((p) => ({
            value: [LOG2(p[0][0]), p[0][1]],
            row: p,
            item,
            symbolSize: p[1] ? 8 : 6,
            itemStyle: p[1]
              ? { color: palette.card, borderColor: item.colour, borderWidth: 2 }
              : { color: item.colour },
          })),
        })),
        paperPoints(
          'paper',
          paper.map((r) => ({
            value: [LOG2(r[3]), r[4]],
            paper: r,
            label: {
              show: true,
              position: 'top',
              color: palette.soft,
              fontSize: 11,
              backgroundColor: palette.card,
              padding: [1, 3],
              formatter: `${r[0]}, ${blockName(r[2])}`,
            },
          })),
        ),
      ],
    });
  },
};
