'use strict';
// What is measured as points with whiskers, what is predicted as curves.

/** An interval in a tooltip. */
const interval = (low, high, show) =>
  low === null ? '' : ` <span style="opacity:.75">(${show(low)}–${show(high)})</span>`;

/** A model's curve. */
function curveSeries(name, data, colour, option) {
  return {
    type: 'line',
    name,
    z: 2,
    silent: true,
    showSymbol: false,
    symbol: 'circle',
    itemStyle: { color: colour },
    lineStyle: { color: colour, width: 2, ...option },
    data,
  };
}
/** Measured points; each carries its row for the tooltip. */
function pointSeries(name, data, colour, option) {
  return { type: 'scatter', name, z: 4, symbolSize: 7, itemStyle: { color: colour }, data, ...option };
}
/** Upright whiskers from `[x, low, high]`, already in the axes' values. */
function whiskerSeries(data, colour) {
  return {
    type: 'custom',
    silent: true,
    z: 3,
    clip: true,
    tooltip: { show: false },
    data: data.map(([x, low]) => [x, low]),
    renderItem: (params, api) => {
      const [x, low, high] = data[params.dataIndex];
      const [px, bottom] = api.coord([x, low]),
        top = api.coord([x, high])[1];
      const style = { stroke: colour, lineWidth: 1.3, fill: null };
      return {
        type: 'group',
        children: [
          [px, bottom, px, top],
          [px - 3, bottom, px + 3, bottom],
          [px - 3, top, px + 3, top],
        ].map(([x1, y1, x2, y2]) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style })),
      };
    },
  };
}
/** Colours of an ordered set, such as concurrencies. */
function ramp(i, n) {
  const colours = [palette.p0, palette.p2, palette.p1, palette.p4];
  return n < 2 ? colours[0] : echarts.color.lerp(i / (n - 1), colours);
}
