// Plan: what may be used for a question, as a drawing, before any text is read.

import { get, post, ref } from "../api.js";
import { el, field, options, shown, svg, table } from "../dom.js";
import { notes } from "./shared.js";

const MOST = 14;

export default function plan(sheet, asked) {
  const question = el("input", { name: "question", type: "search", required: true, autocomplete: "off" });
  question.value = asked.q || "";
  const mode = options("mode", [["local", "Names and relations"], ["documents", "Documents"]], asked.mode || "local");
  const form = el("form", { role: "search" }, field("Question", question, true), field("Mode", mode), el("button", { class: "main", type: "submit" }, "Plan"));
  const place = el("div", {});
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `#plan?${new URLSearchParams({ q: question.value, mode: mode.value })}`);
    shown(place, () => drawn(question.value, mode.value));
  });
  sheet.append(form, place);
  if (asked.q) shown(place, () => drawn(asked.q, asked.mode || "local"));
  question.focus();
}

async function drawn(question, mode) {
  const made = await post("/api/v1/plan", { question, mode });
  const documents = [...new Set(made.seeds.map((seed) => seed.document_id))];
  const reached = [...new Map(made.expansions.map((each) => [each.target_id, each])).values()];
  const names = await named([...documents.slice(0, MOST), ...reached.slice(0, MOST).map((each) => each.target_id)]);
  const left = Math.max(documents.length - MOST, 0) + Math.max(reached.length - MOST, 0);
  return [
    drawing(made, documents.slice(0, MOST), reached.slice(0, MOST), names),
    left ? el("p", { class: "soft" }, `${left} more are in the plan and not drawn.`) : null,
    notes(made),
    el("h2", {}, "Bounds"),
    table("Bounds of the plan", ["bound", "value"], Object.entries(made.constraints).map(([name, value]) => [name.replaceAll("_", " "), String(value)])),
    el("h2", {}, "Seeds"),
    table("Seeds of the plan", ["passage", "why", "parts"], made.seeds.slice(0, 50).map((seed) => [
      names.get(seed.document_id) || seed.document_id, seed.reasons.join(", "),
      Object.entries(seed.parts).map(([n, v]) => `${n} ${v.toFixed(2)}`).join(", ")])),
  ];
}

async function named(ids) {
  const found = await Promise.all([...new Set(ids)].map(async (id) => {
    try {
      const { record } = await get(`/api/v1/records/${ref(id)}`);
      return [id, record.name || record.title || id];
    } catch {
      return [id, id];
    }
  }));
  return new Map(found);
}

function drawing(made, documents, reached, names) {
  const columns = [
    made.anchors.slice(0, MOST).map((a) => ({ id: a.entity_id, label: a.name, note: a.match })),
    documents.map((id) => ({ id, label: names.get(id) || id, note: "seed" })),
    reached.map((each) => ({ id: each.target_id, label: names.get(each.target_id) || each.target_id, note: each.via })),
  ];
  const heads = ["Named in the question", "Begins with", "Reached over a relation"];
  const height = Math.max(...columns.map((c) => c.length), 1) * 46 + 40;
  const where = new Map();
  const boxes = columns.flatMap((column, x) => [
    svg("text", { x: x * 310 + 4, y: 16, class: "soft" }, heads[x]),
    ...column.map((each, y) => {
      const at = [x * 310 + 4, y * 46 + 28];
      if (!where.has(each.id)) where.set(each.id, at);
      return svg("g", {}, svg("rect", { x: at[0], y: at[1], width: 250, height: 36, rx: 6, class: x === 1 ? "box seed" : "box" }),
        svg("text", { x: at[0] + 8, y: at[1] + 15 }, cut(each.label)), svg("text", { x: at[0] + 8, y: at[1] + 30, class: "soft" }, each.note));
    }),
  ]);
  const ways = made.expansions.filter((e) => where.has(e.from) && where.has(e.target_id)).map((each) => {
    const [a, b] = [where.get(each.from), where.get(each.target_id)];
    return svg("path", { class: "way", d: `M${a[0] + 250} ${a[1] + 18}C${a[0] + 280} ${a[1] + 18} ${b[0] - 30} ${b[1] + 18} ${b[0]} ${b[1] + 18}` });
  });
  return el("div", { class: "scroll card", tabindex: "0", role: "region", "aria-label": "Drawing of the plan" },
    svg("svg", { width: 890, height, viewBox: `0 0 890 ${height}`, role: "img",
      "aria-label": `${made.anchors.length} names, ${documents.length} documents to begin with, ${reached.length} reached` }, ways, boxes));
}

function cut(text) {
  return text.length > 34 ? `${text.slice(0, 33)}…` : text;
}
