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
/** What all charts follow; a choice of one is no choice and is not shown. */
function controls() {
  const bar = document.getElementById('controls');
  if (!bar) return;
  const curves = DATA.profiles.flatMap((p) => p.curves);
  const patterns = ['random', 'sequential'].filter((pattern) => curves.some((c) => c.pattern === pattern));
  const sizes = sizesOf(state.pattern);
  const again = () => {
    controls();
    drawAll();
  };
  const groups = [];
  if (!SINGLE) {
    const ops = Object.keys(OP_NAMES).filter((op) => curves.some((c) => c.op === op));
    if (ops.length > 1)
      groups.push(
        choice(
          'Operation',
          ops.map((op) => [op, OP_NAMES[op]]),
          state.op,
          (v) => {
            state.op = v;
            again();
          },
        ),
      );
  }
  if (patterns.length > 1) {
    groups.push(
      choice(
        'Pattern',
        patterns.map((p) => [p, p]),
        state.pattern,
        (v) => {
          state.pattern = v;
          if (!sizesOf(v).includes(state.block)) state.block = sizesOf(v)[0];
          again();
        },
      ),
    );
  }
  if (sizes.length > 1) {
    groups.push(
      choice(
        'Block',
        sizes.map((s) => [s, blockName(s)]),
        state.block,
        (v) => {
          state.block = v;
          again();
        },
      ),
    );
  }
  bar.replaceChildren(...groups);
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
