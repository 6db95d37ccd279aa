package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Managed says which resources manage the objects of an organization, by a state or a plan.
type Managed struct {
	byTarget map[string][]*managedResource
}

// managedResource is a resource of a state or of a plan, as its JSON form has it.
type managedResource struct {
	Address  string          `json:"address"`
	Mode     string          `json:"mode"`
	Type     string          `json:"type"`
	Provider string          `json:"provider_name"`
	Values   json.RawMessage `json:"values"`

	object string // what the object is called, if it has a name
}

// target is an object that a resource can manage: the type of the resource, its ID there, and the object's name, if it has one.
type target struct{ resource, id, name string }

func (t target) key() string { return t.resource + " " + strings.ToLower(t.id) } // an ID is a number or an email

func channelTarget(channel *zulip.Channel) target {
	return target{"zulip_channel", fmt.Sprint(channel.ID), channel.Name}
}

func groupTarget(group *zulip.UserGroup) target {
	return target{"zulip_user_group", fmt.Sprint(group.ID), group.Name}
}

func botTarget(bot *zulip.User) target { return target{"zulip_bot", fmt.Sprint(bot.ID), ""} }

// organizationTarget has the ID that the resource has in every state.
var organizationTarget = target{"zulip_organization", "organization", ""}

// managedModule is a module of a state or of a plan.
type managedModule struct {
	Resources []*managedResource `json:"resources"`
	Children  []*managedModule   `json:"child_modules"`
}

// managedValues are the values of a state, or the planned values.
type managedValues struct {
	Root managedModule `json:"root_module"`
}

const showJSON = "`terraform show -json`, or `tofu show -json`, of a state or of a plan"

// ReadManaged reads the output of `terraform show -json` for a state or a plan. For a plan it takes the values after
// the apply.
func ReadManaged(data []byte) (*Managed, error) {
	var parts map[string]json.RawMessage
	var document struct {
		FormatVersion string         `json:"format_version"`
		Values        *managedValues `json:"values"`
		Planned       *managedValues `json:"planned_values"`
	}
	if err := errors.Join(json.Unmarshal(data, &parts), json.Unmarshal(data, &document)); err != nil {
		return nil, fmt.Errorf("it isn't the JSON of a state or plan: write it with %s", showJSON)
	}
	switch _, isStored := parts["lineage"]; {
	case isStored:
		return nil, fmt.Errorf("it is a stored state, which only Terraform can read: write the file with %s", showJSON)
	case document.FormatVersion != "" && !strings.HasPrefix(document.FormatVersion, "1."):
		return nil, fmt.Errorf("it has format version %q; an audit reads 1.x", document.FormatVersion)
	case document.Planned != nil:
		return newManaged(document.Planned), nil
	case document.Values != nil:
		return newManaged(document.Values), nil
	case document.FormatVersion == "" || parts["site"] != nil:
		return nil, fmt.Errorf("it is neither a state nor a plan: write it with %s", showJSON)
	}
	return newManaged(&managedValues{}), nil // an empty state has no values
}

func newManaged(values *managedValues) *Managed {
	managed := &Managed{byTarget: map[string][]*managedResource{}}
	managed.add(&values.Root)
	return managed
}

// identifiers are the attributes by which resources name their objects, where that is not id.
var identifiers = map[string]string{
	"zulip_channel_subscribers": "channel_id", "zulip_channel_subscription": "channel_id",
	"zulip_user_group_membership": "group_id", "zulip_user_role": "user_id",
}

func (m *Managed) add(module *managedModule) {
	for _, resource := range module.Resources {
		if resource == nil || resource.Mode != "managed" || !strings.HasSuffix(resource.Provider, "/zulip") {
			continue
		}
		var values map[string]json.RawMessage
		if json.Unmarshal(resource.Values, &values) != nil {
			continue
		}
		id := strings.Trim(string(values[cmp.Or(identifiers[resource.Type], "id")]), `"`)
		if id == "" || id == "null" {
			continue // it does not exist yet
		}
		_ = json.Unmarshal(values["name"], &resource.object) // many have none
		key := target{resource: resource.Type, id: id}.key()
		m.byTarget[key] = append(m.byTarget[key], resource)
	}
	for _, child := range module.Children {
		if child != nil {
			m.add(child)
		}
	}
}

// all returns the resources that manage an object. Several resources of one type can list people of the same channel.
//
// A state can also have resources of several organizations, in which other objects have the same ID. The name then
// decides, if there is one.
func (m *Managed) all(wanted target) []*managedResource {
	if m == nil {
		return nil
	}
	all := m.byTarget[wanted.key()]
	if len(all) > 1 {
		if named := slices.DeleteFunc(slices.Clone(all), func(resource *managedResource) bool { return resource.object != wanted.name }); len(named) > 0 {
			return named
		}
	}
	return all
}

// addresses returns the addresses of the resources that manage some objects.
func (m *Managed) addresses(of ...target) (addresses []string) {
	for _, one := range of {
		for _, resource := range m.all(one) {
			addresses = append(addresses, resource.Address)
		}
	}
	return addresses
}

// lists returns the addresses of the resources that manage something and list an account, by email or ID.
func (m *Managed) lists(of target, user *zulip.User) (addresses []string) {
	for _, resource := range m.all(of) {
		var values struct {
			Users []string `json:"users"`
		}
		if json.Unmarshal(resource.Values, &values) == nil && slices.ContainsFunc(values.Users, func(text string) bool {
			text = strings.TrimPrefix(strings.TrimPrefix(text, "user:"), "user_id:")
			return strings.EqualFold(text, user.Address()) || text == fmt.Sprint(user.ID)
		}) {
			addresses = append(addresses, resource.Address)
		}
	}
	return addresses
}
