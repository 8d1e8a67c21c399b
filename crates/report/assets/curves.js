'use strict';
// Charts over concurrency: throughput, latency, latency against bandwidth.

const PERCENTILES = [
  ['p50', 'p50', 'solid'],
  ['p99', 'p99', 'dashed'],
  ['p999', 'p99.9', 'dotted'],
];

const throughput = {
  id: 'c-throughput',
  metric: 'iops',
  hidden: new Set(),
  chips(redraw) {
    return [
      // On a page of one profile it stands apart from the bar of choices.
      ...(SINGLE ? followed() : []),
      choice(
        'Unit',
        [
          ['iops', 'IOPS'],
          ['bytes', 'bytes/s'],
        ],
        this.metric,
        (v) => {
          this.metric = v;
          redraw();
        },
      ),
      toggles(lines(), this.hidden, redraw),
    ];
  },
  option() {
    const shown = lines().filter((line) => !this.hidden.has(line.key));
    if (!shown.length) return nothing('Nothing measured or shown here.');
    const bytes = this.metric === 'bytes';
    const scale = bytes ? state.block : 1;
    const number = (v) => (bytes ? bandwidth : count)(v * scale);
    const words = (p) =>
      number(p.iops) +
      (bytes ? '' : ' IOPS') +
      (p.ends ? ` <span style="opacity:.75">(${number(p.low)}–${number(p.high)})</span>` : '') +
      `<br><span style="opacity:.75">${bytes ? count(p.iops) + ' IOPS' : bandwidth(p.bandwidth)}, ` +
      `mean ${micros(p.mean)}${p.cpuBound ? ', CPU-bound' : ''}</span>`;
    return frame(
      {
        tooltip: tooltip((params) => tip(params, shown, words), 'x'),
        xAxis: concurrencyAxis(shown),
        yAxis: axis({
          min: 0,
          splitLine: grid(),
          axisLabel: { color: palette.soft, formatter: bytes ? axisUnit(BANDWIDTH) : axisCount },
        }),
        series: [
          ...shown.map((line) =>
            band(
              line,
              (p) => p.low * scale,
              (p) => p.high * scale,
            ),
          ),
          ...shown.map((line) => ({
            type: 'line',
            name: line.label,
            z: 3,
            symbol: 'circle',
            showAllSymbol: true,
            lineStyle: { color: line.colour, width: 2 },
            data: dots(line, (p) => [LOG2(p.k), p.iops * scale]),
          })),
          ...kneeStrip(shown, (line) => line.curve.plateau * scale),
        ],
      },
      stripHeight(shown),
    );
  },
};

const latency = {
  id: 'c-latency',
  hidden: new Set(['durable']),
  hiddenPercentiles: new Set(),
  chips(redraw) {
    const kinds = PERCENTILES.map(([name, label, style]) => ({
      key: name,
      label,
      style,
      colour: palette.ink,
    }));
    return [toggles(lines(), this.hidden, redraw), toggles(kinds, this.hiddenPercentiles, redraw)];
  },
  option() {
    const shown = lines().filter((line) => !this.hidden.has(line.key));
    const kinds = PERCENTILES.filter(([name]) => !this.hiddenPercentiles.has(name));
    if (!shown.length || !kinds.length) return nothing('Nothing measured or shown here.');
    const words = (p) => `p50 ${micros(p.p50)}, p99 ${micros(p.p99)}, p99.9 ${micros(p.p999)}`;
    const all = shown.flatMap((line) => line.curve.points.flatMap((p) => kinds.map(([name]) => p[name])));
    return frame(
      {
        tooltip: tooltip((params) => tip(params, shown, words), 'x'),
        xAxis: concurrencyAxis(shown),
        yAxis: logAxis(all, axisUnit(MICROS)),
        series: [
          ...shown.flatMap((line) =>
            kinds.map(([name, label, style]) => ({
              type: 'line',
              name: `${line.label} ${label}`,
              z: 3,
              symbol: 'circle',
              showAllSymbol: true,
              lineStyle: { color: line.colour, width: 2, type: style },
              data: dots(line, (p) => [LOG2(p.k), LOG10(p[name])]).map((d) => ({
                ...d,
                symbolSize: 4,
                line: line.key,
              })),
            })),
          ),
          ...kneeStrip(shown),
        ],
      },
      stripHeight(shown),
    );
  },
};

/** Points at powers of two: labels and steps are then the same everywhere. */
function atPowers(line) {
  const points = line.curve.points.filter((p) => Number.isInteger(LOG2(p.k)));
  return { ...line, curve: { ...line.curve, points } };
}

const trade = {
  id: 'c-trade',
  metric: 'p99',
  hidden: new Set(['durable']),
  chips(redraw) {
    return [
      choice(
        'Latency',
        [
          ['p99', 'p99'],
          ['mean', 'mean'],
        ],
        this.metric,
        (v) => {
          this.metric = v;
          redraw();
        },
      ),
      toggles(lines(), this.hidden, redraw),
    ];
  },
  option() {
    const shown = lines()
      .filter((line) => !this.hidden.has(line.key))
      .map(atPowers)
      .filter((line) => line.curve.points.length);
    if (!shown.length) return nothing('Nothing measured or shown here.');
    const metric = this.metric;
    const formatter = (param) => {
      const line = shown[param.seriesIndex],
        p = param.data.row;
      return row(
        line.colour,
        `${line.label}, k = ${p.k}`,
        `<br>${bandwidth(p.bandwidth)} (${count(p.iops)} IOPS)<br>` +
          `mean ${micros(p.mean)}, p99 ${micros(p.p99)}`,
      );
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: 'bandwidth',
        nameGap: 24,
        min: 0,
        axisLabel: { color: palette.soft, hideOverlap: true, formatter: axisUnit(BANDWIDTH) },
      }),
      yAxis: logAxis(
        shown.flatMap((line) => line.curve.points.map((p) => p[metric])),
        axisUnit(MICROS),
      ),
      series: shown.map((line) => ({
        type: 'line',
        name: line.label,
        symbol: 'circle',
        showAllSymbol: true,
        lineStyle: { color: line.colour, width: 2 },
        label: {
          show: true,
          distance: 5,
          color: line.colour,
          fontSize: 11,
          minMargin: 3,
          formatter: (d) => String(d.data.row.k),
        },
        labelLayout: { hideOverlap: true },
        data: dots(line, (p) => [p.bandwidth, LOG10(p[metric])]).map((d) => ({
          ...d,
          label: { position: steep(line, d.row) ? 'right' : 'top' },
        })),
      })),
    });
  },
};

/** Where the curve has turned upward, a label on top would cover the next point. */
function steep(line, p) {
  return p.bandwidth > 0.93 * Math.max(...line.curve.points.map((q) => q.bandwidth));
}

/** All lines at the concurrency under the pointer. */
function tip(params, shown, words) {
  const near = params.find((param) => param.data && param.data.row);
  if (!near) return '';
  const k = near.data.row.k;
  const rows = shown.map((line) => [line, line.curve.points.find((p) => p.k === k)]).filter(([, p]) => p);
  return (
    `<div style="margin-bottom:3px">k = <b>${k}</b></div>` +
    rows.map(([line, p]) => row(line.colour, line.label, words(p))).join('')
  );
}
