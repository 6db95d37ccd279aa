package page

import (
	"html/template"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
)

// view is a report in the order in which the template writes it. Who gains and who loses is written once for each set
// of people, however many rights name it: in 1,000 channels it is mostly the same few sets.
type view struct {
	*report.Report
	Layout   *layout
	Columns  []*option // of the matrix: the rights in which something changes in some channel
	Channels []*channelView
	Groups   []*groupView
	Rights   []*effect  // of the organization
	Options  []*options // what can be filtered by

	people  *peopleIndex
	options map[string]*option
}

// option is a right that can be filtered by, one of a kind of thing.
type option struct {
	Index int    // among all options; the script knows it by this
	Name  string // of the permission; empty for being in a channel or a group
	Text  string // what it permits
}

// options are those of one kind of thing.
type options struct {
	Kind string
	List []*option
}

// channelView is a channel in the matrix.
type channelView struct {
	*report.Channel
	Index   int
	Cells   []*effect // one for each column; nil where nothing changes
	Effects []*effect
	// Like is the first of the channels right before this one that have the same effects; nil if this is the first. The
	// effects are written there alone: a plan that changes 1,000 channels mostly does the same in most.
	Like *channelView
}

// groupView is a user group with its effects.
type groupView struct {
	*report.Group
	Effects []*effect
}

// effect is what changes about one right. There can be tens of thousands: a template reads the fields of a struct fast, and
// calls functions slowly.
type effect struct {
	Option        *option
	Name, Text    string
	Change        report.Change
	HasChange     bool // whether there is a value to show
	Gain, Lose    *set // nil if nobody
	InternetGains bool
	InternetLoses bool
	NobodyLeft    bool
	Unknown       bool
	Why           string
	// IsNothing says that a permission has another value, and yet nobody gains or loses.
	IsNothing bool
}

// manyRows are so many that those out of view had better not be laid out, and what is closed not be made.
const manyRows = 100

// IsLong reports whether so many channels change.
func (v *view) IsLong() bool { return len(v.Channels) > manyRows }

// HasManyAccounts reports whether so many accounts are named.
func (v *view) HasManyAccounts() bool { return len(v.Accounts) > manyRows }

// IncompleteText is the first line of a comparison of audits that do not have everything.
func (v *view) IncompleteText() string { return report.IncompleteText }

// Width is how many columns the matrix has.
func (v *view) Width() int { return len(v.Columns) + 1 }

// Names are what the channel is called, and was.
func (c *channelView) Names() string { return strings.TrimSpace(c.Name + " " + c.OldName) }

func newView(r *report.Report) *view {
	title := "Access review"
	if r.Since != "" {
		title = "Access changes"
	}
	v := &view{Report: r, Layout: newLayout(title, r.Organization, "review.js"), people: newPeopleIndex(r.Accounts), options: map[string]*option{}}
	v.people.brief = func(s *set) template.HTML { return rendered("people", s) }
	for i, channel := range r.Channels {
		v.Channels = append(v.Channels, &channelView{Channel: channel, Index: i, Effects: v.effects("In a channel", channel.Rights, memberRight(
			"be subscribed", channel.Joins, channel.Leaves))})
	}
	v.arrangeColumns()
	v.findAlike()
	for _, group := range r.Groups {
		v.Groups = append(v.Groups, &groupView{group, v.effects("Over a user group", group.Rights, memberRight(
			"be a member", group.Joins, group.Leaves))})
	}
	v.Rights = v.effects("In the organization", r.Rights, nil)
	return v
}

// findAlike marks each channel that has the effects of the one before it.
func (v *view) findAlike() {
	for i := 1; i < len(v.Channels); i++ {
		before := v.Channels[i-1]
		if !slices.EqualFunc(v.Channels[i].Effects, before.Effects, (*effect).isLike) {
			continue
		}
		v.Channels[i].Like = before
		if before.Like != nil {
			v.Channels[i].Like = before.Like
		}
	}
}

// isLike reports whether two effects read the same.
func (e *effect) isLike(other *effect) bool {
	sameValue := func(a, b report.Value) bool { return a.Unknown == b.Unknown && slices.Equal(a.Texts, b.Texts) }
	return e.Option == other.Option && e.Gain == other.Gain && e.Lose == other.Lose && e.InternetGains == other.InternetGains &&
		e.InternetLoses == other.InternetLoses && e.NobodyLeft == other.NobodyLeft && e.Unknown == other.Unknown && e.Why == other.Why &&
		sameValue(e.Change.Before, other.Change.Before) && sameValue(e.Change.After, other.Change.After)
}

// memberRight is to be in a channel or a group, put as a right, of no permission's name; nil if nobody comes or goes.
func memberRight(text string, joins, leaves *report.People) *report.Right {
	if joins.Len() == 0 && leaves.Len() == 0 {
		return nil
	}
	return &report.Right{Text: text, Gain: joins, Lose: leaves}
}

func (v *view) effects(kind string, rights []*report.Right, member *report.Right) []*effect {
	var effects []*effect
	if member != nil {
		effects = append(effects, v.effect(kind, member))
	}
	for _, right := range rights {
		effects = append(effects, v.effect(kind, right))
	}
	return effects
}

func (v *view) effect(kind string, right *report.Right) *effect {
	e := &effect{
		Option: v.optionFor(kind, right), Name: right.Name, Text: right.Text,
		Change: right.Change, HasChange: right.Change.Differs() || len(right.Change.After.Texts) > 0,
		Gain: v.people.set(right.Gain), Lose: v.people.set(right.Lose),
		InternetGains: right.Internet == report.InternetGains, InternetLoses: right.Internet == report.InternetLoses,
		NobodyLeft: right.NobodyLeft, Unknown: right.Unknown, Why: right.Why,
	}
	e.IsNothing = e.Gain == nil && e.Lose == nil && right.Internet == "" && !e.NobodyLeft && !e.Unknown
	return e
}

// optionFor returns the option for a right, a new one when the right is met first.
func (v *view) optionFor(kind string, right *report.Right) *option {
	key := kind + " " + right.Name
	if known, ok := v.options[key]; ok {
		return known
	}
	at := slices.IndexFunc(v.Options, func(o *options) bool { return o.Kind == kind })
	if at < 0 {
		at = len(v.Options)
		v.Options = append(v.Options, &options{Kind: kind})
	}
	fresh := &option{Index: len(v.options), Name: right.Name, Text: right.Text}
	v.options[key] = fresh
	v.Options[at].List = append(v.Options[at].List, fresh)
	return fresh
}

// arrangeColumns makes a column of every right that a channel has something to say about, in the order of
// [permission.Rights], and puts the effects into them. It is called when channels are all that has been seen.
func (v *view) arrangeColumns() {
	if len(v.Options) > 0 {
		v.Columns = v.Options[0].List
	}
	slices.SortStableFunc(v.Columns, func(a, b *option) int {
		return slices.Index(permission.RightsAndHistory, permission.Right(a.Name)) - slices.Index(permission.RightsAndHistory, permission.Right(b.Name))
	})
	for i, column := range v.Columns {
		column.Index = i
	}
	for _, channel := range v.Channels {
		channel.Cells = make([]*effect, len(v.Columns))
		for _, effect := range channel.Effects {
			channel.Cells[effect.Option.Index] = effect
		}
	}
}
