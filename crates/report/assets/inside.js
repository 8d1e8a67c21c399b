'use strict';
// What is inside a drive: its read buffer, and whether every so many reads one is slow.

const BUFFER_LINES = [
  { key: 'p30', label: 'p30', at: 1, colour: 'p0' },
  { key: 'p40', label: 'p40', at: 2, colour: 'p2' },
  { key: 'mean', label: 'mean', at: 3, colour: 'p1' },
  { key: 'first', label: 'mean of the first pass', at: 4, colour: 'soft', style: 'dashed' },
];
const mebibytes = (bytes) => LOG2(bytes / 2 ** 20);

const bufferSize = {
  id: 'd-buffer',
  hidden: new Set(),
  hiddenPaper: new Set(),
  items() {
    return BUFFER_LINES.map((line) => ({ ...line, colour: palette[line.colour] }));
  },
  chips(redraw) {
    return [
      toggles(this.items(), this.hidden, redraw),
      toggles(PAPER_ITEMS(DEVICES.buffer.reference), this.hiddenPaper, redraw),
    ];
  },
  option() {
    const { points, buffer, reference } = DEVICES.buffer;
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const paper = reference.filter(([name]) => !this.hiddenPaper.has(name));
    const formatter = ({ data, color }) =>
      row(color, data.item.label, `${micros(data.row[data.item.at])} at ${binaryBytes(data.row[0])}`);
    const xs = points.map((p) => mebibytes(p[0]));
    const low = Math.floor(Math.min(...xs)),
      high = Math.ceil(Math.max(...xs));
    const series = shown.map((item) => ({
      type: 'line',
      name: item.label,
      z: 3,
      symbol: 'circle',
      symbolSize: item.style ? 0 : 5,
      showAllSymbol: true,
      lineStyle: { color: item.colour, width: item.style ? 1.4 : 2, type: item.style ?? 'solid' },
      itemStyle: { color: item.colour },
      data: points.map((p) => ({ value: [mebibytes(p[0]), LOG10(p[item.at])], row: p, item })),
    }));
    if (buffer) {
      series[0].markArea = {
        silent: true,
        itemStyle: { color: palette.ink, opacity: 0.12 },
        data: [[{ xAxis: mebibytes(buffer[1]) }, { xAxis: mebibytes(buffer[2]) }]],
      };
    }
    series[0].markLine = {
      silent: true,
      symbol: 'none',
      animation: false,
      data: [
        ...(buffer
          ? [
              {
                xAxis: mebibytes(buffer[0]),
                lineStyle: { color: palette.ink, type: 'solid', width: 1.4 },
                label: upright(`buffer ${binaryBytes(buffer[0])}`, palette.ink, 'insideEndBottom'),
              },
            ]
          : []),
        ...paper.map(([name, percentile, bytes]) => ({
          xAxis: mebibytes(bytes),
          lineStyle: { color: palette.soft, type: PAPER_STYLES[name], width: 1.3 },
          label: upright(`${name}: ${percentile} rises at ${bytes / 1e6} MB`, palette.soft, 'insideStartTop'),
        })),
      ],
    };
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({
        name: 'size of the region',
        nameGap: 24,
        min: low - 0.1,
        max: high + 0.1,
        ...ticksAt(
          Array.from({ length: high - low + 1 }, (_, i) => low + i),
          (v) => blockName(2 ** (v + 20)),
        ),
      }),
      yAxis: microsAxis(shown.flatMap((item) => points.map((p) => p[item.at]))),
      series,
    });
  },
};
/** Text along an upright line. */
const upright = (words, colour, position = 'insideEndTop') => ({
  show: true,
  formatter: words,
  color: colour,
  position,
  rotate: 90,
  distance: 7,
});

/** Which reads the three charts of one page show. */
let disturbShown = 0;
const disturbSeries = () => DEVICES.disturb.series[disturbShown];
const disturbChips = () =>
  DEVICES.disturb.series.length > 1
    ? [
        choice(
          'Read between',
          DEVICES.disturb.series.map((series, i) => [i, series.between]),
          disturbShown,
          (v) => {
            disturbShown = v;
            drawAll();
          },
        ),
      ]
    : [];
const wholeTicks = { axisLabel: { color: palette.soft, hideOverlap: true, formatter: axisCount } };

const disturbed = {
  id: 'd-disturb',
  chips: disturbChips,
  option() {
    const { stretches, stretch, reads } = disturbSeries();
    const lines = [
      { name: 'longest', at: 1, colour: palette.p4, width: 0.8 },
      { name: 'mean', at: 0, colour: palette.p0, width: 1.8 },
    ].slice(stretch > 1 ? 0 : 1);
    const formatter = (params) => {
      const i = params[0].dataIndex;
      const last = Math.min((i + 1) * stretch, reads) - 1;
      const of = stretch > 1 ? `reads ${i * stretch} to ${last}` : `read ${i}`;
      const rows = lines.map((line) => row(line.colour, line.name, micros(stretches[i][line.at])));
      return `<div style="margin-bottom:3px"><b>${of}</b></div>${rows.join('')}`;
    };
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: axis({ name: 'reads of the page', nameGap: 24, min: 0, max: reads, ...wholeTicks }),
      yAxis: microsAxis(stretches.flatMap((s) => lines.map((line) => s[line.at]))),
      series: lines.map((line) => ({
        ...curveSeries(
          line.name,
          stretches.map((s, i) => [i * stretch, LOG10(s[line.at])]),
          line.colour,
          { width: line.width },
        ),
        silent: false,
      })),
    });
  },
};

const excerpt = {
  id: 'd-excerpt',
  chips: () => [],
  option() {
    const { excerpt: us, first, period, penalty } = disturbSeries();
    if (!us.length) return nothing('No single reads were kept.');
    const formatter = ([{ data }]) => row(palette.p0, `read ${data[0]}`, micros(10 ** data[1]));
    return frame({
      title: period
        ? {
            text: `every ${significant(period[0])} reads ${micros(penalty)} more`,
            left: 'center',
            top: 2,
            textStyle: { color: palette.ink, fontSize: 12, fontWeight: 400 },
          }
        : undefined,
      tooltip: tooltip(formatter, 'x'),
      xAxis: axis({
        name: 'reads of the page',
        nameGap: 24,
        min: first,
        max: first + us.length,
        ...wholeTicks,
      }),
      yAxis: microsAxis(us),
      series: [
        {
          ...curveSeries(
            'latency',
            us.map((v, i) => [first + i, LOG10(v)]),
            palette.p0,
            { width: 1 },
          ),
          silent: false,
          showSymbol: us.length <= 400,
          symbolSize: 3,
        },
      ],
    });
  },
};

const correlation = {
  id: 'd-correlation',
  chips: () => [],
  option() {
    const { correlation: r, lag, reads, period } = disturbSeries();
    if (!r.length) return nothing('Too few reads.');
    const chance = 1.96 / Math.sqrt(reads / lag);
    const most = (r.length + 1) * lag;
    const formatter = ([{ data }]) => row(palette.p0, `${data[0]} reads apart`, data[1].toFixed(3));
    const paper = DEVICES.disturb.reference.filter(([, reads]) => reads < most);
    return frame({
      tooltip: tooltip(formatter, 'x'),
      xAxis: axis({ name: 'lag, reads', nameGap: 24, min: 0, max: most, ...wholeTicks }),
      yAxis: axis({
        min: Math.min(-2 * chance, ...r),
        max: Math.max(3 * chance, ...r) * 1.1,
        splitLine: grid(),
        axisLabel: {
          color: palette.soft,
          formatter: (v) => String(parseFloat(v.toPrecision(2))),
          showMinLabel: false,
          showMaxLabel: false,
        },
      }),
      series: [
        {
          type: 'bar',
          name: 'autocorrelation',
          z: 3,
          barMaxWidth: 3,
          itemStyle: { color: palette.p0 },
          data: r.map((v, i) => [(i + 1) * lag, v]),
          markArea: {
            silent: true,
            itemStyle: { color: palette.soft, opacity: 0.18 },
            data: [[{ yAxis: -chance }, { yAxis: chance }]],
          },
          markLine: {
            silent: true,
            symbol: 'none',
            animation: false,
            data: [
              ...(period
                ? [
                    {
                      xAxis: period[0],
                      lineStyle: { color: palette.ink, type: 'solid', width: 1.2 },
                      label: upright(`${significant(period[0])} reads`, palette.ink),
                    },
                  ]
                : []),
              ...paper.map(([name, reads]) => ({
                xAxis: reads,
                lineStyle: { color: palette.soft, type: PAPER_STYLES[name], width: 1.3 },
                label: upright(`${name}: ${reads} reads`, palette.soft, 'insideMiddleBottom'),
              })),
            ],
          },
        },
      ],
    });
  },
};
