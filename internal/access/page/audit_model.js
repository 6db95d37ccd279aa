// What an audit holds, read from the page's data: tables in which everything is named by its number, and -1 is none.
const model = (() => {
  const { setsWith, placesIn } = common;
  const flagsOf = { isBot: 1, isSelf: 2, isInactive: 4, isListed: 8 };

  function read(data) {
    const accounts = data.accounts.map(([id, name, address, role, flags, owner], place) => ({
      id, name, address, role, owner, place, key: `${name} ${address}`.toLowerCase(),
      isBot: Boolean(flags & flagsOf.isBot), isSelf: Boolean(flags & flagsOf.isSelf),
      isInactive: Boolean(flags & flagsOf.isInactive), isListed: Boolean(flags & flagsOf.isListed),
    }));
    const named = new Map();
    for (const { name } of accounts) named.set(name, (named.get(name) ?? 0) + 1);
    for (const account of accounts) account.sharesName = named.get(account.name) > 1;

    const noCounts = [0, 0, 0];
    const grants = (at) => data.grants[at].map(([permission, value, set, unknown]) => ({
      name: data.permissions[permission][0], text: data.permissions[permission][1], value: data.values[value] ?? [], set, unknown: Boolean(unknown),
    }));
    const channels = data.channels.map(([name, folder, kind, internet, subscribers, grant]) => ({
      kind: "channel", name, folder, privacy: data.kinds[kind], internet: Boolean(internet), subscribers, grant,
      key: `${name} ${folder}`.toLowerCase(),
    }));
    const groups = data.groups.map(([name, set, direct, subgroups, grant]) => ({
      kind: "user group", name, set, direct, subgroups, grant, key: name.toLowerCase(),
    }));
    const findings = data.findings.map((group) => group.map(([where, addresses, set, deactivated]) => ({
      where, addresses, set, deactivated, key: where.join("\n").toLowerCase(),
    })));

    // What one person can do, as far as the audit holds it. An audit of one person says through what; others the value of
    // the permission.
    function permissionsOf(person) {
      if (data.person?.place === person.place) {
        return {
          isExact: true, findings: findingsOf(person),
          groups: data.person.groups.map(([name, path]) => ({ name, path })),
          scopes: data.person.scopes.map(([kind, name, grant]) => ({ kind, name, permissions: grants(grant) })),
        };
      }
      const sets = setsWith(person.place, data.sets);
      const lists = new Map(); // many channels have the same grants
      const of = (grant) => {
        if (!lists.has(grant)) lists.set(grant, grants(grant).filter((permission) => sets.has(permission.set)));
        return lists.get(grant);
      };
      const scopes = [...channels, ...groups].map(({ kind, name, grant }) => ({ kind, name, permissions: of(grant) }));
      scopes.push({ kind: "organization", name: "", permissions: of(data.organization) });
      return {
        isExact: false, findings: findingsOf(person, sets),
        groups: groups.filter((group) => sets.has(group.set)).map(({ name }) => ({ name, path: "" })),
        scopes: scopes.filter((scope) => scope.permissions.length > 0),
      };
    }

    function findingsOf(person, sets = setsWith(person.place, data.sets)) {
      return new Set(findings.flat().filter((finding) => sets.has(finding.set) || finding.deactivated.includes(person.place)));
    }

    return {
      accounts, channels, groups, findings, grants, permissionsOf, findingsOf,
      people: accounts.filter((account) => account.isListed),
      person: data.person && accounts[data.person.place],
      organization: grants(data.organization).map((permission) => ({ ...permission, key: `${permission.text} ${permission.name}`.toLowerCase() })),
      counts: (set) => data.counts[set] ?? noCounts,
      members: (set) => set < 0 ? [] : placesIn(set, data.sets).map((place) => accounts[place]),
    };
  }

  return { read };
})();
