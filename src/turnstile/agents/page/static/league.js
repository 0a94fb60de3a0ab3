// Keeps the page of a league up to date. The manager says at `events` that something has changed; then the page is
// loaded again, and its main part put in place of the old one.

const RETRY_MILLISECONDS = 5000;

const connection = document.querySelector("#connection");
let isLoading = false;
let hasChanged = false; // since the load that is under way began

async function load() {
  if (isLoading) {
    hasChanged = true;
    return;
  }
  isLoading = true;
  try {
    const source = await fetchPage();
    connection.textContent = source ? "" : "Connection lost, trying again.";
    if (source) show(source);
  } finally {
    isLoading = false;
    if (hasChanged) {
      hasChanged = false;
      load();
    }
  }
}

async function fetchPage() {
  try {
    const response = await fetch(location.href);
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function show(source) {
  const page = new DOMParser().parseFromString(source, "text/html");
  const wasOpen = [...document.querySelectorAll("details")].map(details => details.open);
  document.querySelector("main").replaceWith(page.querySelector("main"));
  document.querySelectorAll("details").forEach((details, index) => details.open = wasOpen[index] ?? false);
}

function listen() {
  const events = new EventSource("events");
  events.onopen = load;
  events.onmessage = load;
  events.onerror = () => {
    load();
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MILLISECONDS);
  };
}

listen();
