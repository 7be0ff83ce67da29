// Scales, ticks and the frame of a picture.

// A linear or logarithmic map of [low, high] to pixels [from, to]; an interval without width is widened.
function makeScale(low, high, from, to, logarithmic = false) {
  if (!(high > low)) {
    const width = Math.abs(low) > 0 ? Math.abs(low) * 0.1 : 1;
    [low, high] = logarithmic ? [low / 2, low * 2] : [low - width, low + width];
  }
  const bend = logarithmic ? Math.log10 : (value) => value;
  const start = bend(low);
  const factor = (to - from) / (bend(high) - start);
  const at = (value) => from + (bend(value) - start) * factor;
  at.low = low;
  at.high = high;
  at.logarithmic = logarithmic;
  at.inverse = (pixel) => (logarithmic ? 10 ** (start + (pixel - from) / factor) : start + (pixel - from) / factor);
  return at;
}

// About `most` round numbers, 1, 2 or 5 times a power of ten apart; two at least, since one does not tell a scale.
function roundTicks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.length < 50; ++k) ticks.push(k * step);
  return ticks.length < 2 && most < 20 ? roundTicks(low, high, most + 1) : {ticks, step};
}

// Powers of ten, with 2 and 5 of each where there are few.
function powerTicks(low, high, most) {
  const decades = Math.log10(high / low);
  if (decades < 1) return {ticks: roundTicks(low, high, most).ticks.filter((tick) => tick > 0), step: 0};
  const factors = decades < 2 || decades * 3 <= most * 1.5 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / most));
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += every) {
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return {ticks, step: 0};
}

// Just as many decimals as tell the ticks apart.
function tickTexts({ticks, step}) {
  const largest = Math.max(...ticks.map(Math.abs), 0);
  if (step === 0) return ticks.map((tick) => withMinus(tick >= 1e5 || tick < 1e-3 ? tick.toExponential(0) : String(+tick.toPrecision(3))));
  if (largest >= 1e6 || (largest < 1e-3 && largest > 0)) {
    const digits = Math.min(6, Math.max(0, Math.round(Math.log10(largest / step) + 0.5)));
    return ticks.map((tick) => (Math.abs(tick) < step * 1e-6 ? "0" : withMinus(tick.toExponential(digits))));
  }
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return ticks.map((tick) => withMinus((Math.abs(tick) < step * 1e-6 ? 0 : tick).toFixed(decimals)));
}

const SMALL_TEXT = "10.5px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

// Axes with ticks and labels; what is drawn afterwards uses `x` and `y` and stays between left, right, top and bottom.
// No ticks: only the order along that axis means anything. yNames: of y = 0, 1, ... in the place of numbers. The label of
// the y axis stands above it, where it can be read.
function drawFrame({context, width, height, colours}, {x, y, xLabel = "", yLabel = "", xTicks = true, yTicks = true, yNames, logY = false}) {
  context.font = SMALL_TEXT;
  const top = yLabel ? 18 : 6;
  const bottom = height - (xLabel ? 30 : 18);
  const marks = (scale, most) => (scale.logarithmic ? powerTicks : roundTicks)(scale.low, scale.high, most);
  const yScale = makeScale(y[0], y[1], bottom, top, logY);
  const yMarks = yNames ? {ticks: yNames.map((_, k) => k)} : yTicks ? marks(yScale, Math.max(2, Math.floor((bottom - top) / 20))) : {ticks: [], step: 1};
  const yTexts = yNames ? yNames.map((name) => short(name, Math.max(8, Math.floor(width / 16)))) : tickTexts(yMarks);
  const left = yTicks ? Math.ceil(Math.max(12, ...yTexts.map((text) => context.measureText(text).width))) + 8 : 6;
  const right = width - 8;
  const xScale = makeScale(x[0], x[1], left, right);
  let most = Math.max(2, Math.floor((right - left) / 40));
  let xMarks = xTicks ? marks(xScale, most) : {ticks: [], step: 1};
  const widest = () => Math.max(...tickTexts(xMarks).map((text) => context.measureText(text).width)) + 10;
  while (most > 1 && xMarks.ticks.length * widest() > right - left) xMarks = marks(xScale, --most);
  const xTexts = tickTexts(xMarks);

  context.lineWidth = 1;
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.muted;
  context.textBaseline = "middle";
  context.textAlign = "right";
  yMarks.ticks.forEach((tick, i) => {
    const at = Math.round(yScale(tick)) + 0.5;
    line(context, left, at, right, at);
    context.fillText(yTexts[i], left - 5, at);
  });
  context.textBaseline = "top";
  xMarks.ticks.forEach((tick, i) => {
    const at = Math.round(xScale(tick)) + 0.5;
    context.strokeStyle = colours.muted;
    line(context, at, bottom, at, bottom + 3);
    const half = context.measureText(xTexts[i]).width / 2;
    context.textAlign = "center";
    context.fillText(xTexts[i], Math.min(Math.max(at, half + 1), width - half - 1), bottom + 5);
  });
  context.strokeStyle = colours.line;
  line(context, left, bottom + 0.5, right, bottom + 0.5);
  if (xLabel) {
    context.textAlign = "right";
    context.fillText(xLabel, right, bottom + 18);
  }
  if (yLabel) {
    context.textAlign = "left";
    context.fillText(yLabel, 0, 1);
  }
  return {left, right, top, bottom, x: xScale, y: yScale};
}

function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

// The smallest and the largest of the finite numbers, with room on both sides; null where there is none.
function rangeOf(arrays, {room = 0, positive = false} = {}) {
  let low = Infinity;
  let high = -Infinity;
  for (const values of arrays) {
    for (const value of values) {
      if (value == null || !Number.isFinite(value) || (positive && !(value > 0))) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return null;
  const extra = (high - low) * room;
  return positive ? [low, high] : [low - extra, high + extra];
}
