// The script shows only a part of the page of a review. The page already has everything, so the script unfolds, hides,
// marks and counts, and sends no request.
(() => {
  const { byId, number, counted, setsWith } = common;
  const many = 50;

  // A closed element with much content has it as text. The elements are created when the user opens it.
  function unfold(details) {
    const text = details.querySelector(":scope > noscript");
    if (text) text.outerHTML = text.textContent;
  }

  const unfoldAll = () => document.querySelectorAll("details").forEach(unfold);

  // An item is a block of rows or an account: what is shown or hidden as a whole. Its effects are the rows, which say who gains and
  // who loses permissions, a set of people each by its number; its places are channels. What follows is of the places of another block.
  function readItems() {
    const setOf = (text) => text === undefined ? -1 : Number(text);
    unfoldAll();
    return [...document.querySelectorAll("[data-item]")].map((element) => ({
      element,
      section: element.closest("section"),
      places: [...(byId(element.dataset.of) ?? element).querySelectorAll("[data-place]")],
      account: Number(element.dataset.account ?? NaN),
      effects: [...element.querySelectorAll("[data-permissions]")].map((row) => ({
        row,
        permissions: row.dataset.permissions.split(" "),
        gain: setOf(row.dataset.gain),
        lose: setOf(row.dataset.lose),
        unknown: row.dataset.unknown !== undefined,
      })),
    }));
  }

  // People are found by a suggestion taken whole, or by a part of a name or address that only one has.
  function directory(accounts) {
    const people = accounts.map(({ name, address }, place) => ({ name, place, label: `${name} <${address}>` }));
    const byLabel = new Map(people.map((person) => [person.label, person]));
    return {
      labels: () => [...byLabel.keys()],
      find(text) {
        const exact = byLabel.get(text);
        if (exact) return [exact];
        const part = text.toLowerCase();
        return people.filter((person) => person.label.toLowerCase().includes(part));
      },
    };
  }

  function startFilter() {
    const form = byId("filter");
    const found = byId("found");
    // What the filter needs is read when it is used first.
    let data, people, items, sections, channels;
    function read() {
      if (items) return;
      data = JSON.parse(byId("data").textContent);
      people = directory(data.accounts);
      items = readItems();
      sections = new Set(items.map((item) => item.section));
      channels = new Set(items.flatMap((item) => item.places)).size;
    }

    // What is asked for: a person as the sets that hold the person, a permission by its number, a part of a channel's name.
    function asked() {
      const text = byId("person").value.trim();
      const matches = text ? people.find(text) : [];
      const person = matches.length === 1 ? matches[0] : undefined;
      return {
        text, matches, person,
        sets: person ? setsWith(person.place, data.sets) : new Set(),
        permission: byId("permission").value,
        channel: byId("channel").value.trim().toLowerCase(),
      };
    }

    const concerns = (effect, wish) =>
      (!wish.permission || effect.permissions.includes(wish.permission)) &&
      (!wish.text || effect.unknown || wish.sets.has(effect.gain) || wish.sets.has(effect.lose));

    // Counts what is left while it shows it. What is closed is opened where little of it is left.
    function apply(wish) {
      const sum = { channels: new Set(), gains: 0, loses: 0, unknown: 0 };
      const some = Boolean(wish.text || wish.permission);
      const shown = new Map(); // how much of what a closed element holds is shown
      const count = (element) => shown.set(element, (shown.get(element) ?? 0) + 1);
      for (const { element, places, effects, account } of items) {
        const left = effects.filter((effect) => concerns(effect, wish));
        const named = places.filter((place) => place.dataset.name.toLowerCase().includes(wish.channel));
        const isHere = !wish.channel || places.length === 0 || named.length > 0;
        const show = isHere && (!some || left.length > 0 || (!wish.permission && account === wish.person?.place));
        element.hidden = !show;
        for (const place of places) place.hidden = !named.includes(place);
        for (const effect of effects) mark(effect, some && !left.includes(effect), wish);
        if (!show) continue;
        if (some || wish.channel) count(element.closest("details[data-rest]"));
        for (const place of named) {
          sum.channels.add(place);
          if (wish.channel) count(place.closest("details[data-rest]"));
        }
        for (const effect of left) {
          const permissions = effect.permissions.length * Math.max(1, named.length);
          if (wish.sets.has(effect.gain)) sum.gains += permissions;
          if (wish.sets.has(effect.lose)) sum.loses += permissions;
          if (effect.unknown) sum.unknown += permissions;
        }
      }
      for (const section of sections) section.hidden = ![...section.querySelectorAll("[data-item]")].some((item) => !item.hidden);
      for (const details of document.querySelectorAll("details[data-rest]")) details.open = shown.get(details) <= many;
      return sum;
    }

    // Rows that were not selected are pale. The cell that has the selected person is coloured.
    function mark({ row, gain, lose }, isOther, wish) {
      row.classList.toggle("other", isOther);
      row.cells[row.cells.length - 2].classList.toggle("only-gain", wish.sets.has(gain));
      row.cells[row.cells.length - 1].classList.toggle("only-lose", wish.sets.has(lose));
    }

    function sentence(wish, sum) {
      const shown = `${number(sum.channels.size)} of ${counted(channels, "channel")}`;
      if (!wish.text && !wish.permission && !wish.channel) return "";
      if (wish.text && wish.matches.length === 0) return `No one in this review matches “${wish.text}”. Nothing changes for them, except values not known yet.`;
      if (wish.text && !wish.person) return `${number(wish.matches.length)} people match “${wish.text}”: select one.`;
      if (!wish.person) return `${shown}.`;
      const unknown = sum.unknown > 0 ? `; ${counted(sum.unknown, "permission")} not known` : "";
      return `${wish.person.name} gains ${counted(sum.gains, "permission")} and loses ${number(sum.loses)}${unknown}. Shown: ${shown}.`;
    }

    let due = 0;
    function update() {
      cancelAnimationFrame(due);
      due = requestAnimationFrame(() => {
        read();
        const wish = asked();
        if (wish.text && wish.matches.length > 1) wish.text = ""; // not chosen yet: nothing is hidden for it
        const sum = apply(wish);
        found.textContent = sentence({ ...wish, text: byId("person").value.trim() }, sum);
      });
    }

    byId("person").addEventListener("focus", () => {
      read();
      byId("accounts").replaceChildren(...people.labels().map((text) => new Option("", text)));
    }, { once: true });
    form.addEventListener("input", update);
    form.addEventListener("reset", () => setTimeout(update)); // the fields are emptied after the event
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = document.querySelector("[data-item]") === null;
  }

  // Where the style sheet alone cannot open what is printed, opening it does.
  function startPrint() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const details of opened) {
        unfold(details);
        details.open = true;
      }
    });
    addEventListener("afterprint", () => { for (const details of opened) details.open = false; });
  }

  // A link to what is closed opens it.
  function startLinks() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#"]');
      if (!link) return;
      if (!document.querySelector(link.hash)) unfoldAll();
      for (let at = document.querySelector(link.hash); at; at = at.parentElement) {
        if (at.tagName === "DETAILS") at.open = true;
      }
    });
  }

  addEventListener("toggle", (event) => { if (event.target.open && event.target.tagName === "DETAILS") unfold(event.target); }, true);
  document.addEventListener("DOMContentLoaded", () => {
    startFilter();
    startLinks();
    startPrint();
  });
})();
