package rules

import "testing"

func TestGroupsAndVariablesAreTheSame(t *testing.T) {
	for _, test := range []struct{ pattern, template, want string }{
		{`(?P<a>x)(?P<b>y)`, `https://example.com/{b}/{a}`, ""},
		{`(?<a>x)(y)`, `https://example.com{/a}`, ""},
		{`x`, `https://example.com/`, ""},
		{`(?P<a>x)`, `https://example.com/{a}/{a,b}`, "Group 'b' in URL template is not present in linkifier pattern."},
		{`(?P<a>x)(?P<c>z)(?P<b>y)`, `https://example.com/{a}`, "Group 'b' in linkifier pattern is not present in URL template."},
		{`(?P<a>x)`, `https://example.com/{b}`, "Group 'b' in URL template is not present in linkifier pattern."},
		{`(?P<a>x`, `https://example.com/{a}`, "Bad regular expression: missing ): (?P<a>x"},
		{`a)`, `https://example.com/`, "Bad regular expression: unexpected ): a)"},
		{`[a`, `https://example.com/`, "Bad regular expression: missing ]: [a"},
		{`*a`, `https://example.com/`, "Bad regular expression: no argument for repetition operator: *"},
		{`(?<=x)a`, `https://example.com/`, "Bad regular expression: invalid perl operator: (?<="},
		{`(?!x)a`, `https://example.com/`, "Bad regular expression: invalid perl operator: (?!"},
		{`x`, `https://example.com/{`, "Invalid URL template."},
	} {
		o, _ := founded(t)
		if _, err := o.CreateLinkifier(LinkifierChange{Pattern: test.pattern, URLTemplate: test.template}); said(err) != test.want {
			t.Errorf("%s → %s: %q, want %q", test.pattern, test.template, said(err), test.want)
		}
	}
}

func TestLinkifiersKeepTheirPlace(t *testing.T) {
	o, _ := founded(t)
	var ids []int
	for _, pattern := range []string{"a", "b", "c"} {
		l, err := o.CreateLinkifier(LinkifierChange{Pattern: pattern, URLTemplate: "https://example.com/" + pattern})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, l.ID)
	}
	if err := o.OrderLinkifiers([]int{ids[2], ids[0], ids[1]}); err != nil {
		t.Fatal(err)
	}
	if err := o.UpdateLinkifier(ids[2], LinkifierChange{Pattern: "cc", URLTemplate: "https://example.com/"}); err != nil {
		t.Fatal(err)
	}
	if err := o.DeleteLinkifier(ids[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := o.CreateLinkifier(LinkifierChange{Pattern: "d", URLTemplate: "https://example.com/"}); err != nil {
		t.Fatal(err)
	}
	var order string
	for _, l := range o.ListLinkifiers() {
		order += l.Pattern + " "
	}
	if order != "cc b d " {
		t.Errorf("order %q", order)
	}
}

func TestReverseTemplatesWantAnExample(t *testing.T) {
	o, _ := founded(t)
	c := LinkifierChange{Pattern: "#(?P<n>x)", URLTemplate: "https://example.com/{n}", ReverseTemplate: ptr("#{n}")}
	if _, err := o.CreateLinkifier(c); said(err) != "Reverse template requires an example input." {
		t.Errorf("without an example: %v", err)
	}
	c.ExampleInput = ptr("#x")
	l, err := o.CreateLinkifier(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.UpdateLinkifier(l.ID, LinkifierChange{Pattern: c.Pattern, URLTemplate: c.URLTemplate, ExampleInput: ptr("")}); err == nil {
		t.Error("the example went, and its reverse template stayed")
	}
}

func TestPlaygroundRules(t *testing.T) {
	o, _ := founded(t)
	for _, test := range []struct{ name, language, template, want string }{
		{"Play", "C++", "https://example.com/{code}", ""},
		{"Play", "C", "https://example.com/{?code}", ""},
		{"", "C", "https://example.com/{code}", "This field cannot be blank."},
		{"Play", "D", "https://example.com/{code}/{x}", `"code" should be the only variable present in the URL template`},
		{"Play", "D", "https://example.com/{x}", `Missing the required variable "code" in the URL template`},
		{"Play", "D", "https://example.com/{code", "Invalid URL template."},
		{" Play ", " C++ ", "https://example.com/{code}", "Realm playground with this Realm, Pygments language and Name already exists."},
	} {
		if _, err := o.AddPlayground(test.name, test.language, test.template); said(err) != test.want {
			t.Errorf("%+v: %q", test, said(err))
		}
	}
	o.changeRealm(func(r *Realm) { r.DefaultCodeBlockLanguage = "C++" })
	for id, p := range o.Playgrounds.rows {
		if p.Language == "C" {
			if err := o.DeletePlayground(id); err != nil || o.Settings().DefaultCodeBlockLanguage != "C++" {
				t.Errorf("deleting the playground of another language: %v", err)
			}
		}
	}
	for id := range o.Playgrounds.rows {
		if err := o.DeletePlayground(id); err != nil || o.Settings().DefaultCodeBlockLanguage != "" {
			t.Errorf("the default language of code blocks stays: %v", err)
		}
	}
}

func TestLastDomainEndsTheRestriction(t *testing.T) {
	o, people := founded(t)
	for _, name := range []string{"a.example", "B.Example "} {
		if _, err := o.AddDomain(name, name == "a.example"); err != nil {
			t.Fatal(err)
		}
	}
	o.changeRealm(func(r *Realm) { r.EmailsRestrictedToDomains = true })
	for email, want := range map[string]restriction{
		"x@a.example": allowed, "x@sub.a.example": allowed, "x@b.example": allowed,
		"x@sub.b.example": outsideDomains, "x@example.com": outsideDomains, "x+y@a.example": containsPlus,
	} {
		if got := o.emailRestriction(email); got != want {
			t.Errorf("%s: %v, want %v", email, got, want)
		}
	}
	if got := said(o.Invite(people[RoleMember], "x@example.com", true, NewInvite{Role: RoleMember})); got == "" {
		t.Error("somebody from outside was invited")
	}
	if err := o.DeleteDomain("a.example"); err != nil || !o.Settings().EmailsRestrictedToDomains {
		t.Errorf("the restriction ended with a domain left: %v", err)
	}
	if err := o.DeleteDomain("b.example"); err != nil || o.Settings().EmailsRestrictedToDomains {
		t.Errorf("the restriction outlived the last domain: %v", err)
	}
	for name, want := range map[string]string{
		" ":                "Domain can't be empty.",
		".a.com":           "Domain cannot start or end with a dot (.)",
		"a..com":           "Consecutive '.' are not allowed.",
		"-a.com":           "Subdomains cannot start or end with a '-'.",
		"a_b.com":          "Domain can only have letters, numbers, '.' and '-'s.",
		"localhost":        "Domain must have at least one dot (.)",
		"fine-2.a.example": "",
	} {
		_, err := o.AddDomain(name, false)
		if want != "" {
			want = "Invalid domain: " + want
		}
		if said(err) != want {
			t.Errorf("%q: %q, want %q", name, said(err), want)
		}
	}
}
