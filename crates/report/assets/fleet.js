'use strict';
// The nodes of a cluster side by side: one number of each with its interval.

const FLEET = DATA.fleet ?? [];
const nodes = {
  id: 'f-nodes',
  place: FLEET[0]?.place,
  quantity: null,
  /** What is compared at the chosen place; most is gained by seeing operations per second first. */
  here() {
    return FLEET.filter((bars) => bars.place === this.place);
  },
  now() {
    const here = this.here();
    return (
      here.find((bars) => bars.quantity === this.quantity) ??
      here.find((bars) => bars.outliers.length && bars.unit === 'IOPS') ??
      here.find((bars) => bars.outliers.length) ??
      here.find((bars) => bars.unit === 'IOPS') ??
      here[0]
    );
  },
  chips(redraw) {
    const set = (name) => (value) => {
      this[name] = value;
      redraw();
    };
    const places = [...new Set(FLEET.map((bars) => bars.place))];
    const groups = [
      choice(
        'Show',
        this.here().map((bars) => [bars.quantity, bars.quantity]),
        this.now()?.quantity,
        set('quantity'),
      ),
    ];
    if (places.length > 1)
      groups.push(
        choice(
          'Requests',
          places.map((name) => [name, name]),
          this.place,
          set('place'),
        ),
      );
    return groups;
  },
  option() {
    const bars = this.now();
    if (!bars) return nothing('Nothing was measured.');
    const show = bars.unit === 'IOPS' ? count : bars.unit === 'in flight' ? String : significant;
    const names = DATA.nodes;
    const cells = bars.cells.map((cell, node) => ({
      ...cell,
      node,
      colour: bars.outliers.includes(node) ? palette.durable : palette.read,
    }));
    const measured = cells.filter((cell) => cell.value !== null);
    const most = Math.max(...measured.map((cell) => cell.interval?.[1] ?? cell.value), 1e-9);
    return frame({
      tooltip: {
        ...tooltip(({ data: { cell } }) => {
          const ends = cell.interval && !cell.lower_bound ? interval(...cell.interval, show) : '';
          const bound = cell.lower_bound ? '≥ ' : '';
          return row(cell.colour, names[cell.node], `${bound}${show(cell.value)} ${bars.unit}${ends}`);
        }),
        trigger: 'item',
      },
      xAxis: axis({
        name: `${bars.quantity}, ${bars.unit}`,
        nameGap: 24,
        min: 0,
        max: most * 1.06,
        splitLine: grid(),
        axisLabel: { color: palette.soft, hideOverlap: true, formatter: axisCount, showMaxLabel: false },
      }),
      yAxis: axis({
        type: 'category',
        inverse: true,
        data: names,
        axisTick: { show: false },
        axisLabel: { color: palette.ink, interval: 0, width: 150, overflow: 'truncate' },
      }),
      series: [
        lyingWhiskers(measured.filter((cell) => cell.interval)),
        {
          type: 'scatter',
          name: bars.quantity,
          z: 4,
          symbolSize: 9,
          data: measured.map((cell) => ({
            value: [cell.value, cell.node],
            cell,
            itemStyle: { color: cell.colour },
            label: {
              show: true,
              position: 'top',
              distance: 3,
              color: cell.colour,
              fontSize: 11,
              formatter: `${cell.lower_bound ? '≥ ' : ''}${show(cell.value)}`,
            },
          })),
        },
      ],
    });
  },
};
/** Whiskers from left to right; that of a lower bound has no right end. */
function lyingWhiskers(cells) {
  return {
    type: 'custom',
    silent: true,
    z: 3,
    clip: true,
    tooltip: { show: false },
    data: cells.map((cell) => [cell.interval[0], cell.node]),
    renderItem: (params, api) => {
      const cell = cells[params.dataIndex];
      const [from, y] = api.coord([cell.interval[0], cell.node]);
      const { x, width } = params.coordSys;
      const to = cell.lower_bound ? x + width : api.coord([cell.interval[1], cell.node])[0];
      const style = { stroke: cell.colour, lineWidth: 2, fill: null };
      const ends = cell.lower_bound ? [from] : [from, to];
      return {
        type: 'group',
        children: [
          [from, y, to, y],
          ...ends.map((end) => [end, y - 4, end, y + 4]),
        ].map(([x1, y1, x2, y2]) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style })),
      };
    },
  };
}
