// The description of the routes: what a link leads to is opened.

function open() {
  const found = document.getElementById(location.hash.slice(1));
  if (found instanceof HTMLDetailsElement) found.open = true;
}

window.addEventListener("hashchange", open);
open();
