package sandbox

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func (r *request) linkifierObjects() []fields {
	objects := []fields{}
	for _, l := range r.org.ListLinkifiers() {
		object := fields{"id": l.ID, "pattern": l.Pattern, "url_template": l.URLTemplate}
		r.add(object, featurelevel.Since("zulip_linkifier", "example_input"), "example_input", orNil(l.ExampleInput))
		r.add(object, featurelevel.Since("zulip_linkifier", "example_input"), "reverse_template", orNil(l.ReverseTemplate))
		r.add(object, featurelevel.Since("zulip_linkifier", "alternative_url_templates"), "alternative_url_templates", append([]string{}, l.AlternativeURLTemplates...))
		objects = append(objects, object)
	}
	return objects
}

// linkifierChange reads what is asked of a linkifier.
func (r *request) linkifierChange() (rules.LinkifierChange, error) {
	change := rules.LinkifierChange{
		Pattern:                 required(r, "pattern", text()),
		URLTemplate:             required(r, "url_template", text()),
		ExampleInput:            optional(r.since(featurelevel.Since("zulip_linkifier", "example_input")), "example_input", text()),
		ReverseTemplate:         optional(r.since(featurelevel.Since("zulip_linkifier", "example_input")), "reverse_template", text()),
		AlternativeURLTemplates: optional(r.since(featurelevel.Since("zulip_linkifier", "alternative_url_templates")), "alternative_url_templates", jsonOf(listOf(parseString))),
	}
	return change, r.checked()
}

func listLinkifiers(r *request) (fields, error) {
	return fields{"linkifiers": r.linkifierObjects()}, nil
}

func createLinkifier(r *request) (fields, error) {
	change, err := r.linkifierChange()
	if err != nil {
		return nil, err
	}
	l, err := r.org.CreateLinkifier(change)
	if err != nil {
		return nil, err
	}
	return fields{"id": l.ID}, nil
}

func updateLinkifier(r *request) (fields, error) {
	change, err := r.linkifierChange()
	if err != nil {
		return nil, err
	}
	return nil, r.org.UpdateLinkifier(r.id("filter_id"), change)
}

func deleteLinkifier(r *request) (fields, error) {
	return nil, r.org.DeleteLinkifier(r.id("filter_id"))
}

func orderLinkifiers(r *request) (fields, error) {
	order := required(r, "ordered_linkifier_ids", integers)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.OrderLinkifiers(order)
}

// registerLinkifiers is the realm_linkifiers part of a snapshot: for whoever
// can take templates.
func registerLinkifiers(r *request, options registerOptions) fields {
	objects := []fields{}
	if options.capabilities["linkifier_url_template"] {
		objects = r.linkifierObjects()
	}
	return fields{"realm_linkifiers": objects}
}
