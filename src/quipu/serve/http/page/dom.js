// Elements and what they say. Text is only ever set as text: nothing that was indexed is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && key !== "list" && key !== "form" && !(node instanceof SVGElement)
      && typeof value !== "string") node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined
    && child !== false).map((child) => (child instanceof Node ? child : plain(child))));
  return node;
}

// Characters that steer a terminal or turn text round are shown, not obeyed.
export function plain(text) {
  return String(text).replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function field(label, control, wide = false) {
  return el("label", { class: wide ? "wide" : null }, label, control);
}

export function tick(label, checked, name) {
  return el("label", { class: "tick" }, el("input", { type: "checkbox", checked, name }), label);
}

export function options(name, values, chosen) {
  return el("select", { name }, values.map(([value, label]) =>
    el("option", { value, selected: value === chosen }, label)));
}

export function say(text) {
  document.getElementById("said").textContent = text;
}

export function percent(value) {
  return value === null || value === undefined ? "–" : `${Math.round(value * 100)}%`;
}

export function day(instant) {
  return instant ? instant.slice(0, 10) : "…";
}

export function table(caption, heads, rows) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) =>
        el("td", { class: typeof cell === "number" ? "num" : null },
          typeof cell === "number" ? cell.toLocaleString("en") : cell)))))));
}

export function problem(error) {
  return el("p", { class: "bad", role: "alert" }, error.message || String(error));
}

// Runs `work` and shows what it gives in `place`; a failure is shown there, too.
export async function shown(place, work) {
  place.setAttribute("aria-busy", "true");
  place.replaceChildren(el("p", { class: "soft" }, "Looking…"));
  try {
    place.replaceChildren(...[await work()].flat(Infinity).filter(Boolean));
  } catch (error) {
    place.replaceChildren(problem(error));
    say(error.message || String(error));
  } finally {
    place.removeAttribute("aria-busy");
  }
}

export function dialog(title, ...body) {
  const heading = el("h2", { id: "dialog-title" }, title);
  const close = el("button", { type: "button" }, "Close");
  const box = el("dialog", { "aria-labelledby": "dialog-title" }, heading, body, close);
  close.addEventListener("click", () => box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}
