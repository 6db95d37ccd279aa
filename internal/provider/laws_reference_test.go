package provider_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// nameless is a name that no object has.
const nameless = "no-such-thing@example.invalid"

// kindsOf are the kinds of objects, by the words of the error about one that does not exist.
var kindsOf = []struct {
	says *regexp.Regexp
	kind string
}{
	{regexp.MustCompile(`(?i)profile field`), "field"}, {regexp.MustCompile(`(?i)folder`), "folder"}, {regexp.MustCompile(`(?i)channel`), "channel"},
	{regexp.MustCompile(`(?i)user group`), "group"}, {regexp.MustCompile(`(?i)user|bot|people|person|email`), "person"},
}

// referenced gives each kind an object that can be created, renamed and destroyed. end is the request, with the ID, that
// archives or deactivates it, and adopt the attribute that takes it back.
var referenced = map[string]struct {
	of, at, name string
	config       values
	end, adopt   string
}{
	"channel": {"zulip_channel", "name", newsroom, values{"name": newsroom, "initial_subscribers": []any{self}}, "DELETE /streams/%v", "adopt_archived"},
	"group":   {"zulip_user_group", "name", press, values{"name": press}, "POST /user_groups/%v/deactivate", "adopt_deactivated"},
	"person":  {"zulip_user", "email", nadia, values{"email": nadia, "full_name": "Nadia Haddad"}, "DELETE /users/%v", "adopt_deactivated"},
	"folder":  {"zulip_channel_folder", "name", "Third", values{"name": "Third"}, "", ""},
	"field":   {"zulip_custom_profile_field", "name", "Office", values{"name": "Office", "field_type": "short_text"}, "", ""},
}

// The names of objects that do not exist before the run.
const (
	newsroom = "newsroom"
	press    = "press"
	nadia    = "nadia.haddad@example.com"
)

// These people exist: a member, and the owner, whose account the provider uses.
const (
	someone = "lena.fischer@example.com"
	self    = "ines.moreau@example.com"
)

// namingIn returns the value of an attribute that names an object by a name; nil if the attribute can't.
func namingIn(s laws.Subject, sample any, name string) any {
	switch sample := sample.(type) {
	case string:
		if filepath.IsAbs(sample) {
			return nil // the path of a file
		}
		return name
	case []any:
		switch {
		case len(sample) > 0 && s.Element().Is(tftypes.String) && s.IsPermission() && !strings.Contains(name, "@"):
			return []any{"group:" + name, "user:" + self}
		case len(sample) > 0 && s.Element().Is(tftypes.String) && s.IsPermission():
			return []any{"user:" + name, "user:" + self}
		case len(sample) > 0 && s.Element().Is(tftypes.String):
			return append(slices.Clone(sample), name)
		}
	case values:
		return values{name: "x"}
	}
	return nil
}

// refersTo returns the kinds of the objects that an attribute names: a plan with one that does not exist says so.
func refersTo(c *laws.Case, s laws.Subject) (kinds []string) {
	c.Helper()
	stage := stageOf(c, s)
	for _, name := range []string{nameless, "no-such-thing"} {
		value := namingIn(s, stage.Value(), name)
		if value == nil {
			return nil
		}
		for _, one := range saidAbout(c, stage, stage.With(value)) {
			if one.Attribute != s.Path[0] || !strings.Contains(one.Summary+one.Detail, "no-such-thing") || !absent.MatchString(one.String()) {
				continue
			}
			for _, kind := range kindsOf {
				if kind.says.MatchString(one.Summary) || kind.says.MatchString(one.Detail) {
					kinds = append(kinds, kind.kind)
					break
				}
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// saidAbout plans a resource, or uses another block.
func saidAbout(c *laws.Case, stage laws.Stage, config values) (diags acctest.Diagnostics) {
	c.Helper()
	if !laws.Resources(stage.Subject) {
		out := stage.Try(c, config)
		return slices.Concat(out.Refusal, out.Failure)
	}
	run := stage.Trial(c)
	run.Watch(func() { _, diags = run.Plan(config) })
	return diags
}

// mayName reports whether an attribute of a resource can name objects: a text, or a list of texts.
func mayName(s laws.Subject) bool {
	return laws.Resources(s) && hasTexts(s)
}

func hasTexts(s laws.Subject) bool {
	return s.IsText() || s.Element() != nil && s.Element().Is(tftypes.String)
}

// mayUse reports whether an attribute of a block that is used once can name objects.
func mayUse(s laws.Subject) bool {
	return slices.Contains([]acctest.BlockKind{acctest.DataBlock, acctest.ActionBlock, acctest.EphemeralBlock}, s.Kind) && hasTexts(s)
}

// absent matches messages about an object that does not exist.
var absent = regexp.MustCompile(`(?i)not in the organization|no such|does not exist|doesn't exist|there is no|has no|sees no`)

// fates are what the same plan does to an object that an attribute names.
var fates = []string{"created", "taken back", "renamed", "renamed, with another change", "renamed, with another change, without a refresh", "renamed and left, object first", "renamed and left, object last", "renamed away", "destroyed, object first", "destroyed, object last", "deactivated, object first", "deactivated, object last", "made a guest, object first", "made a guest, object last", "made private, object first", "made private, object last"}

// turns are changes of an object of one kind that can matter to what names it.
var turns = map[string]struct {
	of, at string
	to     any
}{
	"deactivated": {"person", "active", false}, "made a guest": {"person", "role", "guest"}, "made private": {"channel", "privacy", "private_shared_history"},
}

func TestLawReference(t *testing.T) {
	l := laws.Law{Name: "reference", Sentence: "a plan that creates, changes or destroys an object, and names it elsewhere, says that it can't be applied, or it is applied", Every: 18}
	laws.Hold(t, l, laws.Subjects(t, mayName), func(c *laws.Case, s laws.Subject) {
		for _, fate := range fates {
			c.Try(fate, func() {
				for _, kind := range refersTo(c, s) {
					if wrong, details := tryFate(c, s, kind, fate); wrong != "" {
						c.Broken(kind+": "+wrong, details)
					}
				}
			})
		}
	})
}

// tryFate plans and applies a change of an object together with a resource that names it.
func tryFate(c *laws.Case, s laws.Subject, kind, fate string) (wrong string, details any) {
	c.Helper()
	stage, object := stageOf(c, s), referenced[kind]
	one, run := laws.NewTrial(c, stage.Organization, object.of), stage.Trial(c)
	named, after := object.name, object.config
	former := "former"
	if kind == "person" {
		former = "former@example.com"
	}
	var start values
	switch fate {
	case "taken back":
		if object.end == "" {
			return "", nil
		}
		if out := one.Try(object.config); !out.Applied() {
			return "not tried: its start fails", out
		}
		method, path, _ := strings.Cut(object.end, " ")
		stage.Call(c.T, method, fmt.Sprintf(path, one.State.Values["id"]), nil)
		one, after = laws.NewTrial(c, stage.Organization, object.of), and(object.config, object.adopt, true)
	case "renamed", "renamed, with another change", "renamed, with another change, without a refresh", "renamed and left, object first", "renamed and left, object last":
		start = and(object.config, object.at, former)
	case "renamed away":
		start, named = and(object.config, object.at, former), former
	case "destroyed, object first", "destroyed, object last":
		start, after = object.config, nil
	default:
		how, _, _ := strings.Cut(fate, ", object")
		turn, turns := turns[how]
		if turns && turn.of != kind {
			return "", nil
		} else if turns {
			start, after = object.config, and(object.config, turn.at, turn.to)
		}
	}
	config := stage.With(namingIn(s, stage.Value(), named))
	if start != nil {
		if out := one.Try(start); !out.Applied() {
			return "not tried: its start fails", out
		}
	}
	isLeft := strings.Contains(fate, "and left") // the resource names something else
	if isLeft || strings.Contains(fate, "another change") {
		if !run.Try(stage.With(namingIn(s, stage.Value(), former))).Applied() {
			return "", nil // the attribute cannot name such an object
		}
		if list, ok := stage.Value().([]any); isLeft {
			config = stage.With(stage.Value())
		} else if ok && len(list) > 1 {
			config = stage.With(namingIn(s, list[:1], named))
		}
		for name, value := range stage.Update {
			if name != s.Path[0] && !isLeft {
				config = and(config, name, value)
			}
		}
	}
	var said, failure acctest.Diagnostics
	breach := run.Watch(func() {
		p := run.Process()
		if one.State != nil {
			_, said = p.Read(object.of, one.State)
		}
		first, diags := p.Plan(object.of, one.State, after)
		said = append(said, append(diags, p.Validate(s.Of, config)...)...)
		prior := run.State
		if prior != nil && !strings.Contains(fate, "without") {
			prior, diags = p.Read(s.Of, prior)
			said = append(said, diags...)
		}
		second, diags := p.Plan(s.Of, prior, config)
		if said = append(said, diags...); len(said.Errors()) > 0 || isLeft && len(second.Replace) > 0 {
			return
		}
		p = run.Process()
		apply := []func() acctest.Diagnostics{
			func() acctest.Diagnostics { return one.ApplyIn(p, first) }, func() acctest.Diagnostics { return run.ApplyIn(p, second) },
		}
		if strings.HasSuffix(fate, "object last") {
			slices.Reverse(apply)
		}
		for _, do := range apply {
			failure = append(failure, do().Errors()...)
		}
		if len(failure) > 0 || after == nil {
			return
		}
		if again, diags := run.Plan(config); len(diags.Errors()) > 0 || !again.Empty() {
			failure = append(diags.Errors(), acctest.Diagnostic{Summary: "the next plan is not empty", IsError: true})
		}
	})
	isDone := slices.Contains(fates[:7], fate) // the object has its name before the resource needs it, so no warning is an excuse
	isWarned := !isDone && slices.ContainsFunc(said.Warnings(), func(d acctest.Diagnostic) bool { return d.Attribute == s.Path[0] })
	switch {
	case len(said.Errors()) > 0 && isDone:
		if one.Try(after).Applied() {
			if _, diags := run.Plan(config); len(diags.Errors()) > 0 {
				return "", nil // the attribute cannot name the existing object either
			}
		}
		return "the plan refuses it", said.Errors()
	case len(said.Errors()) > 0 || isWarned:
		return "", nil
	case len(failure) > 0:
		return "planned, but not applied", failure
	case breach != "":
		return "the protocol is violated", breach
	}
	return "", nil
}

func TestLawFound(t *testing.T) {
	l := laws.Law{Name: "found", Sentence: "a block that is used once finds by its name what the same apply has created; the plan of an action accepts the name, and a data source that is read too early says how to wait"}
	laws.Hold(t, l, laws.Subjects(t, mayUse), func(c *laws.Case, s laws.Subject) {
		c.Try("created", func() {
			for _, kind := range refersTo(c, s) {
				tryFound(c, s, kind)
			}
		})
	})
}

// tryFound creates an object, and uses a block that names it.
func tryFound(c *laws.Case, s laws.Subject, kind string) {
	c.Helper()
	stage, object := stageOf(c, s), referenced[kind]
	config, one := stage.With(namingIn(s, stage.Value(), object.name)), laws.NewTrial(c, stage.Organization, object.of)
	var early, planned, failure acctest.Diagnostics
	breach := one.Watch(func() {
		p := one.Process()
		plan := p.MustPlan(object.of, nil, object.config)
		switch s.Kind {
		case acctest.DataBlock:
			_, early = p.ReadData(s.Of, config)
		case acctest.ActionBlock:
			planned = p.PlanAction(s.Of, config)
		}
		p = one.Process()
		one.ApplyIn(p, plan).ExpectNoError(c)
		refusal, failed := p.UseBlock(s.Kind, s.Of, config)
		failure = slices.Concat(refusal, failed).Errors()
	})
	switch {
	case len(failure) > 0 && len(saidAbout(c, stage, config).Errors()) > 0: // the attribute cannot name such an object
	case breach != "":
		c.Broken(kind+": the protocol is violated", breach)
	case len(planned.Errors()) > 0:
		c.Broken(kind+": the plan refuses it", planned)
	case len(failure) > 0:
		c.Broken(kind+": not found", failure)
	case s.Kind == acctest.DataBlock && !strings.Contains(early.Errors().String(), "depends_on = ["+object.of+".NAME]"):
		c.Broken(kind+": read too early, without the way to wait", early)
	}
}

func TestLawReplaced(t *testing.T) {
	l := laws.Law{Name: "replaced", Sentence: "a plan that replaces an object that another resource names is applied, and the next plan is empty, or it says what will happen", Every: 4}
	laws.Hold(t, l, laws.Subjects(t, mayName), func(c *laws.Case, s laws.Subject) {
		c.Try("replaced", func() {
			for _, kind := range refersTo(c, s) {
				tryReplaced(c, s, kind)
			}
		})
	})
}

// tryReplaced replaces an object that a resource names, as -replace does.
func tryReplaced(c *laws.Case, s laws.Subject, kind string) {
	c.Helper()
	stage, object := stageOf(c, s), referenced[kind]
	one, run := laws.NewTrial(c, stage.Organization, object.of), stage.Trial(c)
	config := stage.With(namingIn(s, stage.Value(), object.name))
	if !one.Try(object.config).Start(c) || !run.Try(config).Applied() {
		return // the attribute cannot name such an object
	}
	var said, failure acctest.Diagnostics
	breach := run.Watch(func() {
		p := run.Process()
		read, diags := p.Read(object.of, one.State)
		first, planned := p.Plan(object.of, read, object.config)
		second, anew := p.Plan(object.of, first.Replaced(), object.config)
		said = slices.Concat(diags, planned, anew)
		state, diags := p.Read(s.Of, run.State)
		_, planned = p.Plan(s.Of, state, config)
		if said = slices.Concat(said, diags, planned); len(said.Errors()) > 0 {
			return
		}
		p = run.Process()
		again, diags := p.Plan(object.of, nil, object.config)
		failure = diags.Errors()
		one.State, diags = p.Apply(p.DestroyOf(second, one.State))
		if failure = append(failure, diags.Errors()...); len(failure) > 0 {
			return
		}
		_, diags = p.Apply(again)
		if failure = append(failure, diags.Errors()...); len(failure) > 0 {
			return
		}
		if next, diags := run.Plan(config); len(diags.Errors()) > 0 || !next.Empty() {
			failure = append(diags.Errors(), acctest.Diagnostic{Summary: fmt.Sprint("the next plan changes ", next.Changes()), IsError: true})
		}
	})
	isSaid := len(said.Errors()) > 0 || slices.ContainsFunc(said.Warnings(), func(d acctest.Diagnostic) bool {
		return strings.Contains(d.Summary, "so the apply will fail") || strings.Contains(d.Detail, "next plan")
	})
	switch {
	case breach != "":
		c.Broken(kind+": the protocol is violated", breach)
	case len(failure) > 0 && !isSaid:
		c.Broken(kind+": not as planned", failure)
	}
}
