'use strict';
// Charts by block size, of latency distributions, and over the run.

/** Quantities by name: label, colour, and where a published row has it. */
const ALPHAS = [
  ['alpha', 'α saturated', 'alpha', 0],
  ['alpha_1', 'α₁ unbatched', 'alpha1'],
  ['alpha_durable', 'α durable', 'durable'],
  ['alpha_1_durable', 'α₁ durable', 'soft'],
];
const KNEES = [
  ['k_r', 'k_r reads', 'read', 1],
  ['k_w', 'k_w writes', 'write', 2],
];

/** Drives of Papon and Athanassoulis (2021); random requests. */
const PUBLISHED_STYLES = { 'Optane P4800X': 'solid', 'PCIe P4510': 'dashed', 'SATA S4610': 'dotted' };

/** A parameter over block sizes with whiskers: one line per quantity, or one per profile in a comparison. */
function byBlock(id, quantities, axisOf, show) {
  return {
    id,
    quantity: quantities[0][0],
    hidden: new Set(),
    hiddenPaper: new Set(Object.keys(PUBLISHED_STYLES)),
    /** Published numbers: one line per drive and quantity, of sizes that were measured here too. */
    published(blocks) {
      if (state.pattern !== 'random') return [];
      return Object.keys(PUBLISHED_STYLES).flatMap((name) =>
        quantities
          .filter(([key, , , at]) => at !== undefined && !this.hidden.has(key))
          .map(([, , colour, at]) => ({
            key: name,
            label: name,
            style: PUBLISHED_STYLES[name],
            colour: palette[colour],
            values: DATA.granularity
              .filter((row) => row[0] === name && row[2][at] !== null && blocks.includes(row[1]))
              .map((row) => ({ block: row[1], v: row[2][at] })),
          }))
          .filter((item) => item.values.length),
      );
    },
    items() {
      const entries = (profile) =>
        profile.parameters
          .filter((e) => e.pattern === state.pattern)
          .sort((a, b) => a.block_bytes - b.block_bytes);
      const values = (profile, name) =>
        entries(profile)
          .filter((e) => e[name] !== null)
          .map((e) => ({
            block: e.block_bytes,
            v: e[name],
            ends: e[name + '_ci'],
            bound: name === 'k_r' ? e.censored.read : name === 'k_w' ? e.censored.write : false,
          }));
      const made = SINGLE
        ? quantities.map(([name, label, colour]) => ({
            key: name,
            label,
            colour: palette[colour],
            values: values(DATA.profiles[0], name),
          }))
        : DATA.profiles.map((p, i) => ({
            key: 'p' + i,
            label: p.label,
            colour: profileColour(i),
            values: values(p, this.quantity),
          }));
      return made.filter((item) => item.values.length);
    },
    chips(redraw) {
      const pick = choice(
        'Quantity',
        quantities.map(([name, label]) => [name, label]),
        this.quantity,
        (v) => {
          this.quantity = v;
          redraw();
        },
      );
      const papers = PUBLISHED_ITEMS(this.published(sizesOf(state.pattern)));
      return [
        ...(SINGLE ? [] : [pick]),
        toggles(this.items(), this.hidden, redraw),
        ...(papers.length ? [toggles(papers, this.hiddenPaper, redraw)] : []),
      ];
    },
    option() {
      const items = this.items().filter((item) => !this.hidden.has(item.key));
      if (!items.length) return nothing('Nothing measured or shown here.');
      const blocks = [...new Set(items.flatMap((item) => item.values.map((v) => v.block)))].sort(
        (a, b) => a - b,
      );
      // Side by side, so that whiskers do not cover one another.
      const [first, last] = [LOG2(blocks[0]), LOG2(blocks.at(-1))];
      const room = Math.max(0.5, (last - first) * 0.08);
      const apart = Math.max(0.06, (last - first) * 0.018);
      const place = (item, v) => LOG2(v.block) + (items.indexOf(item) - (items.length - 1) / 2) * apart;
      const formatter = (params) => {
        const far = (block) => Math.abs(LOG2(block) - params[0].axisValue);
        const at = blocks.indexOf(blocks.reduce((a, b) => (far(b) < far(a) ? b : a)));
        return (
          `<div style="margin-bottom:3px"><b>${blockName(blocks[at])}</b> ${encode(state.pattern)}</div>` +
          items
            .map((item) => {
              const v = item.values.find((value) => value.block === blocks[at]);
              return v
                ? row(
                    item.colour,
                    item.label,
                    (v.bound ? '≥ ' : '') +
                      show(v.v) +
                      (v.ends
                        ? ` <span style="opacity:.75">(${show(v.ends[0])}–${show(v.ends[1])})</span>`
                        : ''),
                  )
                : '';
            })
            .join('')
        );
      };
      const published = this.published(blocks).filter((item) => !this.hiddenPaper.has(item.key));
      const { y, to } = axisOf(
        [...items, ...published].flatMap((item) => item.values.flatMap((v) => [v.v, ...(v.ends || [])])),
      );
      return frame({
        tooltip: tooltip(formatter, 'x'),
        xAxis: axis({
          name: 'block size',
          nameGap: 24,
          min: first - room,
          max: last + room,
          ...ticksAt(blocks.map(LOG2), (v) => blockName(Math.round(2 ** v))),
        }),
        yAxis: y,
        series: items
          .flatMap((item) => [
            {
              type: 'line',
              name: item.label,
              z: 3,
              symbol: 'circle',
              symbolSize: 7,
              showAllSymbol: true,
              itemStyle: { color: item.colour },
              lineStyle: { color: item.colour, width: 1.5, opacity: 0.6 },
              data: item.values.map((v) => [place(item, v), to(v.v)]),
            },
            whiskers(item, (v) => place(item, v), to),
          ])
          .concat(published.map((item) => publishedSeries(item, to)))
          .concat(to === LOG10 ? [unityLine(first - room, last + room)] : []),
      });
    },
  };
}

/** The drives that have something to show. */
const PUBLISHED_ITEMS = (published) =>
  Object.entries(PUBLISHED_STYLES)
    .filter(([name]) => published.some((item) => item.key === name))
    .map(([name, style]) => ({ key: name, label: name, colour: palette.soft, style }));
/** A drive's published numbers: its dashes, the quantity's colour. */
function publishedSeries(item, to) {
  return {
    type: 'line',
    name: item.label,
    silent: true,
    z: 2,
    symbol: 'emptyDiamond',
    symbolSize: 8,
    showAllSymbol: true,
    tooltip: { show: false },
    itemStyle: { color: item.colour },
    lineStyle: { color: item.colour, width: 1.2, type: item.style },
    data: item.values.map((v) => [LOG2(v.block), to(v.v)]),
  };
}

/** Where a write is worth one read. */
function unityLine(from, to) {
  return {
    type: 'line',
    name: 'one',
    silent: true,
    z: 1,
    symbol: 'none',
    tooltip: { show: false },
    lineStyle: { color: palette.soft, width: 1, type: 'dashed' },
    data: [
      [from, 0],
      [to, 0],
    ],
  };
}

function whiskers(item, place, to) {
  return {
    type: 'custom',
    silent: true,
    z: 2,
    clip: true,
    tooltip: { show: false },
    name: item.label,
    data: item.values.map((v) => [place(v), to(v.v)]),
    renderItem: (params, api) => {
      const v = item.values[params.dataIndex];
      const style = { stroke: item.colour, lineWidth: 1.5, fill: null };
      const [x, y] = api.coord([place(v), to(v.v)]);
      const children = [];
      if (v.bound) {
        children.push({
          type: 'polyline',
          style,
          shape: {
            points: [
              [x, y],
              [x, y - 22],
              [x - 4, y - 17],
              [x, y - 22],
              [x + 4, y - 17],
            ],
          },
        });
      } else if (v.ends) {
        const [low, high] = v.ends.map((end) => api.coord([place(v), to(end)])[1]);
        for (const [x1, y1, x2, y2] of [
          [x, low, x, high],
          [x - 4, low, x + 4, low],
          [x - 4, high, x + 4, high],
        ]) {
          children.push({ type: 'line', shape: { x1, y1, x2, y2 }, style });
        }
      }
      return { type: 'group', children };
    },
  };
}

const alphas = byBlock(
  'c-alpha',
  ALPHAS,
  (values) => ({ y: logAxis([...values, 1], (v) => String(parseFloat(v.toPrecision(2)))), to: LOG10 }),
  (v) => significant(v) + ' reads',
);

const knees = byBlock(
  'c-k',
  KNEES,
  (values) => {
    const most = Math.ceil(Math.max(...values.map(LOG2), 1) + 0.2);
    const ticks = Array.from({ length: most + 1 }, (_, i) => i);
    return {
      y: axis({ min: 0, max: most, ...ticksAt(ticks, (v) => String(2 ** v)), splitLine: grid() }),
      to: LOG2,
    };
  },
  (v) => String(v),
);

const DEPTHS = {
  one: ['one in flight', 'solid'],
  knee: ['at the knee', 'dashed'],
  most: ['highest depth', 'dotted'],
};
const cdf = {
  id: 'c-cdf',
  hidden: new Set(['durable']),
  hiddenDepths: new Set(),
  chips(redraw) {
    const all = lines().filter((line) => line.curve.cdfs.length);
    const depths = Object.entries(DEPTHS).map(([name, [label, style]]) => ({
      key: name,
      label,
      style,
      colour: palette.ink,
    }));
    return [toggles(all, this.hidden, redraw), toggles(depths, this.hiddenDepths, redraw)];
  },
  option() {
    const curves = lines()
      .filter((line) => !this.hidden.has(line.key))
      .flatMap((line) =>
        line.curve.cdfs
          .filter((c) => !this.hiddenDepths.has(c.at))
          .map((c) => ({
            ...line,
            label: `${line.label}, k = ${c.k}`,
            style: DEPTHS[c.at][1],
            data: inNines(c.points),
          })),
      )
      .filter((c) => c.data.length);
    if (!curves.length) return nothing('No distribution recorded or shown here.');
    const most = Math.max(1, ...curves.map((c) => c.data.at(-1)[1]));
    return frame({
      tooltip: tooltip(fasterThan(curves), 'y'),
      xAxis: logAxis(
        curves.flatMap((c) => [10 ** c.data[0][0], 10 ** c.data.at(-1)[0]]),
        axisUnit(MICROS),
        { name: 'latency', nameGap: 24 },
      ),
      yAxis: ninesAxis(most),
      series: curves.map(distributionSeries),
    });
  },
};
/** `[latency_us, share that is slower]` as logarithms. */
function inNines(points) {
  return points
    .filter(([us, slower]) => slower > 0 && us > 0)
    .map(([us, slower]) => [LOG10(us), -LOG10(slower)])
    .filter(([, nines], i, all) => nines > 0.0045 || i + 1 === all.length);
}
function ninesAxis(most) {
  const nines = (v) =>
    v < 0.01 ? '0\u00a0%' : parseFloat((100 * (1 - 10 ** -v)).toFixed(Math.max(0, Math.ceil(v) - 2))) + '\u00a0%';
  const ticks = [0, LOG10(2), ...Array.from({ length: Math.ceil(most) }, (_, i) => i + 1)];
  return axis({ min: 0, max: most * 1.02, ...ticksAt(ticks, nines), splitLine: grid() });
}
/** What a tooltip over distributions says. */
function fasterThan(curves) {
  return (params) => {
    const at = params[0].axisValue;
    return (
      '<div style="margin-bottom:3px">' +
      `<b>${(100 * (1 - 10 ** -at)).toFixed(Math.max(1, Math.ceil(at)))}\u00a0%</b> were faster than</div>` +
      curves
        .map((c) => [c, latencyAt(c.data, at)])
        .filter(([, v]) => v)
        .map(([c, v]) => row(c.colour, c.label, micros(v)))
        .join('')
    );
  };
}
function distributionSeries(c) {
  return {
    type: 'line',
    name: c.label,
    showSymbol: false,
    symbol: 'circle',
    symbolSize: 5,
    itemStyle: { color: c.colour },
    lineStyle: { color: c.colour, width: 2, type: c.style },
    data: c.data,
  };
}
function latencyAt(data, nines) {
  const after = data.findIndex(([, y]) => y >= nines);
  if (after < 0) return null;
  if (after === 0) return 10 ** data[0][0];
  const [[x0, y0], [x1, y1]] = [data[after - 1], data[after]];
  return 10 ** (x0 + ((x1 - x0) * (nines - y0)) / Math.max(y1 - y0, 1e-12));
}

const PHASES = {
  layout: 'soft',
  precondition: 'soft',
  search: 'alpha1',
  read: 'read',
  write: 'write',
  washout: 'line',
};
/** The running mean of each phase that lasted: lines over `[seconds, bytes per second]`, broken at gaps. */
function smoothed(samples, phases) {
  const width = (samples.at(-1)[0] - samples[0][0]) / 40;
  return phases.flatMap((_, phase) => {
    const own = samples.filter((sample) => sample[1] === phase);
    if (own.length < 8) return [];
    let [low, high, sum] = [0, 0, 0];
    const line = [];
    own.forEach(([at], i) => {
      while (high < own.length && own[high][0] <= at + width / 2) sum += own[high++][2];
      while (own[low][0] < at - width / 2) sum -= own[low++][2];
      if (i && at - own[i - 1][0] > width) line.push([at, null]);
      line.push([at, sum / (high - low)]);
    });
    return [{ phase, line }];
  });
}

const timeline = {
  id: 'c-time',
  phaseColour(name) {
    return palette[PHASES[name]] || palette.line;
  },
  /** Of a line: the pale colours of areas could not be seen. */
  strongColour(name) {
    return PHASES[name] === 'line' || !PHASES[name] ? palette.soft : palette[PHASES[name]];
  },
  chips() {
    const group = element('div', 'group-of');
    for (const name of DATA.profiles[0].phases) {
      const item = element('span', 'chip still');
      const area = key({ style: 'area', colour: this.phaseColour(name) });
      area.style.opacity = 0.45;
      item.append(area, element('span', '', name));
      group.append(item);
    }
    return [group];
  },
  option() {
    const { timeline: samples, phases, cliffs } = DATA.profiles[0];
    if (samples.length < 2) return nothing('No timeline recorded.');
    const runs = [];
    samples.forEach(([at, phase], i) => {
      const end = i + 1 < samples.length ? samples[i + 1][0] : at;
      if (runs.length && runs.at(-1).phase === phase) runs.at(-1).to = end;
      else runs.push({ phase, from: at, to: end });
    });
    const marked = cliffs.filter((c) => c.at_seconds !== null);
    return frame(
      {
        tooltip: tooltip(([param]) => {
          const [at, phase, rate, written] = samples[param.dataIndex] || samples[0];
          return (
            `<b>${encode(phases[phase])}</b> at ${at.toFixed(1)} s<br>` +
            `${bandwidth(rate)}<br>${binaryBytes(written)} written so far`
          );
        }, 'x'),
        xAxis: axis({
          name: 'seconds since the run began',
          nameGap: 24,
          min: samples[0][0],
          max: samples.at(-1)[0],
          axisLabel: { color: palette.soft, hideOverlap: true, formatter: (v) => String(Math.round(v)) },
        }),
        yAxis: axis({
          min: 0,
          splitLine: grid(),
          axisLabel: { color: palette.soft, formatter: axisUnit(BANDWIDTH) },
        }),
        series: [
          {
            type: 'line',
            name: 'every sample',
            z: 2,
            showSymbol: false,
            itemStyle: { color: palette.soft },
            lineStyle: { color: palette.soft, width: 0.8, opacity: 0.28 },
            data: samples.map(([at, , rate]) => [at, rate]),
          },
          ...smoothed(samples, phases).map(({ phase, line }) => ({
            type: 'line',
            name: phases[phase],
            z: 3,
            silent: true,
            showSymbol: false,
            lineStyle: { color: this.strongColour(phases[phase]), width: 2.2 },
            data: line,
          })),
          shading(runs, (run) => this.phaseColour(phases[run.phase])),
          ...marked.map((cliff, i) => cliffMark(cliff, i, marked.length)),
        ],
      },
      34 + marked.length * STRIP_ROW,
    );
  },
};
function shading(runs, colour) {
  return {
    type: 'custom',
    silent: true,
    clip: true,
    z: 0,
    tooltip: { show: false },
    data: runs.map((run) => [run.from, 0]),
    renderItem: (params, api) => {
      const run = runs[params.dataIndex],
        box = params.coordSys;
      const from = api.coord([run.from, 0])[0],
        to = api.coord([run.to, 0])[0];
      return {
        type: 'rect',
        shape: { x: from, y: box.y, width: Math.max(to - from, 0.5), height: box.height },
        style: { fill: colour(run), opacity: 0.16 },
      };
    },
  };
}
function cliffMark(cliff, i, all) {
  return {
    type: 'custom',
    silent: true,
    clip: false,
    z: 4,
    tooltip: { show: false },
    data: [[cliff.at_seconds, 0]],
    renderItem: (params, api) => {
      const { x: left, y: top, width, height } = params.coordSys;
      const x = api.coord([cliff.at_seconds, 0])[0],
        y = top - 10 - (all - 1 - i) * STRIP_ROW;
      if (x < left - 1 || x > left + width + 1) return null;
      const leftward = x > left + width / 2;
      return {
        type: 'group',
        children: [
          {
            type: 'line',
            shape: { x1: x, y1: y, x2: x, y2: top + height },
            style: { stroke: palette.durable, lineWidth: 1.5, lineDash: [4, 3] },
          },
          { type: 'circle', shape: { cx: x, cy: y, r: 4 }, style: { fill: palette.durable } },
          {
            type: 'text',
            style: {
              text: (width > 480 ? 'cliff: ' : '') + cliff.words,
              x: leftward ? x - 9 : x + 9,
              y,
              fill: palette.durable,
              fontWeight: 600,
              fontSize: 12,
              fontFamily: FONT,
              align: leftward ? 'right' : 'left',
              verticalAlign: 'middle',
              width: (leftward ? x - left : left + width - x) - 12,
              overflow: 'truncate',
            },
          },
        ],
      };
    },
  };
}
