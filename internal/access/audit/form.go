package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
)

// FormatVersion is the version of the JSON form. Its first number changes if the new form could mislead a reader of the
// old form. Added fields do not change it.
const FormatVersion = "1.0"

// written is the JSON form.
type written struct {
	*Audit
	Sets []*writtenSet `json:"sets"`
}

// writtenSet is a set of people in the JSON form.
type writtenSet struct {
	// Accounts are the positions of the set's people in [Audit.Accounts], counted from 0.
	Accounts places `json:"accounts"`
	Guests   int    `json:"guests"`
	Bots     int    `json:"bots"`
}

// places are ascending places, in ranges.
type places []placeRange

// placeRange is the first and the last of consecutive places. In JSON it is both, or a number for a single place: [0,
// [2, 499]].
type placeRange struct{ first, last int }

// add adds a place after all others.
func (p *places) add(place int) {
	if end := len(*p) - 1; end >= 0 && (*p)[end].last == place-1 {
		(*p)[end].last = place
		return
	}
	*p = append(*p, placeRange{place, place})
}

func (p places) bits() (all sets.Bits) {
	for _, one := range p {
		for place := one.first; place <= one.last; place++ {
			all.Add(place)
		}
	}
	return all
}

// MarshalJSON writes the places.
func (p places) MarshalJSON() ([]byte, error) {
	text := make([]byte, 0, 16+8*len(p))
	text = append(text, '[')
	for i, one := range p {
		if i > 0 {
			text = append(text, ',')
		}
		if one.first == one.last {
			text = strconv.AppendInt(text, int64(one.first), 10)
			continue
		}
		text = strconv.AppendInt(append(text, '['), int64(one.first), 10)
		text = append(strconv.AppendInt(append(text, ','), int64(one.last), 10), ']')
	}
	return append(text, ']'), nil
}

// UnmarshalJSON reads either form of a range.
func (r *placeRange) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '[' {
		err := json.Unmarshal(data, &r.first)
		r.last = r.first
		return err
	}
	var ends [2]int
	err := json.Unmarshal(data, &ends)
	r.first, r.last = ends[0], ends[1]
	return err
}

// Write writes the JSON form.
func (a *Audit) Write(w io.Writer) error {
	placeOf := make(map[int64]int, len(a.Accounts))
	for place, account := range a.Accounts {
		placeOf[account.ID] = place
	}
	form := written{a, make([]*writtenSet, len(a.Sets))}
	for i, set := range a.Sets {
		var in sets.Bits
		for account := range set.All() {
			in.Add(placeOf[account.ID])
		}
		form.Sets[i] = &writtenSet{Accounts: places{}, Guests: set.Guests, Bots: set.Bots}
		for place := range in.All() {
			form.Sets[i].Accounts.add(place)
		}
	}
	return json.NewEncoder(w).Encode(form)
}

// Read reads the JSON form that [Audit.Write] writes. It refuses other format versions.
func Read(data []byte) (*Audit, error) {
	var version struct {
		FormatVersion string `json:"format_version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fmt.Errorf("it isn't an audit: %w", err)
	}
	if version.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("it has format version %q, and this version of the provider reads %q: make the earlier audit again, or compare with the version that wrote it", version.FormatVersion, FormatVersion)
	}
	form := written{Audit: new(Audit)}
	if err := json.Unmarshal(data, &form); err != nil {
		return nil, fmt.Errorf("it isn't an audit: %w", err)
	}
	if err := form.readSets(); err != nil {
		return nil, err
	}
	return form.Audit, form.check()
}

var errNull = errors.New("the audit is damaged: it contains null. Make the audit again")

// readSets returns the sets of the audit from their form.
func (f written) readSets() error {
	accounts := make([]*report.Account, len(f.Accounts))
	for place, account := range f.Accounts {
		if account == nil || account.Account == nil {
			return errNull
		}
		accounts[place] = account.Account
	}
	order := report.NewOrder(accounts)
	for _, set := range f.Sets {
		if set == nil {
			return errNull
		}
		if isBeyond := func(one placeRange) bool { return one.first < 0 || one.last < one.first || one.last >= len(accounts) }; slices.ContainsFunc(set.Accounts, isBeyond) {
			return errors.New("the audit is damaged: a set refers to missing accounts. Make the audit again")
		}
		f.Audit.Sets = append(f.Audit.Sets, order.People(set.Accounts.bits()))
	}
	return nil
}

// check returns an error if the audit refers to something that it doesn't have.
func (a *Audit) check() error {
	if slices.Contains(a.Channels, nil) || slices.Contains(a.Groups, nil) || slices.Contains(a.Findings, nil) || slices.Contains(a.Things, nil) {
		return errNull
	}
	bad := 0
	check := func(index int) {
		if index < 0 || index >= len(a.Sets) {
			bad++
		}
	}
	permissions := func(all []*EffectivePermission) {
		for _, permission := range all {
			if permission == nil {
				bad++
				continue
			}
			check(permission.People)
		}
	}
	permissions(a.Permissions)
	for _, channel := range a.Channels {
		if permissions(channel.Permissions); channel.Subscribers != nil {
			check(*channel.Subscribers)
		}
	}
	for _, group := range a.Groups {
		check(group.People)
		permissions(group.Permissions)
	}
	for _, finding := range a.Findings {
		check(finding.People)
	}
	if bad > 0 {
		return fmt.Errorf("the audit is damaged: %d references have no target. Make the audit again", bad)
	}
	return nil
}
