'use strict';
// Charts for those who do not see them or have no mouse: a table of the numbers, and the keyboard.

/** The most rows of a table: more is nothing to read. */
const MOST_ROWS = 500;

/** What an axis says of a place on it. */
function told(axis, value) {
  if (axis.told) return axis.told(value);
  if (axis.data) return String(axis.data[value] ?? value);
  const formatter = axis.axisLabel?.formatter;
  return formatter ? formatter(value) : String(parseFloat(Number(value).toPrecision(6)));
}
/** `[series, x, y]` and, of a map of heat, what stands in the cell. */
function rowsOf({ series = [], xAxis, yAxis }) {
  const below = Array.isArray(xAxis) ? xAxis[0] : xAxis;
  const numeric = (value) => value !== null && value !== undefined && value !== '-';
  return [series].flat().flatMap((one) => {
    // What has no name is a line to read others by.
    if (one.type === 'custom' || !one.data || !one.name) return [];
    return one.data.flatMap((item, i) => {
      const value = item?.value ?? item;
      const [x, y, cell] = Array.isArray(value) ? value : [i, value];
      if (!numeric(x) || !numeric(y)) return [];
      const words = item?.cells
        ? [told(below, [x, item.cells[0]]), told(yAxis, [y, item.cells[1]])]
        : [told(below, x), told(yAxis, y)];
      return [[one.name, ...words, ...(cell === undefined ? [] : [one.label?.formatter?.({ data: item }) ?? cell])]];
    });
  });
}
/** The table is made when it is opened, and again when the chart is drawn again. */
function numbersTable(one) {
  if (!one.numbers.open) return;
  const { xAxis, yAxis } = one.option;
  const title = one.numbers.closest('figure').querySelector('h3').textContent;
  const rows = one.option.series ? rowsOf(one.option) : [];
  const names = [[xAxis].flat()[0]?.name || 'across', yAxis?.name || 'upwards', 'value'];
  const table = element('table');
  table.append(element('caption', 'sr', 'Numbers of: ' + title));
  const head = element('tr');
  for (const name of ['series', ...names.slice(0, Math.max(2, (rows[0]?.length ?? 3) - 1))]) {
    const cell = element('th', 'left', name);
    cell.scope = 'col';
    head.append(cell);
  }
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  for (const cells of rows.slice(0, MOST_ROWS)) {
    const line = element('tr');
    const name = element('th', 'left', cells[0]);
    name.scope = 'row';
    line.append(name, ...cells.slice(1).map((words) => element('td', 'left', words)));
    table.tBodies[0].append(line);
  }
  const box = element('div', 'scroll tall');
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', 'Numbers of: ' + title);
  box.append(table);
  const more = rows.length > MOST_ROWS ? [element('p', 'quiet', `The first ${MOST_ROWS} of ${rows.length} rows.`)] : [];
  one.numbers.replaceChildren(one.numbers.querySelector('summary'), box, ...more);
}

// ---- the keyboard ----

/** The places that arrow keys visit, in the order of the series. */
function placesOf({ series = [] }) {
  return [series].flat().flatMap((one, seriesIndex) =>
    one.type === 'custom' || one.silent || !one.data
      ? []
      : one.data.map((_, dataIndex) => ({ seriesIndex, dataIndex })),
  );
}
function zoomed(view, factor) {
  const { start = 0, end = 100 } = view.getOption().dataZoom?.[0] ?? {};
  const [middle, half] = [(start + end) / 2, Math.min(50, ((end - start) / 2) * factor)];
  const low = Math.max(0, Math.min(middle - half, 100 - 2 * half));
  view.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, start: low, end: low + 2 * half });
}
function saved(one) {
  const link = element('a');
  link.href = one.view.getDataURL({ backgroundColor: palette.card });
  link.download = `leadline-${one.chart.id}.svg`;
  link.click();
}
function listen(one) {
  const move = (step) => {
    const places = placesOf(one.option);
    if (!places.length) return;
    one.at = Math.min(Math.max((one.at ?? (step > 0 ? -1 : places.length)) + step, 0), places.length - 1);
    one.view.dispatchAction({ type: 'showTip', ...places[one.at] });
    const tip = [...one.plot.children].at(-1);
    document.getElementById('heard').textContent = tip?.innerText ?? '';
  };
  const keys = {
    ArrowRight: () => move(1),
    ArrowDown: () => move(1),
    ArrowLeft: () => move(-1),
    ArrowUp: () => move(-1),
    '+': () => zoomed(one.view, 0.7),
    '=': () => zoomed(one.view, 0.7),
    '-': () => zoomed(one.view, 1 / 0.7),
    0: () => zoomed(one.view, Infinity),
    s: () => saved(one),
  };
  one.plot.addEventListener('keydown', (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = !event.ctrlKey && !event.metaKey && !event.altKey && keys[key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  one.plot.addEventListener('blur', () => one.view.dispatchAction({ type: 'hideTip' }));
  one.numbers.addEventListener('toggle', () => numbersTable(one));
}
