"use strict";
// The page of a replay. It carries cards as the film says and knows no rule of the game.
(() => {
const $ = id => document.getElementById(id);
const many = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
const SHOWN = 160; // cards drawn in one place at most

let film, moves, tricks, keys, gap, sizes, most; // the film and what is read off it once
let at = 0, playing = false, then = 0, part = 0, frames = 0, elements = [];

// One move: a card from a hand to the pile, or the pile under a hand.
function move(state, letter) {
  const hand = state.hands[letter === "A" || letter === "a" ? 0 : 1];
  if (letter === "A" || letter === "B") state.pile.push(hand.shift());
  else { hand.push(...state.pile); state.pile.length = 0; }
}

function deal() {
  const [a, b] = film.hands;
  return { hands: [[...Array(a).keys()], Array.from({ length: b }, (_, i) => a + i)], pile: [] };
}

const copy = s => ({ hands: s.hands.map(hand => hand.slice()), pile: s.pile.slice() });

function stateAt(i) {
  const key = Math.floor(i / gap);
  const state = copy(keys[key]);
  for (let j = key * gap; j < i; j++) move(state, moves[j]);
  return state;
}

// The trick that holds move i, from 1; at the end the last one.
function trickAt(i) {
  let low = 0, high = tricks.length - 1;
  while (low < high) { const mid = (low + high + 1) >> 1; if (tricks[mid] <= i) low = mid; else high = mid - 1; }
  return low;
}

function load(next) {
  film = next; moves = film.moves;
  const cards = film.cards.length;
  gap = Math.max(64, Math.ceil(moves.length * cards / 4e6));
  tricks = [0]; keys = []; sizes = [film.hands[0]]; most = [film.hands[0], 0, film.hands[1]];
  const state = deal();
  for (let i = 0; i <= moves.length; i++) {
    if (i % gap === 0) keys.push(copy(state));
    most = [Math.max(most[0], state.hands[0].length), Math.max(most[1], state.pile.length), Math.max(most[2], state.hands[1].length)];
    if (i === moves.length) break;
    move(state, moves[i]);
    if (moves[i] === "a" || moves[i] === "b") { tricks.push(i + 1); sizes.push(state.hands[0].length); }
  }
  for (const old of document.querySelectorAll(".card")) old.remove();
  elements = Array(cards);
  const looping = film.verdict.status === "loop";
  $("round-label").classList.toggle("hidden", !looping);
  $("paint-label").classList.toggle("hidden", !film.orbits);
  $("slide").max = moves.length;
  $("trick").max = Math.max(1, tricks.length - 1);
  stop(); speak(); orbits(); curve(); size(); seek(0);
}

function speak() {
  const v = film.verdict, played = `${many(v.cards, "card")}, ${many(v.tricks, "trick")}`;
  const how = {
    finished: `Finished after ${played}. ${v.winner} wins.`,
    loop: v.period ? `Infinite: after ${many(v.lead_in.cards, "card")} and ${many(v.lead_in.tricks, "trick")} it enters a loop of ${many(v.period.cards, "card")} and ${many(v.period.tricks, "trick")}.` : "",
    capped: `No verdict after ${played}.`,
  };
  $("verdict").textContent = how[v.status];
  $("deal").textContent = film.deal;
  document.title = `Camicia: ${how[v.status]}`;
}

const colour = orbit => `hsl(${Math.round(orbit * 137.508 + 20) % 360} 70% 50%)`;

function orbits() {
  const box = $("orbit-box"), list = $("orbit-list");
  list.textContent = "";
  box.classList.toggle("hidden", !film.orbits);
  film.tints = null;
  if (!film.orbits) return;
  const members = new Map();
  film.orbits.forEach((orbit, card) => members.set(orbit, [...(members.get(orbit) || []), card]));
  film.tints = Array(film.cards.length).fill("");
  let tint = 0;
  for (const cards of [...members.values()].sort((a, b) => b.length - a.length)) {
    if (cards.length === 1) continue;
    const painted = colour(tint++);
    for (const card of cards) film.tints[card] = painted;
    const item = document.createElement("li"), mark = document.createElement("i");
    mark.style.setProperty("--orbit", painted);
    item.append(mark, `${cards.length} cards of the kind ${kind(cards[0])}`);
    list.append(item);
  }
  const alone = [...members.values()].filter(cards => cards.length === 1).length;
  if (alone) { const item = document.createElement("li"); item.textContent = `${many(alone, "card")} alone`; list.append(item); }
}

const kind = card => ["plain", "J", "Q", "K", "A"][film.pays[card]];
const symbol = card => "-JQKA"[film.pays[card]];

function element(card) {
  if (!elements[card]) {
    const one = document.createElement("div"), pays = +film.pays[card], face = film.cards[card];
    one.className = `card ${pays ? `pay pay${pays}` : "plain"}${face ? "" : " blank"}`;
    one.setAttribute("aria-hidden", "true");
    one.textContent = face || (pays ? kind(card) : "");
    if (pays) one.dataset.pips = "•".repeat(pays);
    if (film.tints && film.tints[card]) one.style.setProperty("--orbit", film.tints[card]);
    $("board").append(one);
    elements[card] = one;
  }
  return elements[card];
}

// Room for the most cards each place ever holds, so that nothing jumps.
const look = { wide: 0, w: 46, h: 64, step: 16, zones: [] };
function size() {
  const board = $("board"), felt = $("zone-a").querySelector(".felt");
  const wide = felt.clientWidth;
  look.wide = wide;
  look.w = wide < 520 ? 30 : 46; look.h = Math.round(look.w * 1.4); look.step = look.w * (wide < 520 ? .48 : .36);
  board.style.setProperty("--w", `${look.w}px`); board.style.setProperty("--h", `${look.h}px`);
  ["zone-a", "zone-pile", "zone-b"].forEach((id, zone) => {
    const place = $(id).querySelector(".felt");
    const rows = Math.ceil(Math.min(most[zone], SHOWN) / row());
    place.style.height = `${look.h + Math.max(0, rows - 1) * look.h * .72}px`;
  });
  const from = board.getBoundingClientRect();
  look.zones = ["zone-a", "zone-pile", "zone-b"].map(id => {
    const box = $(id).querySelector(".felt").getBoundingClientRect();
    return { x: box.left - from.left - board.clientLeft, y: box.top - from.top - board.clientTop };
  });
}
const row = () => Math.max(1, Math.floor((look.wide - look.w) / look.step) + 1);

function lay(zone, cards, shown) {
  const each = row(), drawn = cards.slice(0, SHOWN);
  const first = Math.min(drawn.length, each);
  const step = first < 2 ? 0 : Math.min(look.w + 4, (look.wide - look.w) / (first - 1));
  drawn.forEach((card, i) => {
    const one = element(card), line = Math.floor(i / each);
    one.style.transform = `translate(${(look.zones[zone].x + (i - line * each) * step).toFixed(1)}px,${(look.zones[zone].y + line * look.h * .72).toFixed(1)}px)`;
    one.style.zIndex = i + 1;
    one.classList.remove("hidden");
    shown.add(card);
  });
}

let drawn = new Set();
function draw() {
  frames++;
  const state = stateAt(at), owed = at ? +film.debts[at - 1] : 0, letter = at ? moves[at - 1] : "";
  const debtor = owed ? (owed > 4 ? 1 : 0) : -1, debt = owed > 4 ? owed - 4 : owed;
  const taken = letter === "a" ? 0 : letter === "b" ? 1 : -1;
  const v = film.verdict, end = at === moves.length;
  const shown = new Set();
  [state.hands[0], state.pile, state.hands[1]].forEach((cards, zone) => lay(zone, cards, shown));
  for (const card of drawn) if (!shown.has(card)) elements[card]?.classList.add("hidden");
  drawn = shown;
  ["zone-a", "zone-pile", "zone-b"].forEach((id, zone) => {
    const head = $(id).firstElementChild, cards = [state.hands[0], state.pile, state.hands[1]][zone];
    head.children[1].textContent = many(cards.length, "card");
    head.children[3].textContent = cards.length > SHOWN ? `(the first ${SHOWN} are drawn)` : "";
    const says = head.children[2], player = zone / 2;
    let word = "", owes = false;
    if (zone !== 1) {
      if (end && v.winner) word = v.winner === "AB"[player] ? "wins" : "";
      else if (player === debtor) { word = `owes ${"●".repeat(debt)} ${debt}`; owes = true; }
      else if (player === taken) word = "takes the pile and leads";
      else if (at === 0 && player === 0) word = "leads";
    } else if (end && v.status === "loop") word = "the state has come back: a loop";
    says.textContent = word;
    says.classList.toggle("owes", owes);
  });
  const done = trickAt(at), laid = at - done, now = Math.min(done + 1, Math.max(1, tricks.length - 1));
  let phase = "";
  if (v.period) phase = done >= v.lead_in.tricks ? " · in the loop" : " · lead-in";
  $("where").textContent = `card ${laid.toLocaleString("en")} of ${v.cards.toLocaleString("en")} · trick ${now.toLocaleString("en")} of ${v.tricks.toLocaleString("en")}${phase}`;
  // Steps are said aloud, a game that runs is not.
  $("where").setAttribute("aria-live", playing ? "off" : "polite");
  $("slide").value = at;
  $("slide").setAttribute("aria-valuetext", $("where").textContent);
  if (document.activeElement !== $("trick")) $("trick").value = now;
  $("cursor").style.left = `${100 * at / Math.max(1, moves.length)}%`;
  if (!playing || $("text-box").open) {
    const text = cards => cards.map(symbol).join("") || "(no cards)";
    $("state").textContent = `A     ${text(state.hands[0])}\nB     ${text(state.hands[1])}\npile  ${text(state.pile)}\n${debtor >= 0 ? `${"AB"[debtor]} owes ${debt}` : "nothing is owed"}`;
  }
  Object.assign(document.body.dataset, { at, end, cards: laid, tricks: done, a: state.hands[0].length, b: state.hands[1].length, pile: state.pile.length, status: v.status, winner: v.winner || "", frames, playing });
}

let asked = false;
function show() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; draw(); });
}

function seek(i) { at = Math.max(0, Math.min(moves.length, i)); show(); }
function toTrick(n) { seek(tricks[Math.max(0, Math.min(tricks.length - 1, n - 1))]); }
function trickBack() { const k = trickAt(at); seek(tricks[k] < at ? tricks[k] : tricks[Math.max(0, k - 1)]); }
function trickOn() { seek(tricks[Math.min(tricks.length - 1, trickAt(at) + 1)]); }
function speed() { return +$("speed").value; }
function stop() {
  if (playing) history.replaceState(null, "", `#${Math.min(trickAt(at) + 1, Math.max(1, tricks.length - 1))}`);
  playing = false; $("play").textContent = "Play"; document.body.dataset.playing = false;
}
function start() {
  if (at === moves.length) at = 0;
  playing = true; part = 0; then = performance.now(); $("play").textContent = "Pause";
  pace(); requestAnimationFrame(tick);
}
function toggle() { if (playing) { stop(); show(); } else start(); }
function pace() {
  const s = speed();
  $("board").classList.toggle("gentle", s <= 30);
  $("board").style.setProperty("--pace", `${Math.min(.25, .8 / s)}s`);
}
function tick(now) {
  if (!playing) return;
  part += (now - then) / 1000 * speed(); then = now;
  const steps = Math.floor(part); part -= steps;
  if (steps > 0) {
    at += steps;
    if (at >= moves.length) {
      const v = film.verdict, from = v.period ? tricks[v.lead_in.tricks] : 0;
      if (v.period && $("round").checked) at = from + (at - from) % (moves.length - from);
      else { at = moves.length; stop(); }
    }
    draw();
  }
  if (playing) requestAnimationFrame(tick);
}

// The curve of A's hand over the game, at the tricks; B's is the rest.
function curve() {
  const all = film.cards.length, n = Math.max(1, moves.length), v = film.verdict;
  const every = Math.max(1, Math.floor(tricks.length / 4000));
  let line = "";
  tricks.forEach((i, k) => {
    if (k % every && k !== tricks.length - 1) return;
    line += `${line ? "L" : "M"}${(1000 * i / n).toFixed(2)} ${(100 - 100 * sizes[k] / all).toFixed(2)}`;
  });
  const from = v.period ? 1000 * tricks[v.lead_in.tricks] / n : 1000;
  const last = (1000 * tricks[tricks.length - 1] / n).toFixed(2);
  const svg = $("curve").querySelector("svg");
  svg.innerHTML = `${v.period ? `<rect class="period" x="${from.toFixed(2)}" y="0" width="${(1000 - from).toFixed(2)}" height="100"/>` : ""}<line class="half" x1="0" x2="1000" y1="50" y2="50"/><path class="area" d="${line}L${last} 100L0 100Z"/><path class="size" d="${line}"/>`;
  for (const old of $("curve").querySelectorAll(".scale")) old.remove();
  const mark = (text, style) => { const one = document.createElement("span"); one.className = "scale"; one.textContent = text; Object.assign(one.style, style); $("curve").append(one); };
  mark(`A holds all ${all}`, { top: "2px", left: "4px" });
  mark("B holds all", { bottom: "2px", left: "4px" });
  if (v.period) mark("the loop", { top: "2px", right: "4px" });
  let low = sizes[0], high = sizes[0];
  for (const size of sizes) { low = Math.min(low, size); high = Math.max(high, size); }
  const words = `A's hand after each trick: from ${low} to ${high} of ${all} cards over ${many(v.tricks, "trick")}.${v.period ? ` The shaded part is one round of the loop, after a lead-in of ${many(v.lead_in.tricks, "trick")}.` : ""}`;
  $("caption").textContent = `${words} Click to go there.`;
  $("curve").setAttribute("aria-label", words);
}
let dragging = false;
const drag = event => { const box = $("curve").getBoundingClientRect(); seek(Math.round((event.clientX - box.left) / box.width * moves.length)); };
$("curve").addEventListener("pointerdown", event => { dragging = true; $("curve").setPointerCapture(event.pointerId); stop(); drag(event); });
$("curve").addEventListener("pointermove", event => { if (dragging) drag(event); });
$("curve").addEventListener("pointerup", () => { dragging = false; });

const click = (id, what) => $(id).addEventListener("click", () => { if (id !== "play") stop(); what(); });
click("first", () => seek(0)); click("last", () => seek(moves.length));
click("back", () => seek(at - 1)); click("on", () => seek(at + 1));
click("trick-back", trickBack); click("trick-on", trickOn); click("play", toggle);
$("slide").addEventListener("input", () => { stop(); seek(+$("slide").value); });
$("trick").addEventListener("change", () => { stop(); if ($("trick").value) toTrick(Math.round(+$("trick").value)); });
$("speed").addEventListener("change", pace);
$("text-box").addEventListener("toggle", show);
$("paint").addEventListener("change", paint);
function paint() { $("board").classList.toggle("orbits", Boolean(film.orbits) && $("paint").checked); }

function faster(by) { const s = $("speed"); s.selectedIndex = Math.max(0, Math.min(s.length - 1, s.selectedIndex + by)); pace(); }
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("textarea, select, input:not([type=range]):not([type=checkbox])")) return;
  const onButton = event.target.closest("button, summary, input[type=checkbox]");
  const keys = {
    " ": onButton ? null : toggle, "ArrowRight": () => { stop(); event.shiftKey ? trickOn() : seek(at + 1); },
    "ArrowLeft": () => { stop(); event.shiftKey ? trickBack() : seek(at - 1); },
    "PageDown": () => { stop(); trickOn(); }, "PageUp": () => { stop(); trickBack(); },
    "Home": () => { stop(); seek(0); }, "End": () => { stop(); seek(moves.length); },
    "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1), "t": () => $("trick").focus(), "T": () => $("trick").focus(),
  };
  const what = keys[event.key];
  if (what) { event.preventDefault(); what(); }
});

function fromAddress() {
  const found = /^#(?:trick[-=]?)?(\d+)$/.exec(location.hash);
  if (found) { stop(); toTrick(+found[1]); }
}
window.addEventListener("hashchange", fromAddress);
new ResizeObserver(() => { if (film && look.wide !== $("zone-a").querySelector(".felt").clientWidth) { size(); show(); } }).observe($("board"));

// The engine, set up when it is first asked for.
let engine = null;
async function ask(text, how) {
  if (!engine) {
    const bytes = Uint8Array.from(atob($("engine").textContent.trim()), c => c.charCodeAt(0));
    engine = (await WebAssembly.instantiate(bytes, {})).instance.exports;
  }
  const bytes = new TextEncoder().encode(text);
  const to = engine.text(bytes.length);
  new Uint8Array(engine.memory.buffer, to, bytes.length).set(bytes);
  const length = engine.play(how);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.answer(), length)));
}
$("form").addEventListener("submit", async event => {
  event.preventDefault();
  $("sorry").textContent = "";
  try {
    const how = ($("digits").checked ? 1 : 0) + ($("alternating").checked ? 2 : 0) + ($("halves").checked ? 8 : 0) + ($("distinct").checked ? 4 : 0);
    const answer = await ask($("text").value, how);
    if (answer.error) throw new Error(answer.error);
    history.replaceState(null, "", location.pathname + location.search);
    load(answer); paint(); $("board").scrollIntoView({ block: "start" });
    document.body.dataset.pasted = film.deal;
  } catch (error) {
    engine = error instanceof WebAssembly.RuntimeError ? null : engine;
    $("sorry").textContent = error instanceof WebAssembly.RuntimeError ? "The engine gave up on this deal: the program plays it, camicia play DEAL." : error.message;
  }
});

load(JSON.parse($("film").textContent));
paint(); pace(); fromAddress();
document.body.dataset.ready = true;
})();
