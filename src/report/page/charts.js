// The kinds of pictures. Each draws on a surface and returns what is under the pointer.

// series: [{x, y, chain, name, alpha, points, more}], x ascending; gaps where y is null or not finite. points: radius of a dot at
// each; more(index): further words for the pointer. faint: series below the others that the pointer does not read.
function lineChart(surface, {series, faint = [], x, y, xLabel, yLabel, yTicks = true, logY = false, shadedTo, shadedText = "warm-up", levels = [], diagonal = false,
                             width = 1.1, xName = xLabel, below}) {
  const {context, colours} = surface;
  const frame = drawFrame(surface, {x, y, xLabel, yLabel, yTicks, logY});
  if (shadedTo != null) shade(surface, frame, shadedTo, shadedText);
  context.setLineDash([4, 3]);
  context.strokeStyle = colours.muted;
  for (const level of levels) line(context, frame.left, frame.y(level), frame.right, frame.y(level));
  if (diagonal) line(context, frame.x(x[0]), frame.y(x[0]), frame.x(x[1]), frame.y(x[1]));
  context.setLineDash([]);
  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top - 2, frame.right - frame.left, frame.bottom - frame.top + 3);
  context.clip();
  for (const one of [...faint, ...chosenLast(series)]) drawSeries(surface, frame, one, width);
  context.restore();
  below?.(surface, frame);
  return (px, py) => readSeries(frame, series, xName, px, py);
}

// The chosen chain is drawn last, over the others.
function chosenLast(series) {
  return [...series].sort((a, b) => (a.chain === chosen.chain) - (b.chain === chosen.chain));
}

function faded(chain) {
  return chosen.chain >= 0 && chain != null && chain !== chosen.chain;
}

function drawSeries({context}, frame, one, width) {
  context.strokeStyle = context.fillStyle = chainColour(one.chain ?? 0);
  context.globalAlpha = faded(one.chain) ? 0.13 : one.alpha ?? 0.85;
  context.lineWidth = one.chain === chosen.chain ? width + 0.5 : width;
  const usable = (value) => value != null && Number.isFinite(value) && (!frame.y.logarithmic || value > 0);
  context.beginPath();
  if (one.x.length > 3 * (frame.right - frame.left)) traceExtremes(context, frame, one, usable);
  else tracePoints(context, frame, one, usable);
  context.stroke();
  if (one.points) {
    for (let i = 0; i < one.x.length; ++i) {
      if (usable(one.y[i])) dot(context, frame.x(one.x[i]), frame.y(one.y[i]), one.points);
    }
  }
  context.globalAlpha = 1;
}

function tracePoints(context, frame, {x, y}, usable) {
  let down = false;
  for (let i = 0; i < x.length; ++i) {
    if (!usable(y[i])) {
      down = false;
      continue;
    }
    const px = frame.x(x[i]);
    const py = frame.y(y[i]);
    if (down) context.lineTo(px, py);
    else context.moveTo(px, py), context.lineTo(px + 0.01, py);  // a lone point is seen too
    down = true;
  }
}

// Many points for each pixel: from the lowest to the highest of each column, which looks the same and is drawn faster.
function traceExtremes(context, frame, {x, y}, usable) {
  let column = null;
  let low, high;
  let down = false;
  const flush = () => {
    if (column == null || low > high) return;
    if (down) context.lineTo(column, frame.y(low));
    else context.moveTo(column, frame.y(low));
    context.lineTo(column, frame.y(high));
    down = true;
  };
  for (let i = 0; i < x.length; ++i) {
    const here = Math.round(frame.x(x[i]));
    if (here !== column) {
      flush();
      column = here;
      low = Infinity;
      high = -Infinity;
    }
    if (usable(y[i])) {
      low = Math.min(low, y[i]);
      high = Math.max(high, y[i]);
    } else {
      flush();
      low = Infinity;
      high = -Infinity;
      down = false;
    }
  }
  flush();
}

function dot(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function triangle(context, x, y, size) {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y + size * 0.8);
  context.lineTo(x - size, y + size * 0.8);
  context.fill();
}

function shade({context, colours}, frame, to, text) {
  const edge = Math.min(frame.x(to), frame.right);
  context.fillStyle = colours.grid;
  context.fillRect(frame.left, frame.top, edge - frame.left, frame.bottom - frame.top);
  context.fillStyle = colours.muted;
  context.textAlign = "left";
  context.textBaseline = "top";
  if (edge - frame.left > 56) context.fillText(text, frame.left + 4, frame.top + 2);
}

function readSeries(frame, series, xName, px, py) {
  if (px < frame.left - 2 || px > frame.right + 2 || py < frame.top || py > frame.bottom) return null;
  const wanted = frame.x.inverse(px);
  const nearest = series.map((one) => nearestIndex(one.x, wanted));
  const first = series[0]?.x[nearest[0]];
  if (first == null) return null;
  const lines = series.flatMap((one, s) => {
    if (faded(one.chain)) return [];
    const name = one.name ?? `chain ${one.chain + 1}`;
    return [{text: `${name}  ${numberText(one.y[nearest[s]])}${one.more?.(nearest[s]) ?? ""}`, colour: chainColour(one.chain ?? 0)}];
  });
  return {x: frame.x(first), lines: [{text: `${xName} ${Number.isInteger(first) ? first : numberText(first)}`}, ...lines]};
}

// Of ascending numbers.
function nearestIndex(values, wanted) {
  let from = 0;
  let to = values.length - 1;
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (values[middle] < wanted) from = middle;
    else to = middle;
  }
  return to > from && wanted - values[from] > values[to] - wanted ? to : from;
}

// How often the ranks of each chain among all draws fall into each bin; equal heights: the chains agree (Vehtari et al. 2021).
// A row of bars per chain about the dashed line of equal heights, or lines over each other where there are many chains. A bar
// that leaves its row is cut and wears a triangle: a chain that stands still would make all others flat.
function rankChart(surface, {counts, expected, draws}) {
  const {context, colours} = surface;
  const bins = counts[0].length;
  const highest = Math.max(...counts.map((row) => Math.max(...row)));
  const most = Math.min(Math.max(expected * 2, highest), expected * 4);
  const x = [0, draws];
  if (counts.length > 6) {
    const middles = Array.from({length: bins}, (_, b) => ((b + 0.5) / bins) * draws);
    const series = counts.map((y, chain) => ({x: middles, y, chain, alpha: 0.6}));
    return lineChart(surface, {series, x, y: [0, Math.max(most, highest)], xLabel: "rank", xName: "rank", levels: [expected]});
  }
  const frame = drawFrame(surface, {x, y: [0, 1], xLabel: "rank", yTicks: false});
  const band = (frame.bottom - frame.top) / counts.length;
  const wide = (frame.right - frame.left) / bins;
  const unit = (band - 3) / most;
  counts.forEach((row, chain) => {
    const floor = frame.top + band * (chain + 1);
    context.fillStyle = chainColour(chain);
    context.globalAlpha = faded(chain) ? 0.13 : 0.72;
    row.forEach((count, b) => {
      const tall = Math.min(count, most) * unit;
      context.fillRect(frame.left + b * wide + 0.4, floor - tall, wide - 0.8, tall);
    });
    context.globalAlpha = 1;
    context.fillStyle = context.strokeStyle = colours.ink;
    row.forEach((count, b) => count > most && triangle(context, frame.left + (b + 0.5) * wide, floor - most * unit + 3, 2.8));
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    line(context, frame.left, floor - expected * unit, frame.right, floor - expected * unit);
    context.setLineDash([]);
  });
  return (px, py) => {
    const b = Math.floor((px - frame.left) / wide);
    const chain = Math.floor((py - frame.top) / band);
    if (b < 0 || b >= bins || chain < 0 || chain >= counts.length) return null;
    const from = Math.round((b / bins) * draws) + 1;
    const to = Math.round(((b + 1) / bins) * draws);
    return {lines: [{text: `ranks ${from} to ${to}`}, {text: `chain ${chain + 1}  ${counts[chain][b]} (equal: ${numberText(expected, 3)})`, colour: chainColour(chain)}]};
  };
}

// A row for each name, marks(row) of it below each other: [{value, error, colour, bad}]. Lines reach two errors to either
// side; what is bad is a triangle. limits: dashed.
function rowChart(surface, {names, marks, x, xLabel, limits = [], read}) {
  const {context, colours} = surface;
  const last = names.length - 1;
  const frame = drawFrame(surface, {x, y: [-0.5, last + 0.5], xLabel, yNames: [...names].reverse()});
  context.strokeStyle = colours.ink;
  line(context, frame.x(0), frame.top, frame.x(0), frame.bottom);
  context.strokeStyle = colours.muted;
  context.setLineDash([4, 3]);
  for (const limit of limits) line(context, frame.x(limit), frame.top, frame.x(limit), frame.bottom);
  context.setLineDash([]);
  const inside = (value) => Math.min(Math.max(value, frame.x.low), frame.x.high);
  names.forEach((_, row) => marks(row).forEach(({value, error, colour, bad}, k, all) => {
    if (value == null) return;
    const at = frame.y(last - row - ((k + 0.5) / all.length - 0.5) * 0.66);
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.3;
    if (error != null) line(context, frame.x(inside(value - 2 * error)), at, frame.x(inside(value + 2 * error)), at);
    if (bad) triangle(context, frame.x(inside(value)), at, 4.5);
    else dot(context, frame.x(inside(value)), at, 2.7);
  }));
  return (_, py) => {
    const row = last - Math.round(frame.y.inverse(py));
    return row >= 0 && row <= last ? {lines: [{text: short(names[row])}, ...read(row)]} : null;
  };
}

// As high as its rows ask for.
function rowChartHeight(rows, marks) {
  return 40 + rows * Math.max(19, 9 * marks);
}

// Two histograms on one axis: the first filled, the second an outline.
function histogramChart(surface, {low, high, first, second, xLabel}) {
  const {context, colours} = surface;
  const top = Math.max(...first, ...second);
  const frame = drawFrame(surface, {x: [low, high], y: [0, top * 1.05], xLabel, yTicks: false});
  const wide = (frame.right - frame.left) / first.length;
  context.fillStyle = colours.chains[0];
  context.globalAlpha = 0.45;
  first.forEach((count, b) => context.fillRect(frame.left + b * wide, frame.y(count), wide - 0.5, frame.bottom - frame.y(count)));
  context.globalAlpha = 1;
  context.strokeStyle = colours.chains[1];
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(frame.left, frame.bottom);
  second.forEach((count, b) => {
    context.lineTo(frame.left + b * wide, frame.y(count));
    context.lineTo(frame.left + (b + 1) * wide, frame.y(count));
  });
  context.lineTo(frame.right, frame.bottom);
  context.stroke();
  return null;
}

// The ends of a cell. A few draws far out would crush all others: from 5% to 95% and three quarters of that width to either
// side, which is 4 standard deviations of a normal distribution, or less where the draws end before.
function cellRange(values) {
  const all = values.filter((value) => value != null).sort((a, b) => a - b);
  if (all.length === 0) return null;
  const at = (share) => all[Math.round(share * (all.length - 1))];
  const room = 0.75 * (at(0.95) - at(0.05));
  return room > 0 ? [Math.max(all[0], at(0.05) - room), Math.min(all.at(-1), at(0.95) + room)] : [all[0], all.at(-1)];
}

// How many draws lie beyond the ends of some cell.
function drawsBeyond(values) {
  const ranges = values.map(cellRange);
  const outside = (value, range) => value != null && (value < range[0] || value > range[1]);
  return values[0].filter((_, draw) => values.some((row, k) => outside(row[draw], ranges[k]))).length;
}

// Every pair of the chosen parameters; divergent draws are crosses over the points, and what lies beyond a cell stands at its
// edge. Names on the diagonal, with histogram and range.
function pairChart(surface, {names, values, divergent}) {
  const {context, width, height, colours} = surface;
  const count = names.length;
  const gap = 6;
  const wide = (width - gap * (count - 1)) / count;
  const tall = (height - gap * (count - 1)) / count;
  const ranges = values.map((row) => cellRange(row) ?? [0, 1]);
  for (let row = 0; row < count; ++row) {
    for (let column = 0; column <= row; ++column) {
      const left = column * (wide + gap);
      const top = row * (tall + gap);
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      context.strokeRect(left + 0.5, top + 0.5, wide - 1, tall - 1);
      context.save();
      context.beginPath();
      context.rect(left + 1, top + 1, wide - 2, tall - 2);
      context.clip();
      if (row === column) {
        pairName(surface, names[row], values[row], ranges[row], left, top, wide, tall);
      } else {
        const x = makeScale(...ranges[column], left + 5, left + wide - 5);
        const y = makeScale(...ranges[row], top + tall - 5, top + 5);
        pairPoints(surface, values[column], values[row], divergent, x, y);
      }
      context.restore();
    }
  }
  return (px, py) => {
    const column = Math.floor(px / (wide + gap));
    const row = Math.floor(py / (tall + gap));
    if (column >= row || row >= count) return null;
    const x = makeScale(...ranges[column], column * (wide + gap) + 5, column * (wide + gap) + wide - 5);
    const y = makeScale(...ranges[row], row * (tall + gap) + tall - 5, row * (tall + gap) + 5);
    return {lines: [{text: `${short(names[column])}  ${numberText(x.inverse(px), 3)}`}, {text: `${short(names[row])}  ${numberText(y.inverse(py), 3)}`}]};
  };
}

function short(name, most = 40) {
  const letters = [...name];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : name;
}

function pairName({context, colours}, name, values, range, left, top, wide, tall) {
  context.fillStyle = colours.raised;
  context.fillRect(left, top, wide, tall);
  pairHistogram(context, values, range, colours.chains[0], left, top, wide, tall);
  context.fillStyle = colours.ink;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.font = `600 ${SMALL_TEXT}`;
  context.fillText(short(name, Math.max(4, Math.floor(wide / 7))), left + wide / 2, top + 7);
  context.font = SMALL_TEXT;
  context.fillStyle = colours.muted;
  const text = values.some((value) => value != null) ? `${numberText(range[0], 2)} to ${numberText(range[1], 2)}` : "not finite";
  if (context.measureText(text).width < wide - 4) context.fillText(text, left + wide / 2, top + 21);
}

// Below the two lines of text, over the whole width, as the points in the cells of its column.
function pairHistogram(context, values, [low, high], colour, left, top, wide, tall) {
  const bins = 24;
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    if (value != null && value >= low && value <= high) counts[Math.min(bins - 1, Math.floor(((value - low) / (high - low || 1)) * bins))] += 1;
  }
  const unit = Math.max(0, tall - 40) / Math.max(1, ...counts);
  context.fillStyle = colour;
  context.globalAlpha = 0.4;
  counts.forEach((count, b) => context.fillRect(left + 3 + (b * (wide - 6)) / bins, top + tall - count * unit, (wide - 6) / bins - 0.5, count * unit));
  context.globalAlpha = 1;
}

function pairPoints({context, colours}, xs, ys, divergent, x, y) {
  const usable = (i) => xs[i] != null && ys[i] != null;
  const within = (scale, value) => scale(Math.min(Math.max(value, scale.low), scale.high));
  context.fillStyle = colours.chains[0];
  context.globalAlpha = Math.min(0.6, Math.max(0.14, 400 / xs.length));
  for (let i = 0; i < xs.length; ++i) {
    if (!divergent[i] && usable(i)) context.fillRect(within(x, xs[i]) - 1, within(y, ys[i]) - 1, 2, 2);
  }
  context.globalAlpha = 1;
  context.strokeStyle = colours.bad;
  context.lineWidth = 1.4;
  context.beginPath();
  for (let i = 0; i < xs.length; ++i) {
    if (!divergent[i] || !usable(i)) continue;
    const px = within(x, xs[i]);
    const py = within(y, ys[i]);
    context.moveTo(px - 2.5, py - 2.5);
    context.lineTo(px + 2.5, py + 2.5);
    context.moveTo(px - 2.5, py + 2.5);
    context.lineTo(px + 2.5, py - 2.5);
  }
  context.stroke();
}

// The density of all chains together, for a cell of a table.
function sparkline({context, width, height, colours}, heights) {
  const points = heights[0].length;
  const sum = Array.from({length: points}, (_, k) => heights.reduce((total, row) => total + row[k], 0));
  const top = Math.max(...sum) || 1;
  const x = (k) => (k / (points - 1)) * width;
  const y = (k) => height - 1 - (sum[k] / top) * (height - 2);
  context.beginPath();
  context.moveTo(0, height);
  sum.forEach((_, k) => context.lineTo(x(k), y(k)));
  context.lineTo(width, height);
  context.fillStyle = colours.chains[0];
  context.globalAlpha = 0.35;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colours.chains[0];
  context.lineWidth = 1;
  context.beginPath();
  sum.forEach((_, k) => (k ? context.lineTo(x(k), y(k)) : context.moveTo(x(k), y(k))));
  context.stroke();
}
