package sandbox

func (r *request) linkifierObjects() []fields {
	objects := []fields{}
	for _, l := range r.org.ListLinkifiers() {
		objects = append(objects, fields{"id": l.ID, "pattern": l.Pattern, "url_template": l.URLTemplate})
	}
	return objects
}

func listLinkifiers(r *request) (fields, error) {
	return fields{"linkifiers": r.linkifierObjects()}, nil
}

func createLinkifier(r *request) (fields, error) {
	pattern := required(r, "pattern", text())
	template := required(r, "url_template", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	l, err := r.org.CreateLinkifier(pattern, template)
	if err != nil {
		return nil, err
	}
	return fields{"id": l.ID}, nil
}

func updateLinkifier(r *request) (fields, error) {
	pattern := required(r, "pattern", text())
	template := required(r, "url_template", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateLinkifier(r.id("filter_id"), pattern, template)
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
