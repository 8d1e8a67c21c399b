'use strict';
// Durable writes: commits by several writers, and the ways to sync.

const writersAxis = () =>
  powersAxis(Math.max(1, ...EXPERIMENTS.fsync.points.map((p) => LOG2(p[0]))), 'writers');
const writersName = (n) => (n === 1 ? '1 writer' : `${n} writers`);

const commits = {
  id: 'e-commits',
  chips() {
    return [];
  },
  option() {
    const { points } = EXPERIMENTS.fsync;
    const colour = palette.durable;
    const formatter = ({ data, color }) => {
      const [writers, rate, low, high] = data.row;
      return row(color, writersName(writers), `${count(rate)} commits/s${interval(low, high, count)}`);
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: writersAxis(),
      yAxis: named('commits per second', {
        boundaryGap: [0, '12%'], // room for the whiskers
        axisLabel: { color: palette.soft, formatter: axisCount },
      }),
      series: [
        curveSeries(
          'commits',
          points.map((p) => [LOG2(p[0]), p[1]]),
          colour,
          { width: 1.4 },
        ),
        whiskerSeries(
          points.filter((p) => p[2] !== null).map((p) => [LOG2(p[0]), p[2], p[3]]),
          colour,
        ),
        pointSeries(
          'commits',
          points.map((p) => ({ value: [LOG2(p[0]), p[1]], row: p })),
          colour,
        ),
      ],
    });
  },
};

const fdatasync = {
  id: 'e-fdatasync',
  hidden: new Set(),
  items() {
    const names = EXPERIMENTS.fsync.percentiles;
    return names.map((name, i) => ({ key: name, label: name, colour: ramp(i, names.length), i }));
  },
  chips(redraw) {
    return [toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const { points, etcd_us: rule } = EXPERIMENTS.fsync;
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) =>
      row(color, data.item.label, `${micros(data.us)} with ${writersName(data.writers)}`);
    const places = (item) => points.filter((p) => p[4][item.i] > 0);
    const values = shown.flatMap((item) => places(item).map((p) => p[4][item.i]));
    const series = shown.flatMap((item) => [
      curveSeries(
        item.label,
        places(item).map((p) => [LOG2(p[0]), LOG10(p[4][item.i])]),
        item.colour,
        { width: 1.4 },
      ),
      pointSeries(
        item.label,
        places(item).map((p) => ({
          value: [LOG2(p[0]), LOG10(p[4][item.i])],
          us: p[4][item.i],
          writers: p[0],
          item,
        })),
        item.colour,
      ),
    ]);
    series[0].markLine = {
      silent: true,
      symbol: 'none',
      animation: false,
      data: [{ yAxis: LOG10(rule) }],
      lineStyle: { color: palette.soft, type: 'dashed' },
      label: { formatter: `etcd: p99 below ${micros(rule)}`, color: palette.soft, position: 'insideStartBottom' },
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: writersAxis(),
      yAxis: logAxis([...values, rule * 1.3], axisUnit(MICROS)),
      series,
    });
  },
};

const syncMethods = {
  id: 'e-sync',
  hidden: new Set(),
  items() {
    const { files } = EXPERIMENTS.sync_methods;
    return files.map((f, i) => ({ ...f, key: f.file, label: f.file, colour: ramp(i, files.length) }));
  },
  chips(redraw) {
    return [toggles(this.items(), this.hidden, redraw)];
  },
  option() {
    const { methods, block } = EXPERIMENTS.sync_methods;
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const formatter = ({ data, color }) => {
      const [method, iops, low, high, p50, p99] = data.row;
      return row(
        color,
        `${methods[method]}, file ${data.item.label}`,
        `${count(iops)} writes of ${blockName(block)}/s${interval(low, high, count)}<br>` +
          `<span style="opacity:.75">p50 ${micros(p50)}, p99 ${micros(p99)}</span>`,
      );
    };
    // Side by side: a bar's width is a share of the distance between two methods.
    const width = 0.8 / shown.length;
    const place = (item, method) => method + (shown.indexOf(item) - (shown.length - 1) / 2) * width;
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        min: -0.5,
        max: methods.length - 0.5,
        ...ticksAt(
          methods.map((_, i) => i),
          (v) => methods[Math.round(v)] ?? '',
        ),
      }),
      yAxis: named('writes per second', { axisLabel: { color: palette.soft, formatter: axisCount } }),
      series: [
        ...shown.map((item) => ({
          type: 'custom',
          name: item.label,
          itemStyle: { color: item.colour },
          // The y of the second place is what the axis reads its extent from.
          data: item.points.map((p) => ({ value: [place(item, p[0]), p[3] ?? p[1]], row: p, item })),
          renderItem: (params, api) => {
            const [method, iops] = item.points[params.dataIndex];
            const x = place(item, method);
            const [left, top] = api.coord([x - width * 0.46, iops]);
            const [right, bottom] = api.coord([x + width * 0.46, 0]);
            return {
              type: 'rect',
              shape: { x: left, y: top, width: right - left, height: bottom - top },
              style: { fill: item.colour, opacity: 0.75 },
            };
          },
        })),
        ...shown.map((item) =>
          whiskerSeries(
            item.points.filter((p) => p[2] !== null).map((p) => [place(item, p[0]), p[2], p[3]]),
            palette.ink,
          ),
        ),
      ],
    });
  },
};
