/**
 * All that a script adds to the pages, which work without it: times that go on, buttons that copy, and live parts.
 *
 * A live part is asked for again and again while it can be seen. What has not changed is answered with 304; what has is
 * put in place node by node, so that focus, scroll and open folds stay.
 */
"use strict";

(() => {
  const SECOND = 1000;
  const TIMEOUT = 8 * SECOND;
  const LONGEST_PAUSE = 15 * SECOND;

  // Ages are reckoned by the database's clock, as the server does.
  let ahead = Number(document.documentElement.dataset.now) - Date.now();
  const now = () => Date.now() + ahead;

  /** As src/words.ts has it. */
  function duration(ms) {
    const units = (large, largeName, small, smallName) => {
      const rest = Math.floor((ms % large) / small);
      return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
    };
    if (ms < SECOND) return "0 s";
    if (ms < 120 * SECOND) return `${Math.floor(ms / SECOND)} s`;
    if (ms < 3600 * SECOND) return units(60 * SECOND, "min", SECOND, "s");
    if (ms < 86400 * SECOND) return units(3600 * SECOND, "h", 60 * SECOND, "min");
    return units(86400 * SECOND, "d", 3600 * SECOND, "h");
  }

  function tick() {
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const at = Number(time.dataset.ago);
      const text = at <= now() ? `${duration(now() - at)} ago` : `in ${duration(at - now())}`;
      if (time.textContent !== text) time.textContent = text;
    }
  }

  function showCopyButtons() {
    for (const button of document.querySelectorAll("button[data-copy][hidden]")) button.hidden = false;
  }

  async function copy(button) {
    const copied = await navigator.clipboard.writeText(button.dataset.copy).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? "Copied" : "Not copied";
    setTimeout(() => (button.textContent = "Copy"), 2 * SECOND);
  }

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
    if (button !== null) void copy(button);
  });

  /** Attributes that belong to whoever reads the page. */
  const OWN = new Set(["open"]);

  function update(from, to) {
    if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
      from.replaceWith(to.cloneNode(true));
      return;
    }
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
      return;
    }
    for (const name of from.getAttributeNames()) {
      if (!to.hasAttribute(name) && !OWN.has(name)) from.removeAttribute(name);
    }
    for (const { name, value } of to.attributes) {
      if (from.getAttribute(name) !== value && !OWN.has(name)) from.setAttribute(name, value);
    }
    updateChildren(from, to);
  }

  function updateChildren(from, to) {
    const olds = [...from.childNodes];
    const news = [...to.childNodes];
    news.forEach((node, index) => {
      if (index < olds.length) update(olds[index], node);
      else from.append(node.cloneNode(true));
    });
    for (const node of olds.slice(news.length)) node.remove();
  }

  const parse = (html) => new DOMParser().parseFromString(html, "text/html");

  class LivePart {
    constructor(id) {
      this.id = id;
      this.tag = null;
      this.paused = false;
      this.failures = 0;
      this.timer = null;
      this.asking = false;
      this.heardAt = Date.now();
      this.note = document.querySelector("[data-live-note]");
      this.button = document.querySelector("[data-live-pause]");
      if (this.button !== null) {
        this.button.hidden = false;
        this.button.addEventListener("click", () => this.toggle());
      }
    }

    start() {
      document.addEventListener("visibilitychange", () => this.schedule(0));
      this.schedule(this.every);
    }

    get element() {
      return document.getElementById(this.id);
    }

    get source() {
      return this.element?.dataset.live;
    }

    get every() {
      return Number(this.element?.dataset.every ?? 2 * SECOND);
    }

    toggle() {
      this.paused = !this.paused;
      this.button.textContent = this.paused ? "Go on updating" : "Pause updates";
      this.say(this.paused ? "Paused: this is how it was when you paused it." : "");
      if (!this.paused) this.schedule(0);
    }

    say(text) {
      if (this.note !== null && this.note.textContent !== text) this.note.textContent = text;
      this.element?.classList.toggle("is-stale", text !== "");
    }

    schedule(ms) {
      clearTimeout(this.timer);
      if (this.paused || document.hidden || this.source === undefined) return;
      this.timer = setTimeout(() => this.ask(), ms);
    }

    async ask() {
      if (this.asking) return;
      this.asking = true;
      try {
        const response = await fetch(this.source, {
          headers: { accept: "text/html", ...(this.tag === null ? {} : { "if-none-match": this.tag }) },
          cache: "no-store",
          redirect: "error",
          signal: AbortSignal.timeout(TIMEOUT),
        });
        if (response.status !== 304 && !response.ok) throw new Error(String(response.status));
        const html = response.status === 304 ? null : await response.text();
        await this.heard(response, html);
      } catch (error) {
        this.failed(error);
      } finally {
        this.asking = false;
      }
      this.schedule(Math.min(this.every * 2 ** Math.min(this.failures, 3), LONGEST_PAUSE));
    }

    async heard(response, html) {
      this.heardAt = Date.now();
      this.failures = 0;
      if (this.paused) return;
      this.say("");
      const clock = Number(response.headers.get("x-now"));
      if (clock > 0) ahead = clock - Date.now();
      if (html === null) return;
      const next = parse(html).getElementById(this.id);
      if (next === null || this.element === null) throw new Error("no live part");
      this.tag = response.headers.get("etag");
      if (next.dataset.state !== this.element.dataset.state) await this.redraw();
      else update(this.element, next);
      this.settle();
    }

    /** Something has ended or begun: all of the page may have changed. */
    async redraw() {
      const response = await fetch(location.href, {
        headers: { accept: "text/html" },
        cache: "no-store",
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (!response.ok) throw new Error(String(response.status));
      const page = parse(await response.text());
      const main = page.querySelector("main");
      if (main === null) throw new Error("no page");
      // The bar that says whether updates are paused stays what it is for as long as there is one.
      const bar = main.querySelector("[data-live-note]");
      const own = this.note;
      update(document.querySelector("main"), main);
      if (bar === null && own !== null) own.textContent = "";
      document.title = page.title;
      this.note = document.querySelector("[data-live-note]");
      const button = document.querySelector("[data-live-pause]");
      if (button !== null && button !== this.button) button.addEventListener("click", () => this.toggle());
      this.button = button;
      if (button !== null) button.hidden = false;
      this.tag = null;
    }

    settle() {
      showCopyButtons();
      tick();
    }

    failed() {
      this.failures += 1;
      if (this.paused) return;
      const at = new Date(this.heardAt).toLocaleTimeString();
      this.say(`Stale: the server has not answered since ${at}. What you see is how it was then; trying again.`);
    }
  }

  showCopyButtons();
  tick();
  setInterval(tick, SECOND);
  const live = document.querySelector("[data-live]");
  if (live !== null) new LivePart(live.id).start();
})();
