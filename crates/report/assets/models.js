'use strict';
// The models against what was measured: throughput over concurrency, and where each model is wrong.

const MODELS = DATA.models;
const MODEL_COLOURS = { dam: 'soft', pdam: 'p1', affine: 'p2', pio: 'p3', mqssd: 'p4', shared: 'p0' };
/** A model has the same colour in all charts. */
const modelColour = (name) => palette[MODEL_COLOURS[name] || 'soft'];
/** `shared` extends `mqssd` and often covers its line. */
const modelStyle = (name) => (name === 'shared' ? 'dashed' : 'solid');
const modelItems = (names) =>
  names.map((name) => ({
    key: name,
    label: name + (name === MODELS.best ? ' (chosen)' : ''),
    colour: modelColour(name),
    style: modelStyle(name),
  }));
const opChoices = (all) => all.map(({ op }) => [op, OP_NAMES[op]]);

/** An axis with the unit of its numbers as its name. */
const named = (name, option) => axis({ min: 0, splitLine: grid(), name, nameGap: 46, ...option });
const iopsAxis = () => named('IOPS', { axisLabel: { color: palette.soft, formatter: axisCount } });
/** Of 0 to 1. */
const shareAxis = (name) =>
  axis({
    name,
    nameGap: 24,
    min: 0,
    max: 1,
    interval: 0.2,
    axisLabel: { color: palette.soft, hideOverlap: true, formatter: (v) => Math.round(v * 100) + ' %' },
  });

/** The line of a curve at x, by its nearest place. */
function nearestOf(line, x) {
  return line.reduce((best, p) => (best && Math.abs(best[0] - x) <= Math.abs(p[0] - x) ? best : p), null);
}

const modelThroughput = {
  id: 'm-throughput',
  op: null,
  hidden: new Set(),
  chosen() {
    return MODELS.throughput.find((t) => t.op === this.op) || MODELS.throughput[0];
  },
  chips(redraw) {
    const now = this.chosen();
    return [
      ...(MODELS.throughput.length > 1
        ? [
            choice('Operation', opChoices(MODELS.throughput), now.op, (v) => {
              this.op = v;
              redraw();
            }),
          ]
        : []),
      toggles(modelItems(now.curves.map(([name]) => name)), this.hidden, redraw),
    ];
  },
  option() {
    const { op, block, measured, curves } = this.chosen();
    const shown = curves.filter(([name]) => !this.hidden.has(name));
    const formatter = (params) => {
      const x = params[0].axisValue;
      const at = nearestOf(
        measured.map((m) => [LOG2(m[0]), m]),
        x,
      )[1];
      const rows = shown.map(([name, line]) => [name, line.find((p) => p[0] === at[0])]).filter(([, p]) => p);
      return (
        '<div style="margin-bottom:3px">' +
        `k = <b>${at[0]}</b>, ${blockName(block)} random ${OP_NAMES[op]}</div>` +
        row(palette.ink, 'measured', count(at[1]) + ' IOPS' + interval(at[2], at[3], count)) +
        rows
          .map(([name, p]) =>
            row(modelColour(name), name, `${count(p[1])} IOPS, ${significant(100 * (p[1] / at[1] - 1))} %`),
          )
          .join('')
      );
    };
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: powersAxis(Math.max(...measured.map((m) => LOG2(m[0])))),
      yAxis: iopsAxis(),
      series: [
        ...shown.map(([name, line]) =>
          curveSeries(
            name,
            line.map(([k, iops]) => [LOG2(k), iops]),
            modelColour(name),
            { type: modelStyle(name), width: name === MODELS.best ? 3 : 1.6 },
          ),
        ),
        whiskerSeries(
          measured.filter((m) => m[2] !== null).map(([k, , low, high]) => [LOG2(k), low, high]),
          palette.ink,
        ),
        pointSeries(
          'measured',
          measured.map(([k, iops]) => [LOG2(k), iops]),
          palette.ink,
        ),
      ],
    });
  },
};

const SYMBOLS = { read: 'circle', write: 'triangle', mixed: 'diamond' };
const KIND_NAMES = { read: 'reads', write: 'writes', mixed: 'reads and writes' };
const residuals = {
  id: 'm-residuals',
  kind: 'all',
  hidden: new Set(),
  chips(redraw) {
    const kinds = Object.keys(KIND_NAMES).filter((kind) => MODELS.residuals.some((r) => r.kind === kind));
    const options = [['all', 'all'], ...kinds.map((kind) => [kind, KIND_NAMES[kind]])];
    return [
      ...(kinds.length > 1
        ? [
            choice('Requests', options, this.kind, (v) => {
              this.kind = v;
              redraw();
            }),
          ]
        : []),
      toggles(
        modelItems(MODELS.names).map((item) => ({ ...item, style: 'area' })),
        this.hidden,
        redraw,
      ),
    ];
  },
  option() {
    const names = MODELS.names.filter((name) => !this.hidden.has(name));
    const rows = MODELS.residuals.filter((r) => this.kind === 'all' || r.kind === this.kind);
    const ratio = (r, name) => r.ratios[MODELS.names.indexOf(name)];
    const all = names.flatMap((name) => rows.map((r) => ratio(r, name))).filter((v) => v !== null);
    if (!all.length) return nothing('Nothing predicted or shown here.');
    const ks = [...new Set(rows.map((r) => r.k))].sort((a, b) => a - b);
    const place = (r, name) =>
      ks.indexOf(r.k) + (names.indexOf(name) - (names.length - 1) / 2) * Math.min(0.13, 0.7 / names.length);
    const series = names.map((name) =>
      pointSeries(
        name,
        rows
          .filter((r) => ratio(r, name) !== null)
          .map((r) => ({ value: [place(r, name), LOG10(ratio(r, name))], row: r, symbol: SYMBOLS[r.kind] })),
        modelColour(name),
        { symbolSize: 5.5, itemStyle: { color: modelColour(name), opacity: 0.7 } },
      ),
    );
    const formatter = ({ data, seriesIndex }) => {
      const r = data.row,
        name = names[seriesIndex],
        v = ratio(r, name);
      const mix = r.kind === 'mixed' ? ` (${significant(100 * r.reads)} % reads)` : '';
      return row(
        modelColour(name),
        name,
        `predicts ${significant(v)}× the measured time<br>` +
          `<span style="opacity:.75">${KIND_NAMES[r.kind]}${mix} of ${blockName(r.block)}, ` +
          `${significant(100 * r.random)} % random, k = ${r.k}</span>`,
      );
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: 'requests in flight (k)',
        nameGap: 24,
        min: -0.5,
        max: ks.length - 0.5,
        ...ticksAt(
          ks.map((_, i) => i),
          (i) => String(ks[i]),
        ),
      }),
      yAxis: logAxis([...all, 0.8, 1.25], (v) => parseFloat(v.toPrecision(3)) + '×', {
        name: 'predicted / measured',
        nameGap: 46,
      }),
      series: [
        {
          type: 'line',
          name: 'right',
          silent: true,
          z: 1,
          symbol: 'none',
          tooltip: { show: false },
          lineStyle: { color: palette.ink, width: 1, type: 'dashed' },
          data: [
            [-0.5, 0],
            [ks.length - 0.5, 0],
          ],
        },
      ]
        .concat(series)
        .map((s, i, list) => list[(i + 1) % list.length]), // the points first: their index is the model's
    });
  },
};
