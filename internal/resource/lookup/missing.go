package lookup

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// missing is the error of a name that nothing has. Its summary is the same wherever the name is used.
type missing struct {
	summary string
	err     error
}

func (m *missing) Error() string { return m.err.Error() }
func (m *missing) Unwrap() error { return m.err }

// missingUser is the error of an address or ID that nobody has.
func missingUser(text, format string, args ...any) error {
	return &missing{suggest.MissingUser(text), fmt.Errorf(format, args...)}
}

// missingGroup is the error of a name or ID that no user group has.
func missingGroup(text, format string, args ...any) error {
	return &missing{suggest.MissingGroup(text), fmt.Errorf(format, args...)}
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
