// A table that can be searched, sorted and paged: only the rows of one page exist.

const naturalOrder = new Intl.Collator("en", {numeric: true});  // x[2] before x[10]

// columns: [{title, value(row), cell(row), marked(row), worstHigh, help, sortable, text}], the first of which heads the row and is
// searched, unless `searched` gives another text of a row. start: row numbers in their first order. onRows(rows) hears of every change of what is found and its order.
function pagedTable({caption, columns, rows, start, perPage = 25, onOpen, onRows, markedOnly, searched, searchFor = "name"}) {
  const state = {query: "", column: -1, descending: false, page: 0, found: start(), marked: false};
  const names = rows.map((row) => String((searched ?? columns[0].value)(row)).toLowerCase());
  const body = element("tbody");
  const headings = columns.map(heading);
  const pager = makePager((page) => {
    state.page = page;
    showRows();
  });
  const search = element("input", {type: "search", placeholder: `search by ${searchFor}`, "aria-label": `Search ${caption} by ${searchFor}`, autocomplete: "off", spellcheck: "false",
    oninput: () => {
      state.query = search.value.trim().toLowerCase();
      find();
    }});
  const box = element("input", {type: "checkbox", onchange: () => {
    state.marked = box.checked;
    find();
  }});
  const only = markedOnly ? element("label", {}, box, ` ${markedOnly}`) : null;
  const extra = element("span", {class: "extra"});
  const controls = element("div", {class: "controls"}, search, only, extra, element("span", {class: "grow"}), pager.element);
  if (rows.length <= 8) search.hidden = true;
  const table = element("table", {}, element("thead", {}, element("tr", {}, headings)), body);
  table.setAttribute("aria-label", caption);

  function flagged(row) {
    return columns.some((column) => column.marked?.(row));
  }

  function heading(column, index) {
    const kind = column.text ? "text" : null;
    if (column.sortable === false) return element("th", {scope: "col", class: kind}, column.title);
    const press = () => {
      const first = Boolean(column.worstHigh);
      if (state.column !== index) Object.assign(state, {column: index, descending: first});
      else if (state.descending === first) state.descending = !first;
      else state.column = -1;
      find();
    };
    return element("th", {scope: "col", class: kind, "aria-sort": "none"}, element("button", {type: "button", title: column.help, onclick: press}, column.title));
  }

  function find() {
    let found = start();
    if (state.query) found = found.filter((index) => names[index].includes(state.query));
    if (state.marked) found = found.filter((index) => flagged(rows[index]));
    if (state.column >= 0) found = sorted(found, columns[state.column], state.descending);
    state.found = found;
    state.page = 0;
    headings.forEach((head, index) => {
      if (head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", index !== state.column ? "none" : state.descending ? "descending" : "ascending");
    });
    showRows();
    onRows?.(found);
  }

  // What is undefined comes last, whichever way.
  function sorted(found, column, descending) {
    const keys = new Map(found.map((index) => [index, column.value(rows[index])]));
    const sign = descending ? -1 : 1;
    const compare = (a, b) => {
      const x = keys.get(a);
      const y = keys.get(b);
      if (x == null || y == null) return (x == null) - (y == null) || a - b;
      return sign * (typeof x === "string" ? naturalOrder.compare(x, y) : x - y) || a - b;
    };
    return [...found].sort(compare);
  }

  function showRows() {
    const from = state.page * perPage;
    const shown = state.found.slice(from, from + perPage);
    body.replaceChildren(...shown.map(makeRow));
    if (shown.length === 0) body.append(element("tr", {}, element("td", {colspan: columns.length, class: "text"}, "Nothing found.")));
    pager.show(state.page, state.found.length, perPage);
  }

  function makeRow(index) {
    const row = rows[index];
    const cells = columns.map((column, k) => {
      const text = column.cell ? column.cell(row) : String(column.value(row));
      const inner = k === 0 && onOpen ? element("button", {type: "button", onclick: () => onOpen(index), "aria-haspopup": "dialog"}, text) : text;
      if (k === 0) return element("th", {scope: "row", class: flagged(row) ? "flagged" : null}, inner);
      const bad = column.marked?.(row);
      return element("td", {class: bad ? "marked" : column.text ? "text" : null, title: bad ? column.markedBecause : null}, inner);
    });
    const made = element("tr", {class: onOpen ? "opens" : null}, cells);
    if (onOpen) made.addEventListener("click", (event) => event.target.closest("button") || onOpen(index));
    return made;
  }

  showRows();
  const whole = element("div", {}, controls, element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption}, table));
  return {element: whole, extra, refresh: find, found: () => state.found, clearSort: () => (state.column = -1)};
}

// "26–50 of 200" with buttons about it; nothing where there is one page.
function makePager(onPage) {
  const button = (text, label) => element("button", {type: "button", "aria-label": label}, text);
  const first = button("«", "First page");
  const previous = button("‹", "Previous page");
  const next = button("›", "Next page");
  const last = button("»", "Last page");
  const text = element("span", {"aria-live": "polite"});
  const whole = element("div", {class: "pager"}, first, previous, text, next, last);
  return {
    element: whole,
    show(page, count, perPage) {
      const end = Math.max(0, Math.ceil(count / perPage) - 1);
      text.textContent = count === 0 ? "none" : `${countText(page * perPage + 1)}–${countText(Math.min(count, (page + 1) * perPage))} of ${countText(count)}`;
      for (const [step, to] of [[first, 0], [previous, page - 1], [next, page + 1], [last, end]]) {
        step.disabled = to < 0 || to > end || to === page;
        step.hidden = end === 0;
        step.onclick = () => onPage(to);
      }
    },
  };
}

// Few rows, no ornament: [[head, cell, ...], ...]. texts: the numbers of columns that are no numbers.
function plainTable(caption, titles, rows, texts = []) {
  const kind = (k) => (texts.includes(k) ? "text" : null);
  const head = titles && element("thead", {}, element("tr", {}, titles.map((title, k) => element("th", {scope: "col", class: kind(k)}, title))));
  const body = rows.map(([name, ...cells]) => element("tr", {}, element("th", {scope: "row"}, name), cells.map((cell, k) => element("td", {class: kind(k + 1)}, cell))));
  return element("div", {class: "scroll narrow", tabindex: "0", role: "region", "aria-label": caption}, element("table", {"aria-label": caption}, head, element("tbody", {}, body)));
}
