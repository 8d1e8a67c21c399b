'use strict';
// What all charts share: axes, tooltips, bands, the strip of knees.

const LOG2 = Math.log2;
const LOG10 = Math.log10;
const FONT = '"Segoe UI", Roboto, "Liberation Sans", system-ui, sans-serif';

/** A chart's frame; `top` leaves room for the strip above the plot. */
function frame(option, top = 34) {
  return {
    animation: false,
    textStyle: { fontFamily: FONT, fontSize: 12, color: palette.ink },
    grid: { left: 6, right: 16, top, bottom: 6, outerBoundsMode: 'same', outerBoundsContain: 'all' },
    dataZoom: [
      {
        type: 'inside',
        xAxisIndex: 0,
        filterMode: 'none',
        zoomOnMouseWheel: 'ctrl',
        moveOnMouseMove: 'shift',
        moveOnMouseWheel: false,
        preventDefaultMouseMove: false,
      },
    ],
    toolbox: {
      show: !printing,
      right: 2,
      top: 0,
      itemSize: 13,
      itemGap: 9,
      showTitle: true,
      iconStyle: { borderColor: palette.soft },
      emphasis: {
        iconStyle: { borderColor: palette.ink, textFill: palette.ink, textBackgroundColor: palette.card },
      },
      feature: {
        dataZoom: { xAxisIndex: 0, yAxisIndex: 0, filterMode: 'none', title: { zoom: 'zoom', back: 'back' } },
        restore: { title: 'reset' },
        saveAsImage: { title: 'save', name: 'leadline', backgroundColor: palette.card },
      },
    },
    ...option,
  };
}
function tooltip(formatter, axis) {
  return {
    trigger: 'axis',
    confine: true,
    appendTo: undefined,
    formatter,
    backgroundColor: palette.card,
    borderColor: palette.line,
    padding: [7, 10],
    textStyle: { color: palette.ink, fontSize: 12 },
    axisPointer: { type: 'line', axis, lineStyle: { color: palette.soft, type: 'dashed' } },
  };
}
function axis(option) {
  return {
    type: 'value',
    nameLocation: 'middle',
    nameTextStyle: { color: palette.soft },
    axisLine: { show: true, onZero: false, lineStyle: { color: palette.line } },
    axisTick: { show: true, lineStyle: { color: palette.line } },
    axisLabel: { color: palette.soft, hideOverlap: true, ...option.label },
    splitLine: { show: false },
    ...option,
  };
}
const grid = () => ({ show: true, lineStyle: { color: palette.grid } });

/** Ticks at chosen places of an axis that was made logarithmic by hand. */
function ticksAt(values, formatter) {
  return {
    axisLabel: {
      color: palette.soft,
      hideOverlap: true,
      customValues: values,
      formatter,
      showMinLabel: true,
      showMaxLabel: true,
    },
    axisTick: { show: true, customValues: values, lineStyle: { color: palette.line } },
  };
}
/** Concurrency, by powers of two. Values are log2 k. */
function concurrencyAxis(shown) {
  return powersAxis(Math.max(1, ...shown.flatMap((line) => line.curve.points.map((p) => LOG2(p.k)))));
}
/** By powers of two, to `most`. Values are logarithms of base 2. */
function powersAxis(most, name = 'requests in flight (k)') {
  const ticks = Array.from({ length: Math.floor(most + 1e-9) + 1 }, (_, i) => i);
  return axis({
    name,
    nameGap: 24,
    min: -0.12,
    max: most + 0.12,
    ...ticksAt(ticks, (v) => String(Math.round(2 ** v))),
  });
}
/** Values are log10; the fewer decades, the more ticks. */
function logAxis(values, formatter, option) {
  const logs = values.filter((v) => v > 0).map(LOG10);
  let low = Math.min(...logs),
    high = Math.max(...logs);
  if (!Number.isFinite(low)) {
    low = 0;
    high = 1;
  }
  const span = high - low;
  const steps = span < 0.6 ? [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] : span < 3.2 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let decade = Math.floor(low) - 1; decade <= Math.ceil(high); decade += 1) {
    for (const step of steps) ticks.push(decade + LOG10(step));
  }
  const under = ticks.filter((t) => t <= low + 1e-9).at(-1);
  const over = ticks.find((t) => t >= high - 1e-9) ?? high;
  return axis({
    min: Math.max(under, low - 0.25),
    max: Math.min(over === under ? over + 0.3 : over, high + 0.25),
    ...ticksAt(ticks, (v) => formatter(10 ** v)),
    splitLine: grid(),
    ...option,
  });
}

/** The interval of a curve, as an area. */
function band(line, low, high) {
  const points = line.curve.points.filter((p) => p.ends);
  return {
    type: 'custom',
    silent: true,
    z: 1,
    clip: true,
    name: line.label,
    tooltip: { show: false },
    data: points.length ? [[0, Math.max(...points.map(high))]] : [],
    renderItem: (_, api) => ({
      type: 'polygon',
      shape: {
        points: [
          ...points.map((p) => api.coord([LOG2(p.k), high(p)])),
          ...points
            .slice()
            .reverse()
            .map((p) => api.coord([LOG2(p.k), low(p)])),
        ],
      },
      style: { fill: line.colour, opacity: 0.2 },
    }),
  };
}
/** Points of a line; hollow where the processor set the pace. */
function dots(line, at) {
  return line.curve.points.map((p) => ({
    value: at(p),
    row: p,
    itemStyle: p.cpuBound
      ? { color: palette.card, borderColor: line.colour, borderWidth: 2 }
      : { color: line.colour, borderColor: line.colour, borderWidth: 1 },
    symbolSize: p.cpuBound ? 8 : 6,
  }));
}

const STRIP_ROW = 17;
const stripLines = (shown) => shown.filter((line) => line.curve.k !== null);
/** Room above the plot for one row a knee, under the toolbox. */
const stripHeight = (shown) => 34 + stripLines(shown).length * STRIP_ROW;

/** Above the plot: each knee with its interval in a row of its own, and a thin line down from it. */
function kneeStrip(shown, plateau) {
  return stripLines(shown).map((line, row, all) => ({
    type: 'custom',
    silent: true,
    clip: false,
    z: 4,
    name: line.label,
    tooltip: { show: false },
    data: [[LOG2(line.curve.k), 0]],
    renderItem: (params, api) => {
      const { x: left, y: top, width, height } = params.coordSys;
      const place = (k) => api.coord([LOG2(k), 0])[0];
      const { k, k_ci: ends, censored } = line.curve;
      const y = top - 10 - (all.length - 1 - row) * STRIP_ROW;
      const x = place(k);
      if (x < left - 1 || x > left + width + 1) return null;
      const clamp = (v) => Math.min(Math.max(v, left), left + width);
      const from = clamp(ends ? place(ends[0]) : x);
      const to = censored ? clamp(x + 26) : clamp(ends ? place(ends[1]) : x);
      const stroke = { stroke: line.colour, lineWidth: 1.5, fill: null };
      const interval = ends && ends[0] !== ends[1] && !censored ? ` (${ends[0]}–${ends[1]})` : '';
      const words = `${line.knee} ${censored ? '≥ ' : ''}${k}${interval}`;
      const leftward = x > left + width * 0.6;
      const children = [
        {
          type: 'line',
          shape: { x1: from, y1: y, x2: to, y2: y },
          style: { ...stroke, lineWidth: 3, opacity: 0.45 },
        },
        {
          type: 'line',
          shape: { x1: x, y1: y, x2: x, y2: top + height },
          style: { ...stroke, lineWidth: 1, lineDash: [3, 4], opacity: 0.8 },
        },
        { type: 'circle', shape: { cx: x, cy: y, r: 4 }, style: { fill: line.colour } },
        {
          type: 'text',
          z2: 10,
          style: {
            text: words,
            x: leftward ? from - 5 : to + 5,
            y,
            fill: line.colour,
            fontWeight: 600,
            fontSize: 12,
            fontFamily: FONT,
            align: leftward ? 'right' : 'left',
            verticalAlign: 'middle',
            backgroundColor: palette.card,
            padding: [1, 3],
          },
        },
      ];
      if (censored) {
        children.push({
          type: 'polyline',
          shape: {
            points: [
              [to - 5, y - 4],
              [to, y],
              [to - 5, y + 4],
            ],
          },
          style: stroke,
        });
      }
      const level = plateau && plateau(line);
      if (level) {
        const h = api.coord([0, level])[1];
        if (h >= top && h <= top + height) {
          children.push({
            type: 'line',
            shape: { x1: x, y1: h, x2: left + width, y2: h },
            style: { ...stroke, lineWidth: 1, lineDash: [1, 3] },
          });
        }
      }
      return { type: 'group', children };
    },
  }));
}

const mark = (colour) =>
  '<span style="display:inline-block;width:9px;height:9px;border-radius:5px;margin-right:6px;' +
  `background:${colour}"></span>`;
const row = (colour, name, words) =>
  `<div style="white-space:normal;max-width:330px">${mark(colour)}<b>${encode(name)}</b> ${words}</div>`;

/** Ink or paper, whichever reads better on a colour. */
function readableOn(colour) {
  const bright = (of) => {
    const [r, g, b] = echarts.color.parse(of).map((v) => (v / 255) ** 2.2);
    return 0.05 + 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [on, ink, card] = [colour, palette.ink, palette.card].map(bright);
  const contrast = (a, b) => Math.max(a, b) / Math.min(a, b);
  return contrast(on, ink) >= contrast(on, card) ? palette.ink : palette.card;
}

/** A chart that has nothing to draw says so. */
function nothing(words) {
  return {
    title: {
      text: words,
      left: 'center',
      top: 'middle',
      textStyle: { color: palette.soft, fontSize: 13, fontWeight: 400 },
    },
  };
}
