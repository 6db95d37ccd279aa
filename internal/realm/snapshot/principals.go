package snapshot

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// IsPlanned reports whether this run creates or reactivates what the principal names.
func (s *Snapshot) IsPlanned(principal permission.Principal) (planned bool) {
	switch principal.Kind {
	case permission.KindUser:
		_, planned = s.planned.PlannedID(AccountKind, principal.Name)
	case permission.KindUserID:
		_, planned = s.planned.PlannedName(AccountKind, principal.ID)
	case permission.KindGroup:
		var id int64
		id, planned = s.planned.PlannedID(groupKind, principal.Name)
		planned = planned && id == 0
	}
	return planned
}

// IsInvited reports whether an address that nobody has is known to be invited.
func (s *Snapshot) IsInvited(address string) bool { return s.planned.IsInvited(address) }

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
	for _, name := range suggest.Nearest(principal.Name, names) {
		principals = append(principals, permission.Principal{Kind: principal.Kind, Name: name})
	}
	return principals
}
