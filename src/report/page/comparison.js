// What moves on the page of quasar compare; compare/comparison_page.cpp writes the rest of it.
//
// The element "data" holds {"reference", "runs": names, "limit": MCSE, "differences": [{"name", "run": number, "mean",
// "mean_mcse", "mean_beyond", "sd", "sd_mcse", "sd_beyond"}], "all": how many there are}, the largest first; undefined
// numbers are null.

const DIFFERENCE_PARTS = [["mean", "means"], ["sd", "standard deviations"]];

function runKey(data, run) {
  return [colourKey(`var(--chain-${(run % CHAIN_COLOURS) + 1})`), named(data.runs[run])];
}

// "+4.2": the sign is part of the difference. Null and beyond the limit: neither run has an error.
function mcseText(value, beyond) {
  if (value == null) return beyond ? "∞" : UNDEFINED_TEXT;
  const text = fixedText(value, 1);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

function differenceTable(data) {
  const rows = data.differences;
  const size = (row, part) => (row[`${part}_mcse`] == null ? null : Math.abs(row[`${part}_mcse`]));
  const columns = ([part]) => [
    {title: part, help: `difference of the ${part} from ${data.reference}`, value: (row) => row[part], cell: (row) => numberText(row[part], 3)},
    {title: "in MCSE", help: "in Monte Carlo standard errors of both runs", value: (row) => size(row, part), cell: (row) => mcseText(row[`${part}_mcse`], row[`${part}_beyond`]),
      marked: (row) => row[`${part}_beyond`], markedBecause: `beyond ${data.limit}`, worstHigh: true},
  ];
  return pagedTable({
    caption: "differences", rows, start: () => rows.map((_, index) => index),
    markedOnly: rows.some((row) => row.mean_beyond || row.sd_beyond) ? "only marked ▲" : null,
    columns: [{title: "parameter", value: (row) => row.name, cell: (row) => named(row.name)},
      {title: "run", value: (row) => data.runs[row.run], cell: (row) => element("span", {class: "run"}, runKey(data, row.run))}, ...DIFFERENCE_PARTS.flatMap(columns)],
  }).element;
}

// The parameters that differ most, each with a point for each run.
function differenceChart(data, [part, title]) {
  const most = 16;
  const names = [...new Set(data.differences.map((row) => row.name))].slice(0, most);
  const others = data.runs.map((_, run) => run).filter((run) => data.runs[run] !== data.reference);
  const found = new Map(data.differences.map((row) => [`${row.run} ${row.name}`, row]));
  const of = (k, run) => found.get(`${run} ${names[k]}`) ?? {};
  const values = names.flatMap((_, k) => others.map((run) => of(k, run)[`${part}_mcse`]));
  const x = rangeOf([[...values, -1.25 * data.limit, 1.25 * data.limit]], {room: 0.03});
  const draw = (surface) => rowChart(surface, {
    names, x, xLabel: "MCSE", limits: [-data.limit, data.limit],
    marks: (k) => others.map((run) => ({value: of(k, run)[`${part}_mcse`], colour: chainColour(run), bad: of(k, run)[`${part}_beyond`]})),
    read: (k) => others.map((run) => ({text: `${short(data.runs[run])}  ${mcseText(of(k, run)[`${part}_mcse`], of(k, run)[`${part}_beyond`])}`, colour: chainColour(run)})),
  });
  return element("figure", {}, element("figcaption", {}, `Differences of ${title}`),
    makePlot({label: `Differences of ${title} in MCSE`, height: rowChartHeight(names.length, others.length), draw}));
}

function differencesOf(data) {
  if (data.differences.length === 0) return [note(`No run has differences from ${data.reference} whose error is known.`)];
  const others = data.runs.map((_, run) => run).filter((run) => data.runs[run] !== data.reference);
  const key = element("div", {class: "legend printed"}, others.map((run) => element("span", {class: "key"}, runKey(data, run))), element("span", {class: "key"}, `dashed: ${data.limit} MCSE, ▲ beyond`));
  const cut = data.differences.length < data.all ? `The ${countText(data.differences.length)} largest of ${countText(data.all)}.` : "";
  return [note("In Monte Carlo standard errors (MCSE) of both runs; the parameters that differ most come first."), key,
    element("div", {class: "charts"}, DIFFERENCE_PARTS.map((part) => differenceChart(data, part))), element("div", {class: "controls below"}, cut), differenceTable(data)];
}

function showComparison() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const title = document.querySelector("h1");
  title.replaceChildren(...breakable(title.textContent));
  document.getElementById("differences").append(...differencesOf(data));
  document.querySelectorAll("pre[aria-label]").forEach((shown) => shown.replaceWith(copyable(shown.textContent, {wraps: shown.classList.contains("wraps"), label: shown.getAttribute("aria-label")})));
  document.querySelector(".bar").append(themeButton(onColoursChange));
  preparePrinting();
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("rendered")));
}
