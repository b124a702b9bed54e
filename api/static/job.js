// A job as it happens: its events, and its state renewed with them.

import { renew } from "./page.js";

const part = document.getElementById("job");
const log = document.getElementById("events");
const ENDED = ["succeeded", "failed", "cancelled"];
const MOST_LINES = 500;
const RENEW_MILLISECONDS = 300;
const AGAIN_MILLISECONDS = 3000;
let due = null;
let seen = 0;

function soon() {
  due ??= setTimeout(async () => {
    due = null;
    await renew(part);
  }, RENEW_MILLISECONDS);
}

function write(text) {
  const item = document.createElement("li");
  item.textContent = text;
  log.prepend(item);
  while (log.children.length > MOST_LINES) log.lastChild.remove();
}

// Moves between states that say more than where they lead.
const MOVES = { "hand back": "handed back by its worker", retry: "to be tried again", "give up": "after the last attempt" };

const LINES = {
  state: ({ status, move, attempt }) =>
    `${status}${move in MOVES ? ` (${MOVES[move]})` : ""}${attempt > 1 ? `, attempt ${attempt}` : ""}`,
  progress: ({ stage, done, total, note }) =>
    `${stage}: ${done} of ${total}${note ? `, ${note}` : ""}`,
  log: ({ message }) => message,
};

function follow() {
  const stream = new EventSource(part.dataset.events);
  for (const [type, line] of Object.entries(LINES)) {
    stream.addEventListener(type, (event) => {
      const data = JSON.parse(event.data);
      // A stream that was opened again begins at the first event.
      if (Number(event.lastEventId) > seen) {
        seen = Number(event.lastEventId);
        write(line(data));
        soon();
      }
      if (type === "state" && ENDED.includes(data.status)) stream.close();
    });
  }
  stream.addEventListener("error", () => {
    // A lost connection is opened again by the browser, an answer that is no stream is not.
    if (stream.readyState === EventSource.CLOSED && !part.querySelector("[data-final]"))
      setTimeout(follow, AGAIN_MILLISECONDS);
  });
}

follow();
