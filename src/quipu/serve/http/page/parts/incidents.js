// Incidents: what is open, what is like it, what to try, what came of it.

import { get, post } from "../api.js";
import { day, el, field, options, percent, problem, say, shown, svg, table } from "../dom.js";

export default function incidents(sheet, asked) {
  const place = el("div", {});
  sheet.append(place);
  shown(place, () => (asked.id ? detail(asked.id) : list(asked)));
}

async function list(asked) {
  const state = options("state", [["", "all"], ["open", "open"], ["resolved", "resolved"]], asked.state || "");
  state.addEventListener("change", () => { location.hash = `#incidents?${new URLSearchParams({ state: state.value })}`; });
  const page = await get("/api/v1/incidents", { state: asked.state, limit: 100 });
  const replayed = el("div", {});
  const replay = el("button", { type: "button", onclick: () => shown(replayed, replayTable) }, "Replay the policies over history");
  if (!page.total) return [el("p", {}, "No incident is remembered: ", el("code", {}, "quipu incident add FILE"), " takes them in.")];
  return [
    el("form", {}, field("State", state)),
    table("Incidents", ["incident", "component", "severity", "began", "state", "minutes"], page.incidents.map((each) => [
      el("a", { href: `#incidents?${new URLSearchParams({ id: each.incident_id })}` }, each.title || each.incident_id),
      each.component, each.severity, day(each.timestamp), each.state, each.minutes === null ? "–" : each.minutes])),
    el("p", { class: "soft" }, `${page.incidents.length} of ${page.total}`), replay, replayed,
  ];
}

async function replayTable() {
  const found = await get("/api/v1/incidents/replay");
  say(`${found.incidents} incidents replayed`);
  return [el("p", {}, `${found.incidents} incidents; for ${found.differs} the memory would have advised another first action. `,
    `Worked when followed: ${percent(found.worked_when_followed)}, otherwise: ${percent(found.worked_otherwise)}.`),
  table("Replay", ["component", "at", "policy", "memory", "done", "worked"], found.rows.slice(0, 200).map((row) => [
    row.component, day(row.at), row.static || "–", row.advised || "–", row.taken.join(", ") || "–",
    row.success === null ? "–" : row.success ? "yes" : "no"]))];
}

async function detail(id) {
  const path = `/api/v1/incidents/${encodeURIComponent(id)}`;
  const [shownNow, similar, advice] = await Promise.all([
    get(path), get(`${path}/similar`), get(`${path}/recommendation`, { retrieval: "on" })]);
  const { incident } = shownNow;
  return [
    el("p", {}, el("a", { href: "#incidents" }, "← all incidents")),
    el("div", { class: "card" }, el("h2", {}, incident.title || id),
      el("p", {}, el("span", { class: "chip" }, incident.component), el("span", { class: "chip" }, incident.severity),
        el("span", { class: "chip" }, shownNow.state), ` began ${day(incident.timestamp)}`),
      incident.root_cause ? el("p", {}, `Cause: ${incident.root_cause}`) : null),
    el("h2", {}, "What to try"),
    advice.actions.length ? el("ul", { class: "plain" }, advice.actions.map(action)) : el("p", {}, "Nothing is advised."),
    advice.notes.length ? el("ul", { class: "soft" }, advice.notes.map((n) => el("li", {}, n))) : null,
    el("h2", {}, "Similar incidents"),
    similar.incidents.length ? el("ul", { class: "plain" }, similar.incidents.map(likeness)) : el("p", {}, "None is like it."),
    el("h2", {}, "What was tried"), el("ol", {}, shownNow.outcomes.map((o) => el("li", {},
      `${o.recorded_at || "?"} ${o.actions_taken.join(" + ")}: ${o.success ? "worked" : "did not work"}`))),
    outcomeForm(id),
  ];
}

function action(each) {
  const rate = each.success_rate;
  return el("li", { class: "card" }, el("strong", {}, each.action), " ", el("span", { class: "chip" }, each.origin),
    rate === null ? el("p", { class: "soft" }, "no evidence yet") : el("div", {},
      svg("svg", { width: 300, height: 18, role: "img", "aria-label": `Success rate ${percent(rate)}, 90% interval ${percent(each.low)} to ${percent(each.high)}` },
        svg("rect", { x: .5, y: 3.5, width: 299, height: 11, class: "frame" }),
        svg("rect", { x: each.low * 300, y: 5, width: Math.max((each.high - each.low) * 300, 2), height: 8, class: "over" }),
        svg("rect", { x: rate * 300 - 1.5, y: 1, width: 3, height: 16, class: "held" })),
      el("p", { class: "soft" }, `${percent(rate)} (${percent(each.low)} to ${percent(each.high)}), ${each.successes} of ${each.samples} attempts worked`)));
}

function likeness(each) {
  return el("li", { class: "card" },
    el("a", { href: `#incidents?${new URLSearchParams({ id: each.incident_id })}` }, each.title || each.incident_id),
    ` ${each.component}, ${day(each.timestamp)}, ${percent(each.score)}`,
    el("p", { class: "soft" }, Object.entries(each.parts).map(([n, v]) => `${n} ${v.toFixed(2)}`).join(" · "), each.via.length ? `; over ${each.via.join(", ")}` : ""),
    each.outcomes.length ? el("ul", {}, each.outcomes.map((o) => el("li", { class: o.success ? "good" : "bad" },
      `${o.actions_taken.join(", ")}: ${o.success ? "worked" : "did not work"}${o.resolution_time_minutes ? ` in ${o.resolution_time_minutes} min` : ""}`))) : null);
}

function outcomeForm(id) {
  const actions = el("input", { name: "actions", required: true, placeholder: "rollback, restart_container" });
  const success = options("success", [["yes", "it worked"], ["no", "it did not"]], "yes");
  const minutes = el("input", { name: "minutes", type: "number", min: "0" });
  const lessons = el("input", { name: "lessons", maxlength: "4000" });
  const told = el("div", { role: "status" });
  const form = el("form", {}, field("What was done", actions, true), field("Outcome", success), field("Minutes", minutes), field("Lessons", lessons, true),
    el("button", { class: "main", type: "submit" }, "Record it"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post(`/api/v1/incidents/${encodeURIComponent(id)}/outcomes`, {
        actions_taken: actions.value.split(",").map((a) => a.trim()).filter(Boolean), success: success.value === "yes",
        resolution_time_minutes: minutes.value ? Number(minutes.value) : null, lessons_learned: lessons.value });
      window.dispatchEvent(new Event("quipu-again"));
    } catch (error) {
      told.replaceChildren(problem(error));
    }
  });
  return [el("h2", {}, "Record an outcome"), form, told];
}
