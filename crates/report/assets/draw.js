'use strict';
// Puts charts on the page and keeps them right: choices, size, dark mode, print.

let charts = [];
let printing = false;
const PRINT_WIDTH = 655; // CSS pixels: A4 less margins and the card's padding

/** New buttons in place of the old ones; the one that was pressed keeps the keyboard. */
function refill(home, made) {
  const before = [...home.querySelectorAll('button')].indexOf(document.activeElement);
  home.replaceChildren(...made);
  if (before >= 0) home.querySelectorAll('button')[before]?.focus();
}
function draw(one) {
  const redraw = () => draw(one);
  refill(one.chips, one.chart.chips(redraw));
  one.option = one.chart.option();
  one.view.setOption(one.option, { notMerge: true });
  numbersTable(one);
}
function drawAll() {
  charts.forEach(draw);
  document.documentElement.dataset.charts = charts.length;
}

function beforePrint() {
  if (printing) return;
  printing = true;
  palette = PRINT_PALETTE;
  charts.forEach((one) => one.view.resize({ width: PRINT_WIDTH, height: 270 }));
  drawAll();
  charts.forEach((one) => one.view.getZr().refreshImmediately()); // no frame comes before the paper
}
function afterPrint() {
  printing = false;
  readPalette();
  charts.forEach((one) => one.view.resize({ width: 'auto', height: 'auto' }));
  drawAll();
}

/** Draws those of the charts that have a place on the page. */
function show(all) {
  charts = all
    .filter((chart) => document.getElementById(chart.id))
    .map((chart) => {
      const figure = document.getElementById(chart.id);
      const plot = figure.querySelector('.plot');
      return {
        chart,
        plot,
        chips: figure.querySelector('.chips'),
        numbers: figure.querySelector('.numbers'),
        view: echarts.init(plot, null, { renderer: 'svg' }),
      };
    });
  readPalette();
  charts.forEach(listen);
  drawAll();
  const fit = () => {
    if (!printing) charts.forEach((one) => one.view.resize());
  };
  new ResizeObserver(fit).observe(document.querySelector('main'));
  addEventListener('resize', fit);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (!printing) {
      readPalette();
      drawAll();
    }
  });
  addEventListener('beforeprint', beforePrint);
  addEventListener('afterprint', afterPrint);
}
