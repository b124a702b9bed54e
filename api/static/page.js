// What every page does: copying, cancelling, renewing its parts, signing out.

/** Tell readers of the screen something. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** Return what a problem document says, or that there is no answer. */
export async function problemOf(answer) {
  try {
    const problem = await answer.json();
    return problem.detail ?? problem.title;
  } catch {
    return `The service answered ${answer.status}.`;
  }
}

/** Fetch the HTML of a part of the page again; the focus stays where it was. */
export async function renew(part) {
  let answer;
  try {
    answer = await fetch(part.dataset.part, { headers: { Accept: "application/json" } });
  } catch {
    part.setAttribute("aria-busy", "true");
    return;
  }
  if (answer.status === 401) location.reload();
  if (!answer.ok) return;
  const text = await answer.text().catch(() => null);
  if (text === null) return;
  part.removeAttribute("aria-busy");
  if (part.dataset.shown === text) return;
  const focused = part.contains(document.activeElement) ? focusKey(document.activeElement) : null;
  part.dataset.shown = text;
  part.innerHTML = text;
  tellState(part);
  if (focused === null) return;
  const again = part.querySelector(focused);
  again?.focus();
  if (document.activeElement !== again) {
    part.tabIndex = -1;
    part.focus();
  }
}

/** Tell readers of the screen where a job is, when that changed. */
function tellState(part) {
  const state = part.querySelector("[data-told]")?.dataset.told;
  if (state === undefined || state === part.dataset.told) return;
  part.dataset.told = state;
  say(state);
}

function focusKey(element) {
  if (element.dataset.cancel) return `[data-cancel="${element.dataset.cancel}"]`;
  const href = element.getAttribute("href");
  return href ? `[href="${CSS.escape(href)}"]` : element.tagName;
}

async function cancel(button) {
  button.disabled = true;
  try {
    const answer = await fetch(`/v1/jobs/${button.dataset.cancel}/cancel`, { method: "POST" });
    if (!answer.ok) throw new Error(await problemOf(answer));
    say("The job is being cancelled.");
  } catch (error) {
    button.disabled = false;
    complain(button, `Not cancelled: ${error.message}`);
  }
  for (const part of document.querySelectorAll("[data-part]")) await renew(part);
}

function complain(button, text) {
  const told = document.createElement("p");
  told.className = "problem";
  told.setAttribute("role", "alert");
  told.textContent = text;
  button.closest("section").append(told);
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    // Without TLS a browser has no clipboard to give; a selection can be copied everywhere.
    getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    if (!document.execCommand("copy")) return say("Not copied; the command is selected.");
  }
  say("Copied.");
  button.classList.add("done");
  setTimeout(() => button.classList.remove("done"), 1500);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.cancel) cancel(button);
  if (button?.dataset.copy) copy(button);
});

async function label(form) {
  const text = form.elements.label.value.trim();
  const answer = await fetch(form.dataset.label, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ label: text || null }),
  });
  if (!answer.ok) throw new Error(await problemOf(answer));
  say(text ? `The label is ${text}.` : "The label was removed.");
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.label) return;
  event.preventDefault();
  form.nextElementSibling?.matches(".problem") && form.nextElementSibling.remove();
  try {
    await label(form);
    form.classList.add("done");
    setTimeout(() => form.classList.remove("done"), 1500);
  } catch (error) {
    const told = document.createElement("p");
    told.className = "problem";
    told.setAttribute("role", "alert");
    told.textContent = `Not saved: ${error.message}`;
    form.after(told);
  }
});

// What is empty is not asked for.
document.addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

const signOut = document.getElementById("sign-out");
if (signOut) {
  signOut.addEventListener("click", async () => {
    await fetch("/session", { method: "DELETE" });
    location.assign("/");
  });
  // Until now a click would have been lost.
  signOut.disabled = false;
}

for (const part of document.querySelectorAll("[data-part]")) {
  const milliseconds = 1000 * Number(part.dataset.seconds);
  const again = async () => {
    if (document.visibilityState === "visible") await renew(part);
    if (!part.querySelector("[data-final]")) setTimeout(again, milliseconds);
  };
  setTimeout(again, milliseconds);
}
