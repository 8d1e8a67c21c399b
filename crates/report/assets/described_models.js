'use strict';
// What the models' section draws: every model and what was measured.

const MODELS = DATA.models;
const MODEL_COLOURS = { dam: 'soft', pdam: 'p1', affine: 'p2', pio: 'p3', mqssd: 'p4', shared: 'p0' };
const KIND_NAMES = { read: 'reads', write: 'writes', mixed: 'reads and writes' };

/** A model has the same colour in all charts. */
const modelColour = (name) => MODEL_COLOURS[name] ?? 'soft';
/** `shared` extends `mqssd` and often covers its line. */
const modelStyle = (name) => (name === 'shared' ? 'dashed' : 'solid');
const modelLabel = (name) => name + (name === MODELS.best ? ' (chosen)' : '');
const modelKeys = (names, style = modelStyle, colour = modelColour) =>
  names.map((name) => ({ label: modelLabel(name), colour: colour(name), style: style(name) }));
const ofModel = (name, more) => ({ label: name, keys: [modelLabel(name)], colour: modelColour(name), ...more });

/** Throughput over concurrency. */
function modelThroughputChart(all) {
  const panel = ({ op, block, measured, curves }) => {
    const models = curves.map(([name, rows]) =>
      ofModel(name, {
        line: name === MODELS.best ? 3 : 1.6,
        style: modelStyle(name),
        rows: rows.map(([k, iops]) => {
          const there = measured.find((m) => m[0] === k);
          return [k, iops, there ? `, ${significant(100 * (iops / there[1] - 1))}\u00a0%` : ''];
        }),
        tip: '{1|count} IOPS{2}',
      }),
    );
    const points = {
      label: 'measured',
      colour: 'ink',
      whiskers: true,
      reach: false,
      symbol: circle(7),
      rows: measured,
      tip: '{1|count} IOPS{2-3|count}',
    };
    const most = Math.max(...measured.map((m) => m[0]));
    return {
      x: { ...inFlight(), max: most * 2 ** 0.12 },
      y: upFrom('IOPS', 'count'),
      series: [...models, points],
      legends: [modelKeys(curves.map(([name]) => name))],
      along: true,
      head: `k = {0}, ${blockName(block)} random ${OP_NAMES[op]}`,
    };
  };
  return byChoice('m-throughput', 'Operation', all.map((of) => [OP_NAMES[of.op], panel(of)]));
}

/** How far each model is from each observation. */
function residualsChart(all) {
  const shapes = { read: 'circle', write: 'triangle', mixed: 'rhomb' };
  const kinds = Object.keys(KIND_NAMES).filter((kind) => all.some((r) => r.kind === kind));
  const panel = (here) => {
    const ks = [...new Set(here.map((r) => r.k))].sort((a, b) => a - b);
    const row = (r, ratio) => {
      const mix = r.kind === 'mixed' ? ` (${significant(100 * r.reads)}\u00a0% reads)` : '';
      const of = `${KIND_NAMES[r.kind]}${mix} of ${blockName(r.block)}, ${significant(100 * r.random)}\u00a0% random`;
      return [ks.indexOf(r.k), ratio, `${of}, k = ${r.k}`];
    };
    const series = MODELS.names.flatMap((name, i) =>
      kinds.map((kind) =>
        ofModel(name, {
          symbol: { shape: shapes[kind], size: 5.5, opacity: 0.7 },
          apart: true,
          rows: here.filter((r) => r.kind === kind && r.ratios[i] !== null).map((r) => row(r, r.ratios[i])),
          tip: 'predicts {1|significant}× the measured time~{2}',
        }),
      ),
    );
    const ends = [-0.5, ks.length - 0.5];
    const right = { label: '', colour: 'ink', line: 1, style: 'dashed', rows: ends.map((x) => [x, 1]), loose: true };
    return {
      x: ofNames('requests in flight (k)', ks.map(String)),
      y: decades('times', { name: 'predicted / measured', gap: 46, also: [0.8, 1.25] }),
      series: [right, ...series],
      legends: [modelKeys(MODELS.names, () => 'area')],
      apart: 0.13,
      within: 0.7,
      nothing: 'Nothing predicted or shown here.',
    };
  };
  const only = kinds.length > 1 ? kinds.map((kind) => [KIND_NAMES[kind], panel(all.filter((r) => r.kind === kind))]) : [];
  return byChoice('m-residuals', 'Requests', [['all', panel(all)], ...only]);
}

// ---- the experiments that models are fitted to ----

const ofK = (k, i, all, more) => one('k = ' + k, [i, all], more);
/** r as a share of random accesses per page. */
const sharePerPage = (v) => trimmed(2)(100 * v) + '\u00a0%';
const sizeOf = (r) => blockName(Math.round(4096 / r));

/** Bandwidth over r, one line for each k. */
function lengthsChart(surfaces) {
  const panel = ({ op, lines }) => {
    const shown = lines.map((line, i) => ({ ...line, i })).filter((line) => line.measured.length);
    const curves = shown.map((l) => ofK(l.k, l.i, lines.length, { line: 1.6, rows: l.curve }));
    const points = shown.map((l) =>
      ofK(l.k, l.i, lines.length, {
        symbol: circle(6),
        rows: l.measured.map((m) => {
          const predicted = nearestOf(l.curve, m[0]);
          const model = predicted ? `; ${MODELS.best}: ${bandwidth(predicted[1])}` : '';
          return [...m, `${OP_NAMES[op]} of ${sizeOf(m[0])} (r = ${sharePerPage(m[0])})`, model];
        }),
        tip: '{4}\nmeasured {1|bandwidth}{2-3|bandwidth}{5}',
      }),
    );
    const logs = shown.flatMap((l) => [...l.measured, ...l.curve].map((p) => LOG10(p[0])));
    const [low, high] = [Math.min(...logs), Math.max(...logs)];
    const first = Math.ceil(low - 0.05);
    const decades = Array.from({ length: Math.floor(high + 1e-9) - first + 1 }, (_, i) => first + i);
    const x = {
      scale: 'log10',
      name: 'random accesses per page of 4K (r)',
      min: 10 ** (low - 0.06),
      max: 10 ** (high + 0.06),
      ticks: (decades.length > 1 ? decades : [low, high]).map((v) => [10 ** v, sharePerPage(10 ** v)]),
    };
    const y = { scale: 'log10', unit: 'bandwidth', grid: true };
    const all = lines.map((l, i) => ({ label: 'k = ' + l.k, colour: [i, lines.length] }));
    return { x, y, series: [...curves, ...points], legends: [all] };
  };
  const panels = surfaces.map((of) => [OP_NAMES[of.op], panel(of)]);
  return byChoice('m-lengths', 'Operation', panels, { shared: true });
}

/** Throughput over the share of reads. */
function mixedChart(groups) {
  const style = (name) => (name === 'shared' ? 'solid' : 'dotted');
  const panel = (own) => {
    const models = [...new Set(own.flatMap((g) => g.curves.map(([name]) => name)))];
    const curves = own.flatMap((g, i) =>
      g.curves.map(([name, rows]) => {
        const line = ofK(g.k, i, own.length, { line: 1.6, style: style(name), rows });
        return { ...line, keys: [...line.keys, modelLabel(name)] };
      }),
    );
    const points = own.map((g, i) =>
      ofK(g.k, i, own.length, {
        whiskers: true,
        symbol: circle(7),
        rows: g.measured.map((m) => [
          ...m,
          g.curves.map(([name, line]) => `; ${name}: ${count(nearestOf(line, m[0])[1])} IOPS`).join(''),
        ]),
        tip: `{0|percents} reads of ${blockName(g.block)}\nmeasured {1|count} IOPS{2-3|count}{4}`,
      }),
    );
    return {
      x: ofShares('share of reads'),
      y: upFrom('IOPS', 'count'),
      series: [...curves, ...points],
      legends: [legendOf(points), modelKeys(models, style, () => 'ink')],
    };
  };
  const blocks = [...new Set(groups.map((g) => g.block))];
  const panels = blocks.map((block) => [blockName(block), panel(groups.filter((g) => g.block === block))]);
  return byChoice('m-mixed', 'Block', panels);
}

/** Latency over offered load. */
function loadsChart(loads) {
  const panel = (of) => {
    const n = of.percentiles.length;
    const series = of.percentiles.flatMap((name, i) => [
      one(name, [i, n], { line: 2, rows: of.curves[i], loose: true }),
      one(name, [i, n], {
        symbol: circle(7, { hollow: 2 }),
        rows: of.rungs
          .filter((r) => r[3][i] > 0)
          .map(([offered, completed, kept, us]) => [
            offered,
            us[i],
            !kept,
            offered / of.capacity,
            completed,
            kept ? '' : ': did not keep up',
          ]),
        tip: '{1|micros} at {0|count} IOPS offered~{3|percents} of the capacity; {4|count} IOPS completed{5}',
      }),
    ]);
    const label = `capacity ${count(of.capacity)} at k = ${of.capacity_k}`;
    return {
      x: {
        scale: 'linear',
        name: `offered load, IOPS (${blockName(of.block)} random)`,
        unit: 'count',
        min: 0,
        max: Math.max(of.capacity, ...of.rungs.map((r) => r[0])) * 1.04,
        no_last: true,
      },
      y: micro(),
      series,
      legends: [legendOf(series)],
      marks: [{ x: of.capacity, colour: 'soft', label, place: 'end', align: 'right' }],
      top: 60, // the capacity's label stands under the toolbox
    };
  };
  const reads = (of) => `${significant(100 * of.reads).replace(/\.0+$/, '')}\u00a0%`;
  return byChoice('m-loads', 'Reads', loads.map((of) => [reads(of), panel(of)]));
}
