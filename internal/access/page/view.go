package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// view is a report in the order in which the template writes it. It writes each set of people once, however many permissions
// have it: 1,000 channels mostly have the same few sets.
type view struct {
	*report.Report
	Layout *layout
	// Tables are the tables of the channels, the user groups and the organization. Follows are the tables of the
	// consequences, one for each cause.
	Tables  []*table
	Follows []*table
	Options []*options // the permissions for the filter

	people  *peopleIndex
	views   map[*report.Block]*blockView
	options map[string]*option
}

// table is a table of blocks of one kind. If it is too long, the others are in More, closed.
type table struct {
	ID, Title, Column string
	First, More       []*blockView
}

// option is a permission of one kind of object in the filter.
type option struct {
	Index int    // among all options; the script knows it by this
	Name  string // of the permission; empty for being in a channel or a group
	Text  string // what it permits
}

// options are the options of one kind of object.
type options struct {
	Kind string
	List []*option
}

// blockView is a block with its rows.
type blockView struct {
	*report.Block
	ID     string
	Kind   string   // of the object, for the filter
	Places []*place // nothing for the organization
	Rows   []*rowView
	// IsFollowing is true if the rows are consequences, and another block has the changes of the same places and names them.
	IsFollowing bool
	// IsConsequence is true if the rows are consequences.
	IsConsequence bool
}

// place is a channel or a user group.
type place struct {
	Index         int // of a channel, otherwise -1
	Name, OldName string
	Resources     []string
}

// rowView is a row of a block. There can be thousands: a template reads fields quickly, and calls functions slowly.
type rowView struct {
	*report.Row
	Options                      string // the numbers of the permissions
	Gains, Loses                 *set   // nil if no one
	Whys                         []string
	InternetGains, InternetLoses bool
}

// manyRows is the number of rows after which the others are closed, and created when they are opened.
const manyRows = 50

// HasManyAccounts reports whether the report names many accounts.
func (v *view) HasManyAccounts() bool { return len(v.Accounts) > manyRows }

// changedPerson is an account that changes, with the number by which the script knows it.
type changedPerson struct {
	*report.Person
	Place int
}

// FirstPeople are the accounts that the page shows.
func (v *view) FirstPeople() []changedPerson {
	return v.persons(v.People[:min(len(v.People), manyRows)])
}

// MorePeople are the other accounts, closed.
func (v *view) MorePeople() []changedPerson {
	return v.persons(v.People[min(len(v.People), manyRows):])
}

func (v *view) persons(people []*report.Person) []changedPerson {
	return lists.Map(people, func(person *report.Person) changedPerson {
		return changedPerson{person, v.people.place(person.Account)}
	})
}

// IncompleteText is the first line of a comparison with an incomplete audit.
func (v *view) IncompleteText() string { return report.IncompleteText }

// Named are the places that the row names.
func (b *blockView) Named() []*place { return b.Places[:min(len(b.Places), report.MaxListed)] }

// Others are the places beyond [blockView.Named].
func (b *blockView) Others() []*place { return b.Places[len(b.Named()):] }

// Resources counts the resources of a plan that change the block.
func (b *blockView) Resources() (n int) {
	for _, one := range b.Places {
		n += len(one.Resources)
	}
	return n
}

// Names are the current and the earlier name of a place.
func (p *place) Names() string { return strings.TrimSpace(p.Name + " " + p.OldName) }

func newView(r *report.Report) *view {
	title := "Access review"
	if r.Since != "" {
		title = "Access changes"
	}
	v := &view{Report: r, Layout: newLayout(title, r.Organization, "review.js"), people: newPeopleIndex(r.Accounts), options: map[string]*option{}}
	v.people.brief = func(s *set) template.HTML { return rendered("people", s) }
	v.views = map[*report.Block]*blockView{}
	channels, groups, organization := r.ChannelBlocks(), r.GroupBlocks(), r.OrganizationBlocks()
	v.addTable("effects", "Channels", "Channel", "In a channel", channels)
	v.addTable("groups", "User groups", "Group", "On a user group", groups)
	v.addTable("organization", "The organization", "", "In the organization", organization)
	v.addFollows(report.Consequences(slices.Concat(channels, groups, organization)))
	for _, kind := range v.Options {
		slices.SortStableFunc(kind.List, func(a, b *option) int {
			return slices.Index(permission.ChannelPermissionsAndHistory, permission.ChannelPermission(a.Name)) - slices.Index(permission.ChannelPermissionsAndHistory, permission.ChannelPermission(b.Name))
		})
	}
	return v
}

// addTable adds a table of the blocks that have changes.
func (v *view) addTable(id, title, column, kind string, blocks []*report.Block) {
	var changed []*blockView
	places := 0
	for i, block := range blocks {
		view := &blockView{Block: block, ID: fmt.Sprint(id, "-", i), Kind: kind, Rows: v.rows(kind, block.Rows)}
		for _, channel := range block.Channels {
			view.Places = append(view.Places, &place{places, channel.Name, channel.OldName, channel.Resources})
			places++
		}
		if group := block.Group; group != nil {
			view.Places = []*place{{-1, group.Name, group.OldName, group.Resources}}
		}
		if v.views[block] = view; len(block.Rows) > 0 {
			changed = append(changed, view)
		}
	}
	if first := min(len(changed), manyRows); first > 0 {
		v.Tables = append(v.Tables, &table{ID: id, Title: title, Column: column, First: changed[:first], More: changed[first:]})
	}
}

// addFollows adds the tables of the consequences.
func (v *view) addFollows(all []*report.Consequence) {
	for _, one := range all {
		table := &table{ID: "follows", Title: "Consequences of " + one.Of}
		for _, block := range one.Blocks {
			follows := *v.views[block.Of]
			follows.Rows, follows.IsFollowing, follows.IsConsequence = v.rows(follows.Kind, block.Follows), len(block.Rows) > 0, true
			table.More = append(table.More, &follows)
		}
		v.Follows = append(v.Follows, table)
	}
}

func (v *view) rows(kind string, rows []*report.Row) (views []*rowView) {
	for _, row := range rows {
		view := &rowView{
			Row: row, Gains: v.people.set(row.Gain), Loses: v.people.set(row.Lose),
			InternetGains: row.Internet == report.InternetGains, InternetLoses: row.Internet == report.InternetLoses,
		}
		var options []string
		for _, permission := range row.Permissions {
			options = append(options, fmt.Sprint(v.optionFor(kind, permission).Index))
			if permission.Unknown && permission.Why != "" {
				view.Whys = lists.Add(view.Whys, permission.Why)
			}
		}
		view.Options = strings.Join(options, " ")
		views = append(views, view)
	}
	return views
}

// optionFor returns the option for a permission, and adds it if it is new.
func (v *view) optionFor(kind string, permission *report.PermissionChange) *option {
	key := kind + " " + permission.Name
	if permission.Name == "" {
		key += " " + permission.Text
	}
	if known, ok := v.options[key]; ok {
		return known
	}
	at := slices.IndexFunc(v.Options, func(o *options) bool { return o.Kind == kind })
	if at < 0 {
		at = len(v.Options)
		v.Options = append(v.Options, &options{Kind: kind})
	}
	fresh := &option{Index: len(v.options), Name: permission.Name, Text: permission.Text}
	v.options[key] = fresh
	v.Options[at].List = append(v.Options[at].List, fresh)
	return fresh
}
