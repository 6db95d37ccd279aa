package rules

import (
	"regexp"
	"strings"
)

// Domain is one whose addresses may join (server-behavior §L11).
type Domain struct {
	ID              int    `json:"id"`
	Domain          string `json:"domain"`
	AllowSubdomains bool   `json:"allow_subdomains"`
}

const maxDomain = 255

var domainLabel = regexp.MustCompile(`^[a-z0-9-]*$`)

// AddDomain adds a domain, written in any case.
func (o *Organization) AddDomain(name string, subdomains bool) (Domain, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if problem := domainProblem(name); problem != "" {
		return Domain{}, Refuse("Invalid domain: %s", problem)
	}
	if _, err := o.domain(name); err == nil {
		return Domain{}, Refuse("The domain %s is already a part of your organization.", name)
	}
	d := Domain{ID: o.Domains.NextID(), Domain: name, AllowSubdomains: subdomains}
	o.Domains.Put(d.ID, d)
	return d, nil
}

// UpdateDomain sets whether the domain's subdomains count too.
func (o *Organization) UpdateDomain(name string, subdomains bool) error {
	d, err := o.domain(name)
	if err != nil {
		return err
	}
	d.AllowSubdomains = subdomains
	o.Domains.Put(d.ID, d)
	return nil
}

// DeleteDomain removes a domain. Without the last one nobody could join any
// more, so that the restriction to domains ends.
func (o *Organization) DeleteDomain(name string) error {
	d, err := o.domain(name)
	if err != nil {
		return err
	}
	o.Domains.Delete(d.ID)
	if o.Domains.Len() == 0 && o.Settings().EmailsRestrictedToDomains {
		o.changeRealm(func(r *Realm) { r.EmailsRestrictedToDomains = false })
	}
	return nil
}

func (o *Organization) domain(name string) (Domain, error) {
	for _, d := range o.Domains.All() {
		if d.Domain == name {
			return d, nil
		}
	}
	return Domain{}, Refuse("No entry found for domain %s.", name)
}

func domainProblem(name string) string {
	switch {
	case name == "":
		return "Domain can't be empty."
	case !strings.Contains(name, "."):
		return "Domain must have at least one dot (.)"
	case len(name) > maxDomain:
		return "Domain is too long"
	case name[0] == '.' || name[len(name)-1] == '.':
		return "Domain cannot start or end with a dot (.)"
	}
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return "Consecutive '.' are not allowed."
		case label[0] == '-' || label[len(label)-1] == '-':
			return "Subdomains cannot start or end with a '-'."
		case !domainLabel.MatchString(label):
			return "Domain can only have letters, numbers, '.' and '-'s."
		}
	}
	return ""
}

// A restriction is why an address may not join.
type restriction int

const (
	allowed restriction = iota
	outsideDomains
	disposable
	containsPlus
)

// disposableDomains are some of the providers of throw-away addresses.
var disposableDomains = map[string]bool{
	"mailinator.com": true, "mailnator.com": true, "guerrillamail.com": true, "10minutemail.com": true,
	"yopmail.com": true, "trashmail.com": true, "temp-mail.org": true, "sharklasers.com": true,
}

// emailRestriction reports whether the organization lets an address join.
func (o *Organization) emailRestriction(email string) restriction {
	local, domain, _ := cutLast(strings.ToLower(email), "@")
	realm := o.Settings()
	if !realm.EmailsRestrictedToDomains {
		if realm.DisallowDisposableEmailAddresses && disposableDomains[domain] {
			return disposable
		}
		return allowed
	}
	if strings.Contains(local, "+") {
		return containsPlus
	}
	for _, d := range o.Domains.All() {
		if domain == d.Domain || d.AllowSubdomains && strings.HasSuffix(domain, "."+d.Domain) {
			return allowed
		}
	}
	return outsideDomains
}
