'use strict';
// Lines, points with whiskers and bars over two axes, as `leadline_figures::Chart` describes them.

// ---- numbers, by the names of their units ----

const trimmed = (digits) => (v) => String(parseFloat(v.toPrecision(digits)));
const whole = (v) => Math.round(v).toLocaleString('en');
function powersOf1024(bytes) {
  const units = ['B', 'K', 'M', 'G', 'T', 'P', 'E'];
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.length) {
    bytes /= 1024;
    unit += 1;
  }
  return parseFloat(bytes.toPrecision(3)) + units[unit];
}
function duration(s) {
  return s >= 120 ? `${trimmed(3)(s / 60)} min` : `${trimmed(3)(s)} s`;
}
/** In a tooltip. */
const SHOW = {
  count,
  bandwidth,
  micros,
  significant,
  whole,
  duration,
  bytes: binaryBytes,
  block: blockName,
  size: powersOf1024,
  share: (v) => trimmed(3)(100 * v) + ' %',
  percent: (v) => `${Math.round(100 * v)} %`,
  percents: (v) => significant(100 * v) + ' %',
  times: (v) => trimmed(3)(v) + '×',
  fixed: (v) => v.toFixed(2),
  fixed1: (v) => v.toFixed(1),
  fixed3: (v) => v.toFixed(3),
  short: trimmed(3),
  seconds: (v) => micros(v * 1e6),
};
/** On an axis: no digits that say nothing. */
const SHOW_ON_AXIS = {
  ...SHOW,
  count: axisCount,
  bandwidth: axisUnit(BANDWIDTH),
  micros: axisUnit(MICROS),
  whole: (v) => String(Math.round(v)),
  bytes: (v) => binaryBytes(v).replace(/\.0+(?= )/, ''),
  days: (v) => trimmed(3)(v / 86400),
  hours: (v) => trimmed(3)(v / 3600),
  min: (v) => trimmed(3)(v / 60),
  s: trimmed(3),
  seconds: (v) => (v === 0 ? '0' : axisUnit(MICROS)(v * 1e6)),
};
const shownAs = (unit) => SHOW[unit] ?? String;
const axisWords = (unit) => SHOW_ON_AXIS[unit] ?? ((v) => String(parseFloat(v.toPrecision(10))));
const colourOf = (colour) => (Array.isArray(colour) ? ramp(...colour) : palette[colour]);

// ---- words of tooltips ----

const faint = (words) => `<span style="opacity:.75">${words}</span>`;
/** `{3|micros}` is a cell, `{2-3|micros}` an interval; what follows `~` is paler, in a line of its own. */
function filled(template, cells) {
  const [plain, pale] = template.split('~').map((part) =>
    part
      .replace(/\{(\d+)(?:-(\d+))?(?:\|(\w+))?\}/g, (_, from, to, unit) => {
        const [low, high] = [cells[from], cells[to ?? from]];
        if (to !== undefined) return low === null ? '' : interval(low, high, shownAs(unit));
        return low === null ? '–' : encode(unit ? shownAs(unit)(low) : low);
      })
      .replaceAll('\n', '<br>'),
  );
  return pale ? `${plain}<br>${faint(pale)}` : plain;
}
const head = (words) => `<div style="margin-bottom:3px">${words}</div>`;
const saysRow = (series, cells) =>
  row(colourOf(series.colour), series.title ? filled(series.title, cells) : series.label, filled(series.tip ?? '', cells));

// ---- axes ----

const SCALES = { linear: (v) => v, log2: LOG2, log10: LOG10, names: (v) => v, bars: (v) => v };
/** Every power of two, or so many of them that there are ten at most. */
function powers(low, high) {
  const step = Math.max(1, Math.ceil((high - low) / 9));
  const from = Math.ceil(low / step - 1e-9) * step;
  return Array.from({ length: Math.max(0, Math.floor((high - from) / step + 1e-9) + 1) }, (_, i) => from + i * step);
}
/** An axis over `values`. */
function axisOf(of, values) {
  const to = SCALES[of.scale];
  const words = axisWords(of.unit);
  const all = [...values, ...(of.also ?? [])];
  const option = {
    ...(of.name ? { name: of.name } : {}),
    nameGap: of.gap ?? 24,
    ...(of.grid ? { splitLine: grid() } : {}),
    ...(of.room ? { boundaryGap: [0, of.room] } : {}),
  };
  const padded = (made) =>
    of.pad ? { ...made, min: made.min - of.pad[0], max: made.max + of.pad[1] } : made;
  const ends = {
    ...(of.min === undefined ? {} : { min: to(of.min) }),
    ...(of.max === undefined ? {} : { max: to(of.max) }),
  };
  const ticks = of.ticks && {
    ...ticksAt(
      of.ticks.map(([at]) => to(at)),
      (v) => {
        const [at, name] = of.ticks.reduce((a, b) => (Math.abs(to(b[0]) - v) < Math.abs(to(a[0]) - v) ? b : a));
        return name || words(at);
      },
    ),
  };
  if (of.scale === 'bars') {
    const broken = { interval: 0, hideOverlap: false, lineHeight: 15, width: 100, overflow: 'break' };
    const over = (data, option) =>
      axis({
        type: 'category',
        data,
        axisTick: { show: false },
        axisLabel: { color: palette.soft, hideOverlap: true, ...(of.above ? broken : {}) },
        ...option,
      });
    const below = over(of.ticks.map(([at, name]) => name || words(at)), option);
    return of.above ? [below, over(of.above, { position: 'top' })] : below;
  }
  if (of.scale === 'names') return axis({ min: -0.5, max: of.ticks.length - 0.5, ...ticks, ...option, ...ends });
  if (of.scale === 'log10') {
    const made = logAxis(all, words, of.grid ? {} : { splitLine: { show: false } });
    return padded({ ...made, ...ticks, ...option, ...ends });
  }
  if (of.scale === 'log2') {
    const logs = all.filter((v) => v > 0).map(LOG2);
    const low = ends.min ?? Math.min(0, ...logs) - 0.12,
      high = ends.max ?? Math.max(1, ...logs) + 0.12;
    const made = ticks ?? ticksAt(powers(low, high), (v) => words(2 ** v));
    return padded(axis({ ...option, min: low, max: high, ...made }));
  }
  const label = {
    color: palette.soft,
    hideOverlap: true,
    formatter: words,
    ...(of.no_first ? { showMinLabel: false } : {}),
    ...(of.no_last ? { showMaxLabel: false } : {}),
  };
  return axis({ ...option, ...ends, ...(ticks ?? { axisLabel: label }) });
}

// ---- series ----

const hollowStyle = (colour, fill = palette.card) => ({ color: fill, borderColor: colour, borderWidth: 1.5 });
/** How a symbol is drawn: a diamond is what was published, a dash a short level line. */
function symbolStyle(symbol, colour) {
  const { shape, size, opacity = 1 } = symbol;
  if (shape === 'dash') return { symbol: 'rect', symbolSize: [20, 2.5], z: 2, silent: true };
  if (shape === 'ring') return { symbolSize: size, itemStyle: { ...hollowStyle(colour, 'transparent'), opacity } };
  if (shape === 'diamond') return { symbol: shape, symbolSize: size, z: 5, itemStyle: hollowStyle(palette.ink) };
  const style = opacity < 1 ? { color: colour, borderColor: colour, borderWidth: 1, opacity } : { color: colour };
  return { symbol: shape, symbolSize: size, itemStyle: style };
}
/** Words beside symbols. */
function wordsStyle(series) {
  if (!series.words) return {};
  const published = series.symbol?.shape === 'diamond';
  return {
    label: {
      show: true,
      position: series.words_at ?? 'top',
      color: published ? palette.soft : palette.ink,
      formatter: ({ data }) => filled(series.words, data.cells),
      ...(series.bars ? {} : series.strong ? { fontWeight: 600 } : { fontSize: 11 }),
      ...(series.whiskers ? { lineHeight: 13 } : {}),
      ...(published ? { backgroundColor: palette.card, padding: [1, 3] } : {}),
    },
    ...(series.words_at ? { labelLayout: { hideOverlap: true } } : {}),
  };
}
/** What a series draws: its line, its whiskers, its points. `to` makes places of numbers. */
function drawn(series, to, shift) {
  const colour = colourOf(series.colour);
  const { symbol } = series;
  const place = ([x, y]) => [to.x(x) + shift, y === null ? null : to.y(y)];
  const rows = series.rows.filter(([x, y]) => y === null || (Number.isFinite(to.x(x)) && Number.isFinite(to.y(y))));
  const made = [];
  if (series.bars) return [barsOf(series, rows, colour)];
  if (series.line) {
    made.push({
      ...curveSeries(series.label, rows.map(place), colour, {
        width: series.line,
        type: series.style ?? 'solid',
        opacity: series.opacity ?? 1,
      }),
      silent: !series.along,
      step: series.steps ? 'end' : undefined,
      areaStyle: series.area ? { color: colour, opacity: series.area } : undefined,
    });
  }
  if (series.whiskers) {
    const ends = rows.filter((cells) => cells[2] !== null && Number.isFinite(to.y(cells[2])));
    const whisker = ([x, , low, high]) => [to.x(x) + shift, to.y(low), to.y(high)];
    if (ends.length) made.push(whiskerSeries(ends.map(whisker), colour));
  }
  if (symbol) {
    const data = rows
      .filter(([, y]) => y !== null)
      .map((cells) => ({
        value: place(cells),
        cells,
        series,
        ...(symbol.size_of === undefined ? {} : { symbolSize: cells[symbol.size_of] }),
        ...(symbol.hollow !== undefined && cells[symbol.hollow] ? { itemStyle: hollowStyle(colour) } : {}),
      }));
    const option = { silent: !series.tip, ...symbolStyle(symbol, colour), ...wordsStyle(series) };
    made.push(pointSeries(series.label, data, colour, option));
  }
  return made;
}
function barsOf(series, rows, colour) {
  return {
    type: 'bar',
    name: series.label,
    stack: 'all',
    ...(series.words ? { barMaxWidth: 64, ...wordsStyle(series) } : { barCategoryGap: '12%' }),
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
              ...(mark.x === undefined ? {} : { rotate: 90, distance: 7 }),
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
  const all = (DATA.charts ?? []).flatMap((chart) => chart.choices ?? []).filter((one) => one.shared);
  if (!bar || !all.length) return;
  const once = all.filter((one, i) => all.findIndex((other) => other.name === one.name) === i);
  const again = (name) => (i) => {
    together[name] = i;
    sharedControls();
    drawAll();
  };
  bar.replaceChildren(...once.map((one) => oneOf(one, together[one.name] ?? 0, again(one.name))));
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
  const chosen = (one) => (one.shared ? together : own)[one.name] ?? 0;
  const now = () => of.panels.find((panel) => (panel.when ?? []).every((at, i) => at === chosen(choices[i])));
  const sees = (part) => (part.keys ?? []).every((key) => !hidden.has(key));
  return {
    id: of.id,
    chips(redraw) {
      const made = choices
        .filter((one) => one.options.length > 1 && !(one.shared && document.getElementById('controls')))
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
      const shown = panel?.series.filter(sees) ?? [];
      if (!shown.some((series) => series.rows.length)) return nothing(panel?.nothing ?? 'Nothing shown here.');
      return panelOption(panel, shown, (panel.marks ?? []).filter(sees));
    },
  };
}
function panelOption(panel, shown, marks) {
  const to = { x: SCALES[panel.x.scale], y: SCALES[panel.y.scale] };
  const labels = [...new Set(shown.filter((series) => series.apart).map((series) => series.label))];
  const shift = (series) =>
    series.apart ? (labels.indexOf(series.label) - (labels.length - 1) / 2) * panel.apart : 0;
  const along = panel.along ?? false;
  const bars = panel.x.scale === 'bars';
  const tight = shown.filter((series) => !series.loose);
  const values = (i) => tight.flatMap((series) => series.rows.map((cells) => cells[i])).filter((v) => v !== null);
  const ends = tight
    .filter((series) => series.whiskers || series.reach)
    .flatMap((series) => series.rows.flatMap((cells) => [cells[2], cells[3]]))
    .filter((v) => v !== null && v > 0);
  const series = shown.flatMap((one) => drawn({ ...one, along }, to, shift(one)));
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
              left: 0,
              top: 0,
              textStyle: { color: palette.soft, fontSize: 12, fontWeight: 400 },
            },
          }
        : {}),
      tooltip: {
        ...tooltip(formatter, 'x'),
        ...(along ? {} : { trigger: 'item' }),
        ...(bars ? { axisPointer: { type: 'shadow', shadowStyle: { color: palette.grid, opacity: 0.5 } } } : {}),
      },
      xAxis: axisOf(panel.x, values(0)),
      yAxis: axisOf(panel.y, [...values(1), ...ends]),
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
