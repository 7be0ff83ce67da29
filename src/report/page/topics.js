// The page of topics; report/topics_data.hpp says what the element "data" holds.

const WORDS_IN_TABLE = innerWidth < 600 ? 8 : 12;

function percentText(share) {
  const percent = 100 * share;
  return share > 0 && percent < 0.01 ? "< 0.01 %" : `${numberText(percent, percent >= 10 ? 3 : 2)} %`;
}

// A bar with its number behind it; `share` of the width.
function meter(share, text) {
  const bar = element("i");
  bar.style.setProperty("--share", Math.max(0, Math.min(1, share)));
  return element("span", {class: "meter"}, bar, element("span", {}, text));
}

function topicName(topic) {
  return `topic ${topic + 1}`;
}

function topicButton(topic, onOpen, text = topicName(topic)) {
  return element("button", {type: "button", class: "link", "aria-haspopup": "dialog", onclick: () => onOpen(topic)}, text);
}

function firstWords(data, topic, most) {
  return data.topics[topic].words.slice(0, most).map(([word]) => data.words.names[word]);
}

// Topics of a word or a document: buttons with their shares.
function topicList(data, shares, onOpen) {
  const known = shares.filter(([topic]) => topic < data.topics.length);
  return element("span", {class: "topic-list"}, known.map(([topic, share]) => element("span", {},
    topicButton(topic, onOpen), ` ${percentText(share)} `, element("span", {class: "hint"}, firstWords(data, topic, 3).join(" ")))));
}

function topicTable(data, onOpen) {
  const largest = Math.max(...data.topics.map(({share}) => share), 1e-9);
  const rows = data.topics.map((topic, index) => ({...topic, index}));
  const words = (row) => firstWords(data, row.index, WORDS_IN_TABLE).join(" ");
  return pagedTable({
    caption: "topics", rows, start: () => rows.map((_, index) => index), onOpen, perPage: 25, searchFor: "a word",
    searched: (row) => `${topicName(row.index)} ${row.words.map(([word]) => data.words.names[word]).join(" ")}`,
    columns: [
      {title: "topic", value: (row) => row.index + 1, cell: (row) => String(row.index + 1)},
      {title: "share", help: "share of all tokens", value: (row) => row.share, cell: (row) => meter(row.share / largest, percentText(row.share)), worstHigh: true, text: true},
      {title: "weight", help: "r_k: how readily a new document takes it up", value: (row) => row.weight, cell: (row) => numberText(row.weight, 3), worstHigh: true},
      {title: "words", value: words, cell: (row) => named(words(row)), sortable: false, text: true},
    ],
  });
}

function topicsSection(data, table) {
  const more = data.in_use > data.topics.length ? ` Of ${countText(data.in_use)} topics, the ${countText(data.topics.length)} largest.` : "";
  const made = section("topics", `Topics (${data.in_use})`, note(`The likeliest words of each, the largest topic first. Choose one to see more of it.${more}`), table.element);
  made.classList.add("topics");
  return made;
}

// One topic: its words, the documents that have most of it, the topics most like it.
function topicDialog(data, found) {
  const title = element("h2");
  const content = element("div");
  const button = (text, label, press, first = false) => element("button", {type: "button", "aria-label": label, autofocus: first, onclick: press}, text);
  const step = (by) => {
    const all = found();
    const place = all.indexOf(dialog.topic) + by;
    if (place >= 0 && place < all.length) open(all[place]);
  };
  const dialog = element("dialog", {"aria-label": "Topic", onkeydown: (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  }, onclick: (event) => event.target === dialog && dialog.close()},
    element("div", {class: "top"}, title, element("div", {}, button("‹ previous", "Previous topic", () => step(-1)),
      button("next ›", "Next topic", () => step(1)), button("✕ close", "Close", () => dialog.close(), true))), content);
  function open(index) {
    const topic = data.topics[index];
    dialog.topic = index;
    title.replaceChildren(`Topic ${index + 1}`);
    content.replaceChildren(element("p", {class: "numbers"}, element("span", {}, "share ", element("b", {}, percentText(topic.share))),
      element("span", {}, "weight ", element("b", {}, numberText(topic.weight, 3)))), element("div", {class: "columns"}, wordBars(data, topic), aboutTopic(data, topic, open)));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }
  return {element: dialog, open};
}

function wordBars(data, topic) {
  const most = topic.words[0]?.[1] || 1;
  const rows = topic.words.map(([word, probability, lift]) => [named(data.words.names[word]), meter(probability / most, numberText(probability, 2)), `${numberText(lift, 2)}×`]);
  return element("div", {}, element("h3", {}, "Words"), plainTable("words of the topic", ["word", "probability", "lift"], rows, [1]), note("Lift: how many times as often as in all documents."));
}

function aboutTopic(data, topic, open) {
  const parts = [];
  if (topic.near.length) {
    const rows = topic.near.map(([near, alike]) => [topicButton(near, open), firstWords(data, near, 5).join(" "), numberText(alike, 2)]);
    const table = plainTable("topics most like it", ["topic", "words", "similarity"], rows, [1]);
    table.classList.add("wrapped");
    parts.push(element("h3", {}, "Topics most like it"), table);
  }
  if (topic.documents.length) {
    const rows = topic.documents.map(([document, share]) => [named(data.documents.names[document]), meter(share, percentText(share))]);
    parts.push(element("h3", {}, "Documents with most of it"), plainTable("documents with most of the topic", ["document", "share"], rows, [1]));
  }
  return element("div", {}, parts);
}

function heldOutTopics({held_out: heldOut, trace}) {
  if (!heldOut) return null;
  const rows = [["these topics", heldOut.perplexity], ["unigram", heldOut.unigram], ["uniform", heldOut.uniform]];
  const most = Math.max(...rows.map(([, value]) => value ?? 0));
  const bars = rows.map(([name, value]) => [name, meter((value ?? 0) / most, numberText(value))]);
  const charts = [];
  if (heldOut.curve.length > 1) {
    for (const [xLabel, x] of [["sweeps", heldOut.passes], ["seconds", heldOut.seconds]]) {
      const series = [{x, y: heldOut.curve, chain: 0, name: "perplexity", points: 2}];
      const y = rangeOf([heldOut.curve], {room: 0.06}) ?? [0, 1];
      const shadedTo = xLabel === "sweeps" && trace.burn_in > 0 ? trace.burn_in : null;
      const draw = (surface) => lineChart(surface, {series, x: rangeOf([[0], x]), y, xLabel, width: 1.4, shadedTo, shadedText: "burn-in"});
      charts.push(element("figure", {}, element("figcaption", {}, `Held-out perplexity against ${xLabel}`), makePlot({label: `Held-out perplexity against ${xLabel}`, height: 220, draw})));
    }
  }
  return section("held-out", "Held-out words",
    note(`Of ${counted(heldOut.tokens, "token", "tokens")} (${heldOut.source}), told by the other words of their documents. Perplexity is how many words it is as hard to choose from: the fewer the better. The table averages over all draws that were kept; the curve is of single states.`),
    plainTable("perplexity", ["", "perplexity"], bars, [1]), element("div", {class: "charts below"}, charts));
}

// How alike topics are: a square for each pair, from the least alike, which is empty, to the most.
function similarityChart(surface, {order, values, label}) {
  const {context, width, height, colours} = surface;
  const size = order.length;
  const others = values.filter((_, k) => k % (size + 1) !== 0);
  const least = Math.min(...others);
  const most = Math.max(...others, least + 1);
  const side = Math.min(width, height) / size;
  context.fillStyle = colours.chains[0];
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      context.globalAlpha = row === column ? 1 : (values[row * size + column] - least) / (most - least);
      context.fillRect(column * side, row * side, side + 0.3, side + 0.3);
    }
  }
  context.globalAlpha = 1;
  context.strokeStyle = colours.line;
  context.strokeRect(0.5, 0.5, side * size - 1, side * size - 1);
  return (px, py) => {
    const [column, row] = [Math.floor(px / side), Math.floor(py / side)];
    if (column < 0 || row < 0 || column >= size || row >= size) return null;
    return {lines: [{text: label(order[row])}, {text: label(order[column])}, {text: `similarity ${numberText(values[row * size + column] / 255, 2)}`}]};
  };
}

function similaritySection(data, onOpen) {
  if (!data.similarity) return null;
  const {order} = data.similarity;
  const values = bytesOf(data.similarity.data, 0, order.length ** 2);
  const label = (topic) => `${topic + 1}: ${short(firstWords(data, topic, 4).join(" "), 60)}`;
  const side = Math.min(Math.max(240, 14 * order.length), 560);
  const plot = makePlot({label: "How alike topics are", height: side, draw: (surface) => similarityChart(surface, {order, values, label})});
  plot.style.maxWidth = `${side}px`;
  const pairs = order.flatMap((row, i) => order.slice(i + 1).map((column, j) => [row, column, values[i * order.length + i + 1 + j] / 255]));
  const nearest = pairs.sort((a, b) => b[2] - a[2]).slice(0, 10);
  const rows = nearest.map(([a, b, alike]) => [element("span", {class: "pair"}, topicButton(a, onOpen, `${a + 1}`), " and ", topicButton(b, onOpen, `${b + 1}`)), `${firstWords(data, a, 3).join(" ")} · ${firstWords(data, b, 3).join(" ")}`, numberText(alike, 2)]);
  const table = plainTable("topics that are most alike", ["topics", "words", "similarity"], rows, [1]);
  table.classList.add("wrapped");
  return section("similarity", "How alike topics are",
    note("1: the same words, equally often; 0: none in common (Bhattacharyya coefficient). Neighbours in the picture are alike."),
    element("div", {class: "columns"}, plot, element("div", {}, element("h3", {}, "Most alike"), table)));
}

function tracesSection({trace}) {
  const {passes, curves, burn_in: burnIn} = trace;
  if (passes.length < 2) return null;
  const chart = ({name, values}, k) => {
    const draw = (surface) => lineChart(surface, {series: [{x: passes, y: values, chain: 0, name}], x: rangeOf([[0], passes]), y: rangeOf([values], {room: 0.05}) ?? [0, 1],
      xLabel: "sweeps", width: 1, shadedTo: burnIn > 0 ? burnIn : null, shadedText: "burn-in"});
    return element("figure", {}, element("figcaption", {}, named(name)), makePlot({label: `${name} against sweeps`, height: k === 0 ? 190 : 150, draw}));
  };
  return section("traces", "On the way", note("What moved while topics were fitted. A sampler should wander about a level after its burn-in; an objective only climbs."),
    element("div", {class: "charts"}, curves.map(chart)));
}

function wordsSection(data, onOpen) {
  const rows = data.words.names.map((name, index) => ({name, count: data.words.counts[index], topics: data.words.topics[index]}));
  const table = pagedTable({
    caption: "words", rows, start: () => rows.map((_, index) => index), perPage: 10, searchFor: "a word",
    columns: [{title: "word", value: (row) => row.name, cell: (row) => named(row.name)},
      {title: "tokens", value: (row) => row.count, cell: (row) => countText(row.count), worstHigh: true},
      {title: "topics, and the probability that the word is of them", value: (row) => row.topics[0]?.[0] ?? null, cell: (row) => topicList(data, row.topics, onOpen), sortable: false, text: true}],
  });
  const more = rows.length < data.all_words ? `Of ${countText(data.all_words)} words, the ${countText(rows.length)} most frequent.` : null;
  return section("words", "Words", more && note(more), table.element);
}

function documentsSection(data, onOpen) {
  if (!data.documents) return null;
  const rows = data.documents.names.map((name, index) => ({name, index, topics: data.documents.topics[index]}));
  const table = pagedTable({
    caption: "documents", rows, start: () => rows.map((_, index) => index), perPage: 10, searchFor: "a title",
    columns: [{title: "document", value: (row) => row.name, cell: (row) => named(row.name)},
      {title: "largest", help: "share of the largest topic", value: (row) => row.topics[0]?.[1] ?? 0, cell: (row) => meter(row.topics[0]?.[1] ?? 0, percentText(row.topics[0]?.[1] ?? 0)), worstHigh: true, text: true},
      {title: "topics", value: (row) => row.topics[0]?.[0] ?? null, cell: (row) => topicList(data, row.topics, onOpen), sortable: false, text: true}],
  });
  const more = rows.length < data.all_documents ? `Of ${countText(data.all_documents)} documents, the first ${countText(rows.length)}.` : null;
  return section("documents", "Documents", more && note(more), table.element);
}

function showTopics() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const open = (topic) => dialog.open(topic);
  const table = topicTable(data, open);
  const dialog = topicDialog(data, table.found);
  const sections = [problemsSection(data), factsSection(data, "The fit"), topicsSection(data, table), heldOutTopics(data), similaritySection(data, open), tracesSection(data),
    wordsSection(data, open), documentsSection(data, open), repeatSection(data, "To repeat this fit")].filter(Boolean);
  document.getElementById("report").append(element("a", {class: "skip", href: "#problems"}, "Skip to the report"), heading(data), navigation(sections), ...sections,
    element("footer", {}, "Made by quasar topics. This file is complete in itself and loads nothing."), dialog.element);
  preparePrinting();
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("rendered")));
}
