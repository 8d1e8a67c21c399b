'use strict';
// What experiments on writes and on bursts draw.

// ---- bursts, and what lasts ----

function burstChart({ loads, baseline, op }) {
  // Ticks at whole minutes where the load lasted for minutes.
  const unit = Math.max(...loads.map((load) => load.samples.at(-1)?.[0] ?? 0)) >= 180 ? 60 : 1;
  const series = loads.flatMap((load, i) => {
    const label = load.rest === 0 ? 'at first' : `after ${duration(load.rest)} of rest`;
    const line = one(label, [i, loads.length], { line: 1.6, steps: true, tip: '{1|count} IOPS' });
    const rows = load.samples.map(([x, iops]) => [x / unit, iops, x]);
    if (load.fell === null) return [{ ...line, rows }];
    const before = nearestOf(load.samples, load.fell * 0.9)[1];
    const fall = { ...line, line: 0, tip: '', symbol: { shape: 'fall', size: 9 }, rows: [[load.fell / unit, before]] };
    return [{ ...line, rows }, fall];
  });
  const label = `baseline ${count(baseline ?? 0)} IOPS`;
  const level = { y: baseline, colour: 'ink', style: 'dotted', width: 1.4, label };
  return {
    id: 'e-burst',
    panels: [
      {
        x: { scale: 'linear', name: `${unit === 60 ? 'minutes' : 'seconds'} since the load began`, min: 0 },
        y: upFrom(`${op} per second`, 'count'),
        series,
        legends: loads.length > 1 ? [legendOf(series)] : [],
        marks: baseline === null ? [] : [level],
        along: true,
        head: '{2|duration} of load',
      },
    ],
  };
}

/** Burst against sustained writes, over the bytes written. */
function sustainedChart({ loads }) {
  const shown = loads.filter((load) => load.samples.length);
  // By decades where what is sustained would lie on the ground of a chart that shows the burst.
  const rates = shown.flatMap((load) => [load.sustained, ...load.samples.map((s) => s[1])]);
  const most = Math.max(...rates);
  const wide = most > 8 * Math.min(...shown.map((load) => load.sustained));
  const highest = Math.max(...shown.map((load) => load.sustained));
  const logs = shown.flatMap((load) => load.samples.map((s) => LOG2(s[0]))).filter(Number.isFinite);
  const [low, high] = [Math.floor(Math.min(...logs)), Math.max(...logs)];
  const step = high - low > 12 ? 4 : 2;
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high; t += step) ticks.push([2 ** t, '']);
  // Two cliffs of nearly the same size would write one name over the other.
  const taken = [];
  const nameOf = (at) => {
    const free = taken.every((other) => Math.abs(LOG2(at / other)) > 1.5);
    if (free) taken.push(at);
    return free ? binaryBytes(at) : '';
  };
  const name = (load) => `${load.pattern}, ${load.k} × ${blockName(load.block)}`;
  const colour = (load) => FOREGROUND_COLOURS[load.pattern + ' write'];
  const series = shown.map((load) =>
    one(name(load), colour(load), {
      line: 1.5,
      symbol: circle(3),
      rows: load.samples.filter(([, rate]) => rate > 0 || !wide).map(([at, rate]) => [at, rate]),
      tip:
        `{1|bandwidth} after {0|bytes}~sustained ${bandwidth(load.sustained)}, ` +
        `${(100 * load.ratio).toFixed(0)}\u00a0% of the burst`,
    }),
  );
  const marks = shown.flatMap((load) => [
    {
      y: load.sustained,
      keys: [name(load)],
      colour: colour(load),
      width: 1.2,
      label: `${load.pattern}: ${bandwidth(load.sustained)} sustained`,
      place: load.sustained < highest ? 'insideStartBottom' : 'insideStartTop',
    },
    ...load.cliffs.map(([at]) => ({
      x: at,
      keys: [name(load)],
      colour: colour(load),
      style: 'dotted',
      width: 1.3,
      label: nameOf(at),
      place: 'end',
    })),
  ]);
  return {
    id: 'w-sustained',
    panels: [
      {
        x: {
          scale: 'log2',
          name: 'bytes written since the rest',
          unit: 'bytes',
          min: 2 ** low,
          max: 2 ** (high + 0.1),
          ticks,
        },
        y: wide
          ? decades('bandwidth', { name: 'bandwidth', gap: 62, over: most / 1e4 })
          : upFrom('bandwidth', 'bandwidth', { gap: 62 }),
        series,
        legends: [legendOf(series)],
        marks,
        top: 52,
      },
    ],
  };
}

/** Latency of reads over the writes that run at the same time: `[share, written, reads, mean, low, high, percentiles]`. */
function duringWrites(id, rows, name, written) {
  const line = (label, colour, of, ends) =>
    one(label, colour, {
      line: 2,
      symbol: circle(6, { opacity: 1 }),
      whiskers: Boolean(ends),
      reach: false,
      rows: rows.map((p) => [100 * p[0], of(p), ends ? p[4] : null, ends ? p[5] : null, written(p[1]), p[2]]),
      tip: `{1|micros}${ends ? '{2-3|micros}' : ''} during {4}~{5|count} reads`,
    });
  const percentiles = ['p50', 'p90', 'p99', 'p99.9'];
  const series = [
    line('mean', 'ink', (p) => p[3], true),
    ...percentiles.map((label, i) => line(label, [i, percentiles.length], (p) => p[6][i])),
  ];
  const ticks = rows.map((p) => [100 * p[0], String(Math.round(100 * p[0]))]);
  const x = { scale: 'linear', name, min: -3, max: 100, ticks };
  return { id, panels: [{ x, y: micro(), series, legends: [legendOf(series)] }] };
}

// ---- write amplification and collection ----

const amplified = '{1|fixed} bytes per byte';
const AMPLIFICATION = { name: 'write amplification', gap: 34, min: 0, grid: true, room: '12%' };
function amplificationCharts({ runs, fills }) {
  const label = (run) => (fills ? `${run.pattern}, ${run.fill}\u00a0%` : run.pattern);
  const colour = (i) => 'p' + (i % 6);
  const windows = runs.map((run, i) =>
    one(label(run), colour(i), {
      line: 1.6,
      symbol: circle(6, { hollow: 2, edge: 1.4 }),
      rows: run.windows.map(([at, value], w) => [at, value, w < run.windows.length - run.used, w + 1]),
      tip: `${amplified}~window {3}, after {0|short} times the part`,
    }),
  );
  const marks = runs.map((run, i) => ({
    y: run.level,
    keys: [label(run)],
    colour: colour(i),
    style: run.settled ? 'dashed' : 'dotted',
    width: 1.3,
    label: `${run.level.toFixed(2)}${run.settled ? '' : ', not settled'}`,
  }));
  const patterns = [...new Set(runs.map((run) => run.pattern))];
  const overFills = patterns.map((pattern, i) => {
    const own = runs.filter((run) => run.pattern === pattern).sort((a, b) => a.fill - b.fill);
    return one(pattern, colour(i), {
      line: 1.2,
      whiskers: true,
      symbol: circle(7, { hollow: 4 }),
      rows: own.map((run) => [run.fill, run.level, ...(run.ci ?? [null, null]), !run.settled]),
      title: '{5}',
      tip: `${amplified}{2-3|fixed}{6}`,
    });
  });
  for (const series of overFills) {
    for (const cells of series.rows) {
      cells.push(`${series.label}, fill ${cells[0]}\u00a0%`, cells[4] ? ', not settled' : '');
    }
  }
  const y = { scale: 'linear', ...AMPLIFICATION };
  return [
    {
      id: 'w-amplification',
      panels: [
        {
          x: { scale: 'linear', name: 'written, in multiples of the part that is written to', min: 0 },
          y,
          series: windows,
          legends: [legendOf(windows)],
          marks,
        },
      ],
    },
    {
      id: 'w-fills',
      panels: [
        {
          x: { scale: 'linear', name: 'fill level, percent', min: 0, max: 104 },
          y,
          series: overFills,
          legends: patterns.length > 1 ? [legendOf(overFills)] : [],
        },
      ],
    },
  ];
}

/** A drive that is filled and overwritten: bandwidth over time. */
function collectionChart({ passes, reference, k, block }) {
  const percent = (share) => `${trimmed(2)(100 * share)}\u00a0%`;
  const series = passes.map((pass, i) => {
    const times = pass.amplification;
    const amplification = times === null ? '' : `; write amplification ${times.toFixed(2)}`;
    return one(pass.name, 'p' + (i % 6), {
      line: 1.4,
      symbol: circle(4),
      rows: pass.windows,
      tip:
        `{1|bandwidth} at {0|duration}~drop ${percent(pass.drop)}, robustly ${percent(pass.robust)}` +
        amplification,
    });
  });
  // At first the NAND drive's marks, where they do not dwarf this drive.
  const most = Math.max(...passes.flatMap((pass) => pass.windows.map((w) => w[1])));
  const names = reference.map(([name]) => name);
  const hidden = most > 8e8 ? names.filter((name) => name !== 'NAND P3700') : names;
  const mark = (name, y, words) => ({
    y,
    keys: [name],
    colour: 'soft',
    style: PAPER_STYLES[name],
    width: 1.2,
    label: `${name}, ${words} ${bandwidth(y)}`,
    place: 'insideStartTop',
  });
  return {
    id: 'w-gc',
    panels: [
      {
        x: { scale: 'linear', name: 'seconds since the fill began', min: 0 },
        y: upFrom(`bandwidth, ${k} × ${blockName(block)}`, 'bandwidth', { gap: 62, headroom: 1.12, no_last: true }),
        series,
        legends: [legendOf(series), paperLegend(reference, hidden)],
        marks: reference.flatMap(([name, fast, slow]) => [mark(name, fast, 'fastest'), mark(name, slow, 'slowest')]),
      },
    ],
  };
}
