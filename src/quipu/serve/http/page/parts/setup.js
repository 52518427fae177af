// A folder without a memory: the offer to make one, and how far it is.

import { post } from "../api.js";
import { el, problem } from "../dom.js";
import { follow } from "./runs.js";

export default function setup(sheet, _asked, state) {
  const place = el("div", {});
  const make = el("button", { type: "button", class: "main" }, "Make a memory and index this folder");
  const again = () => window.dispatchEvent(new Event("quipu-again"));
  const early = el("button", { type: "button", hidden: true, onclick: again }, "Ask already: words and the graph are ready, vectors follow");
  make.addEventListener("click", async () => {
    make.disabled = true;
    try {
      const run = await post("/api/v1/setup");
      const last = await follow(run, place, (now) => { early.hidden = now.stage !== "embed"; });
      if (last.status === "done") again();
    } catch (error) {
      place.replaceChildren(problem(error));
      make.disabled = false;
    }
  });
  sheet.append(el("div", { class: "card" },
    el("h2", {}, "There is no memory here yet"),
    el("p", {}, "Quipu can read the files in ", el("strong", {}, state.folder),
      " into a memory of their own (.quipu). Nothing leaves this machine; what .gitignore names is left out."),
    make, place, early));
}
