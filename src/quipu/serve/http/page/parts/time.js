// Time: all that was ever said of a subject, what took whose place, who disagrees.

import { get } from "../api.js";
import { day, el, field, shown, svg } from "../dom.js";

export default function time(sheet, asked) {
  const subject = el("input", { name: "subject", type: "search", required: true, autocomplete: "off" });
  subject.value = asked.subject || "";
  const asOf = el("input", { type: "date", name: "as_of" });
  asOf.value = asked.as_of || "";
  const form = el("form", { role: "search" }, field("Person, project or service", subject, true), field("As of", asOf),
    el("button", { class: "main", type: "submit" }, "Show"));
  const place = el("div", {});
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `#time?${new URLSearchParams({ subject: subject.value, as_of: asOf.value })}`);
    shown(place, () => told(subject.value, asOf.value));
  });
  sheet.append(form, place);
  if (asked.subject) shown(place, () => told(asked.subject, asked.as_of || ""));
  else shown(place, suggested);
  subject.focus();
}

async function suggested() {
  const { facts } = await get("/api/v1/facts", { limit: 200 });
  const names = [...new Set(facts.map((fact) => fact.subject))].slice(0, 30);
  if (!names.length) return el("p", { class: "soft" }, "No dated statement is remembered yet.");
  return [el("h2", {}, "Subjects with dated statements"), el("p", {}, names.map((name) =>
    [el("a", { href: `#time?${new URLSearchParams({ subject: name })}` }, name), " · "]))];
}

async function told(subject, asOf) {
  const { audit } = await get("/api/v1/audit", { subject, as_of: asOf, limit: 200 });
  if (!audit.entries.length) return el("p", {}, `Nothing was said of “${subject}”.`);
  return [
    el("h2", {}, `Holds as of ${audit.as_of}`),
    audit.state.length ? el("ul", {}, audit.state.map((each) => el("li", {}, `${each.subject} ${each.predicate} ${each.object} `,
      el("span", { class: "soft" }, `${day(each.valid_from)} → ${day(each.valid_to)} (${each.source_refs.join(", ")})`))))
      : el("p", {}, "Nothing."),
    el("h2", {}, "Timeline"), timeline(audit),
    audit.supersessions.length ? [el("h2", {}, "What took whose place"), el("ul", {}, audit.supersessions.map((link) =>
      el("li", {}, el("s", {}, link.earlier), " → ", el("strong", {}, link.later))))] : null,
    audit.contradictions.length ? [el("h2", {}, "Disagree"), audit.contradictions.map((link) => el("div", { class: "two" },
      el("div", { class: "card bad" }, link.earlier), el("div", { class: "card bad" }, link.later)))] : null,
    el("h2", {}, "Who said what"),
    el("ul", { class: "plain" }, audit.entries.map((entry) => el("li", { class: "card", id: entry.fact.fact_id },
      el("strong", {}, `${entry.fact.subject} ${entry.fact.predicate} ${entry.fact.object}`),
      el("p", { class: "soft" }, `${day(entry.valid_from)} → ${day(entry.valid_to)}; said by ${entry.speaker || entry.source_ref}`,
        ` on ${day(entry.observed_at)}; known since ${day(entry.recorded_at)}`,
        entry.known_until ? `, no longer asserted since ${day(entry.known_until)}` : "",
        entry.superseded_by ? "; another took its place" : ""),
      entry.said ? el("blockquote", {}, entry.said) : null))),
  ];
}

function timeline(audit) {
  const rows = audit.entries.filter((e) => e.valid_from || e.valid_to).slice(0, 40);
  if (!rows.length) return el("p", { class: "soft" }, "None of it is dated.");
  const dates = rows.flatMap((e) => [e.valid_from, e.valid_to]).filter(Boolean).map((d) => Date.parse(whole(d)));
  const low = Math.min(...dates);
  const high = Math.max(...dates, low + 86400000 * 365);
  const x = (date, open) => (date ? 10 + ((Date.parse(whole(date)) - low) / (high - low)) * 560 : open);
  const height = rows.length * 40 + 26;
  return el("div", { class: "scroll card", tabindex: "0", role: "region", "aria-label": "Timeline" },
    svg("svg", { width: 620, height, viewBox: `0 0 620 ${height}`, role: "img", "aria-label": `${rows.length} dated statements from ${day(new Date(low).toISOString())}` },
      rows.map((e, at) => {
        const from = x(e.valid_from, 2);
        const to = x(e.valid_to, 612);
        const kind = e.contradicted_by.length ? "torn" : e.superseded_by ? "over" : "held";
        return svg("g", {}, svg("rect", { x: from, y: at * 40 + 20, width: Math.max(to - from, 4), height: 10, rx: 3, class: kind }),
          svg("text", { x: Math.min(from, 320), y: at * 40 + 15 }, `${e.fact.predicate} ${e.fact.object}`.slice(0, 60), "  ",
            svg("tspan", { class: "soft" }, `${day(e.valid_from)} → ${day(e.valid_to)}`)));
      })));
}

function whole(date) {
  return date.length === 4 ? `${date}-01-01` : date.length === 7 ? `${date}-01` : date;
}
