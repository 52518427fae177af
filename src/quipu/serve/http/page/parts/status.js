// Status: what is stored, how old it is, what is under way, what went wrong.

import { get, post } from "../api.js";
import { day, el, problem, shown, table } from "../dom.js";
import { follow, outcome } from "./runs.js";

export default function status(sheet, _asked, state) {
  const place = el("div", {});
  const working = el("div", {});
  const run = (kind, label) => el("button", { type: "button", disabled: state.scope !== "admin", onclick: async (event) => {
    event.target.disabled = true;
    try {
      await follow(await post("/api/v1/runs", { kind }), working);
      await shown(place, figures);
    } catch (error) {
      working.replaceChildren(problem(error));
    } finally {
      event.target.disabled = false;
    }
  } }, label);
  sheet.append(el("div", { class: "row" }, run("index", "Index now"), run("commits", "Read the commits"), run("reflect", "Make reports"), run("golden", "Run golden questions")),
    working, place);
  shown(place, figures);
}

async function figures() {
  const [now, ready, stats, jobs, runs] = await Promise.all([get("/api/memory/status"),
    fetch("/health/ready").then((reply) => reply.json()), get("/api/graph/stats"), get("/api/v1/jobs", { limit: 20 }), get("/api/v1/runs", { limit: 200 })]);
  const hours = now.age_s === null ? null : now.age_s / 3600;
  const goldens = runs.runs.filter((each) => each.kind === "golden" && each.result);
  return [
    el("p", { class: now.stale ? "warn" : "soft" }, hours === null ? "Nothing was indexed here yet."
      : `Indexed ${hours < 1 ? `${Math.round(hours * 60)} minutes` : `${Math.round(hours)} hours`} ago${now.stale ? ": older than it should be" : ""}. Generation ${now.generation}, namespace ${now.namespace}.`),
    table("Checks", ["check", "how it is", ""], ready.checks.map((c) => [c.name, el("span", { class: { ok: "good", failed: "bad" }[c.status] || "warn" }, c.status), c.detail])),
    el("div", { class: "two" },
      el("section", {}, el("h2", {}, "Records"), table("Records", ["kind", "count"], Object.entries(now.counts))),
      el("section", {}, el("h2", {}, "Sources"), table("Sources", ["kind", "count"], Object.entries(now.source_types)))),
    el("div", { class: "two" },
      el("section", {}, el("h2", {}, "Things"), table("Things", ["type", "count"], Object.entries(stats.entities))),
      el("section", {}, el("h2", {}, "Relations"), table("Relations", ["type", "count"], Object.entries(stats.relations)))),
    el("h2", {}, "Runs"), runs.runs.length ? el("ul", { class: "plain" }, runs.runs.slice(0, 20).map((each) => el("li", { class: "card" }, el("span", { class: "soft" }, each.started_at), outcome(each)))) : el("p", { class: "soft" }, "None yet."),
    goldens.length ? [el("h2", {}, "Golden questions over time"), table("Golden questions", ["when", "passed", "of"], goldens.map((g) => [g.ended_at, el("span", { class: g.result.passed ? "good" : "bad" }, String(g.result.results.filter((r) => r.passed).length)), g.result.results.length]))] : null,
    el("h2", {}, "Jobs"), jobs.jobs.length ? table("Jobs", ["job", "kind", "status", "stage", "updated"], jobs.jobs.map((job) => [job.job_id, job.kind, job.status, job.stage, day(job.updated_at)])) : el("p", { class: "soft" }, "None."),
  ];
}
