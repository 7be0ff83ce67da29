// The page of a cleaned sound; report/denoise_data.hpp says what the element "data" holds.

const HIGHEST_BYTE = 254;
const BLANK_BYTE = 255;

// Colours that are as far apart as the numbers they stand for, on screens and for the colour-blind: magma and viridis of
// N. Smith, S. van der Walt and E. Firing, in the public domain (CC0); between ten of them, linearly.
const MAGMA = colourMap("000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf");
const VIRIDIS = colourMap("440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725");

// [red, green, blue] of each byte of a picture.
function colourMap(text) {
  const anchors = text.split(" ").map((word) => [0, 2, 4].map((place) => parseInt(word.slice(place, place + 2), 16)));
  return Array.from({length: HIGHEST_BYTE + 1}, (_, byte) => {
    const place = (byte / HIGHEST_BYTE) * (anchors.length - 1);
    const below = Math.min(Math.floor(place), anchors.length - 2);
    return anchors[below].map((value, k) => value + (place - below) * (anchors[below + 1][k] - value));
  });
}

// The bytes as an image, high frequencies at the top; blank cells show the ground.
function imageOf(bytes, {rows, columns}, map) {
  const canvas = element("canvas", {width: columns, height: rows});
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  for (let column = 0; column < columns; ++column) {
    for (let row = 0; row < rows; ++row) {
      const byte = bytes[column * rows + row];
      const at = 4 * ((rows - 1 - row) * columns + column);
      if (byte === BLANK_BYTE) continue;
      image.data.set(map[byte], at);
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// The colours of the numbers from low to high, beside a picture.
function drawColourBar({context, colours}, left, top, bottom, map, low, high, unit) {
  const wide = 11;
  const y = makeScale(low, high, bottom, top);
  for (let k = 0; k <= HIGHEST_BYTE; ++k) {
    context.fillStyle = `rgb(${map[k].map(Math.round).join(" ")})`;
    const from = bottom + ((top - bottom) * k) / (HIGHEST_BYTE + 1);
    context.fillRect(left, from, wide, (top - bottom) / (HIGHEST_BYTE + 1) - 0.6);
  }
  context.strokeStyle = colours.line;
  context.strokeRect(left + 0.5, top + 0.5, wide - 1, bottom - top - 1);
  context.fillStyle = colours.muted;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const marks = roundTicks(low, high, Math.max(2, Math.floor((bottom - top) / 34)));
  tickTexts(marks).forEach((text, k) => context.fillText(text, left + wide + 4, Math.min(Math.max(y(marks.ticks[k]), top + 4), bottom - 4)));
  context.fillText(unit, left, top - 9);
}

// image: rows x columns of cells over the plane of time and frequency; read(column, row): lines for the pointer.
function spectrogram(surface, {pictures, image, map, low, high, unit, read}) {
  const {context, width} = surface;
  const room = 48;  // for the colour bar
  const frame = drawFrame({...surface, width: width - room}, {x: [0, pictures.seconds], y: [0, pictures.highest / 1000], xLabel: "seconds", yLabel: "kHz"});
  const {left, right, top, bottom} = frame;
  const end = pictures.start + pictures.columns * pictures.step;
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  context.imageSmoothingEnabled = image.width > right - left;  // cells are shown as they are where there is room
  context.drawImage(image, frame.x(pictures.start), top, frame.x(end) - frame.x(pictures.start), bottom - top);
  context.restore();
  drawColourBar(surface, right + 9, top, bottom, map, low, high, unit);
  return (px, py) => {
    if (px < left || px > right || py < top || py > bottom) return null;
    const column = Math.floor((frame.x.inverse(px) - pictures.start) / pictures.step);
    const row = Math.min(pictures.rows - 1, Math.floor(((bottom - py) / (bottom - top)) * pictures.rows));
    if (column < 0 || column >= pictures.columns || row < 0) return null;
    const place = `${fixedText(frame.x.inverse(px), 2)} s, ${fixedText(frame.y.inverse(py), 2)} kHz`;
    return {x: px, lines: [{text: place}, ...read(column, row)]};
  };
}

function decibelsOf(byte, {low, high}) {
  return byte === 0 ? `at most ${fixedText(low, 0)} dB` : `${fixedText(low + ((high - low) * byte) / HIGHEST_BYTE, 1)} dB`;
}

function uncertaintyOf(byte, {uncertainty_end: end}) {
  if (byte === BLANK_BYTE) return "too faint to tell";
  const bound = byte === 0 ? "at most " : byte === HIGHEST_BYTE ? "at least " : "";
  return `${bound}${fixedText(end * ((2 * byte) / HIGHEST_BYTE - 1), 1)} dB`;
}

function soundPictures({pictures}) {
  if (!pictures) return null;
  const size = pictures.rows * pictures.columns;
  const [before, after, uncertainty] = [pictures.before, pictures.after, pictures.uncertainty].map((text) => bytesOf(text, 0, size));
  const read = (column, row) => {
    const at = column * pictures.rows + row;
    return [{text: `before  ${decibelsOf(before[at], pictures)}`}, {text: `after  ${decibelsOf(after[at], pictures)}`}, {text: `uncertainty  ${uncertaintyOf(uncertainty[at], pictures)}`}];
  };
  const picture = (title, bytes, map, scale) => {
    const image = imageOf(bytes, pictures, map);
    const draw = (surface) => spectrogram(surface, {pictures, image, map, ...scale, read});
    return element("figure", {}, element("figcaption", {}, title), makePlot({label: title, height: 270, draw}));
  };
  const loudness = {low: pictures.low, high: pictures.high, unit: "dB"};
  return section("sounds", "Before and after",
    note("How much of each frequency there is at each moment, in dB below the loudest. After: the mean of the posterior of the speech."),
    element("div", {class: "stack"}, picture("Before", before, MAGMA, loudness), picture("After", after, MAGMA, loudness)),
    element("h3", {}, "How sure the result is"),
    note("The posterior's standard deviation of the speech over the size of its mean, in dB: far below 0 the noise leaves no doubt, at 0 the error is as large as the speech, above it what is heard there might as well be nothing. Empty: too faint to matter."),
    element("div", {class: "stack"}, picture("Uncertainty", uncertainty, VIRIDIS, {low: -pictures.uncertainty_end, high: pictures.uncertainty_end, unit: "dB"})));
}

// Samples of 16 bits as a file that a player takes: the header of WAV, then the samples (RIFF, Microsoft & IBM 1991).
function wavOf(bytes, rate) {
  const header = new DataView(new ArrayBuffer(44));
  const letters = (at, text) => [...text].forEach((letter, k) => header.setUint8(at + k, letter.charCodeAt(0)));
  letters(0, "RIFF");
  header.setUint32(4, 36 + bytes.length, true);
  letters(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);  // PCM
  header.setUint16(22, 1, true);  // one channel
  header.setUint32(24, rate, true);
  header.setUint32(28, 2 * rate, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  letters(36, "data");
  header.setUint32(40, bytes.length, true);
  return new Blob([header, bytes], {type: "audio/wav"});
}

function listenSection({sound}) {
  if (!sound) return section("listen", "Listen", note("The sounds are too long to be in this page. They are in their files."));
  const player = (title, text) => {
    const letters = atob(text);
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const source = URL.createObjectURL(wavOf(bytes, sound.rate));
    return element("figure", {}, element("figcaption", {}, title), element("audio", {controls: true, preload: "none", src: source, "aria-label": `Listen: ${title}`}));
  };
  return section("listen", "Listen", element("div", {class: "charts"}, player("before", sound.before), player("after", sound.after)));
}

function soundScores({scores}) {
  if (!scores) return null;
  return section("scores", "Against the clean sound",
    note("In dB. SDR: speech over all errors; SIR: over what is left of the noise; SAR: over what is neither speech nor noise (Vincent, Gribonval and Févotte 2006). More is better."),
    plainTable("scores", ["", "SDR", "SIR", "SAR", "segmental SNR"], scores.map((row) => row.map(withMinus))));
}

function showSound() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const sections = [problemsSection(data), factsSection(data, "The sound"), soundScores(data), listenSection(data), soundPictures(data), repeatSection(data, "To repeat this")].filter(Boolean);
  document.getElementById("report").append(element("a", {class: "skip", href: "#problems"}, "Skip to the report"), heading(data), navigation(sections), ...sections,
    element("footer", {}, "Made by quasar denoise. This file is complete in itself and loads nothing."));
  preparePrinting();
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("rendered")));
}
