'use strict';
// Latency beside background load, tails, and sequential writes by size.

const PRESSURE_METRICS = { mean: 2, p50: 3, p99: 4 };

const pressure = {
  id: 'd-pressure',
  background: null,
  metric: 'mean',
  hidden: new Set(),
  hiddenPaper: new Set(['NAND P3700']),
  backgrounds() {
    return [...new Set(DEVICES.pressure.lines.map((line) => line.background))];
  },
  now() {
    return this.background ?? this.backgrounds()[0];
  },
  items() {
    return DEVICES.pressure.lines
      .filter((line) => line.background === this.now())
      .map((line) => ({
        ...line,
        key: foreground(line),
        label: foreground(line) + 's',
        colour: foregroundColour(line),
      }));
  },
  chips(redraw) {
    const set = (name) => (v) => {
      this[name] = v;
      redraw();
    };
    return [
      choice(
        'Background',
        this.backgrounds().map((op) => [op, `random ${op}s`]),
        this.now(),
        set('background'),
      ),
      choice(
        'Latency',
        Object.keys(PRESSURE_METRICS).map((name) => [name, name]),
        this.metric,
        set('metric'),
      ),
      toggles(this.items(), this.hidden, redraw),
      ...(this.metric === 'mean'
        ? [toggles(PAPER_ITEMS(DEVICES.pressure.reference), this.hiddenPaper, redraw)]
        : []),
    ];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing beside this background, or nothing shown here.');
    const at = PRESSURE_METRICS[this.metric];
    const drives = PAPER_ITEMS(DEVICES.pressure.reference).filter(({ key }) => !this.hiddenPaper.has(key));
    const of = (drive, item) =>
      DEVICES.pressure.reference.filter(
        (r) => r[0] === drive && r[1] === item.op && r[2] === item.pattern && r[3] === this.now(),
      );
    // The paper has means only.
    const paper = (this.metric === 'mean' ? drives : []).flatMap(({ key, style }) =>
      shown.map((item) => ({ name: key, item, style, data: of(key, item) })),
    );
    const formatter = ({ data, color }) =>
      data.paper
        ? row(
            color,
            data.paper[0],
            `${data.item.label}<br>mean ${micros(data.paper[5])} beside ${data.paper[4]} MB/s (paper)`,
          )
        : row(
            color,
            data.item.label,
            `${this.metric} ${micros(data.row[at])} ` +
              (data.row[0] ? `beside ${bandwidth(data.row[0] * 1e6)}` : 'at rest') +
              `<br><span style="opacity:.75">${count(data.row[1])} requests</span>`,
          );
    const values = [
      ...shown.flatMap((item) => item.points.map((p) => p[at])),
      ...paper.flatMap((p) => p.data.map((r) => r[5])),
    ];
    const most = Math.max(
      ...shown.flatMap((item) => item.points.map((p) => p[0])),
      ...paper.flatMap((p) => p.data.map((r) => r[4])),
    );
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: `background, MB/s (random ${this.now()}s of ${blockName(DEVICES.pressure.background_block)})`,
        nameGap: 24,
        min: -0.02 * most,
        max: most * 1.03,
        axisLabel: {
          color: palette.soft,
          hideOverlap: true,
          showMinLabel: false,
          showMaxLabel: false,
          formatter: (v) => String(Math.round(v)),
        },
      }),
      yAxis: microsAxis(values),
      series: [
        ...paper.map((p) => ({
          type: 'line',
          name: p.name,
          z: 2,
          symbol: 'diamond',
          symbolSize: 7,
          lineStyle: { color: p.item.colour, width: 1.3, type: p.style },
          itemStyle: { color: palette.card, borderColor: p.item.colour, borderWidth: 1.3 },
          data: p.data.map((r) => ({ value: [r[4], LOG10(r[5])], paper: r, item: p.item })),
        })),
        ...shown.map((item) => ({
          type: 'line',
          name: item.label,
          z: 3,
          symbol: 'circle',
          symbolSize: 6,
          showAllSymbol: true,
          lineStyle: { color: item.colour, width: 2 },
          itemStyle: { color: item.colour },
          data: item.points.map((p) => ({ value: [p[0], LOG10(p[at])], row: p, item })),
        })),
      ],
    });
  },
};

const TAIL_NAMES = ['p50', 'p90', 'p99', 'p99.9', 'p99.99'];
/** Where the paper's four percentiles stand among ours; it has no 99th. */
const TAIL_PAPER = [0, 1, 3, 4];

// Of what provokes work of the drive's own; they keep clear of the loads' ramp.
const PROVOKED_COLOURS = { 'beside overwriting': 'p3', 'over and over': 'p5' };

const tails = {
  id: 'd-tail',
  hidden: new Set(),
  hiddenPaper: new Set(['NAND P3700']),
  items() {
    const lines = DEVICES.tail.lines;
    const loads = lines.filter((line) => !PROVOKED_COLOURS[line.name]).length;
    const colour = (line, i) => palette[PROVOKED_COLOURS[line.name]] ?? (i ? ramp(i, loads) : palette.ink);
    return lines.map((line, i) => ({ ...line, key: line.name, label: line.name, colour: colour(line, i) }));
  },
  chips(redraw) {
    return [
      toggles(this.items(), this.hidden, redraw),
      toggles(PAPER_ITEMS(DEVICES.tail.reference), this.hiddenPaper, redraw),
    ];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    const paper = DEVICES.tail.reference.filter(([name]) => !this.hiddenPaper.has(name));
    if (!shown.length && !paper.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) =>
      row(color, data.name, `${TAIL_NAMES[data.value[0]]} ${micros(10 ** data.value[1])}${data.words}`);
    const all = [...shown.flatMap((item) => item.us), ...paper.flatMap((r) => r[2])];
    const values = all.filter((us) => us > 0);
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: 'percentile',
        nameGap: 24,
        min: -0.2,
        max: TAIL_NAMES.length - 0.8,
        ...ticksAt(
          TAIL_NAMES.map((_, i) => i),
          (v) => TAIL_NAMES[Math.round(v)],
        ),
      }),
      yAxis: microsAxis(values),
      series: [
        ...paper.map(([name, scene, us]) => ({
          type: 'line',
          name: name + scene,
          z: 2,
          symbol: 'diamond',
          symbolSize: 6,
          lineStyle: { color: palette.soft, width: 1.2, type: PAPER_STYLES[name] },
          itemStyle: { color: palette.card, borderColor: palette.soft, borderWidth: 1.2 },
          data: us.map((v, i) => ({
            value: [TAIL_PAPER[i], LOG10(v)],
            name,
            words: `<br>${encode(scene)} (paper)`,
          })),
        })),
        ...shown.map((item) => ({
          type: 'line',
          name: item.label,
          z: 3,
          symbol: 'circle',
          symbolSize: 6,
          lineStyle: { color: item.colour, width: 2 },
          itemStyle: { color: item.colour },
          data: item.us
            .map((v, i) => ({
              value: [i, LOG10(v)],
              us: v,
              name: item.label,
              words: `<br><span style="opacity:.75">of ${count(item.ops)} requests</span>`,
            }))
            .filter((point) => point.us > 0),
        })),
      ],
    });
  },
};

const sizes = {
  id: 'd-unaligned',
  metric: 'mean',
  hiddenPaper: new Set(),
  chips(redraw) {
    return [
      choice(
        'Latency',
        [
          ['mean', 'mean'],
          ['p99', 'p99'],
        ],
        this.metric,
        (v) => {
          this.metric = v;
          redraw();
        },
      ),
      ...(this.metric === 'mean'
        ? [toggles(PAPER_ITEMS(DEVICES.unaligned.reference), this.hiddenPaper, redraw)]
        : []),
    ];
  },
  option() {
    const { points, direct, reference } = DEVICES.unaligned;
    const mean = this.metric === 'mean';
    const paper = mean ? reference.filter(([name]) => !this.hiddenPaper.has(name)) : [];
    const value = (p) => (mean ? p[1] : p[4]);
    const aligned = (p) => p[0] % 4096 === 0;
    const formatter = ({ data, color }) =>
      data.paper
        ? row(
            palette.ink,
            data.paper[0],
            `${blockName(data.paper[1])}: mean ${micros(data.paper[2])} (paper)`,
          )
        : row(
            color,
            blockName(data.row[0]),
            `${this.metric} ${micros(value(data.row))}` +
              (mean ? interval(data.row[2], data.row[3], micros) : ''),
          );
    const ends = mean ? points.flatMap((p) => [p[2], p[3]]).filter((us) => us > 0) : [];
    const all = [...points.map(value), ...ends, ...paper.map((r) => r[2])];
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: `size of a write, KiB (${direct ? 'direct' : 'through the page cache, durable'})`,
        nameGap: 24,
        min: 0,
        max: Math.max(...points.map((p) => p[0])) / 1024 + 1,
        ...ticksAt(
          Array.from({ length: 9 }, (_, i) => i * 8),
          (v) => String(v),
        ),
      }),
      yAxis: microsAxis(all),
      series: [
        {
          type: 'line',
          z: 2,
          silent: true,
          showSymbol: false,
          lineStyle: { color: palette.write, width: 1, opacity: 0.5 },
          data: points.map((p) => [p[0] / 1024, LOG10(value(p))]),
        },
        ...(mean
          ? [
              whiskerSeries(
                points.filter((p) => p[2] > 0).map((p) => [p[0] / 1024, LOG10(p[2]), LOG10(p[3])]),
                palette.write,
              ),
            ]
          : []),
        pointSeries(
          'writes',
          points.map((p) => ({
            value: [p[0] / 1024, LOG10(value(p))],
            row: p,
            symbolSize: aligned(p) ? 8 : 6,
            itemStyle: aligned(p)
              ? { color: palette.write }
              : { color: palette.card, borderColor: palette.write, borderWidth: 1.5 },
          })),
          palette.write,
        ),
        paperPoints(
          'paper',
          paper.map((r) => ({ value: [r[1] / 1024, LOG10(r[2])], paper: r })),
        ),
      ],
    });
  },
};
