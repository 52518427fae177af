// Graph: things and how they are tied; search, walk on, filter by type and time, see the evidence.

import { get, ref } from "../api.js";
import { day, el, field, problem, say } from "../dom.js";

const COLOURS = ["#7c5cc4", "#c4632a", "#2a8f9e", "#8f951f", "#b8427a", "#4f78c4", "#8a775e", "#3f9a5a"];

let loading = null;

function libraries() {
  loading ||= ["graphology.umd.min.js", "graphology-library.min.js", "sigma.min.js"].reduce((before, name) => before.then(() =>
    new Promise((done, failed) => {
      const script = el("script", { src: `/page/vendor/${name}` });
      script.addEventListener("load", done);
      script.addEventListener("error", () => failed(new Error(`${name} cannot be loaded`)));
      document.head.append(script);
    })), Promise.resolve());
  return loading;
}

export default async function graph(sheet, asked) {
  await libraries();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const drawn = new globalThis.graphology.MultiDirectedGraph();
  const types = new Map();
  const hidden = new Set();
  let until = "";
  const canvas = el("div", { class: "canvas", role: "img", "aria-label": "The graph; the same things are listed beside it" });
  const panel = el("section", { "aria-label": "Evidence" }, el("p", { class: "soft" }, "Choose a thing to see what is known of it."));
  const filters = el("fieldset", {}, el("legend", {}, "Types"));
  const told = el("p", { class: "soft", role: "status" });
  const listed = el("ul", {});
  const query = el("input", { name: "query", type: "search", autocomplete: "off" });
  const before = el("input", { type: "date", name: "before" });
  const form = el("form", { role: "search" }, field("Find a thing", query, true), field("Seen until", before), el("button", { class: "main", type: "submit" }, "Find"),
    el("button", { type: "button", onclick: () => load({ limit: 2000 }) }, "Show everything"));
  sheet.append(form, el("div", { class: "two" }, el("div", {}, canvas, told, filters), el("div", {}, panel, el("details", {}, el("summary", {}, "Things as a list"), listed))));

  const renderer = new globalThis.Sigma(drawn, canvas, {
    allowInvalidContainer: true, renderEdgeLabels: false, labelDensity: .6, labelRenderedSizeThreshold: 7,
    labelColor: { color: dark ? "#ece8e1" : "#1f1d1a" }, defaultEdgeColor: dark ? "#57524a" : "#c9c3b8",
    nodeReducer: (_id, node) => (shownNow(node) ? node : { ...node, hidden: true }),
  });
  renderer.on("clickNode", ({ node }) => walk(node));
  const shownNow = (node) => !hidden.has(node.kind) && (!until || !node.seen || node.seen.slice(0, 10) <= until);

  function add(found) {
    for (const node of found.nodes) {
      if (drawn.hasNode(node.id)) continue;
      if (!types.has(node.type)) types.set(node.type, COLOURS[types.size % COLOURS.length]);
      const angle = drawn.order * 2.399963;
      const far = 3 * Math.sqrt(drawn.order + 1);
      drawn.addNode(node.id, { label: node.name, kind: node.type, seen: node.first_seen, color: types.get(node.type),
        size: 4 + Math.min(8, Math.log2(1 + node.mention_count)), x: Math.cos(angle) * far, y: Math.sin(angle) * far });
    }
    for (const edge of found.edges) {
      if (!drawn.hasEdge(edge.rel_id)) drawn.addEdgeWithKey(edge.rel_id, edge.from, edge.to, { label: edge.type, size: 1 });
    }
    const { layoutForceAtlas2: layout } = globalThis.graphologyLibrary;
    if (drawn.order > 1) layout.assign(drawn, { iterations: drawn.order > 1500 ? 40 : 120, settings: layout.inferSettings(drawn) });
    told.textContent = `${drawn.order} things, ${drawn.size} relations${found.bounded ? "; there are more" : ""}`;
    canvas.dataset.nodes = drawn.order;
    legend();
  }

  function legend() {
    filters.replaceChildren(el("legend", {}, "Types"), ...[...types].map(([kind]) => {
      const box = el("input", { type: "checkbox", checked: !hidden.has(kind) });
      box.addEventListener("change", () => { if (box.checked) hidden.delete(kind); else hidden.add(kind); renderer.refresh(); });
      return el("label", { class: "tick" }, box, kind);
    }));
    listed.replaceChildren(...drawn.mapNodes((id, node) => el("li", {}, el("button", { type: "button", class: "link", onclick: () => walk(id) }, `${node.label} (${node.kind})`))).slice(0, 300));
  }

  async function load(asking) {
    try {
      add(await get("/api/graph/neighborhood", asking));
      renderer.refresh();
    } catch (error) {
      told.replaceChildren(problem(error));
    }
  }

  async function walk(id) {
    history.replaceState(null, "", `#graph?${new URLSearchParams({ ref: id })}`);
    await load({ ref: id, hops: 1, limit: 100 });
    try {
      panel.replaceChildren(...evidence(await get(`/api/graph/entity/${ref(id)}`), walk));
      say(`${drawn.order} things are drawn`);
    } catch (error) {
      panel.replaceChildren(problem(error));
    }
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!query.value.trim()) return;
    const { nodes } = await get("/api/graph/search", { query: query.value });
    if (nodes.length) await walk(nodes[0].id);
    else told.textContent = "Nothing is called so.";
  });
  before.addEventListener("change", () => { until = before.value; renderer.refresh(); });
  if (asked.ref) await walk(asked.ref);
  else await load({ limit: 400 });
  return () => renderer.kill();
}

function evidence(found, walk) {
  const { node } = found;
  return [el("div", { class: "card" }, el("h2", {}, node.name), el("p", {}, el("span", { class: "chip" }, node.type), `seen ${day(node.first_seen)} to ${day(node.last_seen)}`),
    node.description ? el("p", {}, node.description) : null,
    found.source_refs.length ? el("p", { class: "soft" }, `Asserted by ${found.source_refs.slice(0, 8).join(", ")}`) : null),
  found.relations.length ? el("ul", {}, found.relations.map((edge) => el("li", {},
    el("button", { type: "button", class: "link", onclick: () => walk(edge.from === node.id ? edge.to : edge.from) },
      edge.from === node.id ? `${edge.type} → ${edge.target_name || edge.to}` : `${edge.source_name || edge.from} ${edge.type} →`),
    el("span", { class: "soft" }, ` ${edge.source_refs.slice(0, 2).join(", ")}`)))) : el("p", { class: "soft" }, "It is tied to nothing."),
  found.facts.length ? el("dl", { class: "facts" }, found.facts.map((fact) => [el("dt", {}, `${fact.predicate} ${fact.object}`), el("dd", { class: "soft" }, `${day(fact.valid_from)} → ${day(fact.valid_to)}`)])) : null].filter(Boolean);
}
