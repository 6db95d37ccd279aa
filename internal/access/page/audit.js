// The page of an audit: its lists, a few rows of each until more are asked for, the search, and what one person can do. It
// asks nobody anything; what is shown stands in the address after the number sign, to be passed on.
(() => {
  const { byId, number, counted, startRows } = common;
  const firstRows = 50, nextRows = 200, manyRows = 100, restDelay = 120; // milliseconds after the last key until the search
  const maxHits = 5, maxPlaces = 5, maxNamed = 3;
  let audit;

  // h makes an element: text in it is text, whatever it holds.
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) if (value !== undefined) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== undefined && child !== ""));
    return element;
  }
  const bdi = (text) => h("bdi", null, text);
  const code = (text) => h("code", null, h("bdi", null, text));
  const joined = (parts, between = ", ") => parts.flatMap((part, at) => at ? [between, part] : [part]);

  // People -----------------------------------------------------------------------------------------------------------

  function notes(account) {
    return [
      account.isSelf && "the provider's account", account.role === "guest" && "guest", account.isBot && "bot",
      account.isInactive && "deactivated",
    ].filter(Boolean).join(", ");
  }
  // An audit of one person has nothing to say of others.
  const personLink = (account) => audit.person ? bdi(account.name) : h("a", { href: `#person=${account.id}` }, bdi(account.name));
  function personText(account) {
    const about = [account.sharesName && account.address, notes(account)].filter(Boolean).join(", ");
    return about ? h("span", null, personLink(account), ` (${about})`) : personLink(account);
  }

  function among(set) {
    const [, guests, bots] = audit.counts(set);
    return [guests && counted(guests, "guest"), bots && counted(bots, "bot")].filter(Boolean).join(", ");
  }

  // A few people are named; more are counted, and named when they are asked for.
  function people(set, unknown) {
    const [size] = audit.counts(set);
    const rest = unknown ? ", and others not known" : "";
    if (size === 0) return h("p", { class: "quiet" }, unknown ? "Not known." : "No one.");
    if (size <= maxNamed) return h("p", null, ...joined(audit.members(set).map(personText)), rest);
    const about = among(set);
    return later(counted(size, "account") + (about ? `, ${about}` : "") + rest, () => [h("p", null, ...joined(audit.members(set).map(personText)))]);
  }

  // later is a closed element whose contents are made when it is opened.
  function later(summary, make) {
    const details = h("details", null, h("summary", null, summary));
    details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.append(...make()); });
    return details;
  }

  const values = (value) => value.length > 0 ? h("p", { class: "value" }, ...joined(value.map(code))) : undefined;

  function permission(one) {
    return h("li", null, h("p", { class: "permission" }, one.text, one.name ? h("code", null, one.name) : ""), values(one.value), people(one.set, one.unknown));
  }

  // Lists ------------------------------------------------------------------------------------------------------------

  // A list shows the first of its rows, and others when they are asked for.
  function list(name, all, place, row) {
    const section = document.querySelector(`[data-list="${name}"]`);
    if (!section) return { show() { return 0; } };
    const more = section.querySelector(".more-rows"), none = section.querySelector("[data-none]");
    const parent = section.querySelector(place);
    let rows = [], made = [];
    function extend(by) {
      const fresh = rows.slice(made.length, made.length + by).map(row);
      made.push(...fresh);
      parent.append(...fresh);
      const left = rows.length - made.length;
      more.hidden = left === 0;
      parent.classList.toggle("long", made.length > manyRows); // those out of view need no layout
      section.querySelector("[data-more]").textContent = `Show ${number(Math.min(left, nextRows))} more of ${number(left)}`;
      return fresh[0];
    }
    // The focus goes to the first of the new rows: the button may be gone.
    more.addEventListener("click", (event) => {
      const isAll = event.target.dataset.all !== undefined;
      if (isAll || event.target.dataset.more !== undefined) extend(isAll ? Infinity : nextRows)?.querySelector("summary, a")?.focus();
    });
    return {
      show(text) {
        for (const element of made) element.remove();
        rows = text ? all.filter((one) => one.key.includes(text)) : all;
        made = [];
        none.hidden = rows.length > 0;
        extend(firstRows);
        return text ? rows.length : 0;
      },
    };
  }

  function channelRow(columns) {
    return (channel) => {
      const permissions = audit.grants(channel.grant);
      const cells = columns.map(({ name, text }) => cell(permissions.find((one) => one.name === name), text, channel));
      const about = [channel.privacy, channel.folder, channel.subscribers === -2 ? "" : counted(audit.counts(channel.subscribers)[0], "subscriber").replace(" ", "\u00a0")];
      const details = h("details", null, h("summary", { "aria-label": `${channel.name}: people` }));
      details.addEventListener("toggle", () => {
        if (details.open && details.children.length === 1) details.append(...channelDetails(channel, permissions));
      });
      return h("tbody", { role: "rowgroup" },
        h("tr", { role: "row" }, h("th", { role: "rowheader", scope: "row" }, bdi(channel.name), " ", h("small", null, ...joined(about.filter(Boolean).map(bdi), " · "))), ...cells),
        h("tr", { role: "row" }, h("td", { role: "cell", class: "more", colspan: columns.length + 1 }, details)));
    };
  }

  function cell(one, label, channel) {
    if (!one) return h("td", { role: "cell" });
    const [size, guests, bots] = audit.counts(one.set);
    const isOpen = channel.internet && one.name === "can_read";
    const signs = [
      isOpen ? h("b", { class: "lose" }, "internet") : undefined,
      size > 0 ? h("b", null, number(size)) : h("span", { class: "quiet" }, "–"),
      guests > 0 ? h("small", { class: "guests" }, counted(guests, "guest")) : undefined,
      bots > 0 ? h("small", null, counted(bots, "bot")) : undefined,
      one.unknown ? h("b", { class: "unknown" }, "?") : undefined,
    ];
    return h("td", { role: "cell", "data-permission": one.name, "data-label": label, class: isOpen ? "open" : undefined }, ...signs);
  }

  function channelDetails(channel, permissions) {
    const subscribed = channel.subscribers === -2 ? h("p", { class: "quiet" }, "Not known.") : people(channel.subscribers);
    const open = channel.internet ? [h("p", null, h("b", { class: "lose" }, "Anyone on the internet"), " can read it without an account.")] : [];
    return [...open, h("ul", { class: "effects" }, h("li", null, h("p", { class: "permission" }, "be subscribed"), subscribed), ...permissions.map(permission))];
  }

  function groupRow(group) {
    const [size] = audit.counts(group.set);
    const about = [counted(size, "account"), among(group.set), group.subgroups.length > 0 ? `${number(group.direct)} directly` : ""].filter(Boolean).join(", ");
    const details = later(bdi(group.name), () => {
      const within = h("li", null, h("p", { class: "permission" }, "be a member"), values(group.subgroups.map((name) => `group:${name}`)), people(group.set));
      return [h("ul", { class: "effects" }, within, ...audit.grants(group.grant).map(permission))];
    });
    details.firstChild.append(" ", h("small", null, about));
    return h("div", { class: "item" }, details);
  }

  function personRow(account) {
    const about = notes(account);
    return h("tr", null, h("th", { scope: "row" }, personLink(account)), h("td", null, bdi(account.address)),
      h("td", null, account.role, about && about !== account.role ? ` (${about})` : ""));
  }

  // Findings ---------------------------------------------------------------------------------------------------------

  const placeTexts = (places) => [...joined(places.slice(0, maxPlaces).map(bdi)), places.length > maxPlaces ? ` and ${number(places.length - maxPlaces)} more` : ""];

  // One place of a finding, unless there is no other, who is concerned there, and which resources manage it.
  function placeOf(finding, at, all) {
    const deactivated = finding.deactivated.map((place) => personText(audit.accounts[place]));
    return h("div", null, all.length > 1 ? h("p", { class: "where" }, ...placeTexts(finding.where)) : "",
      finding.set < 0 || all.length === 1 && audit.counts(finding.set)[0] <= maxNamed ? "" : people(finding.set), // the few are named above
      deactivated.length > 0 ? h("p", null, "Deactivated: ", ...joined(deactivated)) : "",
      finding.addresses.length > 0 ? h("p", null, "Managed by ", ...joined(finding.addresses.map((address) => h("code", null, address)))) : "");
  }

  // Findings that say the same are one element, written in the page; here it is narrowed to the places that are asked for.
  function findingGroup(element) {
    const all = audit.findings[Number(element.dataset.finding)];
    const where = element.querySelector(".where"), details = element.querySelector("details");
    const key = where.nextElementSibling.textContent.toLowerCase();
    let shown = all;
    function showPlaces() {
      const box = element.querySelector(".places");
      box.replaceChildren(...shown.slice(0, firstRows).map(placeOf));
      if (shown.length <= firstRows) return;
      const button = h("button", { type: "button" }, `Show all ${number(shown.length)}`);
      const rest = shown.slice(firstRows);
      button.addEventListener("click", () => button.replaceWith(...rest.map(placeOf)));
      box.append(button);
    }
    details.addEventListener("toggle", () => { if (details.open) showPlaces(); });
    return (wish, concerned) => {
      const { severity, kind } = element.dataset;
      const isKind = (!wish.severity || severity === wish.severity) && (!wish.kind || kind === wish.kind);
      shown = key.includes(wish.text) ? all : all.filter((finding) => finding.key.includes(wish.text) || concerned.has(finding));
      element.hidden = !isKind || shown.length === 0;
      if (element.hidden) return 0;
      const places = shown.flatMap((finding) => finding.where);
      const matching = places.filter((place) => place.toLowerCase().includes(wish.text));
      where.replaceChildren(...placeTexts(matching.length > 0 ? matching : places));
      if (details.open) showPlaces();
      return shown.length;
    };
  }

  function startFindings() {
    const groups = [...document.querySelectorAll("[data-finding]")].map(findingGroup);
    const none = document.querySelector("#findings ~ [data-none]"), accepted = byId("accepted");
    return (wish, hits) => {
      const concerned = new Set(hits.slice(0, maxHits).flatMap((account) => [...audit.findingsOf(account)]));
      const found = groups.reduce((sum, show) => sum + show(wish, concerned), 0);
      if (none) none.hidden = found > 0;
      if (accepted) accepted.hidden = !accepted.nextElementSibling.querySelector(":scope > :not([hidden])");
      return found;
    };
  }

  // One person -------------------------------------------------------------------------------------------------------

  const scopeTitles = [["organization", "In the organization"], ["channel", "In channels"], ["user group", "On user groups"]];

  function showPerson(account, text = "") {
    const section = byId("person");
    section.hidden = !account;
    section.replaceChildren();
    if (!account) return;
    const can = audit.permissionsOf(account);
    const scopes = can.scopes.filter((scope) => scope.name.toLowerCase().includes(text));
    const owner = audit.accounts[account.owner];
    const owned = audit.accounts.filter((one) => one.owner === account.place);
    section.append(h("h2", { id: "person-name", tabindex: "-1" }, bdi(account.name)),
      h("p", null, bdi(account.address), ", ", account.role, notes(account) && notes(account) !== account.role ? ` (${notes(account)})` : ""),
      owner ? h("p", null, "Owner of the bot: ", personText(owner)) : "",
      owned.length > 0 ? h("p", null, "Owns ", ...joined(owned.map(personText))) : "",
      account.isInactive ? h("p", null, "The account is deactivated and has no access.") : "",
      can.isExact ? "" : h("p", { class: "quiet" }, "Each permission is followed by its value. ", h("code", null, `audit --person ${account.address}`), " shows why this person has it."),
      can.findings.size > 0 ? h("p", null, `${counted(can.findings.size, "finding")} concern${can.findings.size === 1 ? "s" : ""} this account.`) : "",
      can.groups.length > 0 ? h("p", null, "Member of ", ...joined(can.groups.map(({ name, path }) => path ? h("span", null, bdi(name), " through ", code(path)) : bdi(name)))) : "",
      ...scopeTitles.flatMap(([kind, title]) => scopeTable(kind, title, scopes.filter((scope) => scope.kind === kind))));
    if (audit.person) return;
    const close = h("button", { type: "button" }, "Close");
    close.addEventListener("click", () => {
      byId("search").dispatchEvent(new Event("input", { bubbles: true })); // back to what is searched for
      byId("search").focus();
    });
    section.append(h("p", null, close));
  }

  function scopeTable(kind, title, scopes) {
    if (scopes.length === 0) return [];
    if (kind === "organization") return [h("h3", null, title), ...scopes.flatMap((scope) => canTexts(scope.permissions))];
    const body = h("tbody", null);
    const rows = (from, to) => body.append(...scopes.slice(from, to).map((scope) =>
      h("tr", null, h("th", { scope: "row" }, bdi(scope.name)), h("td", null, ...canTexts(scope.permissions)))));
    rows(0, firstRows);
    const table = h("table", { class: "plain" }, body);
    const parts = [h("h3", null, `${title} (${number(scopes.length)})`), table];
    if (scopes.length > firstRows) {
      const button = h("button", { type: "button" }, `Show all ${number(scopes.length)}`);
      button.addEventListener("click", () => { rows(firstRows); button.remove(); });
      parts.push(button);
    }
    return parts;
  }

  // Permissions of the same value are one.
  function canTexts(permissions) {
    const by = new Map();
    for (const one of permissions) {
      const key = one.value.join("\n");
      if (!by.has(key)) by.set(key, { value: one.value, texts: [] });
      by.get(key).texts.push(one.text);
    }
    return [...by.values()].map(({ value, texts }) => h("p", null, texts.join(", "), value.length > 0 ? " " : "", ...joined(value.map(code))));
  }

  // The search -------------------------------------------------------------------------------------------------------

  function startLists() {
    const columns = [...document.querySelectorAll(".matrix thead [data-permission]")].map((head) => ({ name: head.dataset.permission, text: head.textContent }));
    const lists = [
      [list("channels", audit.channels, ".matrix", channelRow(columns)), "channel"],
      [list("groups", audit.groups, ".rows", groupRow), "user group"],
      [list("people", audit.people, ".rows", personRow), "account"],
      [list("organization", audit.organization, ".rows", permission), "permission"],
    ];
    const showFindings = startFindings();
    let counts, text;
    // Shows what is wished for, and returns how much that is.
    return (wish) => {
      const hits = wish.text ? audit.people.filter((account) => account.key.includes(wish.text)) : [];
      const findings = showFindings(wish, hits);
      if (wish.text !== text) counts = lists.map(([one, thing]) => [one.show(wish.text), thing]);
      text = wish.text;
      byId("hits").replaceChildren(...hits.slice(0, maxHits).map((account) => h("li", null, personLink(account), " ", h("small", null, bdi(account.address)))));
      return [[findings, "finding"], ...counts].filter(([n]) => n > 0).map(([n, thing]) => counted(n, thing));
    };
  }

  // The address after the number sign says what is shown: a person, or what is searched for.
  function startSearch(show) {
    const form = byId("filter");
    const fields = new Map([["find", byId("search")], ["severity", byId("severity")], ["kind", byId("kind")]]);
    const wished = () => Object.fromEntries([...fields].map(([name, field]) => [name, field.value.trim()]));

    function apply() {
      const { find, severity, kind } = wished();
      const counts = show({ text: find.toLowerCase(), severity, kind });
      const asked = [find && `“${find}”`, severity, kind].filter(Boolean).join(", ");
      byId("found").textContent = !asked ? "" : counts.length > 0 ? `Found: ${counts.join(", ")}.` : `No results for ${asked}.`;
      showPerson(audit.person, find.toLowerCase());
    }

    function write() {
      const parameters = new URLSearchParams(Object.entries(wished()).filter(([, value]) => value));
      history.replaceState(null, "", `#${parameters}`);
    }

    function read() {
      const parameters = new URLSearchParams(location.hash.slice(1));
      if (parameters.has("person") && !audit.person) {
        showPerson(audit.accounts.find((one) => String(one.id) === parameters.get("person")));
        byId("person-name")?.focus();
        return;
      }
      if (![...fields.keys()].some((name) => parameters.has(name))) return; // a place on the page
      for (const [name, field] of fields) field.value = parameters.get(name) ?? "";
      apply();
    }

    let due = 0;
    const update = () => {
      clearTimeout(due);
      due = setTimeout(() => { write(); apply(); }, restDelay);
    };
    form.addEventListener("input", update);
    form.addEventListener("reset", update); // the fields are emptied after the event
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      byId("hits").querySelector("a")?.click();
    });
    addEventListener("hashchange", read);
    form.hidden = false;
    apply();
    read();
  }

  function start() {
    audit = model.read(JSON.parse(byId("data").textContent));
    startSearch(startLists());
    startRows();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
