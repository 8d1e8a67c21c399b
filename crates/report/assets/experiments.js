'use strict';
// The experiments: bandwidth over r and k, mixes of reads and writes, latency over load.

/** r as a share of random accesses per page. */
const sharePerPage = (v) => parseFloat((100 * v).toPrecision(2)) + ' %';
function rAxis(values) {
  const logs = values.map(LOG10),
    low = Math.min(...logs),
    high = Math.max(...logs);
  const decades = Array.from(
    { length: Math.floor(high + 1e-9) - Math.ceil(low - 0.05) + 1 },
    (_, i) => Math.ceil(low - 0.05) + i,
  );
  const ticks = decades.length > 1 ? decades : [low, high];
  return axis({
    name: 'random accesses per page of 4K (r)',
    nameGap: 24,
    min: low - 0.06,
    max: high + 0.06,
    ...ticksAt(ticks, (v) => sharePerPage(10 ** v)),
  });
}
const kItems = (ks) => ks.map((k, i) => ({ key: k, label: 'k = ' + k, colour: ramp(i, ks.length) }));
const sizeOf = (r) => blockName(Math.round(4096 / r));

/** Chosen for both charts of r and k. */
const surfaceState = { op: null };
const surfaceOf = () => MODELS.surfaces.find((s) => s.op === surfaceState.op) || MODELS.surfaces[0];
function surfaceChoice() {
  if (MODELS.surfaces.length < 2) return [];
  return [
    choice('Operation', opChoices(MODELS.surfaces), surfaceOf().op, (v) => {
      surfaceState.op = v;
      drawAll();
    }),
  ];
}

const lengths = {
  id: 'm-lengths',
  hidden: new Set(),
  chips(redraw) {
    return [...surfaceChoice(), toggles(kItems(surfaceOf().lines.map((l) => l.k)), this.hidden, redraw)];
  },
  option() {
    const items = kItems(surfaceOf().lines.map((l) => l.k));
    const shown = surfaceOf()
      .lines.map((l, i) => ({ ...l, ...items[i] }))
      .filter((l) => !this.hidden.has(l.key) && l.measured.length);
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) => {
      const [r, bytes, low, high] = data.row,
        predicted = nearestOf(data.line.curve, r);
      return row(
        color,
        data.line.label,
        `${OP_NAMES[surfaceOf().op]} of ${sizeOf(r)} (r = ${sharePerPage(r)})<br>` +
          `measured ${bandwidth(bytes)}${interval(low, high, bandwidth)}` +
          (predicted ? `<br>${encode(MODELS.best)}: ${bandwidth(predicted[1])}` : ''),
      );
    };
    const points = shown.flatMap((l) => [...l.measured, ...l.curve]);
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: rAxis(points.map((p) => p[0])),
      yAxis: logAxis(
        points.map((p) => p[1]),
        axisUnit(BANDWIDTH),
      ),
      series: [
        ...shown.map((l) =>
          curveSeries(
            l.label,
            l.curve.map(([r, v]) => [LOG10(r), LOG10(v)]),
            l.colour,
            { width: 1.6 },
          ),
        ),
        ...shown.map((l) =>
          pointSeries(
            l.label,
            l.measured.map((m) => ({ value: [LOG10(m[0]), LOG10(m[1])], row: m, line: l })),
            l.colour,
            { symbolSize: 6 },
          ),
        ),
      ],
    });
  },
};

const surface = {
  id: 'm-surface',
  chips() {
    return surfaceChoice();
  },
  option() {
    const { op, lines: all } = surfaceOf();
    const ks = all.map((l) => l.k);
    const rs = [...new Set(all.flatMap((l) => l.measured.map((m) => m[0])))].sort((a, b) => a - b);
    const cells = all.flatMap((l) => l.measured.map((m) => [rs.indexOf(m[0]), ks.indexOf(l.k), m[1]]));
    if (!cells.length) return nothing('Nothing measured here.');
    const logs = cells.map((c) => LOG10(c[2]));
    const low = Math.min(...logs),
      high = Math.max(...logs, low + 0.01);
    const depth = (v) => 0.08 + (0.92 * (LOG10(v) - low)) / (high - low);
    const colour = (v) => echarts.color.lerp(depth(v), [palette.card, palette.read]);
    const category = (data, option) => axis({ type: 'category', data, ...option });
    const fits = Math.max(rs.length, 1) <= 10 && ks.length <= 14;
    return frame(
      {
        tooltip: {
          ...tooltip(
            ({
              data: {
                row: [x, y, v],
              },
            }) => `${OP_NAMES[op]} of ${sizeOf(rs[x])}, k = ${ks[y]}<br><b>${bandwidth(v)}</b>`,
          ),
          trigger: 'item',
        },
        toolbox: { show: false },
        dataZoom: [],
        xAxis: category(
          rs.map((r) => `${sharePerPage(r)}\n${sizeOf(r)}`),
          {
            name: 'r, and the size of a request',
            nameGap: 40,
            axisLabel: { color: palette.soft, interval: 0, hideOverlap: true, fontSize: 11, lineHeight: 15 },
          },
        ),
        yAxis: category(ks.map(String), {
          name: 'requests in flight (k)',
          nameGap: 36,
          axisLabel: { color: palette.soft },
        }),
        series: [
          {
            type: 'heatmap',
            data: cells.map((c) => ({
              value: c,
              row: c,
              itemStyle: { color: colour(c[2]), borderColor: palette.card, borderWidth: 1 },
              label: { color: depth(c[2]) > 0.62 ? palette.card : palette.ink },
            })),
            label: { show: fits, fontSize: 11, formatter: ({ data }) => significant(data.row[2] / 1e6) },
            emphasis: { itemStyle: { borderColor: palette.ink, borderWidth: 2 } },
          },
        ],
        // A heat map asks for one; the colours are the cells' own.
        visualMap: { show: false, min: 0, max: 1, seriesIndex: 9 },
      },
      14,
    );
  },
};

const mixed = {
  id: 'm-mixed',
  block: null,
  hidden: new Set(),
  hiddenModels: new Set(),
  blocks() {
    return [...new Set(MODELS.mixed.map((g) => g.block))];
  },
  groups() {
    const block = this.block ?? this.blocks()[0];
    const groups = MODELS.mixed.filter((g) => g.block === block);
    const items = kItems(groups.map((g) => g.k));
    return groups.map((g, i) => ({ ...g, ...items[i] }));
  },
  models() {
    return [...new Set(this.groups().flatMap((g) => g.curves.map(([name]) => name)))];
  },
  chips(redraw) {
    const blocks = this.blocks();
    const styles = modelItems(this.models()).map((item) => ({
      ...item,
      colour: palette.ink,
      style: mixedStyle(item.key),
    }));
    return [
      ...(blocks.length > 1
        ? [
            choice(
              'Block',
              blocks.map((b) => [b, blockName(b)]),
              this.block ?? blocks[0],
              (v) => {
                this.block = v;
                redraw();
              },
            ),
          ]
        : []),
      toggles(this.groups(), this.hidden, redraw),
      ...(styles.length ? [toggles(styles, this.hiddenModels, redraw)] : []),
    ];
  },
  option() {
    const shown = this.groups().filter((g) => !this.hidden.has(g.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) => {
      const [reads, iops, low, high] = data.row;
      const said = data.group.curves.map(
        ([name, line]) => `${encode(name)}: ${count(nearestOf(line, reads)[1])} IOPS`,
      );
      return row(
        color,
        data.group.label,
        `${significant(100 * reads)} % reads of ${blockName(data.group.block)}<br>` +
          `measured ${count(iops)} IOPS` +
          interval(low, high, count) +
          said.map((words) => '<br>' + words).join(''),
      );
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: shareAxis('share of reads'),
      yAxis: iopsAxis(),
      series: [
        ...shown.flatMap((g) =>
          g.curves
            .filter(([name]) => !this.hiddenModels.has(name))
            .map(([name, line]) =>
              curveSeries(`${g.label} ${name}`, line, g.colour, { type: mixedStyle(name), width: 1.6 }),
            ),
        ),
        ...shown.map((g) =>
          whiskerSeries(
            g.measured.filter((m) => m[2] !== null).map(([x, , low, high]) => [x, low, high]),
            g.colour,
          ),
        ),
        ...shown.map((g) =>
          pointSeries(
            g.label,
            g.measured.map((m) => ({ value: [m[0], m[1]], row: m, group: g })),
            g.colour,
          ),
        ),
      ],
    });
  },
};
const mixedStyle = (name) => (name === 'shared' ? 'solid' : 'dotted');

const loads = {
  id: 'm-loads',
  mix: 0,
  hidden: new Set(),
  items(of) {
    return of.percentiles.map((name, i) => ({
      key: name,
      label: name,
      colour: ramp(i, of.percentiles.length),
      i,
    }));
  },
  chips(redraw) {
    const names = MODELS.loads.map((l, i) => [i, `${significant(100 * l.reads).replace(/\.0+$/, '')} %`]);
    return [
      ...(names.length > 1
        ? [
            choice('Reads', names, this.mix, (v) => {
              this.mix = v;
              redraw();
            }),
          ]
        : []),
      toggles(this.items(MODELS.loads[this.mix]), this.hidden, redraw),
    ];
  },
  option() {
    const of = MODELS.loads[this.mix];
    const shown = this.items(of).filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) => {
      const [offered, completed, kept, us] = data.row;
      return row(
        color,
        data.item.label,
        `${micros(us[data.item.i])} at ${count(offered)} IOPS offered<br><span style="opacity:.75">` +
          `${significant((100 * offered) / of.capacity)} % of the capacity; ` +
          `${count(completed)} IOPS completed${kept ? '' : ': did not keep up'}</span>`,
      );
    };
    const values = shown.flatMap((item) => of.rungs.map((r) => r[3][item.i])).filter((v) => v > 0);
    const series = shown.flatMap((item) => [
      curveSeries(
        item.label,
        of.curves[item.i].map(([x, us]) => [x, LOG10(us)]),
        item.colour,
      ),
      pointSeries(
        item.label,
        of.rungs
          .filter((r) => r[3][item.i] > 0)
          .map((r) => ({
            value: [r[0], LOG10(r[3][item.i])],
            row: r,
            item,
            itemStyle: r[2]
              ? { color: item.colour }
              : { color: palette.card, borderColor: item.colour, borderWidth: 1.5 },
          })),
        item.colour,
      ),
    ]);
    series[0].markLine = {
      silent: true,
      symbol: 'none',
      animation: false,
      data: [{ xAxis: of.capacity }],
      lineStyle: { color: palette.soft, type: 'dashed' },
      label: {
        formatter: `capacity ${count(of.capacity)} at k = ${of.capacity_k}`,
        color: palette.soft,
        position: 'end',
        distance: 4,
        align: 'right',
      },
    };
    return frame(
      {
        tooltip: { ...tooltip(formatter), trigger: 'item' },
        xAxis: axis({
          name: `offered load, IOPS (${blockName(of.block)} random)`,
          nameGap: 24,
          min: 0,
          max: Math.max(of.capacity, ...of.rungs.map((r) => r[0])) * 1.04,
          axisLabel: { color: palette.soft, hideOverlap: true, showMaxLabel: false, formatter: axisCount },
        }),
        yAxis: logAxis(values, axisUnit(MICROS)),
        series,
      },
      60,
    ); // the capacity's label stands under the toolbox
  },
};
