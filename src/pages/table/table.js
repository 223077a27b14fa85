"use strict";
// The page of a match's game. It shows the table after each step and knows no rule.
(() => {
const $ = id => document.getElementById(id);
const many = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
const { replay } = JSON.parse($("game").textContent);
const { steps, names, score } = replay, last = steps.length - 1;
let at = 0, playing = false, then = 0, part = 0;

// How many of each card there are, to mark those that came with a step.
function counts(cards) {
  const all = new Map();
  for (const card of cards) all.set(card, (all.get(card) || 0) + 1);
  return all;
}

function lay(zone, cards, before) {
  const had = before && counts(before), list = zone.querySelector(".hand");
  list.replaceChildren(...cards.map(card => {
    const one = document.createElement("li"), left = had ? had.get(card) || 0 : 1;
    one.textContent = card;
    if (/[♥♦]/.test(card) || /^[0-9tjqka]+[hd]$/.test(card)) one.classList.add("red");
    if (had) { if (left) had.set(card, left - 1); else one.classList.add("came"); }
    return one;
  }));
  zone.querySelector(".n").textContent = many(cards.length, "card");
}

function result(seat) {
  if (score.points) return `${score.points[seat].toLocaleString("en")} points`;
  return score.winners.includes(seat) ? "wins" : "";
}

function draw() {
  const step = steps[at], before = at ? steps[at - 1] : null;
  names.forEach((_, seat) => {
    const zone = $(`seat-${seat}`);
    lay(zone, step.hands[seat], before && before.hands[seat]);
    zone.classList.toggle("acts", step.seat === seat);
    zone.querySelector(".says").textContent = at === last ? result(seat) : "";
  });
  lay($("middle"), step.table, before && before.table);
  $("middle").querySelector(".says").textContent = step.pile ? `${many(step.pile, "card")} left to draw` : "";
  const item = $(`step-${at}`), list = $("steps");
  list.querySelector(".at")?.classList.remove("at");
  item.classList.add("at");
  if (item.offsetTop < list.scrollTop || item.offsetTop + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = item.offsetTop - list.clientHeight / 3;
  // The words of the step; the hands are on the table.
  $("now").replaceChildren(...[...item.children].filter(one => at || !one.classList.contains("soft")).map(one => one.cloneNode(true)));
  // Steps are said aloud, a game that runs is not.
  $("where").setAttribute("aria-live", playing ? "off" : "polite");
  const titles = step.scene.lines.filter(([tone]) => tone !== "hand" && tone !== "table").map(([, text]) => text);
  $("where").textContent = `step ${at.toLocaleString("en")} of ${last.toLocaleString("en")}`;
  $("slide").value = at;
  $("slide").setAttribute("aria-valuetext", [$("where").textContent, ...titles].join(": "));
  if (document.activeElement !== $("step")) $("step").value = at;
  $("cursor").style.left = `${100 * at / Math.max(1, last)}%`;
  Object.assign(document.body.dataset, { at, end: at === last, playing, hands: step.hands.map(hand => hand.length).join(" "), table: step.table.length });
}

let asked = false;
function show() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; draw(); });
}

function seek(i) { at = Math.max(0, Math.min(last, i)); show(); }
function stop() {
  if (playing) history.replaceState(null, "", `#${at}`);
  playing = false; $("play").textContent = "Play"; document.body.dataset.playing = false;
}
function start() {
  if (at === last) at = 0;
  playing = true; part = 0; then = performance.now(); $("play").textContent = "Pause";
  show(); requestAnimationFrame(tick);
}
function toggle() { if (playing) { stop(); show(); } else start(); }
function tick(now) {
  if (!playing) return;
  part += (now - then) / 1000 * +$("speed").value; then = now;
  const on = Math.floor(part); part -= on;
  if (on > 0) {
    at = Math.min(last, at + on);
    if (at === last) stop();
    draw();
  }
  if (playing) requestAnimationFrame(tick);
}

// The sizes of all hands over the game.
function curve() {
  let most = 1, least = Infinity;
  for (const step of steps) for (const hand of step.hands) { most = Math.max(most, hand.length); least = Math.min(least, hand.length); }
  const svg = $("curve").querySelector("svg"), every = Math.max(1, Math.floor(steps.length / 4000));
  names.forEach((_, seat) => {
    const path = document.createElementNS(svg.namespaceURI, "path");
    let line = "";
    steps.forEach((step, i) => {
      if (i % every && i !== last) return;
      line += `${line ? "L" : "M"}${(1000 * i / Math.max(1, last)).toFixed(2)} ${(98 - 96 * step.hands[seat].length / most).toFixed(2)}`;
    });
    path.setAttribute("d", line);
    path.setAttribute("class", "size");
    path.style.stroke = `var(--c${seat % 6})`;
    svg.append(path);
  });
  const mark = (text, style) => { const one = document.createElement("span"); one.className = "scale"; one.textContent = text; Object.assign(one.style, style); $("curve").append(one); };
  mark(many(most, "card"), { top: "2px", left: "4px" });
  mark("0", { bottom: "2px", left: "4px" });
  const words = `Cards in each hand after each step: from ${least} to ${most} over ${many(last, "step")}, in the colours of the names.`;
  $("caption").textContent = `${words} Click to go there.`;
  $("curve").setAttribute("aria-label", words);
}
let dragging = false;
const drag = event => { const box = $("curve").getBoundingClientRect(); seek(Math.round((event.clientX - box.left) / box.width * last)); };
$("curve").addEventListener("pointerdown", event => { dragging = true; $("curve").setPointerCapture(event.pointerId); stop(); drag(event); });
$("curve").addEventListener("pointermove", event => { if (dragging) drag(event); });
$("curve").addEventListener("pointerup", () => { dragging = false; });
$("steps").addEventListener("click", event => { const item = event.target.closest("li"); if (item) { stop(); seek(+item.id.slice(5)); } });

const click = (id, what) => $(id).addEventListener("click", () => { if (id !== "play") stop(); what(); });
click("first", () => seek(0)); click("last", () => seek(last)); click("play", toggle);
click("back", () => seek(at - 1)); click("on", () => seek(at + 1));
$("slide").max = last; $("step").max = last;
$("slide").addEventListener("input", () => { stop(); seek(+$("slide").value); });
$("step").addEventListener("change", () => { stop(); if ($("step").value) seek(Math.round(+$("step").value)); });

function faster(by) { const s = $("speed"); s.selectedIndex = Math.max(0, Math.min(s.length - 1, s.selectedIndex + by)); }
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input:not([type=range])")) return;
  const onButton = event.target.closest("button, summary"), by = event.shiftKey ? 10 : 1;
  const keys = {
    " ": onButton ? null : toggle, "ArrowRight": () => { stop(); seek(at + by); }, "ArrowLeft": () => { stop(); seek(at - by); },
    "PageDown": () => { stop(); seek(at + 10); }, "PageUp": () => { stop(); seek(at - 10); },
    "Home": () => { stop(); seek(0); }, "End": () => { stop(); seek(last); },
    "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1), "t": () => $("step").focus(), "T": () => $("step").focus(),
  };
  const what = keys[event.key];
  if (what) { event.preventDefault(); what(); }
});

function fromAddress() {
  const found = /^#(\d+)$/.exec(location.hash);
  if (found) { stop(); seek(+found[1]); }
}
window.addEventListener("hashchange", fromAddress);

curve(); draw(); fromAddress();
document.body.dataset.ready = true;
})();
