package lookup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// missing is the error of a name that nothing has. Its summary is the same wherever the name is used.
type missing struct {
	summary string
	err     error
	// absent is the name if it is an address, and no similar one is there: whoever is meant may not have joined yet.
	absent string
}

func (m *missing) Error() string { return m.err.Error() }
func (m *missing) Unwrap() error { return m.err }

// missingUser is the error of an address or ID that nobody has.
func missingUser(text, format string, args ...any) error {
	return &missing{summary: suggest.MissingUser(text), err: fmt.Errorf(format, args...)}
}

// missingGroup is the error of a name or ID that no user group has.
func missingGroup(text, format string, args ...any) error {
	return &missing{summary: suggest.MissingGroup(text), err: fmt.Errorf(format, args...)}
}

// Summary is the summary of a message about an error of this package.
func Summary(err error) string { return SummaryOr(err, "Cannot find what the configuration names") }

// SummaryOr is [Summary] with the summary of any other error.
func SummaryOr(err error, other string) string {
	if found := (*missing)(nil); errors.As(err, &found) {
		return found.summary
	}
	return other
}

// AddError reports an error of this package at an attribute. more is what follows it.
func AddError(diags *diag.Diagnostics, at path.Path, err error, more string) {
	diags.AddAttributeError(at, Summary(err), base.Sentence(err)+more)
}

// isAbsent reports whether an error is that of an address that nobody has yet, as far as can be told.
func isAbsent(err error) bool {
	found := (*missing)(nil)
	return errors.As(err, &found) && found.absent != ""
}

// ReportAbsent warns of addresses in a list that nobody has yet: they are taken up when somebody has. Where somebody would leave
// by the same plan, leaving says who, and it is an error: it may be who had the address, unless the address has been invited.
func ReportAbsent(ctx context.Context, meta *base.Meta, absent []error, leaving string, at path.Path, diags *diag.Diagnostics) {
	for _, err := range absent {
		if leaving != "" && !isInvited(ctx, meta, err) {
			AddError(diags, at, err, fmt.Sprintf("\n\nThis plan would take out %s, who may be who is meant. Write the address of now, or take the unknown one out of the list.", leaving))
			continue
		}
		diags.AddAttributeWarning(at, Summary(err), base.Sentence(err)+"\n\nUntil somebody has the address it is ignored, and nobody leaves because of it. The first plan after somebody has joined with it takes it up. If it is misspelled, correct it.")
	}
}

// isInvited reports whether the address of an error has an invitation that the account sees, and registers it for the apply, which the
// CLI plans once more right before.
func isInvited(ctx context.Context, meta *base.Meta, err error) bool {
	var found *missing
	invitations, unread := meta.Store.Invitations(ctx)
	isInvited := unread == nil && errors.As(err, &found) && slices.ContainsFunc(invitations, func(one *zulip.Invitation) bool {
		return !one.IsMultiuse && strings.EqualFold(one.Email, found.absent)
	})
	if isInvited {
		meta.Run.NoteInvited(found.absent)
	}
	return isInvited
}
