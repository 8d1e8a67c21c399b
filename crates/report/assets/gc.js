'use strict';
// A drive that is filled and overwritten: bandwidth over time.

const collection = {
  id: 'w-gc',
  hidden: new Set(),
  hiddenPaper: null,
  items() {
    return EXPERIMENTS.gc.passes.map((pass, i) => ({
      ...pass,
      key: pass.name,
      label: pass.name,
      colour: profileColour(i),
    }));
  },
  /** At first the NAND drive's marks, where they do not dwarf this drive. */
  hides() {
    if (!this.hiddenPaper) {
      const most = Math.max(...EXPERIMENTS.gc.passes.flatMap((pass) => pass.windows.map((w) => w[1])));
      const names = EXPERIMENTS.gc.reference.map(([name]) => name);
      this.hiddenPaper = new Set(most > 8e8 ? names.filter((name) => name !== 'NAND P3700') : names);
    }
    return this.hiddenPaper;
  },
  chips(redraw) {
    return [
      toggles(this.items(), this.hidden, redraw),
      toggles(PAPER_ITEMS(EXPERIMENTS.gc.reference), this.hides(), redraw),
    ];
  },
  option() {
    const shown = this.items().filter((item) => !this.hidden.has(item.key));
    if (!shown.length) return nothing('Nothing shown here.');
    const percent = (share) => `${parseFloat((100 * share).toPrecision(2))} %`;
    const formatter = ({ data, color }) =>
      row(
        color,
        data.item.label,
        `${bandwidth(data.value[1])} at ${duration(data.value[0])}<br><span style="opacity:.75">drop ` +
          `${percent(data.item.drop)}, robustly ${percent(data.item.robust)}` +
          (data.item.amplification === null
            ? ''
            : `; write amplification ${data.item.amplification.toFixed(2)}`) +
          '</span>',
      );
    const paper = EXPERIMENTS.gc.reference.filter(([name]) => !this.hides().has(name));
    const line = (name, value, words) => ({
      yAxis: value,
      lineStyle: { color: palette.soft, type: PAPER_STYLES[name], width: 1.2 },
      label: {
        formatter: `${name}, ${words} ${bandwidth(value)}`,
        color: palette.soft,
        position: 'insideStartTop',
      },
    });
    // Rates that no mark of the paper is to push off the chart.
    const most = Math.max(...shown.flatMap((item) => item.windows.map((w) => w[1])));
    const highest = Math.max(most, ...paper.map((r) => r[1]));
    return frame({
      tooltip: { ...tooltip(formatter), trigger: 'item' },
      xAxis: axis({ name: 'seconds since the fill began', nameGap: 24, min: 0 }),
      yAxis: named(`bandwidth, ${EXPERIMENTS.gc.k} × ${blockName(EXPERIMENTS.gc.block)}`, {
        nameGap: 62,
        max: highest * 1.12,
        axisLabel: { color: palette.soft, showMaxLabel: false, formatter: axisUnit(BANDWIDTH) },
      }),
      series: shown.map((item, i) => ({
        type: 'line',
        name: item.label,
        z: 3,
        symbol: 'circle',
        symbolSize: 4,
        showAllSymbol: true,
        lineStyle: { color: item.colour, width: 1.4 },
        itemStyle: { color: item.colour },
        data: item.windows.map((value) => ({ value, item })),
        markLine: i
          ? undefined
          : {
              silent: true,
              symbol: 'none',
              animation: false,
              data: paper.flatMap(([name, fast, slow]) => [
                line(name, fast, 'fastest'),
                line(name, slow, 'slowest'),
              ]),
            },
      })),
    });
  },
};
