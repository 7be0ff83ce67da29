// The parameters: their table, their pictures as small multiples, one of them large.

const PICTURES_PER_PAGE = 10;

const COLUMN_HELP = {
  mean: "mean of the draws",
  mcse: "Monte Carlo standard error of the mean",
  sd: "standard deviation of the draws",
  ess_bulk: "effective sample size for the centre of the distribution",
  ess_tail: "effective sample size for its 5% and 95% quantiles",
  weighted_mean: "mean of the draws, which weigh as the changing step size does",
  r_hat: "rank-normalised split R-hat: 1 where the chains agree",
};

function columnIndex(data, name) {
  return data.columns.indexOf(name);
}

function isMarked(data, column, value) {
  if (value == null) return false;
  if (column === "r_hat") return value > data.limits.r_hat;
  return column.startsWith("ess_") && value < data.limits.ess_per_chain * data.chains;
}

function markReason(data, column) {
  const {r_hat: rhat, ess_per_chain: each} = data.limits;
  return column === "r_hat" ? `above ${rhat}` : `below ${each * data.chains}, ${each} per chain`;
}

// Locations and spreads of a row share their decimals: three digits of the standard deviation.
function cellText(data, row, column) {
  const value = row[columnIndex(data, column)];
  if (column.startsWith("ess_")) return countText(value);
  if (column === "r_hat") return fixedText(value, value != null && value < 1.1 ? 3 : 2);
  const sd = row[columnIndex(data, "sd")];
  if (value == null || !(sd > 1e-5) || sd >= 1e5 || Math.abs(value) >= 1e7) return numberText(value);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(sd)));
  return fixedText(value, column === "mcse" ? decimals + 1 : decimals);
}

function hasMarks(data) {
  return data.summary.some((row) => data.columns.some((column, k) => isMarked(data, column, row[k])));
}

// Where there is no room for all columns, what tells good from bad comes before what is out of view.
function columnsInOrder(data) {
  const enough = 960;
  if (innerWidth >= enough) return data.columns;
  const first = ["mean", "r_hat", "ess_bulk", "sd"];
  return [...first, ...data.columns.filter((column) => !first.includes(column))];
}

function summaryTable(data, onOpen, onRows) {
  const rows = data.names.map((_, index) => index);
  const columns = columnsInOrder(data).map((column) => [column, columnIndex(data, column)]).map(([column, k]) => ({
    title: column,
    help: COLUMN_HELP[column] ?? `${column} quantile`,
    value: (index) => data.summary[index][k],
    cell: (index) => cellText(data, data.summary[index], column),
    marked: (index) => isMarked(data, column, data.summary[index][k]),
    markedBecause: markReason(data, column),
    worstHigh: column === "r_hat",
  }));
  columns.unshift({title: "parameter", value: (index) => data.names[index], cell: (index) => named(data.names[index])});
  if (data.density) columns.push({title: "density", sortable: false, cell: (index) => spark(data, index)});
  const any = hasMarks(data);
  const order = {worst: any};
  const table = pagedTable({
    caption: "parameters", columns, rows, onOpen, onRows,
    start: () => (order.worst ? data.order : rows),
    markedOnly: any ? "only marked ▲" : null,
  });
  if (rows.length > 1) table.extra.append(orderChoice(order, table));
  return table;
}

function orderChoice(order, table) {
  const choice = element("select", {onchange: () => {
    order.worst = choice.value === "worst";
    table.clearSort();
    table.refresh();
  }}, element("option", {value: "worst"}, "worst first"), element("option", {value: "model"}, "as in the model"));
  choice.value = order.worst ? "worst" : "model";
  return element("label", {}, "order ", choice);
}

function spark(data, index) {
  return makePlot({label: `Density of ${data.names[index]}`, height: 20, className: "spark", draw: (surface) => sparkline(surface, densityOf(data, index))});
}

// The four pictures of one parameter; `tall` has the heights of the first and of the others.
function parameterPictures(data, index, tall) {
  const name = data.names[index];
  const pictures = [
    [data.trace, "trace", (surface) => drawTrace(surface, data, index)],
    [data.rank, "ranks", (surface) => drawRanks(surface, data, index)],
    [data.density, "density", (surface) => drawDensity(surface, data, index)],
    [data.autocorrelation, "autocorrelation", (surface) => drawAutocorrelation(surface, data, index)],
  ];
  const label = (kind) => `${kind[0].toUpperCase()}${kind.slice(1)} of ${name}, ${counted(data.chains, "chain", "chains")}`;
  const shown = pictures.filter(([block]) => block);
  return element("div", {class: "quad"}, shown.map(([, kind, draw], k) =>
    element("figure", {}, element("figcaption", {}, kind), makePlot({label: label(kind), height: k === 0 ? tall[0] : tall[1], draw}))));
}

function drawTrace(surface, data, index) {
  const {at} = data.trace;
  const rows = traceOf(data, index);
  const y = rangeOf(rows) ?? [0, 1];
  const series = rows.map((values, chain) => ({x: at, y: values, chain, alpha: 0.7}));
  return lineChart(surface, {series, x: [at[0], at.at(-1)], y, xLabel: "draw", width: 0.8});
}

function drawRanks(surface, data, index) {
  return rankChart(surface, {counts: ranksOf(data, index), expected: data.rank.expected, draws: data.chains * data.draws});
}

// Heights are relative. Below, the interval from 5% to 95% and the median.
function drawDensity(surface, data, index) {
  const {points} = data.density;
  const low = data.density.low[index];
  const high = data.density.high[index];
  if (low == null || high == null) return drawNothing(surface, "not finite");
  const at = Array.from({length: points}, (_, k) => low + ((high - low) * k) / (points - 1));
  const series = densityOf(data, index).map((values, chain) => ({x: at, y: values, chain}));
  const [q5, q50, q95] = ["5%", "50%", "95%"].map((name) => data.summary[index][columnIndex(data, name)] ?? null);
  const below = ({context, colours}, frame) => {
    if (q5 == null || q95 == null) return;
    context.strokeStyle = context.fillStyle = colours.ink;
    context.lineWidth = 2;
    line(context, frame.x(q5), frame.bottom - 4, frame.x(q95), frame.bottom - 4);
    dot(context, frame.x(q50), frame.bottom - 4, 3);
  };
  return lineChart(surface, {series, x: [low, high], y: [-0.09, 1.04], xLabel: "value", yTicks: false, width: 1.3, below});
}

// Dashed: where 95 of 100 autocorrelations of independent draws lie.
function drawAutocorrelation(surface, data, index) {
  const at = Array.from({length: data.autocorrelation.lags}, (_, lag) => lag);
  const rows = autocorrelationOf(data, index);
  const band = 1.96 / Math.sqrt(data.draws);
  const least = Math.min(-0.2, rangeOf(rows)?.[0] ?? 0);
  const points = at.length * 5 < surface.width ? 1.4 : 0;  // where there is room for them
  const series = rows.map((y, chain) => ({x: at, y, chain, points}));
  return lineChart(surface, {series, x: [0, Math.max(1, at.length - 1)], y: [least, 1.02], xLabel: "lag", levels: [-band, band]});
}

function drawNothing({context, width, height, colours}, text) {
  context.font = SMALL_TEXT;
  context.fillStyle = colours.muted;
  context.textAlign = "center";
  context.fillText(text, width / 2, height / 2);
  return null;
}

function rowNumbers(data, index, columns) {
  return columns.filter((column) => columnIndex(data, column) >= 0).map((column) => {
    const value = data.summary[index][columnIndex(data, column)];
    const bad = isMarked(data, column, value);
    const text = cellText(data, data.summary[index], column);
    return element("span", {}, `${column} `, element("b", {class: bad ? "marked" : null, title: bad ? markReason(data, column) : null}, text));
  });
}

// Ten parameters a page, in the order of the table.
function smallMultiples(data, onOpen) {
  const list = element("div", {class: "multiples"});
  const state = {found: [], page: 0};
  const pager = makePager((page) => {
    state.page = page;
    show();
    list.parentElement.scrollIntoView();
  });
  function show() {
    const from = state.page * PICTURES_PER_PAGE;
    list.replaceChildren(...state.found.slice(from, from + PICTURES_PER_PAGE).map((index) => element("article", {"aria-label": data.names[index]},
      element("div", {class: "head"},
        element("button", {type: "button", "aria-haspopup": "dialog", onclick: () => onOpen(index)}, named(data.names[index])),
        element("span", {class: "numbers"}, rowNumbers(data, index, ["mean", "sd", "ess_bulk", "r_hat"]))),
      parameterPictures(data, index, [118, 118]))));
    pager.show(state.page, state.found.length, PICTURES_PER_PAGE);
  }
  function follow(found) {
    state.found = found;
    state.page = 0;
    show();
  }
  return {list, pager: pager.element, follow};
}

// The dialog of one parameter; the arrow keys go through the others in the order of the table.
function parameterDialog(data, found) {
  const title = element("h2");
  const numbers = element("div", {class: "numbers"});
  const pictures = element("div");
  const step = (by) => {
    const all = found();
    const place = all.indexOf(dialog.parameter) + by;
    if (place >= 0 && place < all.length) open(all[place]);
  };
  const button = (text, label, press, first = false) => element("button", {type: "button", "aria-label": label, autofocus: first, onclick: press}, text);
  const dialog = element("dialog", {"aria-label": "Parameter", onkeydown: (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  }, onclick: (event) => event.target === dialog && dialog.close(), onclose: hideReadout},
    element("div", {class: "top"}, title, element("div", {}, button("‹ previous", "Previous parameter", () => step(-1)),
      button("next ›", "Next parameter", () => step(1)), button("✕ close", "Close", () => dialog.close(), true))),
    numbers, data.chains > 1 ? chainLegend(data.chains) : null, pictures);
  function open(index) {
    dialog.parameter = index;
    title.replaceChildren(named(data.names[index]));
    numbers.replaceChildren(...rowNumbers(data, index, data.columns));
    pictures.replaceChildren(data.trace ? parameterPictures(data, index, [240, 230]) : element("p", {class: "note"}, data.kept || "No draws were kept."));
    if (!dialog.open) dialog.showModal();
  }
  return {element: dialog, open};
}
