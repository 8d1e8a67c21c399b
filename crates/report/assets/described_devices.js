'use strict';
// What experiments on the device as such draw.

// ---- on the device as such, with the paper's numbers ----

/** What the paper has, as diamonds or lines: what follows a name in the legend. */
const paperOf = (name, more) => ({ label: name, keys: [name], ...more });

function interleavingChart({ lines, reference }) {
  const names = [...new Set(lines.map(foreground))];
  const panel = (name) => {
    const own = lines.filter((line) => foreground(line) === name);
    const series = own.map((line, i) =>
      one(blockName(line.block), [i, own.length], {
        line: 2,
        whiskers: true,
        symbol: circle(6, { hollow: 4, edge: 2, size_of: 5, plain: true, opacity: 1 }),
        rows: line.points.map(([p, known]) => [...p, known, known ? 8 : 6, known ? ', in the profile already' : '']),
        tip: '{1|bandwidth}{2-3|bandwidth}\n{0} in flight{6}',
      }),
    );
    const paper = own.map((line) => ({
      label: 'paper',
      keys: [blockName(line.block)],
      colour: 'ink',
      symbol: { shape: 'diamond', size: 11 },
      rows: reference
        .filter((r) => r[1] === line.op && r[2] === line.block)
        .map((r) => [r[3], r[4], null, null, r[0], blockName(r[2])]),
      title: '{4}',
      tip: '{1|bandwidth} with {0} in flight (paper)',
      words: '{4}, {5}',
    }));
    return {
      x: inFlight(),
      y: { scale: 'linear', unit: 'bandwidth', min: 0, grid: true, headroom: 1.06, no_last: true },
      series: [...series, ...paper],
      few_whiskers: 2,
      legends: [legendOf(series)],
    };
  };
  return byChoice('d-interleaving', 'Requests', names.map((name) => [name + 's', panel(name)]), { always: true });
}

function pressureChart({ lines, reference, background_block: block }) {
  const backgrounds = [...new Set(lines.map((line) => line.background))];
  const metrics = [
    ['mean', 2],
    ['p50', 3],
    ['p99', 4],
  ];
  const panel = (background, metric, at) => {
    const own = lines.filter((line) => line.background === background);
    const series = own.map((line) =>
      one(foreground(line) + 's', foregroundName(line), {
        line: 2,
        symbol: circle(6),
        rows: line.points.map((p) => [p[0], p[at], p[0] ? `under ${bandwidth(p[0] * 1e6)} of background` : 'at rest', p[1]]),
        tip: `${metric} {1|micros} {2}~{3|count} requests`,
      }),
    );
    // The paper has means only.
    const drives = metric === 'mean' ? [...new Set(reference.map((r) => r[0]))] : [];
    const paper = drives.flatMap((drive) =>
      own.map((line) => ({
        label: drive,
        keys: [drive, foreground(line) + 's'],
        colour: foregroundName(line),
        line: 1.3,
        style: PAPER_STYLES[drive],
        symbol: { shape: 'mark', size: 7, edge: 1.3 },
        rows: reference
          .filter((r) => r[0] === drive && r[1] === line.op && r[2] === line.pattern && r[3] === background)
          .map((r) => [r[4], r[5]]),
        tip: `${foreground(line)}s\nmean {1|micros} under {0} MB/s of background (paper)`,
      })),
    );
    return {
      x: {
        scale: 'linear',
        name: `background, MB/s (random ${background}s of ${blockName(block)})`,
        unit: 'whole',
        around: [0.02, 1.03],
        no_first: true,
        no_last: true,
      },
      y: micro(),
      series: [...paper, ...series],
      legends: [legendOf(series), ...(drives.length ? [paperLegend(reference, ['NAND P3700'])] : [])],
      nothing: 'Nothing measured under this background, or nothing shown here.',
    };
  };
  return {
    id: 'd-pressure',
    choices: [
      { name: 'Background', options: backgrounds.map((op) => `random ${op}s`), always: true },
      { name: 'Latency', options: metrics.map(([name]) => name) },
    ],
    panels: backgrounds.flatMap((background, b) =>
      metrics.map(([metric, at], m) => ({ when: [b, m], ...panel(background, metric, at) })),
    ),
  };
}

const TAIL_NAMES = ['p50', 'p90', 'p99', 'p99.9', 'p99.99'];
/** Where the paper's four percentiles stand among ours; it has no 99th. */
const TAIL_PAPER = [0, 1, 3, 4];
/** Of what provokes work of the drive's own; they keep clear of the loads' ramp. */
const PROVOKED_COLOURS = { 'during overwriting': 'p3', 'over and over': 'p5' };
function tailChart({ lines, reference }) {
  const loads = lines.filter((line) => !PROVOKED_COLOURS[line.name]).length;
  const series = lines.map((line, i) =>
    one(line.name, PROVOKED_COLOURS[line.name] ?? (i ? [i, loads] : 'ink'), {
      line: 2,
      symbol: circle(6),
      rows: line.us.map((us, at) => [at, us, TAIL_NAMES[at]]).filter(([, us]) => us > 0),
      tip: `{2} {1|micros}~of ${count(line.ops)} requests`,
    }),
  );
  const paper = reference.map(([drive, scene, us]) =>
    paperOf(drive, {
      colour: 'soft',
      line: 1.2,
      style: PAPER_STYLES[drive],
      symbol: { shape: 'mark', size: 6, edge: 1.2 },
      rows: us.map((v, i) => [TAIL_PAPER[i], v, TAIL_NAMES[TAIL_PAPER[i]], scene]),
      tip: '{2} {1|micros}\n{3} (paper)',
    }),
  );
  const x = { ...ofNames('percentile', TAIL_NAMES), min: -0.2, max: TAIL_NAMES.length - 0.8 };
  const legends = [legendOf(series), paperLegend(reference, ['NAND P3700'])];
  return { id: 'd-tail', panels: [{ x, y: micro(), series: [...paper, ...series], legends }] };
}

/** Sequential writes by size. */
function sizesChart({ points, direct, reference }) {
  const panel = (metric) => {
    const mean = metric === 'mean';
    const row = (p) => [p[0] / 1024, mean ? p[1] : p[4], mean ? p[2] : null, mean ? p[3] : null];
    const rows = points.map((p) => [...row(p), p[0] % 4096 !== 0, p[0] % 4096 ? 6 : 8, blockName(p[0])]);
    const paper = reference.map(([drive, bytes, us]) =>
      paperOf(drive, {
        colour: 'ink',
        symbol: { shape: 'diamond', size: 11 },
        rows: [[bytes / 1024, us, null, null, blockName(bytes)]],
        tip: '{4}: mean {1|micros} (paper)',
      }),
    );
    const most = Math.max(...points.map((p) => p[0])) / 1024 + 1;
    return {
      x: {
        scale: 'linear',
        name: `size of a write, KiB (${direct ? 'direct' : 'through the page cache, durable'})`,
        min: 0,
        max: most,
        ticks: Array.from({ length: 9 }, (_, i) => [i * 8, String(i * 8)]),
      },
      y: micro(),
      series: [
        { label: '', colour: 'write', line: 1, opacity: 0.5, rows: rows.map(([x, y]) => [x, y]) },
        {
          label: 'writes',
          colour: 'write',
          whiskers: mean,
          symbol: circle(7, { hollow: 4, size_of: 5, plain: true }),
          rows,
          title: '{6}',
          tip: `${metric} {1|micros}{2-3|micros}`,
        },
        ...(mean ? paper : []),
      ],
      legends: mean ? [paperLegend(reference)] : [],
    };
  };
  return byChoice('d-unaligned', 'Latency', ['mean', 'p99'].map((metric) => [metric, panel(metric)]));
}

// ---- inside a drive ----

const BUFFER_LINES = [
  { label: 'p30', at: 1, colour: 'p0' },
  { label: 'p40', at: 2, colour: 'p2' },
  { label: 'mean', at: 3, colour: 'p1' },
  { label: 'mean of the first pass', at: 4, colour: 'soft', style: 'dashed' },
];
function bufferChart({ points, buffer, reference }) {
  const series = BUFFER_LINES.map(({ label, at, colour, style }) =>
    one(label, colour, {
      line: style ? 1.4 : 2,
      style,
      key_style: style,
      symbol: circle(style ? 0 : 5),
      rows: points.map((p) => [p[0], p[at]]),
      tip: '{1|micros} at {0|bytes}',
    }),
  );
  const known = buffer
    ? [
        { x: buffer[1], to: buffer[2], colour: 'ink', width: 0.12 },
        {
          x: buffer[0],
          colour: 'ink',
          style: 'solid',
          width: 1.4,
          label: `buffer ${binaryBytes(buffer[0])}`,
          place: 'insideEndBottom',
        },
      ]
    : [];
  const paper = reference.map(([name, percentile, bytes]) => ({
    x: bytes,
    keys: [name],
    colour: 'soft',
    style: PAPER_STYLES[name],
    width: 1.3,
    label: `${name}: ${percentile} rises at ${bytes / 1e6} MB`,
    place: 'insideStartTop',
  }));
  const logs = points.map((p) => LOG2(p[0]));
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  const x = {
    scale: 'log2',
    name: 'size of the region',
    unit: 'block',
    min: 2 ** (low - 0.1),
    max: 2 ** (high + 0.1),
    ticks: Array.from({ length: high - low + 1 }, (_, i) => [2 ** (low + i), '']),
  };
  const legends = [legendOf(series), paperLegend(reference)];
  return { id: 'd-buffer', panels: [{ x, y: micro(), series, legends, marks: [...known, ...paper] }] };
}

/** The reads of one page: means of stretches, single reads, and how much alike they are. */
function disturbCharts({ series: all, reference }) {
  const choice = (unseen) => ({ name: 'Read between', options: all.map((one) => one.between), shared: true, unseen });
  const each = (id, unseen, panel) => ({
    id,
    choices: [choice(unseen)],
    panels: all.map((series, i) => ({ when: [i], ...panel(series) })),
  });
  const reads = (more) => ({ scale: 'linear', unit: 'count', name: 'reads of the page', ...more });
  const stretched = ({ stretches, stretch, reads: most }) => {
    const of = (i) => {
      const last = Math.min((i + 1) * stretch, most) - 1;
      return stretch > 1 ? `reads ${i * stretch} to ${last}` : `read ${i}`;
    };
    const line = (label, at, colour, width) => ({
      label,
      colour,
      line: width,
      rows: stretches.map((s, i) => [i * stretch, s[at], of(i)]),
      tip: '{1|micros}',
    });
    const lines = [line('longest', 1, 'p4', 0.8), line('mean', 0, 'p0', 1.8)];
    const series = lines.slice(stretch > 1 ? 0 : 1);
    return { x: reads({ min: 0, max: most }), y: micro(), series, along: true, head: '{2}' };
  };
  const single = ({ excerpt: us, first, period, penalty }) => ({
    x: reads({ min: first, max: first + us.length }),
    y: micro(),
    series: [
      {
        label: 'latency',
        colour: 'p0',
        line: 1,
        symbol: us.length <= 400 ? circle(3) : undefined,
        rows: us.map((v, i) => [first + i, v]),
        title: 'read {0}',
        tip: '{1|micros}',
      },
    ],
    along: true,
    title: period ? `every ${significant(period[0])} reads ${micros(penalty)} more` : '',
    title_inside: true,
    nothing: 'No single reads were kept.',
  });
  const alike = ({ correlation: r, lag, reads: most, period }) => {
    const chance = 1.96 / Math.sqrt(most / lag);
    const last = (r.length + 1) * lag;
    const upright = (x, colour, style, width, label, place) => ({ x, colour, style, width, label, place });
    const paper = reference.filter(([, reads]) => reads < last);
    const found = period ? [upright(period[0], 'ink', 'solid', 1.2, `${significant(period[0])} reads`)] : [];
    const rows = r.map((v, i) => [(i + 1) * lag, v]);
    return {
      x: reads({ name: 'lag, reads', min: 0, max: last }),
      y: {
        scale: 'linear',
        unit: 'brief',
        min: Math.min(-2 * chance, ...r),
        max: Math.max(3 * chance, ...r) * 1.1,
        grid: true,
        no_first: true,
        no_last: true,
      },
      series: [{ label: 'alike', colour: 'p0', bars: true, thin: 3, rows, title: '{0} reads apart', tip: '{1|fixed3}' }],
      marks: [
        { y: -chance, to: chance, colour: 'soft', width: 0.18 },
        ...found,
        ...paper.map(([name, reads]) =>
          upright(reads, 'soft', PAPER_STYLES[name], 1.3, `${name}: ${reads} reads`, 'insideMiddleBottom'),
        ),
      ],
      along: true,
      nothing: 'Too few reads.',
    };
  };
  return [each('d-disturb', false, stretched), each('d-excerpt', true, single), each('d-correlation', true, alike)];
}

const some = (list) => (list?.length ? list : null);
const DESCRIBED = [
  ...given(EXPERIMENTS.burst, burstChart),
  ...given(EXPERIMENTS.fsync, commitCharts),
  ...given(EXPERIMENTS.sync_methods, syncChart),
  ...given(EXPERIMENTS.write_amplification, amplificationCharts),
  ...given(EXPERIMENTS.gc, collectionChart),
  ...given(EXPERIMENTS.sustained, sustainedChart, ({ latencies }) =>
    duringWrites(
      'w-under-load',
      latencies,
      'random writes, percent of what can be sustained',
      (rate) => `${bandwidth(rate)} of writes`,
    ),
  ),
  ...given(EXPERIMENTS.channels, channelsChart),
  ...given(some(EXPERIMENTS.mix_line), mixLineChart),
  ...given(EXPERIMENTS.durable_writes, ({ latencies }) =>
    duringWrites(
      's-durable',
      latencies,
      'durable writes, percent of what the device can do',
      (rate) => `${count(rate)} durable writes/s`,
    ),
  ),
  ...given(EXPERIMENTS.io_cost, costChart),
  ...given(DEVICES.interleaving, interleavingChart),
  ...given(DEVICES.pressure, pressureChart),
  ...given(DEVICES.tail, tailChart),
  ...given(DEVICES.unaligned, sizesChart),
  ...given(DEVICES.buffer, bufferChart),
  ...given(DEVICES.disturb, disturbCharts),
  ...given(MODELS?.speedup, speedupChart),
  ...given(some(MODELS?.classes), classesChart),
  ...given(some(MODELS?.throughput), modelThroughputChart),
  ...given(some(MODELS?.residuals), residualsChart),
  ...given(some(MODELS?.surfaces), lengthsChart),
  ...given(some(MODELS?.mixed), mixedChart),
  ...given(some(MODELS?.loads), loadsChart),
];
