'use strict';
// The page of a trace by file: accesses to pages, one bar a file.

const FILES = DATA.files;
const whole = (value) => Math.round(value).toLocaleString('en');
const short = (name) => (name.length > 28 ? '…' + name.slice(-27) : name);
const PARTS = () => [
  { key: 'sequential_reads', label: 'sequential reads', colour: palette.alpha },
  { key: 'random_reads', label: 'random reads', colour: palette.read },
  { key: 'writes', label: 'writes', colour: palette.write },
];

const pages = {
  id: 'f-pages',
  hidden: new Set(),
  chips(redraw) {
    return [toggles(PARTS(), this.hidden, redraw)];
  },
  option() {
    const shown = PARTS().filter((part) => !this.hidden.has(part.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const words = ([p]) =>
      `<div style="margin-bottom:3px">${encode(FILES[p.dataIndex].name)}</div>` +
      shown.map((part) => row(part.colour, part.label, whole(FILES[p.dataIndex][part.key]))).join('');
    return frame({
      tooltip: {
        ...tooltip(words, 'x'),
        axisPointer: { type: 'shadow', shadowStyle: { color: palette.grid, opacity: 0.5 } },
      },
      xAxis: axis({
        type: 'category',
        data: FILES.map((file) => short(file.name)),
        axisLabel: { color: palette.soft, hideOverlap: true },
        axisTick: { show: false },
        nameGap: 24,
        name: 'file',
      }),
      yAxis: axis({
        min: 0,
        splitLine: grid(),
        name: '',
        axisLabel: { color: palette.soft, formatter: axisCount },
      }),
      series: shown.map((part) => ({
        type: 'bar',
        stack: 'all',
        name: part.label,
        data: FILES.map((file) => file[part.key]),
        barCategoryGap: '12%',
        itemStyle: { color: part.colour },
      })),
      dataZoom: [],
    });
  },
};

show([pages]);
