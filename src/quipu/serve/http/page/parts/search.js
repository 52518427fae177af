// Search: passages, why each is found, and what bounds them.

import { post } from "../api.js";
import { el, field, options, say, shown, tick } from "../dom.js";
import { notes, openFile, score, way, when } from "./shared.js";

export default function search(sheet, asked) {
  const question = el("input", { name: "question", type: "search", required: true, autocomplete: "off" });
  question.value = asked.q || "";
  const mode = options("mode", [["local", "Names and relations"], ["documents", "Documents"], ["global", "Everything (reports)"]], asked.mode || "local");
  const kind = options("source_type", [["", "any"], ["file", "files"], ["session", "conversations"], ["commit", "commits"],
    ["incident", "incidents"], ["manual_ingest", "texts added by hand"], ["crawl", "pages"]], asked.kind || "");
  const before = el("input", { type: "date", name: "before" });
  before.value = asked.before || "";
  const graph = tick("Use the graph", asked.graph !== "no", "graph");
  const form = el("form", { role: "search" }, field("Words or a question", question, true), field("Mode", mode),
    field("Source", kind), field("As of", before), graph, el("button", { class: "main", type: "submit" }, "Search"));
  const place = el("div", {});
  const find = () => shown(place, () => found({
    question: question.value, mode: mode.value, use_graph: graph.querySelector("input").checked,
    before: before.value || null, source_types: kind.value ? [kind.value] : [], limit: 20,
  }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `#search?${new URLSearchParams({ q: question.value, mode: mode.value, before: before.value, kind: kind.value })}`);
    find();
  });
  sheet.append(form, place);
  if (asked.q) find();
  question.focus();
}

async function found(asked) {
  const reply = await post("/api/v1/search", asked);
  say(`${reply.hits.length} passages`);
  if (!reply.hits.length) return [el("p", {}, "Nothing was found."), notes(reply)];
  return [el("p", { class: "soft" }, `${reply.hits.length} passages, best first`), notes(reply), el("ol", { class: "plain" }, reply.hits.map(row))];
}

function row(hit) {
  const at = hit.source_ref;
  return el("li", { class: "card" },
    el("h3", {}, hit.title || hit.path),
    el("p", {}, el("button", { type: "button", class: "link", onclick: () => openFile(hit.path, hit.start_line, hit.end_line) }, at),
      " ", el("span", { class: "chip" }, hit.why_ranked.found_by), el("span", { class: "chip" }, hit.source_type)),
    score(hit), way(hit), when(hit.temporal_context),
    el("div", { class: "lines", tabindex: "0", role: "group", "aria-label": `Text of ${at}` }, hit.text.length > 1200 ? `${hit.text.slice(0, 1200)} …` : hit.text));
}
