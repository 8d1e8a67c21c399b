'use strict';
// The layouts of the front: time of a query, or bytes written, against inserts per second.

const LAYOUTS = DATA.lsm.layouts;
const ROLES = {
  chosen: { label: 'chosen', colour: 'p4', z: 6 },
  front: { label: 'the front', colour: 'p0', z: 5 },
  neighbour: { label: 'one step away', colour: 'soft', z: 4 },
};
const most = Math.max(...LAYOUTS.map((layout) => layout.write_amplification), 1e-9);
/** Areas are as the bytes written per byte inserted. */
const diameter = (layout) => Math.max(6, 34 * Math.sqrt(layout.write_amplification / most));

const hiddenRoles = new Set();
const front = {
  id: 'a-front',
  chips(redraw) {
    const items = Object.entries(ROLES)
      .filter(([role]) => LAYOUTS.some((layout) => layout.role === role))
      .map(([role, { label, colour }]) => ({ key: role, label, colour: palette[colour] }));
    return [toggles(items, hiddenRoles, redraw)];
  },
  option() {
    const shown = LAYOUTS.filter((layout) => !hiddenRoles.has(layout.role));
    if (!shown.length) return nothing('Nothing is chosen.');
    const formatter = ({ color, data: { layout } }) =>
      row(
        color,
        layout.name,
        `<br>${DATA.lsm.queries ? `query ${micros(layout.across)}, ` : ''}${count(layout.insert_per_s)} inserts/s<br>` +
          `${significant(layout.write_amplification)} bytes written per byte inserted, ` +
          `${significant(layout.space_amplification)} bytes of space per byte<br>` +
          `mix: ${count(layout.mix_per_s)} operations/s`,
      );
    const series = Object.entries(ROLES).map(([role, { label, colour, z }]) => {
      const hollow = role === 'neighbour';
      return {
        type: 'scatter',
        name: label,
        z,
        itemStyle: {
          color: hollow ? 'transparent' : palette[colour],
          borderColor: palette[colour],
          borderWidth: hollow ? 1.5 : 1,
          opacity: 0.8,
        },
        label: {
          show: role === 'chosen',
          formatter: 'chosen',
          position: 'top',
          color: palette.ink,
          fontWeight: 600,
        },
        data: shown
          .filter((layout) => layout.role === role)
          .map((layout) => ({
            value: [LOG10(layout.across), LOG10(layout.insert_per_s)],
            symbolSize: diameter(layout),
            layout,
          })),
      };
    });
    // Room for large points at the edges.
    const wide = (made) => ({ ...made, min: made.min - 0.06, max: made.max + 0.06 });
    const values = (of) => shown.map((layout) => layout[of]);
    return frame({
      tooltip: { ...tooltip(formatter, 'x'), trigger: 'item' },
      xAxis: wide(
        logAxis(values('across'), DATA.lsm.queries ? axisUnit(MICROS) : axisCount, {
        name: DATA.lsm.time,
        nameGap: 24,
      })),
      yAxis: wide(logAxis(values('insert_per_s'), axisCount, { name: 'inserts/s', nameGap: 44 })),
      series,
    });
  },
};

show([front]);
