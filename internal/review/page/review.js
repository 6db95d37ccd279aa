// What the page of a review does beyond being read: showing only a part. Everything is in the page already; the script
// unfolds, hides, marks and counts. It asks nobody anything.
(() => {
  const { byId, number, counted, setsWith, startRows } = common;

  // An item is a channel, a group, an account or a permission of the organization: what is shown or hidden as a whole.
  // Its effects are the elements that say who gains and who loses one right, a set of people each by its number.
  function readItems() {
    const setOf = (text) => text === undefined ? -1 : Number(text);
    return [...document.querySelectorAll("[data-item]")].map((element) => {
      const marked = [...element.querySelectorAll("[data-right]")];
      if (element.dataset.right !== undefined) marked.push(element);
      return {
        element,
        section: element.closest("[data-section]"),
        name: element.dataset.name?.toLowerCase(),
        account: Number(element.dataset.account ?? NaN),
        effects: marked.map((element) => ({
          element,
          right: element.dataset.right,
          gain: setOf(element.dataset.gain),
          lose: setOf(element.dataset.lose),
          unknown: element.dataset.unknown !== undefined,
        })),
      };
    });
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
    const table = document.querySelector(".matrix");
    // What the filter needs is read when it is used first.
    let data, people, items, sections, channels;
    function read() {
      if (items) return;
      data = JSON.parse(byId("data").textContent);
      people = directory(data.accounts);
      items = readItems();
      sections = new Set(items.map((item) => item.section));
      channels = items.filter((item) => item.name !== undefined).length;
    }

    // What is asked for: a person as the sets that hold the person, a right by its number, a part of a channel's name.
    function asked() {
      const text = byId("person").value.trim();
      const matches = text ? people.find(text) : [];
      const person = matches.length === 1 ? matches[0] : undefined;
      return {
        text, matches, person,
        sets: person ? setsWith(person.place, data.sets) : new Set(),
        right: byId("right").value,
        channel: byId("channel").value.trim().toLowerCase(),
      };
    }

    const concerns = (effect, wish) =>
      (!wish.right || effect.right === wish.right) &&
      (!wish.text || effect.unknown || wish.sets.has(effect.gain) || wish.sets.has(effect.lose));

    // Counts what is left while it shows it.
    function apply(wish) {
      const sum = { channels: 0, gains: 0, loses: 0, unknown: 0 };
      for (const item of items) {
        const some = wish.text || wish.right;
        const left = item.effects.filter((effect) => concerns(effect, wish));
        const isHere = !wish.channel || item.name === undefined || item.name.includes(wish.channel);
        const show = isHere && (!some || left.length > 0 || (!wish.right && item.account === wish.person?.place));
        item.element.hidden = !show;
        for (const effect of item.effects) effect.element.classList.toggle("other", Boolean(some) && !concerns(effect, wish));
        if (!show) continue;
        if (item.name !== undefined) sum.channels++;
        for (const effect of left) {
          if (wish.sets.has(effect.gain)) sum.gains++;
          if (wish.sets.has(effect.lose)) sum.loses++;
          if (effect.unknown) sum.unknown++;
        }
      }
      for (const section of sections) section.hidden = ![...section.querySelectorAll("[data-item]")].some((item) => !item.hidden);
      showPerson(wish);
      showColumns(wish.right);
      return sum;
    }

    // With a person chosen, the matrix says what changes for that one instead of for how many it does.
    function showPerson(wish) {
      if (!table) return;
      for (const item of items) {
        if (item.name === undefined) continue;
        for (const effect of item.effects) {
          const is = (set) => wish.person !== undefined && wish.sets.has(set);
          effect.element.classList.toggle("only-gain", is(effect.gain));
          effect.element.classList.toggle("only-lose", is(effect.lose));
          if (is(effect.gain) || is(effect.lose)) {
            effect.signs ??= [...effect.element.childNodes];
            effect.element.replaceChildren(is(effect.gain) ? sign("gain", "+ gains") : sign("lose", "− loses"));
          } else if (effect.signs) {
            effect.element.replaceChildren(...effect.signs);
            delete effect.signs;
          }
        }
      }
    }

    function sign(kind, text) {
      const element = document.createElement("b");
      element.className = kind;
      element.textContent = text;
      return element;
    }

    let shownRight = "";
    function showColumns(right) {
      if (!table || right === shownRight) return;
      shownRight = right;
      const column = right !== "" && Number(right) < table.tHead.rows[0].cells.length - 1 ? Number(right) + 1 : 0;
      for (const row of table.rows) {
        if (row.cells.length < 2) continue; // before and after
        for (let at = 1; at < row.cells.length; at++) row.cells[at].hidden = column !== 0 && at !== column;
      }
    }

    function sentence(wish, sum) {
      const shown = `${number(sum.channels)} of ${counted(channels, "channel")}`;
      if (!wish.text && !wish.right && !wish.channel) return "";
      if (wish.text && wish.matches.length === 0) return `Nobody in this review is called “${wish.text}”: nothing changes for anyone of that name, except what is not known.`;
      if (wish.text && !wish.person) return `${number(wish.matches.length)} people match “${wish.text}”: choose one.`;
      if (!wish.person) return `${shown}.`;
      const unknown = sum.unknown > 0 ? `; of ${counted(sum.unknown, "right")} it is not known` : "";
      return `${wish.person.name} gains ${counted(sum.gains, "right")} and loses ${number(sum.loses)}${unknown}. Shown: ${shown}.`;
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

  // What a closed element holds is text where there is much of it: elements are made of it when it is to be seen.
  function unfold(details) {
    const text = details.querySelector(":scope > noscript");
    if (text) text.outerHTML = text.textContent;
  }

  // Channels that fare alike have their effects written once; each shows them where it is opened.
  function fill(details) {
    unfold(details);
    const like = details.querySelector(".like");
    if (!like) return;
    const first = document.querySelector(like.querySelector("a").hash).querySelector("details");
    unfold(first);
    like.replaceWith(first.querySelector(".effects").cloneNode(true));
  }

  // Where the style sheet alone cannot open what is printed, opening it does.
  function startPrint() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const details of opened) {
        unfold(details); // that two channels are alike is shorter on paper too
        details.open = true;
      }
    });
    addEventListener("afterprint", () => { for (const details of opened) details.open = false; });
  }

  addEventListener("toggle", (event) => { if (event.target.open && event.target.tagName === "DETAILS") fill(event.target); }, true);
  document.addEventListener("DOMContentLoaded", () => {
    startFilter();
    startRows();
    startPrint();
  });
})();
