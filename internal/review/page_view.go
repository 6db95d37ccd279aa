package review

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

// page is a review in the order in which the template writes it. Who gains and who loses is written once for each set
// of people, however many rights name it: in 1,000 channels it is mostly the same few sets.
type page struct {
	*Review
	Columns []*option // of the matrix: the rights in which something changes in some channel
	Rows    []*row
	Groups  []*groupView
	Rights  []*effect  // of the organization
	Options []*options // what can be filtered by

	crew    *crew
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

// row is a channel in the matrix.
type row struct {
	*Channel
	Index   int
	Cells   []*effect // one for each column; nil where nothing changes
	Effects []*effect
	// Like is the first of the channels right before this one that have the same effects; nil if this is the first. The
	// effects are written there alone: a plan that changes 1,000 channels mostly does the same in most.
	Like *row
}

// groupView is a user group with its effects.
type groupView struct {
	*Group
	Effects []*effect
}

// effect is what changes about one right.
type effect struct {
	*Right
	Option     *option
	Gain, Lose *set // nil if nobody
}

// IsNothing says that a permission has another value, and yet nobody gains or loses.
func (e *effect) IsNothing() bool {
	return e.Gain == nil && e.Lose == nil && e.Internet == "" && !e.NobodyLeft && !e.Unknown
}

// manyRows are so many that those out of view had better not be laid out, and what is closed not be made.
const manyRows = 100

// IsLong says that so many channels change.
func (p *page) IsLong() bool { return len(p.Rows) > manyRows }

func newPage(r *Review) *page {
	p := &page{Review: r, crew: newCrew(r.Accounts), options: map[string]*option{}}
	for i, channel := range r.Channels {
		p.Rows = append(p.Rows, &row{Channel: channel, Index: i, Effects: p.effects("In a channel", channel.Rights, memberRight(
			"be subscribed", channel.Joins, channel.Leaves))})
	}
	p.arrangeColumns()
	p.findAlike()
	for _, group := range r.Groups {
		p.Groups = append(p.Groups, &groupView{group, p.effects("Over a user group", group.Rights, memberRight(
			"be a member", group.Joins, group.Leaves))})
	}
	p.Rights = p.effects("In the organization", r.Rights, nil)
	return p
}

// findAlike marks each channel that has the effects of the one before it.
func (p *page) findAlike() {
	for i := 1; i < len(p.Rows); i++ {
		before := p.Rows[i-1]
		if !slices.EqualFunc(p.Rows[i].Effects, before.Effects, (*effect).isLike) {
			continue
		}
		p.Rows[i].Like = before
		if before.Like != nil {
			p.Rows[i].Like = before.Like
		}
	}
}

// isLike reports whether two effects read the same.
func (e *effect) isLike(other *effect) bool {
	sameValue := func(a, b Value) bool { return a.Unknown == b.Unknown && slices.Equal(a.Words, b.Words) }
	return e.Option == other.Option && e.Gain == other.Gain && e.Lose == other.Lose && e.Internet == other.Internet &&
		e.NobodyLeft == other.NobodyLeft && e.Unknown == other.Unknown && e.Why == other.Why &&
		sameValue(e.Change.Before, other.Change.Before) && sameValue(e.Change.After, other.Change.After)
}

// memberRight is to be in a channel or a group, put as a right, of no permission's name; nil if nobody comes or goes.
func memberRight(text string, joins, leaves *People) *Right {
	if joins.Len() == 0 && leaves.Len() == 0 {
		return nil
	}
	return &Right{Text: text, Gain: joins, Lose: leaves}
}

func (p *page) effects(kind string, rights []*Right, member *Right) []*effect {
	var effects []*effect
	if member != nil {
		effects = append(effects, p.effect(kind, member))
	}
	for _, right := range rights {
		effects = append(effects, p.effect(kind, right))
	}
	return effects
}

func (p *page) effect(kind string, right *Right) *effect {
	return &effect{Right: right, Option: p.optionFor(kind, right), Gain: p.crew.set(right.Gain), Lose: p.crew.set(right.Lose)}
}

// optionFor returns the option for a right, a new one when the right is met first.
func (p *page) optionFor(kind string, right *Right) *option {
	key := kind + " " + right.Name
	if known, ok := p.options[key]; ok {
		return known
	}
	at := slices.IndexFunc(p.Options, func(o *options) bool { return o.Kind == kind })
	if at < 0 {
		at = len(p.Options)
		p.Options = append(p.Options, &options{Kind: kind})
	}
	fresh := &option{Index: len(p.options), Name: right.Name, Text: right.Text}
	p.options[key] = fresh
	p.Options[at].List = append(p.Options[at].List, fresh)
	return fresh
}

// arrangeColumns makes a column of every right that a channel has something to say about, in the order of
// [permission.Rights], and puts the effects into them. It is called when channels are all that has been seen.
func (p *page) arrangeColumns() {
	if len(p.Options) > 0 {
		p.Columns = p.Options[0].List
	}
	slices.SortStableFunc(p.Columns, func(a, b *option) int {
		return slices.Index(permission.Rights, permission.Right(a.Name)) - slices.Index(permission.Rights, permission.Right(b.Name))
	})
	for i, column := range p.Columns {
		column.Index = i
	}
	for _, row := range p.Rows {
		row.Cells = make([]*effect, len(p.Columns))
		for _, effect := range row.Effects {
			row.Cells[effect.Option.Index] = effect
		}
	}
}
