'use strict';
// What experiments for databases and settings draw, and what batching gains.

// ---- durable writes ----

function commitCharts({ points, percentiles, etcd_us: rule }) {
  const writers = (n) => (n === 1 ? '1 writer' : `${n} writers`);
  const rate = {
    label: 'commits',
    colour: 'durable',
    line: 1.4,
    whiskers: true,
    symbol: circle(7),
    rows: points.map(([n, rate, low, high]) => [n, rate, low, high, writers(n)]),
    title: '{4}',
    tip: '{1|count} commits/s{2-3|count}',
  };
  const latencies = percentiles.map((name, i) =>
    one(name, [i, percentiles.length], {
      line: 1.4,
      symbol: circle(7, { opacity: 0.8 }),
      rows: points.filter((p) => p[4][i] > 0).map((p) => [p[0], p[4][i], writers(p[0])]),
      tip: '{1|micros} with {2}',
    }),
  );
  const limit = { y: rule, colour: 'soft', label: `etcd: p99 below ${micros(rule)}`, place: 'insideStartBottom' };
  const x = inFlight('writers');
  return [
    { id: 'e-commits', panels: [{ x, y: upFrom('commits per second', 'count', { room: '12%' }), series: [rate] }] },
    {
      id: 'e-fdatasync',
      panels: [
        { x, y: micro({ also: [rule * 1.3] }), series: latencies, legends: [legendOf(latencies)], marks: [limit] },
      ],
    },
  ];
}

function syncChart({ files, methods, block }) {
  const series = files.map((file, i) =>
    one(file.file, [i, files.length], {
      blocks: true,
      whiskers: true,
      apart: true,
      rows: file.points.map(([method, iops, low, high, p50, p99]) => [
        method,
        iops,
        low,
        high,
        `${methods[method]}, file ${file.file}`,
        p50,
        p99,
      ]),
      title: '{4}',
      tip: `{1|count} writes of ${blockName(block)}/s{2-3|count}~p50 {5|micros}, p99 {6|micros}`,
    }),
  );
  const y = upFrom('writes per second', 'count');
  return { id: 'e-sync', panels: [{ x: ofNames('', methods), y, series, legends: [legendOf(series)] }] };
}

// ---- channels ----

function channelsChart(data) {
  const lines = [
    ['once', 'thrown at once', 'p0', '{0} at once: {1|significant} channels busy'],
    ['stream', 'in a stream', 'p4', '{0} in flight: {1|significant} times the throughput of one'],
  ];
  const series = lines.flatMap(([key, label, colour, tip]) => [
    one(label, colour, { line: 1.8, rows: data[key + '_law'], loose: key === 'stream' }),
    one(label, colour, { line: 1.2, style: 'dashed', rows: data[key + '_unlimited'], loose: true }),
    one(label, colour, {
      whiskers: true,
      symbol: circle(7),
      rows: data[key].filter((p) => p[1] > 0),
      tip: tip + '{2-3|significant}',
    }),
  ]);
  const values = [...data.once, ...data.stream, ...data.once_law].map((p) => p[1]);
  const high = LOG2(Math.max(2, ...values)) + 0.5;
  const low = Math.min(0, LOG2(Math.min(...values)));
  const n = { y: data.n, colour: 'ink', style: 'dotted', width: 1.3, label: `${data.n} channels`, place: 'insideStartTop' };
  const most = Math.max(...[...data.once, ...data.stream].map((p) => p[0]));
  return {
    id: 'e-channels',
    panels: [
      {
        x: { ...inFlight('reads at once, or in flight all the time'), min: 2 ** -0.12, max: most * 2 ** 0.12 },
        y: {
          scale: 'log2',
          name: 'busy channels; throughput / that of one',
          gap: 34,
          unit: 'whole',
          min: 2 ** (low - 0.1),
          max: 2 ** high,
          grid: true,
        },
        series,
        legends: [legendOf(series)],
        marks: data.n === null ? [] : [n],
      },
    ],
  };
}

// ---- what the settings of other systems are derived from ----

function mixLineChart(sizes) {
  const panel = ({ block, line, by_k: byK }) => {
    const measured = byK.map((of, i) =>
      one('k = ' + of.k, [i, byK.length], {
        line: 1.4,
        whiskers: true,
        symbol: circle(7),
        rows: of.points.map((p) => [...p, (100 * p[1]) / nearestOf(line, p[0])[1]]),
        tip:
          `{0|percents} reads of ${blockName(block)}\n{1|count} IOPS{2-3|count}` +
          '~{4|significant}\u00a0% of the straight line',
      }),
    );
    const straight = { label: 'straight line', colour: 'ink', line: 1.4, style: 'dashed', rows: line };
    const y = upFrom('IOPS', 'count');
    return { x: ofShares('share of reads'), y, series: [straight, ...measured], legends: [legendOf(measured)] };
  };
  return byChoice('s-mix', 'Block', sizes.map((size) => [blockName(size.block), panel(size)]));
}

function costChart({ rates }) {
  const series = rates.map((rate, i) => {
    const unit = rate.bytes ? '|bandwidth}' : '|count} IOPS';
    const reported = rate.bytes ? bandwidth(rate.rate) : `${count(rate.rate)} IOPS`;
    return one(rate.name, 'p' + i, {
      line: 1.5,
      symbol: circle(6),
      rows: rate.rounds.map((value, round) => [round + 1, (100 * value) / rate.rate, value]),
      tip: `{2${unit} in round {0}~reported: ${reported}`,
    });
  });
  const most = Math.max(...rates.map((rate) => rate.rounds.length));
  const ticks = Array.from({ length: most }, (_, i) => [i + 1, String(i + 1)]);
  const x = { scale: 'linear', name: 'round', min: 0.5, max: most + 0.5, ticks };
  const y = { scale: 'linear', name: 'percent of the rate reported', gap: 46, min: 0, grid: true, room: '8%' };
  return { id: 's-cost', panels: [{ x, y, series, legends: [legendOf(series)] }] };
}

// ---- what batching gains ----

const batches = (values) => decades('times', { name: 'speed-up', gap: 40, also: [1, ...values] });
function speedupChart({ alpha, k_r: kr, k_w: kw, classes: all }) {
  const panel = ({ lines }) => {
    const series = lines.map(([k, line], i) =>
      one('k = ' + k, [i, lines.length], { line: 2, rows: line, tip: '{1|times} as fast' }),
    );
    return {
      x: ofShares('share of reads'),
      y: batches([]),
      series,
      legends: [legendOf(series)],
      title: `α₁ = ${significant(alpha)}, k_r = ${Math.round(kr)}, k_w = ${Math.round(kw)}`,
      along: true,
      head: '{0|percent} reads',
    };
  };
  const first = all.findIndex((one) => one.class === 'batched reads and writes');
  return byChoice('m-speedup', 'Class', all.map((of) => [of.class, panel(of)]), { first });
}
function classesChart(all) {
  const names = [...new Set(all.map((of) => of.class))];
  const panel = (name) => {
    const own = all.filter((of) => of.class === name);
    const series = own.flatMap((of, i) => {
      const label = `${Math.round(100 * of.reads)}\u00a0% reads`;
      const said = (line, batch) => {
        const found = nearestOf(line, batch);
        return found ? SHOW.times(found[1]) : '';
      };
      const rows = of.measured.map((m) => {
        const [pio, model] = [said(of.by_pio, m[0]), said(of.by_model, m[0])];
        return [...m, pio && `; PIO: ${pio}`, model && `; chosen model: ${model}`];
      });
      const line = one(label, [i, own.length], { line: 1.6 });
      return [
        { ...line, rows: of.by_pio },
        { ...line, style: 'dashed', rows: of.by_model },
        {
          ...line,
          line: 0,
          whiskers: true,
          symbol: circle(7),
          apart: true,
          rows,
          tip: 'batches of {0}\nmeasured {1|times}{2-3|times}{4}{5}',
        },
      ];
    });
    const most = Math.max(1, ...own.flatMap((of) => of.measured.map((m) => LOG2(m[0])))) + 0.1;
    const x = { ...inFlight('requests in a batch'), min: 2 ** -0.12, max: 2 ** (most + 0.12) };
    return { x, y: batches([]), series, legends: [legendOf(series)], apart: 0.07 };
  };
  return byChoice('m-classes', 'Class', names.map((name) => [name, panel(name)]), { first: names.length - 1 });
}
