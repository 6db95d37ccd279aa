package snapshot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

// IsPlanned reports whether this run creates or reactivates what the principal names.
func (s *Snapshot) IsPlanned(principal permission.Principal) (planned bool) {
	switch principal.Kind {
	case permission.KindUser:
		_, planned = s.planned.PlannedUser(principal.Name)
	case permission.KindUserID:
		planned = s.planned.IsReactivationPlanned(principal.ID)
	case permission.KindGroup:
		var id int64
		id, planned = s.planned.PlannedGroup(principal.Name)
		planned = planned && id == 0
	}
	return planned
}

// suggestions is how many names a message suggests.
const suggestions = 2

// Nearest returns the principals of the same form whose text is nearest, if any is near enough to be meant.
func (s *Snapshot) Nearest(principal permission.Principal) []permission.Principal {
	var names []string
	switch principal.Kind {
	case permission.KindRole, permission.KindGroup:
		names = s.groupNames(principal.Kind == permission.KindRole)
	case permission.KindUser:
		names = s.Addresses()
	}
	var principals []permission.Principal
	for _, name := range Nearest(principal.Name, names) {
		principals = append(principals, permission.Principal{Kind: principal.Kind, Name: name})
	}
	return principals
}

// Nearest returns the names closest to a text: a third of its letters may differ, at least two. Of an address only what is
// before the domain counts, which most have in common.
func Nearest(text string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	local, _, _ := strings.Cut(text, "@")
	limit := max(2, len(local)/3)
	var near []candidate
	for _, name := range names {
		if distance := levenshtein.ComputeDistance(fold(text), fold(name)); distance <= limit {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var best []string
	for _, candidate := range near[:min(len(near), suggestions)] {
		best = append(best, candidate.name)
	}
	return best
}
