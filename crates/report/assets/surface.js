'use strict';
// Bandwidth over r and k, as a map of heat.

const surface = {
  id: 'm-surface',
  chips() {
    const options = MODELS.surfaces.map((of) => OP_NAMES[of.op]);
    if (options.length < 2) return [];
    return [
      oneOf({ name: 'Operation', options }, together.Operation ?? 0, (i) => {
        together.Operation = i;
        drawAll();
      }),
    ];
  },
  option() {
    const { op, lines: all } = MODELS.surfaces[together.Operation ?? 0];
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
            name: 'MB/s',
            data: cells.map((c) => ({
              value: c,
              row: c,
              itemStyle: { color: colour(c[2]), borderColor: palette.card, borderWidth: 1 },
              label: { color: readableOn(colour(c[2])) },
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
