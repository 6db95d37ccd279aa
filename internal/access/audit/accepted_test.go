package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

func accepted(t testing.TB, text string) *audit.AcceptedFile {
	t.Helper()
	file, err := audit.ParseAccepted("accepted.hcl", []byte(text))
	acctest.NoError(t, err)
	return file
}

func day(text string) time.Time {
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return when
}

func kinds(words ...string) audit.Conditions {
	conditions, err := audit.ParseConditions(words, true)
	if err != nil {
		panic(err)
	}
	return conditions
}

// officeWithBots has a bot that is an administrator, and two channels in which one person posts.
func officeWithBots(t *testing.T) *acctest.Organization {
	t.Helper()
	o := office(t)
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": "200"})
	newChannel(t, o, "c", map[string]string{"can_send_message_group": named(id(t, o, "max")), "can_resolve_topics_group": named(id(t, o, "mel"))})
	newChannel(t, o, "d", map[string]string{"can_send_message_group": named(id(t, o, "mel")), "can_resolve_topics_group": named(id(t, o, "mel"))})
	return o
}

// Accepted findings are counted and listed separately, and no condition applies to them, until they expire.
func TestAcceptedFindings(t *testing.T) {
	o := officeWithBots(t)
	file := accepted(t, `
accept "bot-administrator" {
  object = "bot news-bot@example.com"
  reason = "runs the news."
  until  = "2027-06-30"
}
`)
	for _, test := range []struct {
		now, says, summary string
		isAccepted         bool
	}{
		{"2027-06-29T23:59:59Z", "Accepted until 2027-06-30: runs the news.", "; 1 accepted until 2027-06-30. ", true},
		{"2027-06-30T00:30:00+01:00", "Accepted until 2027-06-30: runs the news.", "; 1 accepted until 2027-06-30. ", true}, // days are those of UTC
		{"2027-06-30T00:00:00Z", "Not accepted since 2027-06-30. The reason was: runs the news.", " 2 high, ", false},
		{"2030-01-01T00:00:00Z", "Not accepted since 2027-06-30. The reason was: runs the news.", " 2 high, ", false},
	} {
		a := auditWith(t, o, audit.Options{Now: day(test.now), Accepted: file})
		all := found(a, audit.BotAdministrator, "bot news-bot@example.com")
		if len(all) != 1 || (all[0].Accepted != nil) != test.isAccepted || (all[0].Expired != nil) == test.isAccepted || all[0].AcceptedText() != test.says {
			t.Fatalf("%s: %+v", test.now, all)
		}
		if fails := a.Fails(kinds("bot-administrator")); (len(fails) == 0) != test.isAccepted {
			t.Errorf("%s: the conditions apply to %v", test.now, fails)
		}
		if got := slices.Index(a.Findings, all[0]) == len(a.Findings)-1; got != test.isAccepted {
			t.Errorf("%s: it is the last of the findings: %t", test.now, got)
		}
		if summary := a.Summary(); !strings.Contains(summary, test.summary) {
			t.Errorf("%s: %s, want %s", test.now, summary, test.summary)
		}
		text := markdownOf(t, a)
		before, after, apart := strings.Cut(text, "#### Accepted findings")
		if inText := after; apart != test.isAccepted || apart && (!strings.Contains(inText, "`bot-administrator`") || strings.Contains(before, "`bot-administrator`")) {
			t.Errorf("%s: the Markdown is\n%.3000s", test.now, text)
		}
		if len(a.Warnings) > 0 {
			t.Errorf("%s: %q", test.now, a.Warnings)
		}
	}
}

// A finding about several places can be accepted for some of them. Each part lists the people concerned.
func TestAccepted_SomePlaces_FindingSplit(t *testing.T) {
	o := officeWithBots(t)
	whole := found(auditOf(t, o, audit.Selection{}), audit.WiderThanChannel, `channel "c"`)
	if len(whole) == 0 || !slices.Contains(whole[0].Where, `channel "d"`) {
		t.Fatalf("there is no finding about both channels: %+v", whole)
	}
	a := auditWith(t, o, audit.Options{Accepted: accepted(t, `
accept "wider-than-channel" {
  objects = ["channel \"c\""]
  reason  = "c is for all"
}
accept "single-person" {
  objects = ["channel \"c\"", "channel \"d\""]
  reason  = "wanted"
  until   = "2999-01-01"
}
`)})
	c, d := found(a, audit.WiderThanChannel, `channel "c"`), found(a, audit.WiderThanChannel, `channel "d"`)
	if len(c) != len(whole) || len(d) == 0 || c[0].Accepted == nil || d[0].Accepted != nil || slices.Contains(c[0].Where, `channel "d"`) || slices.Contains(d[0].Where, `channel "c"`) {
		t.Errorf("of c %+v, of d %+v", c[0], d[0])
	}
	for _, where := range []string{`channel "c"`, `channel "d"`} {
		if all := found(a, audit.SinglePerson, where); len(all) != 1 || all[0].Accepted == nil {
			t.Errorf("%s: %+v", where, all)
		}
	}
	if summary, want := a.Summary(), fmt.Sprintf("; %d accepted, the first until 2999-01-01", len(c)+2); !strings.Contains(summary, want) {
		t.Errorf("%s, want %s", summary, want)
	}
}

// A pattern accepts the findings about all objects whose names match.
func TestAccepted_Pattern_AllMatching(t *testing.T) {
	o := officeWithBots(t)
	newChannel(t, o, "team-a", map[string]string{"can_resolve_topics_group": named(id(t, o, "mel"))})
	for object, want := range map[string]map[string]bool{
		"channel:*":      {"c": true, "team-a": true},
		"channel:Team-*": {"c": false, "team-a": true},
		"group:*":        {"c": false, "team-a": false},
	} {
		a := auditWith(t, o, audit.Options{Accepted: accepted(t, fmt.Sprintf("accept \"wider-than-channel\" {\n  objects = [%q]\n  reason  = \"everyone resolves\"\n}\n", object))})
		for channel, isAccepted := range want {
			all := found(a, audit.WiderThanChannel, fmt.Sprintf("channel %q", channel))
			if len(all) == 0 || (all[0].Accepted != nil) != isAccepted {
				t.Errorf("%s: of %s %+v", object, channel, all)
			}
		}
	}
}

// A part of a finding concerns only the people in its places.
func TestFindingPart_Users_OwnOnly(t *testing.T) {
	o := office(t)
	newChannel(t, o, "open", map[string]string{"can_resolve_topics_group": named(id(t, o, "mel"))})
	newChannel(t, o, "closed", map[string]string{"invite_only": "true", "can_resolve_topics_group": named(id(t, o, "mel"))})
	const both, own = `channel "open"`, `channel "closed"`
	for _, finding := range found(auditOf(t, o, audit.Selection{}), audit.WiderThanChannel, both) {
		if slices.Contains(finding.Where, own) {
			t.Fatalf("in the private channel is nobody but the owner: %+v", finding)
		}
	}
	newGroup(t, o, "g", "mel")
	private := newChannel(t, o, "private", map[string]string{"invite_only": "true", "can_resolve_topics_group": named(id(t, o, "mel")), "subscribers": fmt.Sprintf("[%d,%d]", o.Self.ID, id(t, o, "max"))})
	a := auditWith(t, o, audit.Options{Accepted: accepted(t, `
accept "wider-than-channel" {
  object = "channel \"open\""
  reason = "everybody is in it"
}`)})
	parts := found(a, audit.WiderThanChannel, `channel "private"`)
	if len(parts) == 0 || private == 0 {
		t.Fatal("nothing is found about the private channel")
	}
	for _, finding := range parts {
		if !isAbout(t, o, a, finding, []string{"max"}) || finding.Accepted != nil {
			t.Errorf("%s concerns %v, want max alone", finding.Text, a.Sets[finding.People].IDs())
		}
	}
}

// A more severe finding than the accepted one isn't accepted.
func TestAccepted_HigherSeverity_NotAccepted(t *testing.T) {
	o := officeWithBots(t)
	a := auditWith(t, o, audit.Options{Accepted: accepted(t, "accept \"bot-administrator\" {\n  object   = \"bot news-bot@example.com\"\n  reason   = \"x\"\n  severity = \"medium\"\n}\n")})
	if all := found(a, audit.BotAdministrator, "bot news-bot@example.com"); len(all) != 1 || all[0].Accepted != nil {
		t.Errorf("%+v", all)
	}
	want := "accepted.hcl:1 accepts nothing: the finding bot-administrator about bot news-bot@example.com is more severe than medium."
	if len(a.Warnings) != 1 || a.Warnings[0] != want {
		t.Errorf("%q, want %q", a.Warnings, want)
	}
}

// A block that accepts nothing is a warning if the account sees everything.
func TestFindingAcceptance_Unmatched_Warning(t *testing.T) {
	o := officeWithBots(t)
	file := accepted(t, `accept "bot-administrator" {
  objects = ["bot nevs-bot@example.com"]
  reason  = "x"
}

accept "internet" {
  object = "channel \"c\""
  reason = "x"
}`)
	a := auditWith(t, o, audit.Options{Accepted: file})
	want := []string{
		"accepted.hcl:1 accepts nothing: there is no longer a finding bot-administrator about bot nevs-bot@example.com; did you mean bot news-bot@example.com?",
		`accepted.hcl:6 accepts nothing: there is no longer a finding internet about channel "c".`,
	}
	if !slices.Equal(a.Warnings, want) {
		t.Errorf("%q", a.Warnings)
	}
	expectText(t, markdownOf(t, a), "**Warning:** `accepted.hcl:6` accepts nothing")
	if a := auditWith(t, o, audit.Options{Accepted: file, Selection: audit.Selection{Channels: []string{"d"}}}); len(a.Warnings) > 0 {
		t.Errorf("an audit of a part: %q", a.Warnings)
	}
	if a := auditWith(t, o.As(t, "mel"), audit.Options{Accepted: file}); len(a.Warnings) > 0 {
		t.Errorf("an audit of a member: %q", a.Warnings)
	}
}

// Between two audits, an accepted finding is never new. A finding whose acceptance has ended is new.
func TestCompareAcceptedFindings(t *testing.T) {
	o := officeWithBots(t)
	file := accepted(t, "accept \"bot-administrator\" {\n  object = \"bot news-bot@example.com\"\n  reason = \"x\"\n  until  = \"2027-06-30\"\n}\n")
	without := auditOf(t, o, audit.Selection{})
	during := auditWith(t, o, audit.Options{Accepted: file, Now: day("2027-06-01T00:00:00Z")})
	after := auditWith(t, o, audit.Options{Accepted: file, Now: day("2027-07-01T00:00:00Z")})
	for _, test := range []struct {
		before, after *audit.Audit
		isNew         bool
		says          string
	}{
		{without, during, false, "Accepted until 2027-06-30: x."},
		{during, during, false, "Accepted until 2027-06-30: x."},
		{during, after, true, "Not accepted since 2027-06-30."},
		{after, after, false, "Not accepted since 2027-06-30."},
	} {
		changes, err := audit.Compare(test.before, test.after)
		acctest.NoError(t, err)
		hits := 0
		for i, one := range changes.Found {
			if one.Kind != string(audit.BotAdministrator) {
				continue
			}
			if hits++; one.IsNew != test.isNew || !strings.Contains(one.Text, test.says) {
				t.Errorf("%+v, want new %t and %s", one, test.isNew, test.says)
			}
			if isLast := i == len(changes.Found)-1; strings.HasPrefix(test.says, "Accepted") && !isLast {
				t.Errorf("what is accepted is listed before what is not: %+v", changes.Found)
			}
		}
		if hits != 1 {
			t.Errorf("it is in the comparison %d times", hits)
		}
	}
}

func TestAcceptedFile_Invalid_Error(t *testing.T) {
	const good = "  object = \"the organization\"\n  reason = \"x\"\n"
	for text, says := range map[string]string{
		"accept \"intrnet\" {\n" + good + "}":                                        `accepted.hcl:1: there is no kind of finding "intrnet"; did you mean "internet"?`,
		"\naccpt \"internet\" {\n" + good + "}":                                      `accepted.hcl:2: there is no block "accpt"; did you mean "accept"?`,
		"accept {\n" + good + "}":                                                    `accepted.hcl:1: accept takes one name, as in accept "internet" { … }`,
		"accept \"internet\" {\n" + good + "  resaon = \"x\"\n}":                     `accepted.hcl:4: accept has no attribute "resaon"; did you mean "reason"?`,
		"accept \"internet\" {\n" + good + "  note {}\n}":                            `accepted.hcl:4: accept has no block "note"`,
		"accept \"internet\" {\n  object = \"a\"\n}":                                 "accepted.hcl:1: reason is missing",
		"accept \"internet\" {\n  reason = \"a\"\n}":                                 "accepted.hcl:1: object is missing",
		"accept \"internet\" {\n  object = \"a\"\n  reason = \" \"\n}":               "accepted.hcl:3: reason must be a text in quotes that isn't empty",
		"accept \"internet\" {\n  object = null\n  reason = \"a\"\n}":                "accepted.hcl:2: object must be a text",
		"accept \"internet\" {\n  object = [\"a\"]\n  reason = \"a\"\n}":             "accepted.hcl:2: object must be a text",
		"accept \"internet\" {\n  objects = \"a\"\n  reason = \"a\"\n}":              "accepted.hcl:2: objects must be a list",
		"accept \"internet\" {\n  objects = []\n  reason = \"a\"\n}":                 "accepted.hcl:2: objects must be a list",
		"accept \"internet\" {\n  objects = [1]\n  reason = \"a\"\n}":                "accepted.hcl:2: objects must be a list",
		"accept \"internet\" {\n  object = var.x\n  reason = \"a\"\n}":               "accepted.hcl:2: Variables not allowed",
		"accept \"internet\" {\n  objects = [\"a\"]\n" + good + "}":                  "accepted.hcl:1: object and objects are both set",
		"accept \"internet\" {\n" + good + "  until = \"2027-6-30\"\n}":              `accepted.hcl:4: until is "2027-6-30", which isn't a date`,
		"accept \"internet\" {\n" + good + "  until = \"2027-02-30\"\n}":             "which isn't a date",
		"accept \"internet\" {\n" + good + "  until = 2027\n}":                       "accepted.hcl:4: until must be a text",
		"accept \"internet\" {\n" + good + "  severity = \"hihg\"\n}":                `accepted.hcl:4: there is no severity "hihg"; did you mean "high"?`,
		"accept \"internet\" {\n" + good + "}\naccept \"internet\" {\n" + good + "}": "accepted.hcl:5: internet about the organization is already accepted on line 1",
		"reason = \"x\"":          "accepted.hcl:1: \"reason\" is outside of a block",
		"accept \"internet\" {\n": "accepted.hcl:1: Unclosed configuration block",
		"accept \"internet\" {\n  until = \"x\"\n}\naccept \"x\" {\n" + good + "}": "accepted.hcl:4: there is no kind",
	} {
		file, err := audit.ParseAccepted("accepted.hcl", []byte(text))
		if err == nil || !strings.Contains(err.Error(), says) || file != nil {
			t.Errorf("%s\n%v, want an error that says %s", text, err, says)
		}
	}
}

// A place as the audit prints it accepts the finding again, written in quotes with the escapes of HCL. The JSON form
// and the page print the place, Markdown prints the name alone.
func TestFindingAcceptance_PrintedPlace_Accepted(t *testing.T) {
	inHCL := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{")
	for _, name := range []string{
		"plain", `team-05 neu "x"`, `"quoted"`, `back\slash`, "tick`s`", "Überblick & Größe", "${x} %{y}", `line\nbreak`, `"`, `a" b "c`, `\"`, "日本語 1", "trailing.",
	} {
		o := office(t)
		newChannel(t, o, name, map[string]string{"can_send_message_group": named(id(t, o, "max"))})
		newChannel(t, o, "other", map[string]string{"can_send_message_group": named(id(t, o, "max"))})
		place := fmt.Sprintf("channel %q", name)
		if len(found(auditWith(t, o, audit.Options{}), audit.SinglePerson, place)) != 1 {
			t.Fatalf("%s is not found", place)
		}
		printed := []string{place}
		if name != `"quoted"` { // that is the place of a channel without quotes in its name
			printed = append(printed, "channel "+name)
		}
		for _, object := range printed {
			a := auditWith(t, o, audit.Options{Accepted: accepted(t, "accept \"single-person\" {\n  object = \""+inHCL.Replace(object)+"\"\n  reason = \"It is meant\"\n}")})
			if all := found(a, audit.SinglePerson, place); len(all) != 1 || all[0].Accepted == nil || len(a.Warnings) > 0 {
				t.Errorf("%s does not accept the finding: %+v, %q", object, all, a.Warnings)
			}
			if all := found(a, audit.SinglePerson, `channel "other"`); len(all) != 1 || all[0].Accepted != nil {
				t.Errorf("%s accepts another finding", object)
			}
		}
	}
	o := office(t)
	newChannel(t, o, `"quoted"`, map[string]string{"can_send_message_group": named(id(t, o, "max"))})
	a := auditWith(t, o, audit.Options{Accepted: accepted(t, "accept \"single-person\" {\n  object = \"channel \\\"quoted\\\"\"\n  reason = \"It is meant\"\n}")})
	if all := found(a, audit.SinglePerson, `channel "\"quoted\""`); len(all) != 1 || all[0].Accepted != nil {
		t.Errorf("the place of another channel accepts the finding: %+v", all)
	}
}

// resourceJSON is a resource as `terraform show -json` writes it.
func resourceJSON(address, kind, values string) string {
	return fmt.Sprintf(`{"address":%q,"mode":"managed","type":%q,"provider_name":"registry.terraform.io/zulip-iac/zulip","values":%s}`, address, kind, values)
}

func managed(t *testing.T, text string) *audit.Managed {
	t.Helper()
	m, err := audit.ReadManaged([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// A finding names the resources that manage its object in a state or plan.
func TestFindings_Managed_AddressesShown(t *testing.T) {
	o := office(t)
	closed := map[string]string{"can_administer_channel_group": named(id(t, o, "max"))}
	root, inModule, twice := newChannel(t, o, "root", closed), newChannel(t, o, "in module", closed), newChannel(t, o, "twice", closed)
	newChannel(t, o, "by hand", closed)
	unclear := newChannel(t, o, "unclear", closed)
	guests := newChannel(t, o, "guests", map[string]string{"invite_only": "true", "subscribers": fmt.Sprintf("[%d,%d]", o.Self.ID, id(t, o, "gus"))})
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "max")), nil)
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": "200"})
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "boss@example.com", "stream_ids": "[]", "invite_as": "200"})
	module := fmt.Sprintf(`{"resources":[%s],"child_modules":[{"address":"module.a[\"b\\n\"]","resources":[%s]}]}`,
		strings.Join([]string{
			resourceJSON("zulip_channel.first", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"root"}`, root)),
			resourceJSON("zulip_channel.elsewhere", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"of another organization"}`, twice)),
			resourceJSON("zulip_channel.twice", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"twice"}`, twice)),
			resourceJSON("zulip_user_group.by_hand", "zulip_user_group", `{"id":9999,"name":"by hand"}`),
			resourceJSON("zulip_channel.planned", "zulip_channel", `{"name":"by hand"}`),
			resourceJSON("zulip_channel.one", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"unclear"}`, unclear)),
			resourceJSON("zulip_channel.other", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"unclear"}`, unclear)),
			resourceJSON("zulip_channel_subscription.some", "zulip_channel_subscription", fmt.Sprintf(`{"channel_id":%d,"users":["gus@example.com"]}`, guests)),
			resourceJSON("zulip_bot.news", "zulip_bot", fmt.Sprintf(`{"id":%d}`, id(t, o, "bot"))),
			resourceJSON("zulip_role_members.admins", "zulip_role_members", `{"id":"administrator","users":["ada@example.com","user:News-Bot@example.com"]}`),
			resourceJSON(`zulip_invitation.all["boss"]`, "zulip_invitation", `{"id":"Boss@example.com"}`),
		}, ","),
		resourceJSON(`module.a["b\n"].zulip_channel.team["x"]`, "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"renamed"}`, inModule)))
	for form, text := range map[string]string{
		"state": `{"format_version":"1.0","terraform_version":"1.9.0","values":{"root_module":` + module + `}}`,
		"plan":  `{"format_version":"1.2","planned_values":{"root_module":` + module + `},"prior_state":{"format_version":"1.0","values":{"root_module":{}}}}`,
	} {
		a := auditWith(t, o, audit.Options{Managed: managed(t, text)})
		for _, test := range []struct {
			kind  audit.Kind
			where string
			want  []string
		}{
			{audit.NoAdministrator, `channel "root"`, []string{"zulip_channel.first"}},
			{audit.NoAdministrator, `channel "in module"`, []string{`module.a["b\n"].zulip_channel.team["x"]`}},
			{audit.NoAdministrator, `channel "twice"`, []string{"zulip_channel.twice"}},
			{audit.NoAdministrator, `channel "by hand"`, nil},
			{audit.NoAdministrator, `channel "unclear"`, []string{"zulip_channel.one", "zulip_channel.other"}},
			{audit.OpenPrivate, `channel "guests"`, []string{"zulip_channel_subscription.some"}},
			{audit.BotAdministrator, "bot news-bot@example.com", []string{"zulip_bot.news", "zulip_role_members.admins"}},
			{audit.Invitation, "invitation of boss@example.com", []string{`zulip_invitation.all["boss"]`}},
		} {
			all := found(a, test.kind, test.where)
			if len(all) != 1 || !slices.Equal(all[0].Resources, test.want) {
				t.Errorf("%s, %s: %+v, want the addresses %q", form, test.where, all, test.want)
			}
		}
		for _, finding := range a.Findings {
			if !strings.HasSuffix(finding.Fix, ".") || strings.Contains(strings.TrimSuffix(finding.Fix, "."), ". ") {
				t.Errorf("%s: the fix is not one sentence: %q", finding.Kind, finding.Fix)
			}
		}
		expectText(t, markdownOf(t, a), "Managed by `zulip_bot.news`, `zulip_role_members.admins`.", "`zulip_channel.first`")
	}
	for _, finding := range auditOf(t, o, audit.Selection{}).Findings {
		if len(finding.Resources) > 0 {
			t.Errorf("without a state: %+v", finding)
		}
	}
}

func TestReadManaged_Invalid_Error(t *testing.T) {
	for text, says := range map[string]string{
		`{"version":4,"lineage":"a","resources":[]}`:                "a stored state",
		`{"format_version":"2.0","values":{"root_module":{}}}`:      `format version "2.0"`,
		`{"format_version":"1.0","site":"https://x","channels":[]}`: "neither a state nor a plan",
		`{}`: "neither a state nor a plan", `resource`: "it isn't the JSON", `{"format_version":"1.0","values":7}`: "it isn't the JSON",
	} {
		if _, err := audit.ReadManaged([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %s", text, err, says)
		}
	}
	if _, err := audit.ReadManaged([]byte(`{"format_version":"1.0"}`)); err != nil {
		t.Errorf("an empty state: %v", err)
	}
}
