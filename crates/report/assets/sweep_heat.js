'use strict';
// Where ACE and the cleaner that knows the device gain something, and where nothing: over clients.

const AGAINST = { gain: 'no ACE, no cleaner', gain_classic: 'a cleaner with one write in flight' };

const heat = {
  id: 'p-heat',
  against: null,
  keys() {
    return Object.keys(AGAINST).filter((key) => POOL.cells.some((cell) => cell[key] !== null));
  },
  key() {
    return this.against ?? this.keys()[0];
  },
  chips(redraw) {
    if (this.keys().length < 2) return [];
    return [
      choice(
        'Against',
        this.keys().map((key) => [key, AGAINST[key]]),
        this.key(),
        (v) => {
          this.against = v;
          redraw();
        },
      ),
    ];
  },
  option() {
    const key = this.key();
    const reference = key === 'gain' ? 'off' : 'off + cleaner 1';
    const cells = chosenPools('clients').filter((cell) => cell[key] !== null && cell.variant !== reference);
    const items = variantItems(cells).reverse();
    if (!items.length) return nothing('Nothing to compare with here.');
    const most = Math.max(1.1, ...cells.map((cell) => Math.max(cell[key], 1 / cell[key])));
    const depth = (v) => 0.12 + 0.88 * Math.min(1, Math.abs(Math.log(v)) / Math.log(most));
    const idle = (v) => v < POOL.gains_nothing;
    const slower = (v) => v < 2 - POOL.gains_nothing;
    const colour = (v) =>
      slower(v)
        ? echarts.color.lerp(depth(v), [palette.card, palette.durable])
        : idle(v)
          ? palette.grid
          : echarts.color.lerp(depth(v), [palette.card, palette.read]);
    const data = cells.map((cell) => ({
      value: [
        VALUES.clients.indexOf(cell.clients),
        items.findIndex((item) => item.key === cell.variant),
        cell[key],
      ],
      cell,
      itemStyle: idle(cell[key])
        ? { color: colour(cell[key]), borderColor: palette.soft, borderWidth: 1.5, borderType: 'dashed' }
        : { color: colour(cell[key]), borderColor: palette.card, borderWidth: 2 },
      label: { color: readableOn(colour(cell[key])) },
    }));
    const formatter = ({ data: { cell } }) =>
      `<b>${encode(cell.variant)}</b>, ${cell.clients} client${cell.clients === 1 ? '' : 's'}<br>` +
      `${times(cell[key])} as fast${idle(cell[key]) ? ': gains nothing' : ''}<br>${runtime(cell.seconds)}`;
    const category = (values, option) =>
      axis({ type: 'category', data: values, axisTick: { show: false }, ...option });
    return frame(
      {
        tooltip: { ...tooltip(formatter), trigger: 'item' },
        toolbox: { show: false },
        dataZoom: [],
        xAxis: category(VALUES.clients.map(String), {
          name: 'clients',
          nameGap: 26,
          axisLabel: { color: palette.ink, interval: 0, hideOverlap: true },
        }),
        yAxis: category(
          items.map((item) => item.label),
          { axisLabel: { color: palette.ink, interval: 0, fontSize: 11 } },
        ),
        series: [
          {
            type: 'heatmap',
            name: 'speed-up',
            data,
            label: {
              show: data.length <= 150,
              fontSize: 11,
              formatter: ({ data: d }) => significant(d.value[2]),
            },
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
