package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Matched describes the resources that a plan creates although they exist.
type Matched struct {
	// Imports and Moves are the numbers of blocks that were written.
	Imports, Moves int
	// Left are the resources that are still created, each with the reason, by address.
	Left []string
	// IsIncomplete is true if the plan ended with errors, so that it lacks resources.
	IsIncomplete bool
}

// Match writes blocks into imports.tf of a folder: import blocks for existing objects that a plan creates, and moved
// blocks for those that it also destroys. text is the output of terraform show -json of the plan.
//
// An object is only found by its identity on the server, such as the name of a channel.
func Match(ctx context.Context, from Source, text []byte, folder string) (*Matched, error) {
	plan, err := readPlan(text)
	if err != nil {
		return nil, err
	}
	if err := checkAccount(from.Store.Self()); err != nil {
		return nil, err
	}
	m := &matcher{
		export: &export{Source: from, Options: Options{AllPeople: true, Subscribers: true}, isMatching: true, people: map[int64]*person{}},
		plan:   plan, found: map[string]*object{}, gone: map[string]string{}, kept: map[string]string{}, holders: map[*object][]string{}, left: map[string]string{},
	}
	if err := m.match(ctx); err != nil {
		return nil, err
	}
	return m.write(folder)
}

// changePlan is the part of a plan that is read.
type changePlan struct {
	FormatVersion string          `json:"format_version"`
	Errored       bool            `json:"errored"`
	Changes       []plannedObject `json:"resource_changes"`
	Configuration struct {
		Root moduleConfiguration `json:"root_module"`
	} `json:"configuration"`
}

// plannedObject is the change of one resource in a plan.
type plannedObject struct {
	Address string `json:"address"`
	Module  string `json:"module_address"`
	Mode    string `json:"mode"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Change  struct {
		Actions []string                   `json:"actions"`
		Before  map[string]json.RawMessage `json:"before"`
		After   map[string]json.RawMessage `json:"after"`
	} `json:"change"`
}

// moduleConfiguration is the part of a module's configuration that is read.
type moduleConfiguration struct {
	Resources []struct {
		Address     string                     `json:"address"`
		Provider    string                     `json:"provider_config_key"`
		Expressions map[string]json.RawMessage `json:"expressions"`
	} `json:"resources"`
	Calls map[string]struct {
		Module moduleConfiguration `json:"module"`
	} `json:"module_calls"`
}

// readPlan reads a plan, and refuses other files, and plans of several organizations.
func readPlan(text []byte) (*changePlan, error) {
	var p changePlan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("the plan isn't the output of terraform show -json PLAN: %w", err)
	}
	if p.FormatVersion == "" || p.Changes == nil {
		return nil, errors.New("the plan isn't the output of terraform show -json PLAN: it has no resource_changes")
	}
	providers := map[string]bool{}
	for i := range p.Changes {
		if one := &p.Changes[i]; one.isCreated() {
			if _, provider := p.configured(one); provider != "" {
				providers[provider] = true
			}
		}
	}
	if len(providers) > 1 {
		return nil, fmt.Errorf("the plan creates resources with %d provider configurations, and an export reads one organization. Plan the resources of one with -target", len(providers))
	}
	return &p, nil
}

func (o *plannedObject) isCreated() bool {
	return o.Mode == "managed" && strings.HasPrefix(o.Type, "zulip_") && slices.Equal(o.Change.Actions, []string{"create"})
}

// index matches the brackets in an address.
var index = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]|\[\d+\]`)

// configured returns the expressions of a resource in the configuration, and its provider configuration.
func (p *changePlan) configured(o *plannedObject) (expressions map[string]json.RawMessage, provider string) {
	at := p.Configuration.Root
	for name := range strings.SplitSeq(index.ReplaceAllString(o.Module, ""), ".") {
		if name != "module" && name != "" {
			at = at.Calls[name].Module
		}
	}
	for _, one := range at.Resources {
		if one.Address == o.Type+"."+o.Name {
			return one.Expressions, one.Provider
		}
	}
	return nil, ""
}

// refersTo returns the address of the one resource whose ID is the value of an attribute. It returns "" for any other
// value, or if the resource has several instances.
func (p *changePlan) refersTo(o *plannedObject, attribute string) string {
	expressions, _ := p.configured(o)
	var expression struct {
		References []string `json:"references"`
	}
	if json.Unmarshal(expressions[attribute], &expression) != nil || len(expression.References) != 2 {
		return ""
	}
	whole, resource := expression.References[0], expression.References[1]
	if whole != resource+".id" && whole != resource+".user_id" {
		return ""
	}
	if o.Module != "" {
		resource = o.Module + "." + resource
	}
	return resource
}

// matcher finds the objects of the organization that a plan creates.
type matcher struct {
	*export
	plan *changePlan
	// found are the objects by the addresses of the resources that create them, and holders the addresses by the
	// objects.
	found   map[string]*object
	holders map[*object][]string
	// gone are the addresses of destroyed objects, by type and ID, and kept the addresses that stay in the state.
	gone, kept map[string]string
	// left are the reasons why a resource is not imported, by address.
	left map[string]string
}

func (m *matcher) match(ctx context.Context) error {
	if err := m.readSchemas(ctx); err != nil {
		return err
	}
	var err error
	if m.snapshot, err = m.Store.Read(ctx, store.Channels, store.Organization, store.Users, store.Bots, store.Folders); err != nil {
		return fmt.Errorf("cannot read the organization: %w", err)
	}
	m.realm = m.snapshot.Realm()
	for i := range m.plan.Changes {
		one := &m.plan.Changes[i]
		kind, ok := kindOf(one.Type)
		switch {
		case ok && slices.Equal(one.Change.Actions, []string{"delete"}):
			m.gone[one.Type+" "+m.identity(kind, one)] = one.Address
		case ok && one.Change.Before != nil:
			m.kept[one.Type+" "+m.identity(kind, one)] = one.Address
		case one.Mode == "managed" && !ok && one.Change.Before != nil:
			m.addUnlisted(one)
		}
	}
	for _, kind := range kinds {
		if err := m.matchKind(ctx, kind); err != nil {
			return fmt.Errorf("%s: %w", kind.resource, err)
		}
	}
	if err := m.matchUnlisted(ctx); err != nil {
		return err
	}
	for o, addresses := range m.holders {
		for _, address := range addresses {
			if len(addresses) > 1 {
				delete(m.found, address)
				m.left[address] = fmt.Sprintf("several resources create %s: %s", visible(o.label), strings.Join(addresses, ", "))
			}
		}
	}
	return nil
}

// identity returns the identity of an object that is destroyed.
func (m *matcher) identity(k *kind, one *plannedObject) string {
	if k.id != "" {
		return k.id
	}
	return unquote(one.Change.Before[k.identityAttribute()])
}

// matchKind finds the planned objects of one kind.
func (m *matcher) matchKind(ctx context.Context, k *kind) error {
	var created []*plannedObject
	for i := range m.plan.Changes {
		if one := &m.plan.Changes[i]; one.Type == k.resource && one.isCreated() {
			created = append(created, one)
		}
	}
	if len(created) == 0 {
		return nil
	}
	m.objects = nil
	switch {
	case k.id != "":
		m.objects = []*object{{kind: k, id: k.id, importID: k.id, label: k.called}}
	case k.ids != nil:
		for _, id := range k.ids(m.export) {
			if err := m.readOnly(ctx, k, id); err != nil {
				return err
			}
		}
	case k.isUnnamed || k.isHidden != nil && k.isHidden(m.Store.Self()):
		for _, one := range created {
			m.left[one.Address] = "an object of this type has no name, or isn't visible to the account. If it exists, import it by ID"
		}
		return nil
	default:
		if err := m.list(ctx, k, nil, 0); err != nil {
			return err
		}
	}
	for _, one := range created {
		m.matchOne(k, one)
	}
	return nil
}

// matchOne finds one planned object.
func (m *matcher) matchOne(k *kind, one *plannedObject) {
	candidates, described := m.objects, ""
	for _, attribute := range k.matchedBy() {
		value, why := m.value(k, one, attribute)
		if why != "" {
			m.left[one.Address] = why
			return
		}
		described += " " + attribute + " " + visible(value)
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(o *object) bool { return !k.isSameText(o.text(attribute), value) })
	}
	switch len(candidates) {
	case 0:
		m.left[one.Address] = fmt.Sprintf("the organization has no %s with the%s", strings.ReplaceAll(k.word(), "_", " "), described) + m.ended(k, one)
	case 1:
		if holder, ok := m.kept[one.Type+" "+candidates[0].id]; ok {
			m.left[one.Address] = "it is already managed by " + holder
			return
		}
		o := *candidates[0]
		if k.hasFile() {
			o.importID = o.fileOwner() + "=" + unquote(one.Change.After["file"])
		}
		if onDestroy := unquote(one.Change.After["on_destroy"]); k.resource == "zulip_user_role" && onDestroy != "" && onDestroy != "null" {
			o.importID += "=" + onDestroy
		}
		m.found[one.Address] = &o
		m.holders[candidates[0]] = append(m.holders[candidates[0]], one.Address)
	default:
		var ids []string
		for _, o := range candidates {
			ids = append(ids, o.id)
		}
		m.left[one.Address] = fmt.Sprintf("several objects have the%s: import the right one by ID (%s)", described, strings.Join(ids, ", "))
	}
}

// matchedBy are the attributes that identify an object of a kind on the server.
func (k *kind) matchedBy() []string {
	switch {
	case k.id != "":
		return nil
	case len(k.matches) == 0:
		return []string{"name"}
	}
	return k.matches
}

// isSameText reports whether two names are the same for the server.
func (k *kind) isSameText(a, b string) bool {
	a, b = norm.NFC.String(a), norm.NFC.String(b)
	return a == b || k.ignoresCase && zulip.FoldName(a) == zulip.FoldName(b)
}

// value returns the planned value of an attribute, or the reason why an ID in it is not known.
func (m *matcher) value(k *kind, one *plannedObject, attribute string) (value, why string) {
	if raw := one.Change.After[attribute]; string(raw) != "null" && unquote(raw) != "" { // a channel may be called "null"
		return unquote(raw), ""
	}
	if k.resource != "zulip_channel_subscribers" && k.resource != "zulip_user_role" {
		return "", "the plan doesn't know its " + attribute + " yet. If it exists, import it by ID"
	}
	named := strings.TrimSuffix(attribute, "_id")
	if to, ok := m.found[m.plan.refersTo(one, named)]; ok {
		return to.id, ""
	}
	return "", fmt.Sprintf("the plan doesn't know its %s yet. Plan again with these imports, then run the command again", named)
}

// matchTitle is the comment at the head of imports.tf for a plan.
const matchTitle = "The objects of a plan's resources on the server. Remove this file after the next apply: plans fail while it has a block\nwhose resource was removed, renamed or moved."

// write adds the blocks to imports.tf.
func (m *matcher) write(folder string) (*Matched, error) {
	matched := &Matched{IsIncomplete: m.plan.Errored}
	for address, why := range m.left {
		matched.Left = append(matched.Left, address+": "+why)
	}
	slices.Sort(matched.Left)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot use the folder of the configuration: %w", err)
	}
	defer root.Close() //nolint:errcheck // everything was written
	const name = "imports.tf"
	content, err := root.ReadFile(name)
	var title bytes.Buffer
	writeBlock(&title, func(block *hclwrite.Body) { comment(block, matchTitle) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		content = title.Bytes()
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", filepath.Join(folder, name), err)
	case !bytes.HasPrefix(content, title.Bytes()):
		return nil, fmt.Errorf("%s exists and wasn't written by export --for. Nothing was changed. Move it away", filepath.Join(folder, name))
	}
	file := bytes.NewBuffer(slices.Clone(content))
	for i := range m.plan.Changes {
		one := &m.plan.Changes[i]
		o, ok := m.found[one.Address]
		if !ok {
			continue
		}
		to, problems := hclsyntax.ParseTraversalAbs([]byte(one.Address), "", hcl.InitialPos)
		if problems.HasErrors() {
			return nil, fmt.Errorf("the plan has the address %q: %w", one.Address, problems)
		}
		if bytes.Contains(content, append(slices.Concat([]byte("= "), hclwrite.TokensForTraversal(to).Bytes()), '\n')) {
			continue // an earlier plan was matched
		}
		file.WriteString("\n")
		if before, ok := m.gone[one.Type+" "+o.id]; ok {
			from, problems := hclsyntax.ParseTraversalAbs([]byte(before), "", hcl.InitialPos)
			if problems.HasErrors() {
				return nil, fmt.Errorf("the plan has the address %q: %w", before, problems)
			}
			matched.Moves++
			writeBlock(file, func(body *hclwrite.Body) {
				block := body.AppendNewBlock("moved", nil).Body()
				block.SetAttributeTraversal("from", from)
				block.SetAttributeTraversal("to", to)
			})
			continue
		}
		matched.Imports++
		writeBlock(file, func(body *hclwrite.Body) {
			block := body.AppendNewBlock("import", nil).Body()
			block.SetAttributeTraversal("to", to)
			block.SetAttributeValue("id", cty.StringVal(o.importID))
		})
	}
	if matched.Imports+matched.Moves == 0 {
		return matched, nil
	}
	beside := temporaryName()
	if err := root.WriteFile(beside, file.Bytes(), 0o600); err != nil {
		return nil, fmt.Errorf("cannot write into the folder: %w", err)
	}
	if err := root.Rename(beside, name); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot create %s: %w", name, err), root.Remove(beside))
	}
	return matched, nil
}

// Print writes a summary of the matches for users.
func (r *Matched) Print(w io.Writer, folder string) {
	if r.Imports+r.Moves == 0 {
		_, _ = fmt.Fprintln(w, "Nothing that the plan creates was found in the organization. Nothing was written.")
	} else {
		_, _ = fmt.Fprintf(w, "Wrote %s and %s into %s.\n", counted(r.Imports, "import"), counted(r.Moves, "move"), filepath.Join(folder, "imports.tf"))
	}
	if len(r.Left) > 0 {
		_, _ = fmt.Fprintf(w, "Not imported:\n  %s\n", strings.Join(r.Left, "\n  "))
	}
	if r.IsIncomplete {
		_, _ = fmt.Fprintln(w, "The plan ended with errors and lacks resources. Plan with ZULIP_WARN_OF_EXISTING=true, or fix the other errors first.")
	}
}
