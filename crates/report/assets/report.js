'use strict';
// The choices that all charts of a profile follow.

function chooseDefaults() {
  const curves = DATA.profiles.flatMap((p) => p.curves);
  const has = (pattern, block) => curves.some((c) => c.pattern === pattern && (!block || c.block === block));
  state.pattern = has('random') ? 'random' : 'sequential';
  const sizes = sizesOf(state.pattern);
  state.block = sizes.includes(4096) ? 4096 : sizes[0];
  if (!curves.some((c) => c.op === 'read')) state.op = 'write';
}
function sizesOf(pattern) {
  const curves = DATA.profiles.flatMap((p) => p.curves).filter((c) => c.pattern === pattern);
  return [...new Set(curves.map((c) => c.block))].sort((a, b) => a - b);
}
/** What all charts follow, as buttons; a choice of one is no choice and is not shown. */
function followed() {
  const curves = DATA.profiles.flatMap((p) => p.curves);
  const patterns = ['random', 'sequential'].filter((pattern) => curves.some((c) => c.pattern === pattern));
  const sizes = sizesOf(state.pattern);
  const ops = SINGLE ? [] : Object.keys(OP_NAMES).filter((op) => curves.some((c) => c.op === op));
  const of = (name, property, options) => {
    const choose = (value) => {
      state[property] = value;
      if (!sizesOf(state.pattern).includes(state.block)) state.block = sizesOf(state.pattern)[0];
      controls();
      drawAll();
    };
    return options.length > 1 ? [choice(name, options, state[property], choose)] : [];
  };
  return [
    ...of('Operation', 'op', ops.map((op) => [op, OP_NAMES[op]])),
    ...of('Pattern', 'pattern', patterns.map((p) => [p, p])),
    ...of('Block', 'block', sizes.map((s) => [s, blockName(s)])),
  ];
}
function controls() {
  const bar = document.getElementById('controls');
  if (bar) refill(bar, followed());
}

chooseDefaults();
controls();
show([
  nodes,
  throughput,
  latency,
  trade,
  alphas,
  knees,
  cdf,
  timeline,
  surface,
  alone,
  ...DESCRIBED.map(plot),
]);
