// Long work: how far it is, and what came of it.

import { events } from "../api.js";
import { el, say } from "../dom.js";

// Follows a run to its end, shown in `place`; `moved` is told of each event.
export async function follow(run, place, moved = () => {}) {
  const bar = el("progress", { max: 1, "aria-label": `Progress of ${run.kind}` });
  const told = el("p", { class: "soft" }, "Waiting…");
  place.replaceChildren(bar, told);
  let last = run;
  for await (const data of events(`/api/v1/runs/${run.run_id}/events`)) {
    last = JSON.parse(data);
    moved(last);
    if (last.total) {
      bar.max = last.total;
      bar.value = last.done;
    }
    told.textContent = `${last.kind}: ${last.status}${last.stage ? `, ${last.stage} ${last.done} of ${last.total || "?"}` : ""}`;
  }
  bar.remove();
  told.replaceWith(outcome(last));
  say(`${last.kind} ${last.status}`);
  return last;
}

export function outcome(run) {
  if (run.status === "failed") return el("p", { class: "bad" }, `${run.kind} failed: ${run.error}`);
  const found = run.result || {};
  if (run.kind === "golden" && found.results) {
    return el("div", {}, el("p", { class: found.passed ? "good" : "bad" },
      `${found.results.filter((r) => r.passed).length} of ${found.results.length} questions passed`),
    el("ul", {}, found.results.filter((r) => !r.passed).map((r) => el("li", {}, `${r.question}: ${r.reasons.join("; ")}`))));
  }
  const counts = ["added", "changed", "removed"].filter((key) => Array.isArray(found[key]))
    .map((key) => `${found[key].length} ${key}`);
  return el("div", {}, el("p", {}, `${run.kind} ${run.status}${counts.length ? `: ${counts.join(", ")}` : ""}`),
    found.errors?.length ? el("details", {}, el("summary", {}, `${found.errors.length} files were left out`),
      el("ul", {}, found.errors.map((e) => el("li", {}, `${e.path}: ${e.error}`)))) : null);
}
