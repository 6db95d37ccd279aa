package export

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// object is one resource of the export.
type object struct {
	kind *kind
	// id is the identity on the server, and importID the import ID.
	id, importID string
	label        string
	// state has the texts and numbers of the state, by attribute.
	state map[string]tftypes.Value
	// config are the written values, by attribute.
	config map[string]tftypes.Value
	// comments are written above an attribute.
	comments map[string]string
	// name is the name of the resource.
	name string
	// file is the name of its file, without the ending.
	file string
	// isAlong is true if --only selects the object's channel, but not the object.
	isAlong bool
	// refused are the problems of values that this version does not know. They are not in config, unless they are
	// required.
	refused []*tfprotov6.Diagnostic
	// links are the objects that its values name: by attribute, then by value.
	links map[string]map[string]link
}

// link is a reference to an attribute of another object or to a person, with the text before it.
type link struct {
	prefix string
	to     *object
	by     string
	person *person
}

// address is the address of the resource.
func (o *object) address() string { return o.kind.resource + "." + o.name }

// text returns an attribute of the state as text; "" if it is null.
func (o *object) text(attribute string) string { return textOf(o.state[attribute]) }

func textOf(value tftypes.Value) string {
	if value.IsNull() || !value.IsKnown() {
		return ""
	}
	switch {
	case value.Type().Is(tftypes.String):
		var text string
		_ = value.As(&text) // it is one
		return text
	case value.Type().Is(tftypes.Number):
		return numberOf(value).Text('f', -1)
	}
	return ""
}

// read reads everything that is selected, kind by kind.
func (e *export) read(ctx context.Context) error {
	if err := e.readSchemas(ctx); err != nil {
		return err
	}
	e.progress("the organization")
	var err error
	e.snapshot, err = e.Store.Read(ctx, store.Channels, store.Organization, store.Users, store.Bots, store.Folders)
	if err != nil {
		return fmt.Errorf("cannot read the organization: %w", err)
	}
	e.realm = e.snapshot.Realm()
	e.warnOfHidden()
	for _, kind := range kinds {
		if err := e.readKind(ctx, kind); err != nil {
			return fmt.Errorf("%s: %w", kind.resource, err)
		}
	}
	e.leaveOutOfOtherChannels()
	e.noteLeftOut()
	if !e.Store.Self().IsBot {
		if e.invitations, err = e.Store.Invitations(ctx); err != nil {
			return fmt.Errorf("cannot read the invitations: %w", err)
		}
	}
	e.warnOfNothing()
	return nil
}

// readSchemas reads the schemas of the provider's resources.
func (e *export) readSchemas(ctx context.Context) error {
	all, err := e.Provider.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	e.schemas, e.lists = all.ResourceSchemas, all.ListResourceSchemas
	return nil
}

// readKind reads the objects of one kind.
func (e *export) readKind(ctx context.Context, k *kind) error {
	if !e.selectsKind(k) || !e.isWanted(k) || k.isHidden != nil && k.isHidden(e.Store.Self()) {
		return nil
	}
	before := len(e.objects)
	switch {
	case k.id != "":
		return e.readOnly(ctx, k, k.id)
	case k.ids != nil:
		for _, id := range k.ids(e) {
			if err := e.readOnly(ctx, k, id); err != nil {
				return err
			}
		}
		return nil
	}
	lists := []map[string]string{nil}
	if k.lists != nil {
		lists = k.lists(e)
	}
	for _, arguments := range lists {
		if err := e.list(ctx, k, arguments, before); err != nil {
			return err
		}
	}
	return nil
}

// isWanted reports whether the options request a kind that not every export has.
func (e *export) isWanted(k *kind) bool {
	switch k.resource {
	case "zulip_channel_subscribers":
		return e.Subscribers
	case "zulip_user":
		return e.PeopleAs == PeopleAsUser
	case "zulip_user_role":
		return e.PeopleAs != PeopleAsUser
	case "zulip_role_members":
		// A copy has other owners, and a state may manage the roles of single users.
		return e.PeopleAs.orDefault() == PeopleAsAddress && e.managed == nil
	case "zulip_invite_link":
		// A new link would not have its channels, which the server does not show.
		return e.isAskedFor(k)
	case "zulip_invitation":
		// With people as a variable, the same people would get an email from another organization.
		return e.PeopleAs != PeopleAsVariable || e.isAskedFor(k)
	}
	return true
}

// isAskedFor reports whether --only names a kind.
func (e *export) isAskedFor(k *kind) bool {
	return slices.ContainsFunc(e.Only, func(text string) bool {
		word, _, _ := strings.Cut(text, ":")
		return word == k.word()
	})
}

// list reads the objects of one kind that the arguments of its list select. before is how many objects of other kinds there
// are.
func (e *export) list(ctx context.Context, k *kind, arguments map[string]string, before int) error {
	schema := e.schemas[k.resource].ValueType()
	config, err := e.listConfig(k, arguments)
	if err != nil {
		return err
	}
	stream, err := e.Provider.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: k.resource, Config: config, IncludeResource: true})
	if err != nil {
		return err
	}
	for result := range stream.Results {
		if err := errorOf(result.Diagnostics); err != nil {
			return err
		}
		if result.Resource == nil {
			e.note("%s %s: %s", k.word(), inCode(result.DisplayName), escaped(warningOf(result.Diagnostics)))
			continue
		}
		o, err := e.newObject(ctx, k, result.Resource, schema)
		if err != nil {
			return fmt.Errorf("%s: %w", result.DisplayName, err)
		}
		o.label = result.DisplayName
		o.id = o.text(k.identityAttribute())
		o.importID = o.id
		e.add(o)
		if (len(e.objects)-before)%100 == 0 {
			e.progress("%s: %d", k.resource, len(e.objects)-before)
		}
	}
	return nil
}

// readOnly reads an object without a list.
func (e *export) readOnly(ctx context.Context, k *kind, id string) error {
	imported, err := e.Provider.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: k.resource, ID: id})
	if err != nil {
		return err
	}
	if err := errorOf(imported.Diagnostics); err != nil {
		e.note("`%s`: %s", k.resource, escaped(err.Error()))
		return nil
	}
	one := imported.ImportedResources[0]
	read, err := e.Provider.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: k.resource, CurrentState: one.State, Private: one.Private, CurrentIdentity: one.Identity,
	})
	if err != nil {
		return err
	}
	if err := errorOf(read.Diagnostics); err != nil {
		e.note("`%s`: %s", k.resource, escaped(err.Error()))
		return nil
	}
	o, err := e.newObject(ctx, k, read.NewState, e.schemas[k.resource].ValueType())
	if err != nil || o == nil {
		return err
	}
	o.id, o.importID, o.label = id, id, cmp.Or(k.called, id)
	if strings.HasSuffix(k.resource, "_order") && orderedCount(o) < 2 {
		return nil // no objects to order
	}
	e.add(o)
	return nil
}

// orderedCount returns the number of objects of an order.
func orderedCount(o *object) (count int) {
	for _, value := range o.config {
		var elements []tftypes.Value
		if value.Type().Is(tftypes.List{}) && value.As(&elements) == nil {
			count += len(elements)
		}
	}
	return count
}

// newObject returns an object with a state and the part of it that can be configured.
func (e *export) newObject(ctx context.Context, k *kind, state *tfprotov6.DynamicValue, schema tftypes.Type) (*object, error) {
	generated, err := e.Provider.GenerateResourceConfig(ctx, &tfprotov6.GenerateResourceConfigRequest{TypeName: k.resource, State: state})
	if err != nil {
		return nil, err
	}
	o := &object{kind: k, comments: map[string]string{}, file: k.file, links: map[string]map[string]link{}, refused: generated.Diagnostics}
	if o.state, err = attributesOf(state, schema); err != nil {
		return nil, err
	}
	if o.config, err = attributesOf(generated.Config, schema); err != nil {
		return nil, err
	}
	maps.DeleteFunc(o.state, func(_ string, value tftypes.Value) bool { return textOf(value) == "" })
	return o, nil
}

// attributesOf returns the attributes of a state or configuration.
func attributesOf(encoded *tfprotov6.DynamicValue, schema tftypes.Type) (attributes map[string]tftypes.Value, err error) {
	value, err := encoded.Unmarshal(schema)
	if err != nil {
		return nil, err
	}
	err = value.As(&attributes)
	return attributes, err
}

// add keeps an object if it is selected, without the values of a new object.
func (e *export) add(o *object) {
	if e.isMatching {
		e.objects = append(e.objects, o)
		return
	}
	known, isManaged := e.managed[o.kind.resource][o.id]
	if !e.selects(o) || !isManaged && (e.isRefused(o) || e.leavesRoleToList(o) || o.kind.isSelected != nil && !o.kind.isSelected(e, o)) {
		return
	}
	if o.kind.resource == "zulip_bot" && e.isListed(o.text("role")) {
		delete(o.config, "role")
	}
	for name, value := range o.config {
		isKept := e.All || !isManaged && (slices.Contains(o.kind.always, name) || slices.Contains(o.kind.alwaysIfPrivate, name) && zulip.Privacy(o.text("privacy")).IsPrivate())
		if value.IsNull() || e.isSensitive(o.kind, name) || !isKept && e.isDefault(o, name, value) {
			delete(o.config, name)
		}
	}
	if isManaged {
		e.addUnset(o, known)
		return
	}
	if len(o.config) == 0 {
		return // an object that exists once, with all defaults, would manage nothing
	}
	e.objects = append(e.objects, o)
}

// isRefused reports whether no configuration can have an object. It notes this, or the attributes that are left out.
func (e *export) isRefused(o *object) bool {
	what := fmt.Sprintf("%s %s", o.kind.word(), inCode(o.label))
	var reasons []string
	for _, problem := range o.refused {
		if problem.Severity == tfprotov6.DiagnosticSeverityError {
			reasons = append(reasons, problem.Detail)
		}
	}
	if len(reasons) > 0 {
		e.note("%s: %s", what, escaped(strings.Join(reasons, " ")))
		return true
	}
	for _, problem := range o.refused {
		attribute, _ := problem.Attribute.Steps()[0].(tftypes.AttributeName)
		e.note("%s, without `%s`: %s", what, attribute, escaped(problem.Detail))
	}
	return false
}

// addUnset adds the attributes of an object that its state leaves unset.
func (e *export) addUnset(o *object, known stateResource) {
	for name, value := range o.config {
		isNamedByID := name == "folder" && known.sets("folder_id")
		if known.Type == o.kind.resource && !known.sets(name) && !isNamedByID {
			e.unset = append(e.unset, fmt.Sprintf("%s: %s = %s", known.Address, name, o.plain(value)))
		}
	}
}

// compareStates finds the values of the states that changed since, as a refresh of Terraform does.
func (e *export) compareStates(ctx context.Context) error {
	for resource, byID := range e.managed {
		for _, known := range byID {
			if known.Type != resource || !e.selectsKnown(known) {
				continue
			}
			if err := e.compareState(ctx, known); err != nil {
				return fmt.Errorf("%s: %w", known.Address, err)
			}
		}
	}
	return nil
}

// selectsKnown reports whether the flags select a resource of a state.
func (e *export) selectsKnown(known stateResource) bool {
	kind, ok := kindOf(known.Type)
	if !ok {
		return len(e.Only)+len(e.Exclude) == 0
	}
	return e.selectsKind(kind) && e.selects(&object{kind: kind, label: unquote(known.Values[cmp.Or(kind.nameOf, "name")])})
}

// compareState finds the values of a resource that changed since its state was written.
func (e *export) compareState(ctx context.Context, known stateResource) error {
	state, err := json.Marshal(known.Values)
	if err != nil {
		return err
	}
	upgraded, err := e.Provider.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: known.Type, Version: known.Version, RawState: &tfprotov6.RawState{JSON: state}})
	if err != nil {
		return err
	}
	if err := errorOf(upgraded.Diagnostics); err != nil {
		return err
	}
	read, err := e.Provider.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: known.Type, CurrentState: upgraded.UpgradedState})
	if err != nil {
		return err
	}
	if err := errorOf(read.Diagnostics); err != nil {
		return err
	}
	return e.addChanged(known, upgraded.UpgradedState, read.NewState)
}

// addChanged adds the attributes of a resource that a configuration can set and that differ between two states.
func (e *export) addChanged(known stateResource, before, after *tfprotov6.DynamicValue) error {
	schema := e.schemas[known.Type]
	was, err := attributesOf(before, schema.ValueType())
	if err != nil {
		return err
	}
	is, err := attributesOf(after, schema.ValueType())
	if err != nil {
		return err
	}
	if len(is) == 0 {
		e.changed = append(e.changed, known.Address+": it was removed, archived or deactivated")
		return nil
	}
	o := &object{kind: &kind{resource: known.Type}}
	for _, attribute := range schema.Block.Attributes {
		name := attribute.Name
		if (attribute.Optional || attribute.Required) && !attribute.Sensitive && !attribute.WriteOnly && !was[name].IsNull() && !was[name].Equal(is[name]) {
			e.changed = append(e.changed, fmt.Sprintf("%s: %s was %s, and is %s", known.Address, name, o.plain(was[name]), o.plain(is[name])))
		}
	}
	return nil
}

// isSensitive reports whether the schema calls an attribute sensitive: a secret is in no file.
func (e *export) isSensitive(k *kind, attribute string) bool {
	schema, ok := e.schemas[k.resource]
	return ok && slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool {
		return a.Name == attribute && (a.Sensitive || a.WriteOnly)
	})
}

// listConfig is a list block with some arguments.
func (e *export) listConfig(k *kind, arguments map[string]string) (*tfprotov6.DynamicValue, error) {
	schema, ok := e.lists[k.resource]
	if !ok {
		return nil, errors.New("the provider cannot list it")
	}
	object, _ := schema.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, kind := range object.AttributeTypes {
		values[name] = tftypes.NewValue(kind, nil)
	}
	for name, value := range arguments {
		values[name] = tftypes.NewValue(tftypes.String, value)
	}
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	return &config, err
}

// selectsKind reports whether the flags select any object of a kind.
func (e *export) selectsKind(k *kind) bool {
	if slices.Contains(e.Exclude, k.word()) {
		e.matching[k.word()] = true
		return false
	}
	return e.comesAlong(k) || len(e.Only) == 0 || slices.ContainsFunc(e.Only, func(text string) bool {
		word, _, _ := strings.Cut(text, ":")
		return word == k.word()
	})
}

// selects reports whether the flags select an object.
func (e *export) selects(o *object) bool {
	matches := func(text string) bool {
		word, pattern, ok := strings.Cut(text, ":")
		return word == o.kind.word() && (!ok || core.NamePattern(pattern)(o.label))
	}
	isNamed, isExcluded := len(e.Only) == 0, false
	for _, text := range e.Only {
		if matches(text) {
			isNamed, e.matching[text] = true, true
		}
	}
	for _, text := range e.Exclude {
		if matches(text) {
			isExcluded, e.matching[text] = true, true
		}
	}
	if !isNamed && e.comesAlong(o.kind) {
		isNamed, o.isAlong = true, true
	}
	return isNamed && !isExcluded
}

// comesAlong reports whether the channels that --only selects include objects of a kind: their subscribers and
// folders.
func (e *export) comesAlong(k *kind) bool {
	return (k.resource == "zulip_channel_folder" || k.resource == "zulip_channel_subscribers") && slices.ContainsFunc(e.Only, func(text string) bool {
		word, _, _ := strings.Cut(text, ":")
		return word == "channel"
	})
}

// leaveOutOfOtherChannels leaves out objects that belong to none of the selected channels.
func (e *export) leaveOutOfOtherChannels() {
	wanted := map[string]bool{}
	for _, o := range e.objects {
		if o.kind.resource == "zulip_channel" {
			wanted["zulip_channel_subscribers "+o.id] = true
			wanted["zulip_channel_folder "+o.text("folder_id")] = true
		}
	}
	e.objects = slices.DeleteFunc(e.objects, func(o *object) bool { return o.isAlong && !wanted[o.kind.resource+" "+o.id] })
}

// warnOfNothing warns about filters that match nothing.
func (e *export) warnOfNothing() {
	warn := func(flag string, filters Selection) {
		for _, text := range filters {
			if e.matching[text] {
				continue
			}
			e.note("%s: nothing matches it.", inCode(flag+" "+text))
			if e.Warn != nil {
				e.Warn(fmt.Sprintf("%s %s matches nothing.", flag, visible(text)))
			}
		}
	}
	warn("--only", e.Only)
	warn("--exclude", e.Exclude)
}

// name gives every object its name and its file. The oldest comes first, so that the names do not depend on how the server
// sorts them.
func (e *export) name() {
	sorted := slices.Clone(e.objects)
	slices.SortStableFunc(sorted, func(a, b *object) int {
		first, _ := strconv.ParseInt(a.id, 10, 64)
		second, _ := strconv.ParseInt(b.id, 10, 64)
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(a.id, b.id))
	})
	for _, o := range sorted {
		o.name = e.names.resource(o.kind.resource, o.id, o.called(), o.kind.word())
		if o.kind.resource == "zulip_channel" {
			if id := o.text("folder_id"); id != "" && id != "0" {
				o.file = e.names.file("channels", "folder "+id, e.folderName(id))
			}
		}
	}
}

// called returns the text from which a resource gets its name.
func (o *object) called() string {
	switch {
	case o.kind.called != "":
		return o.kind.called
	case o.kind.nameOf == "user", o.kind.resource == "zulip_channel_subscribers":
		name, _, _ := strings.Cut(o.label, "@")
		return name
	case o.kind.nameOf == "pattern":
		return wordsOfPattern(o.label)
	}
	return o.text(cmp.Or(o.kind.nameOf, "name"))
}

// namedGroup matches a group of a pattern whose name is a variable of the template.
var namedGroup = regexp.MustCompile(`\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)`)

// wordsOfPattern returns the words of a pattern: its text, and the names of its groups.
func wordsOfPattern(pattern string) string { return namedGroup.ReplaceAllString(pattern, " $1 ") }

func errorOf(diags []*tfprotov6.Diagnostic) error {
	var all []error
	for _, diagnostic := range diags {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			all = append(all, errors.New(strings.TrimSpace(diagnostic.Summary+"\n"+diagnostic.Detail)))
		}
	}
	return errors.Join(all...)
}

func warningOf(diags []*tfprotov6.Diagnostic) string {
	for _, diagnostic := range diags {
		return diagnostic.Summary + ": " + diagnostic.Detail
	}
	return "it cannot be imported"
}
