// What several parts show: passages with their lines, the parts of a score, addresses of things.

import { get, ref } from "../api.js";
import { dialog, el, percent, svg } from "../dom.js";

export function lines(told, marked) {
  const rows = told.text.split("\n").map((line, at) => {
    const number = told.startLine + at;
    const text = el("span", {}, line || " ");
    return el("div", {}, el("span", { class: "no", "aria-hidden": "true" }, number),
      marked(line, number) ? el("mark", {}, text) : text);
  });
  return el("div", { class: "lines", tabindex: "0", role: "group", "aria-label": `Lines of ${told.path}` }, rows);
}

export function quoted(excerpt) {
  const said = excerpt.replace(/\s+/g, " ");
  return (line) => {
    const bare = line.replace(/`/g, "").replace(/^[\s#>*-]+/, "").replace(/\s+/g, " ").trim().replace(/[.;:]+$/, "");
    return bare.length > 2 && (said.includes(bare) || bare.includes(said));
  };
}

export async function openFile(path, first, last) {
  const from = Math.max(1, first - 15);
  const told = await get(`/api/v1/lines/${ref(path)}`, { first: from, count: last - from + 40 });
  const box = dialog(`${path}:${first}-${last}`, lines(told, (_line, n) => n >= first && n <= last));
  box.querySelector("mark")?.scrollIntoView({ block: "center" });
}

const NAMES = ["similarity", "lexical", "graph_proximity", "recency", "salience", "name", "bridge"];

export function score(hit) {
  const parts = Object.entries(hit.why_ranked.parts).filter(([, value]) => value > 0)
    .sort(([a], [b]) => order(a) - order(b));
  const whole = parts.reduce((sum, [, value]) => sum + value, 0) || 1;
  let x = 0;
  const bars = parts.map(([name, value]) => {
    const width = (value / whole) * 300 * Math.min(hit.score, 1);
    const bar = svg("rect", { x, y: 0, width, height: 12, class: `p${order(name) % 7}` },
      svg("title", {}, `${name} ${value.toFixed(3)}`));
    x += width;
    return bar;
  });
  return el("div", {},
    el("div", { class: "row" }, el("strong", {}, percent(hit.score)),
      svg("svg", { width: 300, height: 12, role: "img",
        "aria-label": `Score ${percent(hit.score)}: ${parts.map(([n, v]) => `${n} ${v.toFixed(2)}`).join(", ")}` },
      bars, svg("rect", { x: .5, y: .5, width: 299, height: 11, class: "frame" }))),
    el("ul", { class: "parts" }, parts.map(([name, value]) => el("li", {},
      svg("svg", { class: "key", width: 12, height: 12, "aria-hidden": "true" },
        svg("rect", { width: 12, height: 12, class: `p${order(name) % 7}` })),
      `${name} ${value.toFixed(2)}`))));
}

function order(name) {
  const at = NAMES.indexOf(name);
  return at < 0 ? NAMES.length + name.length : at;
}

export function way(hit) {
  const steps = hit.why_ranked.path || [];
  if (!steps.length) return null;
  return el("p", { class: "soft" }, "Reached over: ", steps.map((step, at) => [
    at ? " " : "", thing(step.from), ` –${step.via}→ `, at === steps.length - 1 ? thing(step.to) : null]));
}

export function thing(id, label = id) {
  return el("a", { href: `#graph?${new URLSearchParams({ ref: id })}` }, label);
}

export function when(context) {
  if (!context) return null;
  return el("p", { class: "soft" }, `Holds ${context.valid_from || "…"} → ${context.valid_to || "now"}`,
    context.superseded_by ? "; replaced since" : "");
}

export function notes(found) {
  return found.notes?.length ? el("ul", { class: "soft" }, found.notes.map((note) => el("li", {}, note))) : null;
}
