// A picture: a canvas that is drawn when it comes into view, again when its size or the colours change, and that says what is
// under the pointer.

const CHAIN_COLOURS = 8;  // of page.css; further chains begin again
const chosen = {chain: -1};  // the chain that stands out; -1: none

const shownPlots = new Set();  // in the page and in view
const watcher = new IntersectionObserver(onView, {rootMargin: "150px"});
const resized = new ResizeObserver((entries) => entries.forEach(({target}) => target.plot.onResize()));

function onView(entries) {
  for (const {target, isIntersecting} of entries) {
    if (!target.isConnected) watcher.unobserve(target);
    if (isIntersecting) shownPlots.add(target.plot);
    else shownPlots.delete(target.plot);
    if (isIntersecting && target.plot.stale) target.plot.draw();
  }
}

// draw(surface) draws on {context, width, height, colours} and returns null or a function of pointer position that returns
// null or {x: where the cross stands, lines: [{text, colour}]}.
function makePlot({label, height, draw, className = "plot"}) {
  const canvas = element("canvas", {role: "img", "aria-label": label});
  const holder = element("div", {class: className, style: `height:${height}px`}, canvas);
  const plot = {stale: true, width: 0, read: null, holder, draw: drawNow, onResize};
  holder.plot = plot;

  function drawNow() {
    const width = holder.clientWidth;
    if (!holder.isConnected || width === 0) return;
    const scale = Math.max(1, devicePixelRatio);
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.lineJoin = "bevel";
    plot.read = draw({context, width, height, colours: currentColours()}) ?? null;
    plot.width = width;
    plot.stale = false;
  }
  function onResize() {
    if (holder.clientWidth === plot.width) return;
    plot.stale = true;
    if (shownPlots.has(plot)) drawNow();
  }
  holder.addEventListener("pointermove", (event) => readOut(plot, event));
  holder.addEventListener("pointerleave", hideReadout);
  watcher.observe(holder);
  resized.observe(holder);
  return holder;
}

function everyPlot() {
  return [...document.querySelectorAll(".plot, .spark")].map((holder) => holder.plot);
}

function redrawPlots() {
  for (const plot of everyPlot()) {
    plot.stale = true;
    if (shownPlots.has(plot)) plot.draw();
  }
}

// Zoom, or a window that moves to a finer screen.
let pixelRatio = devicePixelRatio;
addEventListener("resize", () => {
  if (devicePixelRatio !== pixelRatio) redrawPlots();
  pixelRatio = devicePixelRatio;
});

// On paper everything is in view, and light.
function drawForPrint() {
  colours = null;
  for (const plot of everyPlot()) plot.draw();
}

let colours = null;  // as page.css has them, resolved for light or dark

function currentColours() {
  if (colours) return colours;
  const probe = element("span");
  document.body.append(probe);
  const resolve = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  colours = {chains: Array.from({length: CHAIN_COLOURS}, (_, k) => resolve(`chain-${k + 1}`))};
  for (const name of ["ink", "muted", "line", "grid", "bad", "good", "accent", "raised", "ground"]) colours[name] = resolve(name);
  probe.remove();
  return colours;
}

function chainColour(chain) {
  return currentColours().chains[chain % CHAIN_COLOURS];
}

function onColoursChange() {
  colours = null;
  redrawPlots();
}

// The little window beside the pointer, and the line through it.
const readout = element("div", {class: "readout", hidden: true, "aria-hidden": "true"});
const cross = element("div", {class: "cross", hidden: true});

function readOut(plot, event) {
  const box = plot.holder.getBoundingClientRect();
  const found = plot.read?.(event.clientX - box.left, event.clientY - box.top);
  if (!found) return hideReadout();
  const most = 13;
  const shown = found.lines.slice(0, most).map(({text, colour}) => {
    return element("div", {}, colour ? colourKey(colour) : null, text);
  });
  if (found.lines.length > most) shown.push(element("div", {}, `and ${found.lines.length - most} more`));
  readout.replaceChildren(...shown);
  (plot.holder.closest("dialog") ?? document.body).append(readout);  // a dialog lies above the page
  readout.hidden = false;
  const left = event.clientX + 14 + readout.offsetWidth < innerWidth ? event.clientX + 14 : event.clientX - 14 - readout.offsetWidth;
  readout.style.left = `${Math.max(2, left)}px`;
  readout.style.top = `${Math.max(2, Math.min(event.clientY + 12, innerHeight - readout.offsetHeight - 4))}px`;
  cross.hidden = found.x == null;
  if (found.x != null) {
    cross.style.left = `${found.x}px`;
    plot.holder.append(cross);
  }
}

function hideReadout() {
  readout.hidden = true;
  cross.hidden = true;
}

function colourKey(colour) {
  const square = element("i");
  square.style.background = colour;
  return square;
}

// What filled and outlined, or first and second, mean; further texts explain signs.
function pictureKey(first, second, ...others) {
  const key = (colour, text) => element("span", {class: "key"}, colour ? colourKey(colour) : null, text);
  return element("div", {class: "legend printed"}, key("var(--chain-1)", first), key("var(--chain-2)", second), others.map((text) => key(null, text)));
}

// Buttons, one per chain: the one pressed stands out in every picture.
function chainLegend(chains, word = "chain") {
  const buttons = Array.from({length: chains}, (_, chain) => {
    return element("button", {type: "button", "aria-pressed": String(chosen.chain === chain), "data-choose": chain, onclick: () => choose(chain)},
      colourKey(`var(--chain-${(chain % CHAIN_COLOURS) + 1})`), `${word} ${chain + 1}`);
  });
  return element("div", {class: "legend", role: "group", "aria-label": `Which ${word} stands out`}, buttons);
}

function choose(chain) {
  chosen.chain = chosen.chain === chain ? -1 : chain;
  document.querySelectorAll("[data-choose]").forEach((button) => button.setAttribute("aria-pressed", String(+button.dataset.choose === chosen.chain)));
  redrawPlots();
}
