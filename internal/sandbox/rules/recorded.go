package rules

import "maps"

// What follows is for an organization that was recorded somewhere else. Its rows go into the tables as they are, the system
// groups among them; [Organization.Initialize] is not called for it.

// StartingRealm returns the settings that an organization starts with. Its permissions name the system groups, which have to be
// in their table.
func (o *Organization) StartingRealm() Realm {
	realm := newRealm(o.now().Unix())
	for _, p := range RealmPermissions {
		realm.Permissions[p.Name] = Named(o.SystemGroup(p.Default))
	}
	return realm
}

// PutRealm stores the settings.
func (o *Organization) PutRealm(realm Realm) { o.Realm.Put(realmID, realm) }

// PutUserDefaults stores what new accounts start with.
func (o *Organization) PutUserDefaults(defaults UserDefaults) {
	o.UserDefaults.Put(userDefaultsID, defaults)
}

// PutSubscription subscribes an account to a channel.
func (o *Organization) PutSubscription(user, channel int) { o.subscribe(user, channel, "") }

// CompletePermissions adds to the permissions of a channel or group those it lacks: a server that gets a new permission
// gives it its default to what exists. creator may be nil.
func (o *Organization) CompletePermissions(all []Permission, held map[string]GroupValue, creator *int) map[string]GroupValue {
	complete := maps.Clone(held)
	if complete == nil {
		complete = map[string]GroupValue{}
	}
	for _, p := range all {
		_, ok := complete[p.Name]
		switch {
		case ok:
		case p.Default != Creator:
			complete[p.Name] = Named(o.SystemGroup(p.Default))
		case creator != nil && o.Users.Has(*creator):
			complete[p.Name] = Listed([]int{*creator}, nil)
		default:
			complete[p.Name] = Named(o.SystemGroup(Nobody))
		}
	}
	return complete
}

// ContinueIDs makes the next row of each table that has rows get the id after the largest.
func (o *Organization) ContinueIDs() {
	for _, t := range o.tables {
		if last := t.lastID(); last > 0 {
			o.log.sequences[t.tableName()] = last + 1
			t.restartSequence(last + 1)
		}
	}
}

func (t *Table[T]) lastID() int {
	if len(t.ids) == 0 {
		return 0
	}
	return t.ids[len(t.ids)-1]
}

func (t *Table[T]) restartSequence(next int) { t.next = next }
