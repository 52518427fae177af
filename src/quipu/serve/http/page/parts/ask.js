// Ask: the answer, and beside it at once the passages that it stands on.

import { get, post, ref } from "../api.js";
import { el, field, options, percent, say, shown } from "../dom.js";
import { lines, notes, openFile, quoted, thing, way } from "./shared.js";

const HIDE = "quipu-hide-confidence";

export default function ask(sheet, asked) {
  const question = el("input", { name: "question", type: "search", required: true, maxlength: "20000",
    placeholder: "Who owns the payment service?", autocomplete: "off" });
  question.value = asked.q || "";
  const mode = options("mode", [["local", "Names and relations"], ["documents", "Documents"], ["global", "Everything (reports)"]],
    asked.mode || "local");
  const form = el("form", { role: "search" }, field("Question", question, true), field("Mode", mode),
    el("button", { class: "main", type: "submit" }, "Ask"));
  const place = el("div", {});
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const state = new URLSearchParams({ q: question.value, mode: mode.value });
    history.replaceState(null, "", `#ask?${state}`);
    shown(place, () => answered(question.value, mode.value));
  });
  sheet.append(form, place);
  if (asked.q) shown(place, () => answered(asked.q, asked.mode || "local"));
  question.focus();
}

async function answered(question, mode) {
  const reply = await post("/api/v1/ask", { question, mode });
  const { contract, citations } = reply;
  const unknown = contract.answer === "unknown";
  const passages = await Promise.all(citations.map((each, at) => passage(each, contract.evidence[at], reply)));
  say(unknown ? "The answer is unknown" : "There is an answer");
  return el("div", { class: "two" },
    el("section", { "aria-label": "Answer" },
      el("div", { class: "card" },
        el("div", { class: "answer" }, unknown ? "Unknown" : marked(contract.answer)),
        confidence(reply.confidence),
        contract.limitations ? [el("h3", {}, unknown ? "Why not more" : "Limitations"), el("p", {}, contract.limitations)] : null,
        contract.next_step ? [el("h3", {}, "Next step"), el("p", {}, contract.next_step)] : null,
        el("p", { class: "soft" }, contract.timestamp)),
      notes(reply),
      el("p", {}, el("a", { href: `#plan?${new URLSearchParams({ q: question, mode })}` }, "Show the plan that led to it"))),
    el("section", { "aria-label": "Evidence" },
      passages.length ? passages : el("p", { class: "soft" }, "No passage bears it out."),
      unknown && reply.hits.length ? nearest(reply.hits) : null));
}

// Code, in a block or in a line, holds no mark; a mark may name several citations.
const MARKS = /^(`{3,})[^`\n]*\n[^]*?^\1`*[ \t]*$|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\2(?!`)|\[(?<marks>\d+(?:,\d+)*)\]/gm;

function marked(answer) {
  const shown = [];
  let at = 0;
  for (const found of answer.matchAll(MARKS)) {
    if (!found.groups.marks) continue;
    shown.push(answer.slice(at, found.index), "[");
    found.groups.marks.split(",").forEach((n, i) => shown.push(i ? "," : "",
      el("button", { type: "button", class: "link mark", "aria-label": `Citation ${n}`,
        onclick: () => chosen(`citation-${n}`) }, n)));
    shown.push("]");
    at = found.index + found[0].length;
  }
  return [...shown, answer.slice(at)];
}

function chosen(id) {
  document.querySelectorAll(".card.chosen").forEach((card) => card.classList.remove("chosen"));
  const card = document.getElementById(id);
  if (!card) return;
  card.classList.add("chosen");
  card.scrollIntoView({ block: "nearest" });
  card.focus();
}

function confidence(found) {
  const bar = el("div", {},
    el("meter", { min: "0", max: "1", low: "0.35", high: "0.7", optimum: "1", value: String(found.value), "aria-label": "Confidence" }),
    el("details", {}, el("summary", {}, "What it is made of"), el("ul", { class: "soft" },
      Object.entries(found.inputs).map(([name, value]) => el("li", {}, `${name}: ${value === null ? "not there" : value.toFixed(2)}`)))));
  bar.hidden = localStorage.getItem(HIDE) === "yes";
  const hide = el("button", { type: "button", class: "link" }, bar.hidden ? "show" : "hide");
  hide.addEventListener("click", () => {
    bar.hidden = !bar.hidden;
    localStorage.setItem(HIDE, bar.hidden ? "yes" : "no");
    hide.textContent = bar.hidden ? "show" : "hide";
  });
  return el("div", {}, el("p", {}, "Confidence ", bar.hidden ? "" : el("strong", {}, percent(found.value)), " ", hide), bar);
}

async function passage(cited, evidence, reply) {
  const card = el("article", { class: "card", id: `citation-${cited.n}`, tabindex: "-1" },
    el("div", { class: "row" }, el("strong", {}, `[${cited.n}]`),
      el("button", { type: "button", class: "link", onclick: () => openFile(cited.path, cited.start_line, cited.end_line) },
        `${cited.path}:${cited.start_line}-${cited.end_line}`),
      el("span", { class: "soft" }, `${percent(cited.match)} match`)));
  try {
    const told = await get(`/api/v1/lines/${ref(cited.path)}`,
      { first: cited.start_line, count: Math.max(1, cited.end_line - cited.start_line + 1) });
    const said = borne(reply.contract.answer, cited.n).map(quoted);
    const of = (line) => said.some((is) => is(line));
    card.append(lines(told, told.text.split("\n").some(of) ? of : quoted(evidence.excerpt || "")));
  } catch {
    card.append(el("p", { class: "lines" }, evidence.excerpt));
  }
  const hit = reply.hits.find((each) => each.source_ref.startsWith(`${cited.path}:${cited.start_line}`));
  const ids = cited.graph_ids.slice(0, 5);
  card.append(...[hit ? way(hit) : null,
    ids.length ? el("p", { class: "soft" }, "In the graph: ", ids.map((id, at) => [at ? ", " : "", thing(id)])) : null].filter(Boolean));
  return card;
}

// The sentences of an answer that a citation bears, without their marks; of a block below its place
// the lines that tell.
function borne(answer, n) {
  const block = answer.match(new RegExp(`\\[${n}\\]\n(\`{3,})\n([^]*?)\n\\1$`, "m"));
  if (block) {
    return block[2].split("\n").filter((line) => line.startsWith("> "))
      .map((line) => line.slice(2).replace(/`/g, "").trim());
  }
  const all = answer.replace(/`/g, "").split(/(?<=\[\d+\][.;]?)\s+|\n+/);
  return all.filter((each) => each.includes(`[${n}]`))
    .map((each) => each.replace(/\s*\[\d+\]/g, "").replace(/[.;:]+$/, "").trim()).filter((each) => each.length > 2);
}

function nearest(hits) {
  return [el("h2", {}, "Nearest passages"), el("ul", {}, hits.slice(0, 5).map((hit) => el("li", {}, hit.source_ref, ` (${percent(hit.score)})`)))];
}
