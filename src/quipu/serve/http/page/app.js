// The page: its parts, and which one is shown. Every state has an address.

import { get } from "./api.js";
import { el, problem } from "./dom.js";
import ask from "./parts/ask.js";
import graph from "./parts/graph.js";
import incidents from "./parts/incidents.js";
import memory from "./parts/memory.js";
import plan from "./parts/plan.js";
import search from "./parts/search.js";
import setup from "./parts/setup.js";
import status from "./parts/status.js";
import time from "./parts/time.js";

const PARTS = {
  ask: ["Ask", ask], search: ["Search", search], plan: ["Plan", plan], graph: ["Graph", graph],
  time: ["Time", time], incidents: ["Incidents", incidents], memory: ["Memory", memory],
  status: ["Status", status],
};

let leave = null;

function place() {
  const [name, asked = ""] = location.hash.slice(1).split("?");
  return { name: Object.hasOwn(PARTS, name) ? name : "ask", asked: Object.fromEntries(new URLSearchParams(asked)) };
}

export function address(name, asked = {}) {
  const told = new URLSearchParams(asked).toString();
  return told ? `#${name}?${told}` : `#${name}`;
}

async function show() {
  const main = document.getElementById("main");
  const { name, asked } = place();
  const [title, part] = PARTS[name];
  document.title = `${title} · Quipu`;
  document.getElementById("parts").replaceChildren(...Object.entries(PARTS).map(([each, [label]]) =>
    el("li", {}, el("a", { href: `#${each}`, "aria-current": each === name ? "page" : null }, label))));
  if (leave) leave();
  leave = null;
  const sheet = el("div", {}, el("h1", {}, title));
  main.replaceChildren(sheet);
  try {
    const state = await get("/api/v1/setup");
    leave = (await (state.memory ? part : setup)(sheet, asked, state)) || null;
  } catch (error) {
    sheet.append(problem(error));
  }
}

window.addEventListener("hashchange", show);
window.addEventListener("quipu-again", show);
show();
