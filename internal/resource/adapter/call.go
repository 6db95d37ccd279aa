// Package adapter turns a few functions into a resource, a data source or an action of the plugin framework. It has the
// code that all of them share: the type name, the identity, reading the models, checking that the provider is
// configured, reporting errors, and writing the state together with the identity.
//
// Each function gets a [Call] and returns the error that ends the call. [base.Refused] and [base.Failed] create such an
// error, with its attribute. Warnings, and errors that do not end the call, go into Call.Diags.
//
// Resources that manage one of many objects with an ID use the package core instead. This package doesn't know it.
package adapter

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
)

// Call is one call of Terraform to one resource, data source or action.
type Call[Model any] struct {
	*base.Base
	// Config, Plan and State are the configuration, the plan and the prior state. Each is nil if the call does not have
	// it.
	Config, Plan, State *Model
	Diags               *diag.Diagnostics
	// IsByIdentity is true for an import by identity.
	IsByIdentity bool
	// PriorPrivate reads the private state from before the call, and Private writes it.
	PriorPrivate base.PrivateGetter
	Private      base.PrivateSetter

	ctx    context.Context //nolint:containedctx // that of the call
	kind   string
	config tfsdk.Config
	into   interface {
		Set(ctx context.Context, model any) diag.Diagnostics
		SetAttribute(ctx context.Context, at path.Path, value any) diag.Diagnostics
	}
	remove  func(context.Context)
	replace *path.Paths
	say     func(string)
}

// Save writes a model into the plan during plan, and otherwise into the state.
func (c *Call[Model]) Save(m *Model) { c.Diags.Append(c.into.Set(c.ctx, m)...) }

// SaveAttribute writes one attribute.
func (c *Call[Model]) SaveAttribute(name string, value any) {
	c.Diags.Append(c.into.SetAttribute(c.ctx, path.Root(name), value)...)
}

// Forget removes the resource from the state.
func (c *Call[Model]) Forget() {
	c.Diags.Append(existing.ForgetReplacedID(c.ctx, c.Private)...)
	c.remove(c.ctx)
}

// Replace plans a replacement because of an attribute.
func (c *Call[Model]) Replace(attribute string) { c.replace.Append(path.Root(attribute)) }

// Say reports the progress of an action.
func (c *Call[Model]) Say(format string, args ...any) { c.say(fmt.Sprintf(format, args...)) }

// CheckLevels adds an error for each configured attribute that the server is too old for.
func (c *Call[Model]) CheckLevels() { c.Base.CheckLevels(c.ctx, c.kind, c.config, c.Diags) }

// Read reads parts of the organization. what is their name in the error, as in "the channels".
func (c *Call[Model]) Read(what string, parts ...store.Part) (*snapshot.Snapshot, error) {
	view, err := c.Meta.Store.Read(c.ctx, parts...)
	return view, base.Failed("Cannot read "+what, err)
}

// ReadNaming is [Call.Read] that also reads users and bots, by email or ID, because the lists of the server may lack
// some.
func (c *Call[Model]) ReadNaming(what string, names []string, parts ...store.Part) (*snapshot.Snapshot, error) {
	view, err := c.Meta.Store.ReadNaming(c.ctx, names, parts...)
	return view, base.Failed("Cannot read "+what, err)
}

// report adds the error that ended a call to the diagnostics.
func (c *Call[Model]) report(err error) { base.Report(c.Diags, "Cannot continue", err) }

// read reads a model, which may be an attr.Value. It is nil if there is none.
func read[Model any](ctx context.Context, diags *diag.Diagnostics, raw tftypes.Value, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
},
) *Model {
	if raw.IsNull() {
		return nil
	}
	m := new(Model)
	diags.Append(from.Get(ctx, m)...)
	return m
}

// copyIdentity writes an identity with the values of the attributes of the same names in a state.
func copyIdentity(ctx context.Context, names Identity, state tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	for _, one := range names {
		var value attr.Value
		diags.Append(state.GetAttribute(ctx, path.Root(one.Name), &value)...)
		diags.Append(identity.SetAttribute(ctx, path.Root(one.Name), value)...)
	}
}
