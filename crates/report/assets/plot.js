'use strict';
// Lines, points with whiskers and bars over two axes, as `leadline_figures::Chart` describes them.

// ---- series ----

const hollowStyle = (colour, { fill = palette.card, edge = 1.5 } = {}) => ({
  color: fill,
  borderColor: colour,
  borderWidth: edge,
});
/** How a symbol is drawn: a diamond is what was published, a dash a short level line. */
function symbolStyle({ symbol, line, whiskers }, colour) {
  const { shape, size, opacity = line && !whiskers ? 1 : 0.8 } = symbol;
  if (shape === 'dash') return { symbol: 'rect', symbolSize: [20, 2.5], z: 2, silent: true };
  if (shape === 'ring') return { symbolSize: size, itemStyle: { ...hollowStyle(colour, { fill: 'transparent' }), opacity } };
  if (shape === 'mark') return { symbol: 'diamond', symbolSize: size, itemStyle: { ...hollowStyle(colour, symbol), opacity } };
  if (shape === 'fall') {
    const down = { symbol: 'triangle', symbolRotate: 180, symbolOffset: [0, -10] };
    return { ...down, symbolSize: size, z: 5, itemStyle: { color: colour, opacity: 1 } };
  }
  if (shape === 'diamond') return { symbol: shape, symbolSize: size, z: 5, itemStyle: hollowStyle(palette.ink) };
  const drawnAs = shape === 'rhomb' ? 'diamond' : shape;
  const edge = symbol.size_of !== undefined && !symbol.plain ? { borderColor: colour, borderWidth: 1 } : {};
  return { symbol: drawnAs, symbolSize: size, itemStyle: { color: colour, opacity, ...edge } };
}
/** Words next to symbols. */
function wordsStyle(series) {
  if (!series.words) return {};
  const published = series.symbol?.shape === 'diamond';
  return {
    label: {
      show: true,
      position: series.words_at ?? 'top',
      color: published ? palette.soft : palette.ink,
      formatter: ({ data }) => filledWith(series.words, data.cells, String),
      ...(series.bars ? {} : series.strong ? { fontWeight: 600 } : { fontSize: 11 }),
      ...(series.whiskers ? { lineHeight: 13 } : {}),
      ...(published ? { backgroundColor: palette.card, padding: [1, 3] } : {}),
    },
    ...(series.words_at ? { labelLayout: { hideOverlap: true } } : {}),
  };
}
/** Whether its points are those of its line: whiskers and models' curves have points of their own. */
const joined = ({ line, symbol, whiskers }) => line && symbol && (symbol.opacity ?? (whiskers ? 0.8 : 1)) === 1;
/** What a series draws: its line, its whiskers, its points. `to` makes places of numbers. */
function drawn(series, to, shift, xAxis) {
  const colour = colourOf(series.colour);
  const { symbol } = series;
  const place = ([x, y]) => [to.x(x) + shift, y === null ? null : to.y(y)];
  const rows = series.rows.filter(([x, y]) => y === null || (Number.isFinite(to.x(x)) && Number.isFinite(to.y(y))));
  const point = (cells) => ({
    value: place(cells),
    cells,
    series,
    ...(symbol.size_of === undefined ? {} : { symbolSize: cells[symbol.size_of] }),
    ...(symbol.hollow !== undefined && cells[symbol.hollow] ? { itemStyle: hollowStyle(colour, symbol) } : {}),
  });
  const made = [];
  if (series.bars) return [barsOf(series, rows, colour)];
  if (series.blocks) made.push(blocksOf(series, rows, to, shift, colour));
  if (series.whiskers) {
    const ends = rows.filter((cells) => cells[2] !== null && Number.isFinite(to.y(cells[2])));
    const whisker = ([x, , low, high]) => [to.x(x) + shift, to.y(low), to.y(high)];
    if (ends.length) made.push(whiskerSeries(ends.map(whisker), series.blocks ? palette.ink : colour));
  }
  if (series.line) {
    const places = joined(series) ? rows.map(point) : rows.map(place);
    const lineStyle = { width: series.line, type: series.style ?? 'solid', opacity: series.opacity ?? 1 };
    made.push({
      ...curveSeries(series.label, series.through ? throughout(places, xAxis) : places, colour, lineStyle),
      silent: !series.along,
      step: series.steps ? 'end' : undefined,
      areaStyle: series.area ? { color: colour, opacity: series.area } : undefined,
      ...(joined(series)
        ? { z: 3, silent: false, showSymbol: true, showAllSymbol: true, ...symbolStyle(series, colour), ...wordsStyle(series) }
        : {}),
    });
  }
  if (symbol && !joined(series)) {
    const data = rows.filter(([, y]) => y !== null).map(point);
    const option = { silent: !series.tip, ...symbolStyle(series, colour), ...wordsStyle(series) };
    made.push(pointSeries(series.label, data, colour, option));
  }
  return made;
}
/** Bars side by side: their width is a share of the distance between two names. */
function blocksOf(series, rows, to, shift, colour) {
  return {
    type: 'custom',
    name: series.label,
    itemStyle: { color: colour },
    // The axis reads its extent from the second number.
    data: rows.map((cells) => ({ value: [cells[0] + shift, cells[3] ?? cells[1]], cells, series })),
    renderItem: (params, api) => {
      const [x, y] = rows[params.dataIndex];
      const [left, top] = api.coord([x + shift - series.width * 0.46, y]);
      const [right, bottom] = api.coord([x + shift + series.width * 0.46, 0]);
      const shape = { x: left, y: top, width: right - left, height: bottom - top };
      return { type: 'rect', shape, style: { fill: colour, opacity: 0.75 } };
    },
  };
}
/** A straight line from one end of the axis to the other. */
function throughout([[x0, y0], [x1, y1]], { min, max }) {
  return [min, max].map((x) => [x, y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)]);
}
function barsOf(series, rows, colour) {
  return {
    type: 'bar',
    name: series.label,
    stack: 'all',
    ...(series.words ? { barMaxWidth: 64, ...wordsStyle(series) } : { barCategoryGap: '12%' }),
    ...(series.thin ? { barMaxWidth: series.thin, barCategoryGap: undefined, stack: undefined, z: 3 } : {}),
    itemStyle: { color: colour },
    data: rows.map((cells) => ({ value: [cells[0], cells[1]], cells, series })),
  };
}
/** Lines from end to end and areas, which hang on the first series. */
function marksOn(series, marks, to) {
  const place = (mark, value) => (mark.x === undefined ? { yAxis: to.y(value) } : { xAxis: to.x(value) });
  const at = (mark) => mark.x ?? mark.y;
  const lines = marks.filter((mark) => mark.to === undefined);
  const areas = marks.filter((mark) => mark.to !== undefined);
  const still = { silent: true, symbol: 'none', animation: false };
  if (lines.length) {
    series.markLine = {
      ...still,
      data: lines.map((mark) => ({
        ...place(mark, at(mark)),
        lineStyle: { color: colourOf(mark.colour), type: mark.style ?? 'dashed', width: mark.width ?? 1 },
        label: mark.label
          ? {
              formatter: mark.label,
              color: colourOf(mark.colour),
              position: mark.place ?? 'insideEndTop',
              ...(mark.align ? { align: mark.align, distance: 4 } : {}),
              ...(mark.x === undefined || mark.place === 'end' ? {} : { rotate: 90, distance: 7 }),
            }
          : { show: false },
      })),
    };
  }
  if (areas.length) {
    series.markArea = {
      silent: true,
      data: areas.map((mark) => [
        { ...place(mark, at(mark)), itemStyle: { color: colourOf(mark.colour), opacity: mark.width } },
        place(mark, mark.to),
      ]),
    };
  }
}

// ---- the chart ----

/** What charts of the page follow together, by the name of the choice. */
const together = {};
const oneOf = (one, chosen, choose) =>
  choice(
    one.name,
    one.options.map((words, i) => [i, words]),
    chosen,
    choose,
  );
/** The choices of all charts in the page's bar. */
function sharedControls() {
  const bar = document.getElementById('controls');
  const all = (DATA.charts ?? []).flatMap((chart) => chart.choices ?? []).filter((one) => one.in_bar);
  if (!bar || !all.length) return;
  const once = all.filter((one, i) => all.findIndex((other) => other.name === one.name) === i);
  const again = (name) => (i) => {
    together[name] = i;
    sharedControls();
    drawAll();
  };
  refill(bar, once.map((one) => oneOf(one, together[one.name] ?? 0, again(one.name))));
}
/** A legend that hides nothing. */
function names(items) {
  const group = element('div', 'group-of');
  for (const item of items) {
    const name = element('span', 'name');
    name.append(key(item), element('span', '', ' ' + item.label));
    group.append(name);
  }
  return group;
}

function plot(of) {
  const hidden = new Set(
    of.panels.flatMap((panel) => (panel.legends ?? []).flat().filter((key) => key.hidden).map((key) => key.label)),
  );
  const own = {};
  const choices = of.choices ?? [];
  const chosen = (one) => (one.shared ? together : own)[one.name] ?? one.first ?? 0;
  const now = () => of.panels.find((panel) => (panel.when ?? []).every((at, i) => at === chosen(choices[i])));
  const sees = (part) => (part.keys ?? []).every((key) => !hidden.has(key));
  return {
    id: of.id,
    chips(redraw) {
      const made = choices
        .filter((one) => (one.always || one.options.length > 1) && !one.in_bar && !one.unseen)
        .map((one) =>
          oneOf(one, chosen(one), (i) => {
            (one.shared ? together : own)[one.name] = i;
            (one.shared ? drawAll : redraw)();
          }),
        );
      const legends = (now()?.legends ?? []).filter((keys) => keys.length);
      const item = (one) => ({ ...one, key: one.label, colour: colourOf(one.colour) });
      const legend = (keys) => (keys[0].fixed ? names(keys.map(item)) : toggles(keys.map(item), hidden, redraw));
      return [...made, ...legends.map(legend)];
    },
    option() {
      const panel = now();
      const seen = panel?.series.filter(sees) ?? [];
      // Whiskers of many lines would hide the lines.
      const many = panel?.few_whiskers < new Set(seen.filter((one) => one.whiskers).map((one) => one.label)).size;
      const shown = many ? seen.map((one) => ({ ...one, whiskers: false })) : seen;
      if (!shown.some((series) => series.rows.length)) return nothing(panel?.nothing ?? 'Nothing shown here.');
      return panelOption(panel, shown, (panel.marks ?? []).filter(sees));
    },
  };
}
function panelOption(panel, shown, marks) {
  const to = { x: SCALES[panel.x.scale], y: SCALES[panel.y.scale] };
  const labels = [...new Set(shown.filter((series) => series.apart).map((series) => series.label))];
  const within = (panel.within ?? 0.8) / labels.length;
  const width = panel.apart ? Math.min(panel.apart, panel.within ? within : panel.apart) : within;
  const shift = (series) =>
    series.apart ? (labels.indexOf(series.label) - (labels.length - 1) / 2) * width : 0;
  const along = panel.along ?? false;
  const bars = panel.x.scale === 'bars';
  const tight = shown.filter((series) => !series.loose);
  const values = (i) => tight.flatMap((series) => series.rows.map((cells) => cells[i])).filter((v) => v !== null);
  const ends = tight
    .filter((series) => series.reach ?? series.whiskers)
    .flatMap((series) => series.rows.flatMap((cells) => [cells[2], cells[3]]))
    .filter((v) => v !== null && v > 0);
  const all = [...values(0), ...values(1)];
  const levels = panel.y.headroom ? marks.map((mark) => mark.y).filter((y) => y !== undefined) : [];
  const axes = {
    xAxis: axisOf(panel.x, panel.square ? all : values(0)),
    yAxis: axisOf(panel.y, panel.square ? all : [...values(1), ...ends, ...levels]),
  };
  const series = shown.flatMap((one) => drawn({ ...one, along, width }, to, shift(one), axes.xAxis));
  marksOn(series[0], marks, to);
  const formatter = along
    ? (params) => tipAlong(panel, shown, to, params)
    : ({ data }) => (data?.cells ? saysRow(data.series, data.cells) : '');
  return frame(
    {
      ...(panel.title
        ? {
            title: {
              text: panel.title,
              left: panel.title_inside ? 'center' : 0,
              top: panel.title_inside ? 2 : 0,
              textStyle: { color: panel.title_inside ? palette.ink : palette.soft, fontSize: 12, fontWeight: 400 },
            },
          }
        : {}),
      tooltip: {
        ...tooltip(formatter, 'x'),
        ...(along ? {} : { trigger: 'item' }),
        ...(bars ? { axisPointer: { type: 'shadow', shadowStyle: { color: palette.grid, opacity: 0.5 } } } : {}),
      },
      ...axes,
      series,
      ...(bars ? { dataZoom: [] } : {}),
    },
    panel.top ?? 34,
  );
}
/** All series at the pointer: of a line of steps the row that holds there, else the nearest. */
function tipAlong(panel, shown, to, params) {
  const bars = panel.x.scale === 'bars';
  const at = bars ? params[0].data.cells[0] : params[0].axisValue;
  const nearest = (rows) =>
    rows.reduce((a, b) => (Math.abs(to.x(b[0]) - at) < Math.abs(to.x(a[0]) - at) ? b : a), rows[0]);
  const holds = (rows) => rows.filter(([x]) => to.x(x) <= at + 1e-9).at(-1) ?? rows[0];
  const rowAt = (series) => (series.steps ? holds : nearest)(series.rows);
  const said = shown.filter(
    (series) => series.tip && (bars ? series.rows.some(([x]) => x === at) : series.rows.length),
  );
  if (!said.length) return '';
  const first = panel.head ? head(filled(panel.head, rowAt(said[0]))) : '';
  return first + said.map((series) => saysRow(series, rowAt(series))).join('');
}

/** Draws the charts that are described, and `others`. */
function showCharts(...others) {
  sharedControls();
  show([...(DATA.charts ?? []).map(plot), ...others]);
}
