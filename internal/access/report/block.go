package report

import (
	"cmp"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
)

// Block is one entry of a table: the changes in one object, or in several channels with the same changes.
type Block struct {
	// Channels are the channels of the block, Group is its user group. With neither, it is about the organization.
	Channels []*Channel
	Group    *Group
	Action   Action
	// Rows are the changes. Follows are the consequences, for other people or of another change.
	Rows, Follows []*Row
	// Of is the whole block, in a part of a [Consequence].
	Of *Block
}

// Row is a list of permissions by which the same people gain and lose access. The embedded permission is the first of them.
type Row struct {
	*PermissionChange
	Permissions []*PermissionChange
}

// What returns the actions of the permissions, to follow "can".
func (w *Row) What() string {
	texts := lists.Map(w.Permissions, func(permission *PermissionChange) string { return permission.Text })
	return permission.JoinActions(texts, len(texts))
}

// IsFollowing reports whether the effect changes although the value of the permission doesn't.
func (w *Row) IsFollowing() bool { return w.Name != "" && !w.Change.Differs() }

// ChannelBlocks are the blocks of the channels. Channels with the same changes are one block.
func (r *Report) ChannelBlocks() (blocks []*Block) {
	for _, alike := range lists.Grouped(r.Channels, (*Channel).effects) {
		first := alike[0]
		block := newBlock(first.Action, first.Permissions, memberChange("be subscribed", Change{}, first.Joins, first.Leaves, false)...)
		if first.Action == Archive {
			block.Rows, block.Follows = []*Row{archivedRow(first)}, nil
		}
		block.Channels = alike
		blocks = block.appendTo(blocks, first.OldName)
	}
	return blocks
}

// archivedRow is the only row of an archived channel.
func archivedRow(channel *Channel) *Row {
	everybody := &People{}
	for _, permission := range channel.Permissions {
		if permission.Lose.Len() > everybody.Len() {
			everybody = permission.Lose
		}
	}
	return newRow(&PermissionChange{Text: "post, and change messages", Change: Change{channel.Privacy.Before, ValueOf("archived")}, Lose: everybody})
}

// GroupBlocks are the blocks of the user groups.
func (r *Report) GroupBlocks() (blocks []*Block) {
	for _, group := range r.Groups {
		contents := Change{Contents(group.Members.Before, group.Subgroups.Before), Contents(group.Members.After, group.Subgroups.After)}
		members := memberChange("be a member", contents, group.Joins, group.Leaves, group.Unknown)
		for _, one := range members {
			r.withoutNames(one)
		}
		block := newBlock(group.Action, group.Permissions, members...)
		block.Group = group
		blocks = block.appendTo(blocks, group.OldName)
	}
	return blocks
}

// withoutNames removes a list of members from a change of members if its people include all who differ, apart from
// deactivated accounts, which lose everything.
func (r *Report) withoutNames(members *PermissionChange) {
	var named []string
	for _, people := range []*People{members.Gain, members.Lose} {
		for account := range people.All() {
			named = append(named, account.Email)
		}
	}
	for _, person := range r.People {
		if person.LosesEverything {
			named = append(named, person.Account.Email)
		}
	}
	was, is := members.Change.Before, members.Change.After
	if was.Unknown || is.Unknown || len(sets.Without(sets.Differing(was.Values, is.Values), named)) > 0 {
		return
	}
	members.Change = Change{}
	if members.Gain.Len()+members.Lose.Len() == 0 {
		members.Text += ": without deactivated accounts"
	}
}

// Contents returns the subgroups and the members of a group as one value.
func Contents(members, subgroups Value) Value {
	return Value{Values: append(slices.Clone(subgroups.Values), members.Values...), Unknown: members.Unknown || subgroups.Unknown}
}

// OrganizationBlocks is the block of the organization's own permissions, if any of them changes.
func (r *Report) OrganizationBlocks() []*Block {
	return newBlock(Update, r.Permissions).appendTo(nil, "")
}

// memberChange is the change, if any, of people who are added and removed.
func memberChange(text string, change Change, joins, leaves *People, unknown bool) []*PermissionChange {
	if joins.Len()+leaves.Len() == 0 && !change.Differs() {
		return nil
	}
	return []*PermissionChange{{Text: text, Change: change, Gain: joins, Lose: leaves, Unknown: unknown}}
}

func newRow(permission *PermissionChange) *Row {
	return &Row{permission, []*PermissionChange{permission}}
}

// newBlock makes a block of permissions and, if any, of the members. A row has all permissions with the same people and the
// same change of the value. Without a change of the value, it has those with the same people and the same cause. The row of
// the members also has what the same people can do as members, because members of a private channel can read it.
func newBlock(action Action, permissions []*PermissionChange, members ...*PermissionChange) *Block {
	type people struct {
		gain, lose *People
		internet   string
		noOneLeft  bool
		unknown    bool
	}
	type effect struct {
		people
		value, from string
	}
	block, known, byPeople := &Block{Action: action}, map[effect]*Row{}, map[people]*Row{}
	var all []*PermissionChange
	for _, permission := range permissions {
		if len(permission.Parts) > 0 {
			all = append(all, permission.Parts...)
		} else {
			all = append(all, permission)
		}
	}
	all = append(all, members...)
	for _, isFollowing := range []bool{false, true} {
		for _, permission := range all {
			if newRow(permission).IsFollowing() != isFollowing {
				continue
			}
			who := people{permission.Gain, permission.Lose, permission.Internet, permission.NoOneLeft, permission.Unknown}
			key := effect{who, permission.Change.key(), ""}
			row := known[key]
			if isFollowing {
				key = effect{who, "", permission.FollowsFrom}
				if row = byPeople[who]; row == nil {
					row = known[key]
				}
			}
			if row != nil {
				row.Permissions = append(row.Permissions, permission)
				continue
			}
			row = newRow(permission)
			known[key] = row
			switch {
			case isFollowing:
				block.Follows = append(block.Follows, row)
			case byPeople[who] == nil && permission.Gain.Len()+permission.Lose.Len() > 0:
				byPeople[who] = row
				fallthrough
			default:
				block.Rows = append(block.Rows, row)
			}
		}
	}
	return block
}

// appendTo appends the block if it has a row or a consequence. A new, ended or renamed object gets a row in any case.
func (b *Block) appendTo(blocks []*Block, oldName string) []*Block {
	if len(b.Rows) == 0 && (oldName != "" || b.Action != Affects && b.Action != Update) {
		b.Rows = []*Row{newRow(&PermissionChange{Text: "–"})}
	}
	if len(b.Rows)+len(b.Follows) == 0 {
		return blocks
	}
	return append(blocks, b)
}

// Consequence is everything that follows from one change: the blocks have only such rows.
type Consequence struct {
	// Of is the change, in words.
	Of     string
	Blocks []*Block
}

// Consequences groups the consequences in some blocks by their cause. Those without a single cause are last.
func Consequences(blocks []*Block) (all []*Consequence) {
	byCause := map[string]*Consequence{}
	for _, block := range blocks {
		for _, rows := range lists.Grouped(block.Follows, func(row *Row) string { return row.FollowsFrom }) {
			cause := rows[0].FollowsFrom
			one := byCause[cause]
			if one == nil {
				one = &Consequence{Of: cmp.Or(cause, "several changes together")}
				byCause[cause], all = one, append(all, one)
			}
			part := *block
			part.Follows, part.Of = rows, block
			one.Blocks = append(one.Blocks, &part)
		}
	}
	several := byCause[""]
	slices.SortStableFunc(all, func(x, y *Consequence) int { return lists.TrueFirst(x != several, y != several) })
	return all
}
