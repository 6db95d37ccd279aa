package sandbox

func addPlayground(r *request) (fields, error) {
	name := required(r, "name", text())
	language := required(r, "pygments_language", text())
	template := required(r, "url_template", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	p, err := r.org.AddPlayground(name, language, template)
	if err != nil {
		return nil, err
	}
	return fields{"id": p.ID}, nil
}

func deletePlayground(r *request) (fields, error) {
	return nil, r.org.DeletePlayground(r.id("playground_id"))
}

// registerPlaygrounds is the realm_playgrounds part of a snapshot, the only
// place where playgrounds can be read.
func registerPlaygrounds(r *request, _ registerOptions) fields {
	objects := []fields{}
	for _, p := range r.org.Playgrounds.All() {
		objects = append(objects, fields{
			"id": p.ID, "name": p.Name, "pygments_language": p.Language, "url_template": p.URLTemplate,
		})
	}
	return fields{"realm_playgrounds": objects}
}
