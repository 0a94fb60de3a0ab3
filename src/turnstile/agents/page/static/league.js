// Keeps the page of a league up to date. The manager says at `events` that something has changed; then the page is
// loaded again, and its main part put in place of the old one. When the league is over, the page keeps a copy of the
// report: the manager may stop at any moment.

const RETRY_MILLISECONDS = 5000;
const LOST = "Connection lost, trying again.";
const STOPPED = "The league is over, and its manager has stopped. This page and the report stay readable here.";

const connection = document.querySelector("#connection");
let isLoading = false;
let hasChanged = false; // since the load that is under way began
let report = null; // the address of our copy, once there is one

async function load() {
  if (isLoading) {
    hasChanged = true;
    return;
  }
  isLoading = true;
  try {
    const source = await fetchText(location.href);
    if (source) show(source);
    await keepReport();
    connection.textContent = source ? "" : report ? STOPPED : LOST;
    connection.classList.toggle("over", report !== null);
  } finally {
    isLoading = false;
    if (hasChanged) {
      hasChanged = false;
      load();
    }
  }
}

async function fetchText(url) {
  try {
    const response = await fetch(url);
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

// The link to the report is there once the league is over; from then on the report does not change.
async function keepReport() {
  const link = document.querySelector("a.report");
  if (!link) return;
  if (report === null) {
    const source = await fetchText("report");
    if (source) report = URL.createObjectURL(new Blob([source], { type: "text/html;charset=utf-8" }));
  }
  if (report) {
    link.href = report;
    link.target = "_blank";
  }
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
