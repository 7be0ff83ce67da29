// The report: sections of tables and pictures of the data that stand in the page.

function section(id, title, ...children) {
  return element("section", {id, "aria-labelledby": `${id}-title`}, element("h2", {id: `${id}-title`}, title), ...children);
}

function note(text) {
  return element("p", {class: "note"}, text);
}

function problemsSection(data) {
  const looked = data.checked.length ? `Looked at: ${data.checked.join(", ")}.` : null;
  if (data.problems.length === 0) {
    const found = looked ? "No problems were found." : "Nothing could be checked.";
    return section("problems", "Warnings", element("div", {class: "well"}, element("p", {class: "what"}, found), looked && element("p", {}, looked)));
  }
  const items = data.problems.map(({kind, what, advice, parameters}) => element("li", {class: "problem"},
    element("span", {class: "kind"}, kind),
    element("p", {class: "what"}, what),
    parameters ? element("p", {class: "name"}, parameters) : null,
    advice ? element("p", {}, element("b", {}, "Try: "), advice) : null));
  return section("problems", `Warnings (${data.problems.length})`, element("ul", {class: "problems"}, items), looked && note(looked));
}

function factsSection(data, title = "The run") {
  const long = 60;  // letters: a line of its own
  const facts = data.facts.map(([name, text]) => element("div", {class: text.length > long ? "wide" : null}, element("dt", {}, name), element("dd", {}, breakable(text))));
  return section("run", title, element("dl", {class: "facts"}, facts), data.kept ? note(data.kept) : null);
}

function tableSection(data, table) {
  const {r_hat: rhat, ess_per_chain: each} = data.limits;
  const text = `▲ marks R-hat above ${rhat} and effective sample sizes below ${each * data.chains} (${each} per chain). Choose a parameter to see it large.`;
  return section("summary", "Parameters", note(text), table.element);
}

function picturesSection(data, multiples) {
  if (!data.trace) return null;
  const controls = element("div", {class: "controls"}, data.chains > 1 ? chainLegend(data.chains) : null, element("span", {class: "grow"}), multiples.pager);
  return section("pictures", "Traces, ranks, densities, autocorrelations",
    note("In the order of the table, and following its search. Ranks: bars of equal height where the chains agree; dots and lines under densities: median and 5% to 95%; dashed in autocorrelations: what 95 of 100 independent draws stay within."),
    controls, multiples.list);
}

function pairsSection({pairs, names}) {
  if (!pairs || pairs.parameters.length < 2) return null;
  const most = innerWidth < 600 ? 4 : 6;
  const shown = pairs.parameters.slice(0, most);
  const divergences = pairs.divergent.reduce((sum, one) => sum + one, 0);
  const label = `Pair plot of ${shown.map((index) => names[index]).join(", ")}`;
  const height = Math.min(Math.max(280, 125 * shown.length), Math.max(280, innerWidth - 40));
  const draw = (surface) => pairChart(surface, {names: shown.map((index) => names[index]), values: pairs.values, divergent: pairs.divergent});
  const text = divergences > 0 ? `✕ ${counted(divergences, "divergent draw", "divergent draws")} over the others: where they gather, the sampler cannot follow the density.`
                               : "No draw shown diverged.";
  const beyond = drawsBeyond(pairs.values.slice(0, most));
  const far = beyond > 0 ? ` Of ${countText(pairs.divergent.length)} draws ${countText(beyond)} ${beyond === 1 ? "lies" : "lie"} beyond a cell and ${beyond === 1 ? "stands" : "stand"} at its edge.` : "";
  const plot = makePlot({label, height, draw});
  plot.style.maxWidth = `${210 * shown.length}px`;  // cells that are not much wider than high
  return section("pairs", "Pairs of the worst parameters", note(text + far), plot);
}

function energySection({energy, limits}) {
  if (!energy) return null;
  const values = energy.e_bfmi.map((value, chain) => {
    const bad = value != null && value < limits.e_bfmi;
    return element("span", {}, `chain ${chain + 1} `, element("b", {class: bad ? "marked" : null}, fixedText(value, 2)));
  });
  const draw = (surface) => histogramChart(surface, {low: energy.low, high: energy.high, first: energy.marginal, second: energy.transition, xLabel: "energy, centred"});
  return section("energy", "Energy",
    note(`Where the steps of the energy are much narrower than the energy itself, the tails are explored slowly: E-BFMI below ${limits.e_bfmi} is marked ▲.`),
    element("p", {class: "numbers"}, "E-BFMI", values),
    pictureKey("energy (filled)", "its steps (outline)"),
    makePlot({label: "Histograms of the energy and of its steps", height: 210, draw}));
}

// Step sizes change by powers of ten in warm-up: then their axis is logarithmic.
function stepChart({name, label, at, warmup, values}, height) {
  const positive = rangeOf(values, {positive: true});
  const wide = 30;
  const logY = name === "step_size" && positive != null && positive[1] / positive[0] > wide;
  const y = logY ? positive : rangeOf(values, {room: 0.04}) ?? [0, 1];
  const series = values.map((row, chain) => ({x: at, y: row, chain, alpha: 0.7}));
  const shadedTo = warmup > 0 ? (warmup < at.length ? (at[warmup - 1] + at[warmup]) / 2 : at.at(-1)) : null;
  const draw = (surface) => lineChart(surface, {series, x: [at[0], at.at(-1)], y, logY, shadedTo, xLabel: "iteration", width: 0.9});
  return element("figure", {}, element("figcaption", {}, label), makePlot({label: `${label} over time, by chain`, height, draw}));
}

// Step size and acceptance first and large, all else small.
function stepsSection({steps}) {
  const shown = (steps ?? []).filter(({at}) => at.length > 1);
  if (shown.length === 0) return null;
  const isMain = ({name}) => name === "step_size" || name === "acceptance_rate";
  const shaded = shown.some(({warmup}) => warmup > 0);
  return section("steps", "Steps of the sampler", shaded ? note("Shaded: warm-up.") : null,
    element("div", {class: "charts"}, shown.filter(isMain).map((one) => stepChart(one, 190))),
    element("div", {class: "charts small"}, shown.filter((one) => !isMain(one)).map((one) => stepChart(one, 120))));
}

function checkSection({check}) {
  if (!check) return null;
  const warnings = (check.warnings ?? []).map((text) => element("li", {class: "problem"}, element("p", {class: "what"}, text.replace(/^check: /, ""))));
  return section("check", check.exact ? "Check against an exact run" : "Check",
    warnings.length ? element("ul", {class: "problems"}, warnings) : null,
    check.ksd ? steinTable(check.ksd) : null,
    check.exact ? exactTable(check.exact) : null);
}

function steinTable({draws, run, exact}) {
  const row = (name, found) => [name, numberText(found.ksd, 3), numberText(found.u_statistic, 3), numberText(found.standard_error, 2)];
  return element("div", {}, element("h3", {}, "Kernel Stein discrepancy"),
    note(`Of ${counted(draws, "draw", "draws")}, each coordinate divided by the run's own standard deviation; 0 where the draws have the law of the model.`),
    plainTable("kernel Stein discrepancy", ["", "KSD", "U-statistic", "its error if independent"], [row("this run", run), ...(exact ? [row("exact run", exact)] : [])]));
}

function exactTable(exact) {
  const deviation = (title, part, help) => [
    {title, help, value: (row) => row[part].value, cell: (row) => fixedText(row[part].value, 3), marked: (row) => row[part].beyond_chance, markedBecause: "beyond chance", worstHigh: true},
    {title: "± error", help: "standard error of the number before", value: (row) => row[part].mcse, cell: (row) => numberText(row[part].mcse, 2)},
  ];
  const rows = exact.parameters;
  const table = pagedTable({
    caption: "errors against the exact run", rows, start: () => rows.map((_, index) => index), markedOnly: exact.beyond_chance > 0 ? "only marked ▲" : null,
    columns: [{title: "parameter", value: (row) => row.name, cell: (row) => named(row.name)},
      ...deviation("mean error", "mean_error", "in standard deviations of the exact run"), ...deviation("sd error", "sd_error", "ratio of the standard deviations less 1")],
  });
  return element("div", {}, element("h3", {}, `Errors against ${exact.sampler}`),
    note(`${exact.chains} chains of ${exact.draws} draws after ${exact.warmup} of warm-up, ${counted(exact.gradient_evaluations, "gradient", "gradients")}, ` +
      `R-hat up to ${fixedText(exact.largest_rhat, 3)}. Errors of the mean in its standard deviations, of the standard deviation as ratio less 1; ` +
      `▲ beyond what chance explains: ${counted(exact.beyond_chance, "parameter", "parameters")}.`),
    errorChart(rows), table.element);
}

// Errors with two standard errors to either side, the largest first.
function errorChart(rows) {
  const most = 20;
  const size = ({mean_error: mean, sd_error: sd}) => Math.max(Math.abs(mean.value ?? 0), Math.abs(sd.value ?? 0));
  const shown = [...rows].sort((a, b) => size(b) - size(a)).slice(0, most);
  const parts = [["mean_error", 0, "mean"], ["sd_error", 1, "standard deviation"]];
  const ends = shown.flatMap((row) => parts.flatMap(([part]) => [row[part].value - 2 * row[part].mcse, row[part].value + 2 * row[part].mcse]));
  const x = rangeOf([[...ends, 0]], {room: 0.05});
  if (!x || shown.length < 2) return null;
  const draw = (surface) => rowChart(surface, {
    names: shown.map((row) => row.name), x, xLabel: "error ± 2 standard errors",
    marks: (k) => parts.map(([part, colour]) => ({value: shown[k][part].value, error: shown[k][part].mcse, colour: chainColour(colour), bad: shown[k][part].beyond_chance})),
    read: (k) => parts.map(([part, colour, what]) => ({text: `${what}  ${fixedText(shown[k][part].value, 3)} ± ${numberText(shown[k][part].mcse, 2)}`, colour: chainColour(colour)})),
  });
  return element("div", {}, pictureKey("mean", "standard deviation", "▲ beyond chance", rows.length > most ? `the ${most} largest of ${countText(rows.length)}` : "the largest first"),
    makePlot({label: "Errors of mean and standard deviation", height: rowChartHeight(shown.length, 2), draw}));
}

const SCORE_HELP = {
  log_score: "mean logarithm of the predictive density; higher is better",
  rmse: "root of the mean squared error of the predictive mean; lower is better",
  mae: "mean absolute error of the predictive mean; lower is better",
  coverage_50: "share of rows inside the central 50% interval; best 0.5",
  coverage_90: "share of rows inside the central 90% interval; best 0.9",
  accuracy: "share of rows whose likeliest class is the right one; higher is better",
  error: "share of rows whose likeliest class is wrong; lower is better",
  brier: "squared distance of the probabilities from what was observed; lower is better",
  calibration_error: "distance of probabilities from frequencies; lower is better",
};

function scoreTable(scores) {
  const text = (value) => (typeof value === "number" || value == null ? numberText(value) : String(value));
  const rows = scores.map(([name, value]) => [named(name), text(value), SCORE_HELP[name] ?? ""]);
  const table = plainTable("scores", ["score", "value", ""], rows);
  table.classList.add("explained");
  return table;
}

function heldOutSection({held_out: heldOut, chains}) {
  if (!heldOut) return null;
  const rows = heldOut.curves?.[0]?.y.length ?? 0;
  const word = rows === chains ? "chain" : "ensemble";
  const charts = (heldOut.curves ?? []).map((curve) => curveChart(curve, word));
  if (heldOut.calibration) charts.push(calibrationChart(heldOut.calibration));
  const alone = (heldOut.curves ?? []).some(isOfDrawsAlone);
  return section("held-out", "Held-out data",
    heldOut.scores?.length ? scoreTable(heldOut.scores) : null,
    charts.length ? element("div", {class: "controls below"}, rows > 1 ? chainLegend(rows, word) : null) : null,
    alone ? note("Of each draw alone: faint; in full, the mean over neighbours.") : null,
    charts.length ? element("div", {class: "charts"}, charts) : null);
}

function isOfDrawsAlone({name}) {
  return name.startsWith("draw_");
}

// Means over a twentieth of the points about each; what is not finite does not count.
function smoothed(values) {
  const half = Math.max(1, Math.round(values.length / 40));
  return values.map((_, k) => {
    const about = values.slice(Math.max(0, k - half), k + half + 1).filter((value) => value != null && Number.isFinite(value));
    return about.length ? about.reduce((sum, value) => sum + value, 0) / about.length : null;
  });
}

function curveChart(curve, word) {
  const {label, name, x_label: xLabel, x, y} = curve;
  const line = (values, chain) => ({x: x[chain] ?? x[0], y: values, chain, name: `${word} ${chain + 1}`});
  const faint = isOfDrawsAlone(curve) ? y.map((values, chain) => ({...line(values, chain), alpha: 0.16})) : [];
  const series = y.map((values, chain) => line(faint.length ? smoothed(values) : values, chain));
  const draw = (surface) => lineChart(surface, {series, faint, x: rangeOf(x) ?? [0, 1], y: rangeOf(y, {room: 0.05}) ?? [0, 1], xLabel, width: 1.4});
  return element("figure", {}, element("figcaption", {}, `${label ?? name} against ${xLabel}`), makePlot({label: `${label ?? name} against ${xLabel}, by ${word}`, height: 220, draw}));
}

function calibrationChart({kind, expected, observed, count}) {
  const [title, xLabel, yLabel] = kind === "interval" ? ["Coverage of predictive intervals", "nominal", "observed"] : ["Calibration of probabilities", "predicted", "observed frequency"];
  const series = [{x: expected, y: observed, name: "observed", points: 3, more: (k) => (count ? ` of ${counted(count[k], "prediction", "predictions")}` : "")}];
  const draw = (surface) => lineChart(surface, {series, x: [0, 1], y: [0, 1], xLabel, yLabel, diagonal: true, width: 1.4});
  return element("figure", {}, element("figcaption", {}, title), makePlot({label: `${title}: observed against ${xLabel}; the dashed diagonal is perfect`, height: 260, draw}));
}

function repeatSection({command, configuration, hashes}, title = "To repeat this run") {
  return section("repeat", title,
    command ? copyable(command, {wraps: true, label: "the command"}) : null,
    configuration ? element("h3", {}, "The same as a configuration file") : null,
    configuration ? copyable(configuration, {label: "the configuration"}) : null,
    hashes?.length ? element("h3", {}, "Hashes") : null,
    hashes?.length ? element("div", {class: "scroll hashes", tabindex: "0", role: "region", "aria-label": "hashes"},
      element("table", {"aria-label": "hashes"}, element("tbody", {}, hashes.map(([name, hash]) => element("tr", {}, element("th", {scope: "row"}, named(name)), element("td", {}, hash)))))) : null);
}

function heading(data) {
  return element("header", {}, element("p", {class: "eyebrow"}, "quasar report"), element("h1", {}, breakable(data.title)));
}

const SHORT_TITLES = {problems: "Warnings", run: "Run", summary: "Table", pictures: "Pictures", pairs: "Pairs", energy: "Energy", steps: "Steps", check: "Check", "held-out": "Held-out", repeat: "Repeat",
  topics: "Topics", similarity: "Similarity", traces: "Traces", words: "Words", documents: "Documents",
  scores: "Scores", listen: "Listen", sounds: "Pictures"};

function navigation(sections) {
  const links = sections.map(({id}) => element("a", {href: `#${id}`}, SHORT_TITLES[id]));
  return element("div", {class: "bar"}, element("nav", {"aria-label": "Sections"}, links), themeButton(onColoursChange));
}

// Pictures out of view and dark colours would print badly: all are drawn anew, light, and afterwards as before.
function preparePrinting() {
  const root = document.documentElement;
  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
    drawForPrint();
  });
  addEventListener("afterprint", () => {
    if (before === undefined) delete root.dataset.theme;
    else root.dataset.theme = before;
    onColoursChange();
  });
  matchMedia("print").addEventListener("change", ({matches}) => (matches ? drawForPrint() : onColoursChange()));
}

function showReport() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const multiples = smallMultiples(data, (index) => dialog.open(index));
  const table = summaryTable(data, (index) => dialog.open(index), multiples.follow);
  const dialog = parameterDialog(data, table.found);
  if (data.trace) multiples.follow(table.found());
  const sections = [problemsSection(data), factsSection(data), tableSection(data, table), checkSection(data), heldOutSection(data), picturesSection(data, multiples), pairsSection(data),
    energySection(data), stepsSection(data), repeatSection(data)].filter(Boolean);
  document.getElementById("report").append(element("a", {class: "skip", href: "#problems"}, "Skip to the report"), heading(data), navigation(sections), ...sections,
    element("footer", {}, "Made by quasar report. This file is complete in itself and loads nothing."), dialog.element);
  preparePrinting();
  // Two frames later the pictures in view are drawn.
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("rendered")));
}
