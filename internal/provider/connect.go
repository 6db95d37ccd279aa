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
		explainSite(values, err, diags)
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
		explainAccount(values, err, diags)
		return nil
	}
	meta.Store = store.New(client, self, meta.Server.ZulipFeatureLevel, &meta.Run)
	return meta
}

// explainSite reports that the server does not answer as a Zulip server does.
func explainSite(values configuration.Values, err error, diags *diag.Diagnostics) {
	from := fmt.Sprintf("%s (from %s)", values.Site.Value, values.Site.Source)
	add := at("site", values.Site.Source, diags)
	var page *zulip.NotZulipError
	if errors.As(err, &page) {
		add("This is not a Zulip server",
			fmt.Sprintf("%s answered something else than a Zulip server does. %s", from, base.Explain(err)))
		return
	}
	var refusal *zulip.Error
	if errors.As(err, &refusal) {
		add("There is no organization at this address",
			fmt.Sprintf("%s is a Zulip server. %s", from, base.Explain(err)))
		return
	}
	add("The server cannot be reached", fmt.Sprintf("%s. %s", from, base.Explain(err)))
}

// explainAccount reports that the server does not accept the account.
func explainAccount(values configuration.Values, err error, diags *diag.Diagnostics) {
	if !zulip.IsUnauthorized(err) {
		diags.AddError("Cannot find out who the account is", base.Explain(err))
		return
	}
	at("api_key", values.APIKey.Source, diags)("The server does not accept the account",
		fmt.Sprintf("%s (from %s) with the key from %s, at %s (from %s). %s",
			values.Email.Value, values.Email.Source, values.APIKey.Source, values.Site.Value, values.Site.Source, base.Explain(err)))
}

// at returns what adds an error about a setting: at the attribute if the provider block sets it, else without one. At
// an attribute of a block that is not there, the CLI would advise to write one, which is beside the point.
func at(attribute, source string, diags *diag.Diagnostics) func(summary, detail string) {
	if source == configuration.Block {
		return func(summary, detail string) { diags.AddAttributeError(path.Root(attribute), summary, detail) }
	}
	return diags.AddError
}
