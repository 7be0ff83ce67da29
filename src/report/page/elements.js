// Elements and numbers of the page. What comes from the data only ever becomes a text node or the value of an attribute that
// holds text: a column called "<script>" is harmless. The files of this folder only declare; report.js starts when the page
// is complete, so they may be joined in any order.

// element("a", {href: "#x", onclick: f}, "text", child): children that are null are left out.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null));
  return made;
}

// A long text is broken behind its punctuation before it is broken anywhere.
function breakable(text) {
  return text.split(/(?<=[[\]_,;)/])/).flatMap((part, k) => (k ? [element("wbr"), part] : [part]));
}

function named(name) {
  return element("span", {class: "name"}, breakable(name));
}

const UNDEFINED_TEXT = "–";

// Four digits unless told; a power of ten where the plain text would be long.
function numberText(value, digits = 4) {
  if (value == null || !Number.isFinite(value)) return UNDEFINED_TEXT;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return withMinus(value.toExponential(digits - 1));
  return withMinus(size >= 10 ** digits ? value.toFixed(0) : value.toPrecision(digits));
}

function fixedText(value, decimals) {
  if (value == null || !Number.isFinite(value)) return UNDEFINED_TEXT;
  const text = value.toFixed(decimals);
  return withMinus(/[1-9]/.test(text) ? text : text.replace("-", ""));  // what rounds to 0 has no sign
}

function countText(value) {
  if (value == null || !Number.isFinite(value)) return UNDEFINED_TEXT;
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u2009");  // thin spaces
}

function withMinus(text) {
  return text.replaceAll("-", "\u2212");
}

function counted(number, one, several) {
  return `${countText(number)} ${number === 1 ? one : several}`;
}

// Text with a button that puts it on the clipboard; pages opened as files may have no clipboard: then it is selected.
function copyable(text, {wraps = false, label} = {}) {
  const words = wraps ? text.split(/(?<= )/).map((word) => element("span", {}, word)) : text;  // no break within "--set"
  const shown = element("pre", {class: wraps ? "wraps" : null, tabindex: "0", "aria-label": label}, words);
  const button = element("button", {type: "button", "aria-label": `Copy ${label}`, onclick: copy}, "Copy");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }
  return element("div", {class: "copied"}, shown, button);
}

// Light or dark: as the system says until the reader chooses.
function themeButton(onChange) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = element("button", {type: "button", id: "theme", onclick: toggle});
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  function tell() {
    button.textContent = isDark() ? "☀ light" : "☾ dark";
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    onChange();
  }
  function toggle() {
    root.dataset.theme = isDark() ? "light" : "dark";
    tell();
  }
  system.addEventListener("change", tell);
  tell();
  return button;
}
