"use strict";
// What every page does: the switch between light and dark, numbers as people write them, sets of people, and rows that open.
const common = (() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const number = (n) => n.toLocaleString("en");
  const counted = (n, thing) => `${number(n)} ${thing}${n === 1 ? "" : "s"}`;

  // The choice of colours is kept where the browser lets a page keep something; a file may not.
  const kept = {
    get: () => { try { return localStorage.getItem("review-theme") || ""; } catch { return ""; } },
    set: (theme) => { try { localStorage.setItem("review-theme", theme); } catch { /* for this view only */ } },
  };
  const showTheme = (theme) => { if (theme) root.dataset.theme = theme; else delete root.dataset.theme; };
  showTheme(kept.get()); // before anything is drawn

  function startTheme() {
    const group = byId("theme");
    for (const input of group.elements) input.checked = input.value === kept.get();
    group.addEventListener("change", (event) => {
      kept.set(event.target.value);
      showTheme(event.target.value);
    });
    group.hidden = false;
  }

  // Sets are written as the number of the base or -1, then the places of those who are in one of the two only; -3 stands for
  // the three places after the one before it.
  function eachPlace(set, visit) {
    for (let at = 1; at < set.length; at++) {
      if (set[at] >= 0) visit(set[at]);
      else for (let after = 1; after <= -set[at]; after++) visit(set[at - 1] + after);
    }
  }

  // The numbers of the sets that a person is in, by the person's place. A person who is written in a set is in it, unless its base has the person.
  function setsWith(place, sets) {
    const isWritten = sets.map((set) => {
      for (let at = 1; at < set.length; at++) {
        if (set[at] === place || (set[at] < 0 && place > set[at - 1] && place <= set[at - 1] - set[at])) return true;
      }
      return false;
    });
    const holds = (at) => isWritten[at] !== (sets[at][0] >= 0 && holds(sets[at][0]));
    return new Set([...sets.keys()].filter(holds));
  }

  // The places of all who are in a set, ascending.
  function placesIn(at, sets) {
    const base = sets[at][0];
    const places = new Set(base >= 0 ? placesIn(base, sets) : []);
    eachPlace(sets[at], (place) => { if (!places.delete(place)) places.add(place); });
    return [...places].sort((a, b) => a - b);
  }

  // A click anywhere on a channel's row opens it; the keyboard has the arrow before the name.
  function startRows() {
    const table = document.querySelector(".matrix");
    table?.addEventListener("click", (event) => {
      const row = event.target.closest("tbody > tr:first-child");
      if (!row || getSelection().type === "Range") return;
      const details = row.nextElementSibling.querySelector("details");
      details.open = !details.open;
    });
    // A head that stays in view and a table that scrolls sideways exclude each other.
    const scroll = table?.parentElement;
    if (scroll) new ResizeObserver(() => {
      scroll.classList.remove("fits");
      scroll.classList.toggle("fits", scroll.scrollWidth <= scroll.clientWidth);
    }).observe(scroll);
  }

  document.addEventListener("DOMContentLoaded", startTheme);
  return { byId, number, counted, setsWith, placesIn, startRows };
})();
