package review

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// plannedOrganization resolves the principals of the plan in the organization after the plan. A planned object has a
// negative ID.
type plannedOrganization struct {
	*snapshot.Snapshot
	after *access.Organization
	// accounts are those that the plan changes; groups and channels are all of them.
	accounts map[int64]*access.Account
	groups   map[int64]*access.Group
	channels map[int64]*access.Channel
	// renamed are the accounts whose email the plan changes, by the new email in lower case.
	renamed map[string]int64
	last    int64
}

func newPlannedOrganization(view *snapshot.Snapshot, after *access.Organization) *plannedOrganization {
	return &plannedOrganization{
		Snapshot: view, after: after, accounts: map[int64]*access.Account{}, renamed: map[string]int64{},
		groups:   lists.By(after.Groups, func(group *access.Group) int64 { return group.ID }),
		channels: lists.By(after.Channels, func(channel *access.Channel) int64 { return channel.ID }),
	}
}

// emailsAndIDs are the attributes in which a state has the ID of the account of an email.
var emailsAndIDs = map[string]string{"email": "id", "user": "user_id", "owner": "owner_id", "users": "user_ids", "members": "member_ids"}

// knownEmails returns the accounts that the states of resources name by emails, which these accounts may hide. An email of two
// accounts is left out.
func knownEmails(changes []*plan.Change) map[string]int64 {
	known := map[string]int64{}
	for _, change := range changes {
		for texts, ids := range emailsAndIDs {
			for text, id := range change.Before().IDs(texts, ids) {
				email, err := permission.PlainUser(text)
				if err != nil {
					continue
				}
				email = strings.ToLower(email)
				if was, ok := known[email]; ok && was != id {
					id = 0
				}
				known[email] = id
			}
		}
	}
	return known
}

// nextID returns the ID for a new object.
func (o *plannedOrganization) nextID() int64 {
	o.last--
	return o.last
}

// UserGroup returns the group with an ID.
func (o *plannedOrganization) UserGroup(id int64) (*zulip.UserGroup, bool) {
	if group, ok := o.groups[id]; ok {
		return &group.UserGroup, true
	}
	return nil, false
}

// UserGroupByName returns the group that has a name after the plan.
func (o *plannedOrganization) UserGroupByName(name string) (*zulip.UserGroup, bool) {
	if group, ok := o.Snapshot.UserGroupByName(name); ok && o.groups[group.ID].Name == group.Name && !o.groups[group.ID].Deactivated {
		return &o.groups[group.ID].UserGroup, true
	}
	for _, group := range slices.Backward(o.after.Groups) {
		if group.Called() == name {
			return &group.UserGroup, true
		}
	}
	return nil, false
}

// changesHands reports whether the plan moves a name from one user group to another. A configuration with the name may mean
// either group.
func (o *plannedOrganization) changesHands(text string) bool {
	principal, err := permission.PlainGroup(text)
	if err != nil {
		return false
	}
	name := strings.TrimPrefix(principal, "name:")
	was, hadIt := o.Snapshot.UserGroupByName(name)
	is, hasIt := o.UserGroupByName(name)
	return hadIt && hasIt && was.ID != is.ID
}

// User returns the person or bot with an ID.
func (o *plannedOrganization) User(id int64) (*zulip.User, bool) {
	if account, ok := o.accounts[id]; ok {
		return &account.User, true
	}
	return o.Snapshot.User(id)
}

// UserByAddress returns the person or bot with an email address, after the plan or before it. Case is ignored.
func (o *plannedOrganization) UserByAddress(address string) (*zulip.User, bool) {
	if id, ok := o.renamed[strings.ToLower(address)]; ok {
		return o.User(id)
	}
	for _, account := range o.accounts {
		if strings.EqualFold(account.Secret, address) || strings.EqualFold(account.Email, address) || strings.EqualFold(account.Address(), address) {
			return &account.User, true
		}
	}
	return o.Snapshot.UserByAddress(address)
}

// name returns the name of an object, or the email of a user: see [meaning.Names].
func (o *plannedOrganization) name(kind string, id int64) (string, bool) {
	switch kind {
	case meaning.ChannelKind:
		if channel, ok := o.Channels().ByID(id); ok {
			return channel.Name, true
		}
	case meaning.GroupKind:
		if group, ok := o.UserGroup(id); ok {
			return group.Name, true
		}
	case meaning.UserKind:
		if user, ok := o.User(id); ok {
			return user.Address(), true
		}
	}
	return "", false
}

// settings are the settings of the organization, as attributes.
func (o *plannedOrganization) settings() meaning.Attributes {
	return meaning.Organization(o.Realm().Settings, o.Realm().EnabledMethods())
}

// findUser finds the user of an attribute: an ID in digits, or an email, also as a principal.
func (o *plannedOrganization) findUser(text string) (*zulip.User, bool) {
	text, err := permission.PlainUser(text)
	if err != nil {
		return nil, false
	}
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		return o.User(id)
	}
	return o.UserByAddress(text)
}

// findGroup finds the group in an attribute: an ID in digits, or a name, also as name:2024 or as a principal.
func (o *plannedOrganization) findGroup(text string) (*zulip.UserGroup, bool) {
	text, err := permission.PlainGroup(text)
	if err != nil {
		return nil, false
	}
	name, id, isID := permission.NameOrID(text)
	if isID {
		return o.UserGroup(id)
	}
	return o.UserGroupByName(name)
}

// findUsers finds the users of a list, and returns the texts of users that don't exist.
func (o *plannedOrganization) findUsers(texts []string) (ids []int64, missing []string) {
	for _, text := range texts {
		if user, ok := o.findUser(text); ok {
			ids = append(ids, user.ID)
		} else {
			missing = append(missing, text)
		}
	}
	return ids, missing
}

// resolve returns the value of principals; ok is false if one of them cannot be resolved.
func (o *plannedOrganization) resolve(texts []string) (value zulip.GroupSettingValue, ok bool) {
	principals := make([]permission.Principal, len(texts))
	for i, text := range texts {
		principal, err := permission.Parse(text)
		if err != nil {
			return value, false
		}
		principals[i] = principal
	}
	resolved, problems := permission.Resolve(principals, o)
	return resolved.Value, len(problems)+len(resolved.Planned) == 0
}
