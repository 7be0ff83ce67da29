// The draws stand in the page as base64 text of small integers. Only what is looked at is unpacked: ten thousand parameters
// would otherwise cost seconds.

// Bytes from `start` up to `end` of what `text` encodes: four letters hold three bytes.
function bytesOf(text, start, end) {
  const group = Math.floor(start / 3);
  const letters = atob(text.slice(group * 4, Math.ceil(end / 3) * 4));
  const bytes = new Uint8Array(end - start);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(start - group * 3 + i);
  return bytes;
}

// Rows of one parameter, one per chain, of an array [parameter][chain][width] of elements of one or two bytes, low byte first.
function chainRows(text, parameter, chains, width, size, convert) {
  const start = parameter * chains * width * size;
  const bytes = bytesOf(text, start, start + chains * width * size);
  const at = (i) => (size === 1 ? bytes[i] : bytes[2 * i] | (bytes[2 * i + 1] << 8));
  return Array.from({length: chains}, (_, chain) => Array.from({length: width}, (_, i) => convert(at(chain * width + i))));
}

function traceOf({trace, chains}, parameter) {
  const low = trace.low[parameter];
  const width = trace.high[parameter] - low;
  const undefined_ = 65535;
  return chainRows(trace.data, parameter, chains, trace.at.length, 2, (q) => (q === undefined_ || low == null ? NaN : low + (width * q) / 65534));
}

function ranksOf({rank, chains}, parameter) {
  return chainRows(rank.data, parameter, chains, rank.bins, 2, (count) => count);
}

function densityOf({density, chains}, parameter) {
  return chainRows(density.data, parameter, chains, density.points, 1, (q) => q / 255);
}

function autocorrelationOf({autocorrelation, chains}, parameter) {
  return chainRows(autocorrelation.data, parameter, chains, autocorrelation.lags, 1, (q) => (q === 128 ? NaN : (q > 127 ? q - 256 : q) / 127));  // -128: undefined
}
