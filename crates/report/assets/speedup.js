'use strict';
// What batching gains: PIO's formulas with this device's numbers, and what was measured.

const times = (v) => parseFloat(v.toPrecision(3)) + '×';
/** Ratios, from 1. */
const timesAxis = (values) => logAxis([1, ...values], times, { name: 'speed-up', nameGap: 40 });
const classChoice = (names, current, choose) =>
  choice(
    'Class',
    names.map((name) => [name, name]),
    current,
    choose,
  );

const speedup = {
  id: 'm-speedup',
  name: 'batched reads and writes',
  hidden: new Set(),
  now() {
    return MODELS.speedup.classes.find((c) => c.class === this.name);
  },
  items() {
    return this.now().lines.map(([k], i, all) => ({
      key: k,
      label: 'k = ' + k,
      colour: ramp(i, all.length),
    }));
  },
  chips(redraw) {
    return [
      classChoice(
        MODELS.speedup.classes.map((c) => c.class),
        this.name,
        (v) => {
          this.name = v;
          redraw();
        },
      ),
      toggles(this.items(), this.hidden, redraw),
    ];
  },
  option() {
    const { alpha, k_r: kr, k_w: kw } = MODELS.speedup;
    const shown = this.items()
      .map((item, i) => ({ ...item, line: this.now().lines[i][1] }))
      .filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = (params) => {
      const x = params[0].axisValue;
      return (
        `<div style="margin-bottom:3px"><b>${Math.round(100 * x)} %</b> reads</div>` +
        shown
          .map((item) => row(item.colour, item.label, times(nearestOf(item.line, x)[1]) + ' as fast'))
          .join('')
      );
    };
    return frame({
      title: {
        text: `α₁ = ${significant(alpha)}, k_r = ${Math.round(kr)}, k_w = ${Math.round(kw)}`,
        left: 0,
        top: 0,
        textStyle: { color: palette.soft, fontSize: 12, fontWeight: 400 },
      },
      tooltip: tooltip(formatter, 'x'),
      xAxis: shareAxis('share of reads'),
      yAxis: timesAxis(shown.flatMap((item) => item.line.map((p) => p[1]))),
      series: shown.map((item) => ({
        ...curveSeries(
          item.label,
          item.line.map(([x, v]) => [x, LOG10(v)]),
          item.colour,
        ),
        silent: false,
      })),
    });
  },
};

const classes = {
  id: 'm-classes',
  name: null,
  hidden: new Set(),
  names() {
    return [...new Set(MODELS.classes.map((c) => c.class))];
  },
  now() {
    return this.name ?? this.names().at(-1);
  },
  items() {
    const groups = MODELS.classes.filter((c) => c.class === this.now());
    return groups.map((c, i) => ({
      ...c,
      key: c.reads,
      label: `${Math.round(100 * c.reads)} % reads`,
      colour: ramp(i, groups.length),
    }));
  },
  chips(redraw) {
    return [
      ...(this.names().length > 1
        ? [
            classChoice(this.names(), this.now(), (v) => {
              this.name = v;
              redraw();
            }),
          ]
        : []),
      toggles(this.items(), this.hidden, redraw),
    ];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    // Side by side, so that whiskers do not cover one another.
    const place = (item, batch) => LOG2(batch) + (shown.indexOf(item) - (shown.length - 1) / 2) * 0.07;
    const formatter = ({ data, color }) => {
      const [batch, v, low, high] = data.row;
      const says = (name, line) => {
        const said = nearestOf(line, batch);
        return said ? `<br>${name}: ${times(said[1])}` : '';
      };
      return row(
        color,
        data.item.label,
        `batches of ${batch}<br>measured ${times(v)}${interval(low, high, times)}` +
          says('PIO', data.item.by_pio) +
          says('chosen model', data.item.by_model),
      );
    };
    const values = shown.flatMap((item) => [
      ...item.measured.flatMap((m) => [m[1], m[2] ?? m[1], m[3] ?? m[1]]),
      ...item.by_pio.map((p) => p[1]),
      ...item.by_model.map((p) => p[1]),
    ]);
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: powersAxis(
        Math.max(1, ...shown.flatMap((item) => item.measured.map((m) => LOG2(m[0])))) + 0.1,
        'requests in a batch',
      ),
      yAxis: timesAxis(values),
      series: [
        ...shown.map((item) =>
          curveSeries(
            item.label,
            item.by_pio.map(([k, v]) => [LOG2(k), LOG10(v)]),
            item.colour,
            { width: 1.6 },
          ),
        ),
        ...shown.map((item) =>
          curveSeries(
            item.label,
            item.by_model.map(([k, v]) => [LOG2(k), LOG10(v)]),
            item.colour,
            { width: 1.6, type: 'dashed' },
          ),
        ),
        ...shown.map((item) =>
          whiskerSeries(
            item.measured
              .filter((m) => m[2] > 0)
              .map(([k, , low, high]) => [place(item, k), LOG10(low), LOG10(high)]),
            item.colour,
          ),
        ),
        ...shown.map((item) =>
          pointSeries(
            item.label,
            item.measured.map((m) => ({ value: [place(item, m[0]), LOG10(m[1])], row: m, item })),
            item.colour,
          ),
        ),
      ],
    });
  },
};
