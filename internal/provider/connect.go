package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/configuration"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// connect asks the server what it is, and who the account is. It returns nil after an error.
func connect(ctx context.Context, client *zulip.Client, values configuration.Values, diags *diag.Diagnostics) *base.Meta {
	meta := &base.Meta{Client: client, NoAccount: values.Missing()}
	var err error
	if meta.Server, err = client.ServerSettings(ctx); err != nil {
		ExplainSite(values, err).addTo(diags)
		return nil
	}
	if meta.Server.ZulipFeatureLevel == 0 {
		diags.AddWarning("The server does not say what it can do",
			"It names no feature level. Nothing is refused because the server may be too old for it; what it ignores is found after it was sent.")
	}
	if level := meta.Server.ZulipFeatureLevel; level > 0 && level < featurelevel.Oldest {
		diags.AddWarning(fmt.Sprintf("Zulip %s is older than what the provider supports", meta.Server.ZulipVersion),
			fmt.Sprintf("It has feature level %d; the provider is tested from %d (Zulip %s) on. What is known of older servers is checked at plan, and the rest is not tested. Upgrade the server, or try every change on another organization first.",
				level, featurelevel.Oldest, featurelevel.FirstRelease(featurelevel.Oldest)))
	}
	if meta.NoAccount != nil {
		// Enough for what needs no account; everything else says what is missing.
		return meta
	}
	self, err := client.Me(ctx)
	if err != nil {
		ExplainAccount(values, err).addTo(diags)
		return nil
	}
	meta.Store = store.New(client, self, meta.Server.ZulipFeatureLevel, &meta.Run)
	return meta
}

// ConnectionError says why the organization cannot be used as an account: the setting that is wrong, where it is from, and what to do.
type ConnectionError struct {
	Summary, Detail string

	// attribute and source are the setting that is wrong, if one is.
	attribute, source string
}

func (e *ConnectionError) Error() string { return e.Summary + ". " + e.Detail }

func (e *ConnectionError) addTo(diags *diag.Diagnostics) {
	add := diags.AddError
	if e.attribute != "" {
		add = at(e.attribute, e.source, diags)
	}
	add(e.Summary, e.Detail)
}

// ExplainSite says that the server does not answer as a Zulip server does.
func ExplainSite(values configuration.Values, err error) *ConnectionError {
	from := fmt.Sprintf("%s (from %s)", values.Site.Value, values.Site.Source)
	explained := &ConnectionError{
		Summary: "The server cannot be reached", Detail: fmt.Sprintf("%s. %s", from, base.Explain(err)), attribute: "site", source: values.Site.Source,
	}
	var page *zulip.NotZulipError
	var refusal *zulip.Error
	switch {
	case errors.As(err, &page):
		explained.Summary = "This is not a Zulip server"
		explained.Detail = fmt.Sprintf("%s answered something else than a Zulip server does. %s", from, base.Explain(err))
	case errors.As(err, &refusal):
		explained.Summary = "There is no organization at this address"
		explained.Detail = fmt.Sprintf("%s is a Zulip server. %s", from, base.Explain(err))
	}
	return explained
}

// ExplainAccount says that the server does not accept the account.
func ExplainAccount(values configuration.Values, err error) *ConnectionError {
	if !zulip.IsUnauthorized(err) {
		return &ConnectionError{Summary: "Cannot find out who the account is", Detail: base.Explain(err)}
	}
	return &ConnectionError{
		Summary: "The server does not accept the account",
		Detail: fmt.Sprintf("%s (from %s) with the key from %s, at %s (from %s). %s",
			values.Email.Value, values.Email.Source, values.APIKey.Source, values.Site.Value, values.Site.Source, base.Explain(err)),
		attribute: "api_key", source: values.APIKey.Source,
	}
}

// at returns what adds an error about a setting: at the attribute if the provider block sets it, else without one. At
// an attribute of a block that is not there, the CLI would advise to write one, which is beside the point.
func at(attribute, source string, diags *diag.Diagnostics) func(summary, detail string) {
	if source == configuration.Block {
		return func(summary, detail string) { diags.AddAttributeError(path.Root(attribute), summary, detail) }
	}
	return diags.AddError
}
