package sandbox

func (r *request) domainObjects() []fields {
	objects := []fields{}
	for _, d := range r.org.Domains.All() {
		objects = append(objects, fields{"domain": d.Domain, "allow_subdomains": d.AllowSubdomains})
	}
	return objects
}

func listDomains(r *request) (fields, error) {
	return fields{"domains": r.domainObjects()}, nil
}

func addDomain(r *request) (fields, error) {
	name := required(r, "domain", text())
	subdomains := required(r, "allow_subdomains", boolean)
	if err := r.checked(); err != nil {
		return nil, err
	}
	d, err := r.org.AddDomain(name, subdomains)
	if err != nil {
		return nil, err
	}
	return fields{"new_domain": []any{d.ID, d.Domain}}, nil
}

func updateDomain(r *request) (fields, error) {
	subdomains := required(r, "allow_subdomains", boolean)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateDomain(r.vars["domain"], subdomains)
}

func deleteDomain(r *request) (fields, error) {
	return nil, r.org.DeleteDomain(r.vars["domain"])
}

// registerDomains is the realm_domains part of a snapshot.
func registerDomains(r *request, _ registerOptions) fields {
	return fields{"realm_domains": r.domainObjects()}
}
