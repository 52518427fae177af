// Memory: what is held of someone or something now; add, correct, forget; what an agent is given.

import { get, post, ref } from "../api.js";
import { day, dialog, el, field, options, problem, say, shown } from "../dom.js";

export default function memory(sheet, asked) {
  const subject = el("input", { name: "subject", type: "search", autocomplete: "off" });
  subject.value = asked.subject || "";
  const form = el("form", { role: "search" }, field("Person, project or service", subject, true), el("button", { class: "main", type: "submit" }, "Show"));
  const place = el("div", {});
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `#memory?${new URLSearchParams({ subject: subject.value })}`);
    shown(place, () => held(subject.value));
  });
  sheet.append(form, place, el("div", { class: "two" }, adding(place, subject), block()), sources());
  if (asked.subject) shown(place, () => held(asked.subject));
}

async function held(subject) {
  const [{ audit }, back] = await Promise.all([
    get("/api/v1/audit", { subject }), post("/api/v1/recall", { query: subject })]);
  const replaced = new Map(audit.supersessions.map((link) => [link.later_id, link.earlier]));
  say(`${audit.state.length} statements and ${back.entries.length} entries`);
  return [
    el("h2", {}, `Held now of ${subject}`),
    audit.state.length ? el("ul", { class: "plain" }, audit.state.map((each) => el("li", { class: "card" },
      el("strong", {}, `${each.subject} ${each.predicate} ${each.object}`),
      el("p", { class: "soft" }, `since ${day(each.valid_from)}; from ${each.source_refs.join(", ")}`),
      replaced.has(each.fact_id) ? el("p", {}, "It replaced: ", el("s", {}, replaced.get(each.fact_id))) : null,
      each.source_refs.map((source) => forgetting(source))))) : el("p", { class: "soft" }, "No dated statement."),
    back.entries.length ? [el("h2", {}, "Entries"), el("ul", { class: "plain" }, back.entries.map((entry) => el("li", { class: "card" },
      el("span", { class: "chip" }, entry.category), el("span", { class: "chip" }, entry.priority), entry.content,
      el("p", { class: "soft" }, `stored ${day(entry.storedAt)}`), forgetting(entry.id))))] : null,
  ];
}

function forgetting(source) {
  return el("button", { type: "button", onclick: () => {
    const told = el("div", {});
    const yes = el("button", { type: "button", class: "main" }, "Erase it for good");
    const box = dialog(`Forget ${source}?`, el("p", {}, "All that this source alone supports goes, its history too. A file that is still there is read again when it is next indexed."), told, yes);
    yes.addEventListener("click", async () => {
      try {
        await post(`/api/v1/episodes/${ref(source)}`, null, "DELETE");
        box.close();
        say(`${source} is forgotten`);
        window.dispatchEvent(new Event("quipu-again"));
      } catch (error) {
        told.replaceChildren(problem(error));
      }
    });
  } }, `Forget ${source}`);
}

function adding(place, subject) {
  const kind = options("kind", [["text", "a text"], ["fact", "a fact"], ["preference", "a preference"], ["instruction", "an instruction"],
    ["project", "a project"], ["person", "a person"], ["decision", "a decision"], ["insight", "an insight"]], "text");
  const text = el("textarea", { name: "text", required: true, placeholder: "Ada Lovelace has led the payment service since 1 July 2021." });
  const told = el("div", { role: "status" });
  const form = el("form", {}, field("What it is", kind), field("What to remember; to correct something, say what holds now, with its date", text, true),
    el("button", { class: "main", type: "submit" }, "Remember"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      if (kind.value === "text") await post("/api/v1/episodes", { text: text.value });
      else await post("/api/v1/entries", { category: kind.value, content: text.value });
      told.replaceChildren(el("p", { class: "good" }, "Remembered."));
      text.value = "";
      if (subject.value) shown(place, () => held(subject.value));
    } catch (error) {
      told.replaceChildren(problem(error));
    }
  });
  return el("section", { class: "card", "aria-label": "Add or correct" }, el("h2", {}, "Add or correct"), form, told);
}

function block() {
  const query = el("input", { name: "query", type: "search", required: true });
  const place = el("div", {});
  const form = el("form", {}, field("What it is about", query, true), el("button", { type: "submit" }, "Show"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    shown(place, async () => {
      const pack = await post("/api/memory/context-pack", { query: query.value });
      return [el("pre", { class: "lines", tabindex: "0" }, pack.pack), el("p", { class: "soft" }, `${pack.tokenCount} tokens; bounded by ${pack.boundedBy}; ${pack.leftOut} left out`)];
    });
  });
  return el("section", { class: "card", "aria-label": "What an agent is given" }, el("h2", {}, "What an agent is given"), form, place);
}

function sources() {
  const place = el("div", {});
  const open = el("details", {}, el("summary", {}, "Sources"), place);
  let cursor = null;
  const rows = el("ul", { class: "plain" });
  const more = el("button", { type: "button", onclick: () => load() }, "More");
  async function load() {
    const page = await get("/api/v1/episodes", { limit: 25, cursor });
    rows.append(...page.episodes.map((each) => el("li", { class: "row" }, el("span", { class: "chip" }, each.source_type), each.source_ref,
      el("span", { class: "soft" }, day(each.observed_at)), forgetting(each.source_ref))));
    cursor = page.next_cursor;
    more.hidden = !cursor;
  }
  open.addEventListener("toggle", () => { if (open.open && !rows.children.length) shown(place, async () => { await load(); return [rows, more]; }); });
  return open;
}
