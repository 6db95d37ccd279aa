package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// idPairs compares the answers of two servers with different IDs. It pairs each recorded ID with the sandbox's, in order of
// appearance and one to one for each kind of object.
type idPairs struct {
	toGot, toRecorded map[kindAndID]json.Number // from an ID on one server to its partner on the other
	bound             []boundPair               // in order, so that a failed comparison can be undone
}

type kindAndID struct {
	kind string
	id   json.Number
}

type boundPair struct{ recorded, got kindAndID }

func newIDPairs() *idPairs {
	return &idPairs{toGot: map[kindAndID]json.Number{}, toRecorded: map[kindAndID]json.Number{}}
}

// bind pairs two IDs, unless one of them has another partner.
func (p *idPairs) bind(kind string, recorded, got json.Number) bool {
	x, y := kindAndID{kind, recorded}, kindAndID{kind, got}
	partner, known := p.toGot[x]
	back, taken := p.toRecorded[y]
	if known || taken {
		return partner == got && back == recorded
	}
	p.toGot[x], p.toRecorded[y] = got, recorded
	p.bound = append(p.bound, boundPair{x, y})
	return true
}

func (p *idPairs) mark() int { return len(p.bound) }

// restore removes the pairs since a mark.
func (p *idPairs) restore(mark int) {
	for _, pair := range p.bound[mark:] {
		delete(p.toGot, pair.recorded)
		delete(p.toRecorded, pair.got)
	}
	p.bound = p.bound[:mark]
}

// notCompared are fields that hold times, addresses of pictures, rendered HTML, secrets, and random values.
var notCompared = fieldSet(`api_key avatar_source avatar_url avatar_url_medium avatar_version client color content_html_diff
	date_created date_joined date_updated deactivated_at deliver_at delivery_email email_address event_queue_longpoll_timeout_seconds
	expiry_date invite_link invited is_recently_active last_edit_timestamp last_event_id last_updated link_url max_id
	max_message_id prev_rendered_content queue_id rendered_content rendered_description rendered_value retry-after
	scheduled_delivery_timestamp source_url still_url stream_weekly_traffic subscriber_count timestamp uri zulip_merge_base
	zulip_version`)

// comparedAsSets are the lists without a meaningful order.
var comparedAsSets = fieldSet(`bots default_streams direct_members direct_subgroup_ids direct_subgroups
	ignored_parameters_unsupported invites members never_subscribed not_removed partial_subscribers realm_bots
	realm_default_streams realm_user_groups removed stream_ids streams subscribed_channel_ids subscribers subscriptions
	unsubscribed user_groups user_ids`)

func fieldSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// kindOfField is the kind of object that the IDs in a field belong to.
var kindOfField = map[string]string{
	"bot_owner_id": "user", "creator_id": "user", "direct_members": "user", "invited_by_user_id": "user", "members": "user", "owner_id": "user",
	"partial_subscribers": "user", "sender_id": "user", "subscribers": "user", "user_id": "user", "user_ids": "user",
	"channel_id": "channel", "stream_id": "channel", "stream_ids": "channel", "streams": "channel", "subscribed_channel_ids": "channel",
	"moderation_request_channel_id": "channel", "new_stream_announcements_stream_id": "channel",
	"signup_announcements_stream_id": "channel", "zulip_update_announcements_stream_id": "channel",
	"can_create_groups": "group", "can_manage_all_groups": "group", "create_multiuse_invite_group": "group",
	"direct_message_initiator_group": "group", "direct_message_permission_group": "group", "direct_subgroup_ids": "group",
	"direct_subgroups": "group", "group_id": "group",
	"channel_folder_id": "folder", "folder_id": "folder", "order": "folder", "filter_id": "linkifier", "invite_id": "invite",
	"first_message_id": "message", "message_id": "message", "recipient_id": "recipient",
}

// kindOfPlace is the kind of object that an id inside a list belongs to.
var kindOfPlace = []struct{ part, kind string }{
	{"channel_folders", "folder"}, {"linkifiers", "linkifier"}, {"user_groups", "group"}, {"drafts", "draft"}, {".ids", "draft"},
}

// kindOfPath is the kind of object that the id in an endpoint's answer belongs to.
var kindOfPath = map[string]string{
	"/bots": "user", "/channel_folders": "folder", "/channels": "channel", "/channels/create": "channel", "/default_stream_groups": "default group",
	"/drafts": "draft", "/invites": "invite", "/messages": "message", "/realm/filters": "linkifier", "/realm/linkifiers": "linkifier",
	"/realm/playgrounds": "playground", "/realm/profile_fields": "field", "/scheduled_messages": "scheduled", "/streams": "channel",
	"/user_groups": "group", "/users": "user",
}

// answers compares the answers of one endpoint.
type answers struct {
	*idPairs
	endpoint string // the path up to its first ID
}

// compare returns the first difference between the recorded and the new answer of a step; "" if they are alike.
func (p *idPairs) compare(step randomStep, got map[string]any) string {
	endpoint, _, _ := strings.Cut(step.Path, "/{")
	return answers{p, endpoint}.value("", "", step.Body, got)
}

func (a answers) kind(key, path string) string {
	switch {
	case key == "id" || strings.Contains(path, ".ids"):
		for _, place := range kindOfPlace {
			if strings.Contains(path, place.part) {
				return place.kind
			}
		}
		return kindOfPath[a.endpoint]
	case strings.Contains(path, "new_domain"):
		return "domain"
	case strings.HasPrefix(path, ".realm_default_streams"), strings.HasPrefix(path, ".default_streams"):
		return "channel"
	case strings.HasPrefix(key, "can_") && strings.HasSuffix(key, "_group"):
		return "group"
	}
	return kindOfField[key]
}

// value compares two values: those of the field key, at path.
func (a answers) value(path, key string, recorded, got any) string {
	if notCompared[key] {
		return ""
	}
	same := false
	switch x := recorded.(type) {
	case json.Number:
		y, ok := got.(json.Number)
		same = ok && a.sameNumber(a.kind(key, path), x, y)
	case map[string]any:
		if y, ok := got.(map[string]any); ok {
			return a.object(path, key, x, y)
		}
	case []any:
		if y, ok := got.([]any); ok {
			return a.list(path, key, x, y)
		}
	case string:
		y, ok := got.(string)
		same = ok && (x == y || withoutNumbers(x) == withoutNumbers(y))
	default:
		same = recorded == got
	}
	if same {
		return ""
	}
	return fmt.Sprintf("%s: %s | %s", path, compact(recorded), compact(got))
}

// sameNumber reports whether two numbers, which may be IDs of a kind, are the same.
func (a answers) sameNumber(kind string, recorded, got json.Number) bool {
	positive := func(n json.Number) bool { i, err := n.Int64(); return err == nil && i > 0 }
	if kind != "" && positive(recorded) && positive(got) {
		return a.bind(kind, recorded, got)
	}
	return recorded == got
}

var (
	digits      = regexp.MustCompile(`^\d+$`)
	bornEmail   = regexp.MustCompile(`user\d+@[\w.-]+`)
	emailDomain = regexp.MustCompile(`@(rec|zulip)\.[a-z.]*`)
	site        = regexp.MustCompile(`https?://[^/\s")]+`)
	number      = regexp.MustCompile(`\b\d{1,10}\b`)
)

// withoutNumbers removes the parts of a text that differ on every server.
func withoutNumbers(text string) string {
	text = emailDomain.ReplaceAllString(bornEmail.ReplaceAllString(text, "user#@"), "@")
	return number.ReplaceAllString(site.ReplaceAllString(text, "SITE"), "#")
}

func (a answers) object(path, key string, recorded, got map[string]any) string {
	if (key == "subscribed" || key == "already_subscribed") && !slices.ContainsFunc(slices.Collect(maps.Keys(recorded)), func(k string) bool { return !digits.MatchString(k) }) {
		byID := map[string]any{}
		for id, value := range recorded {
			if partner, ok := a.toGot[kindAndID{"user", json.Number(id)}]; ok {
				id = partner.String()
			}
			byID[id] = value
		}
		recorded = byID
	}
	all := maps.Clone(recorded)
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x, wanted := recorded[name]
		y, have := got[name]
		switch {
		case notCompared[name]:
		case !wanted:
			return fmt.Sprintf("%s.%s: unexpected: %s", path, name, compact(y))
		case !have:
			return fmt.Sprintf("%s.%s: missing: %s", path, name, compact(x))
		default:
			if difference := a.value(path+"."+name, name, x, y); difference != "" {
				return difference
			}
		}
	}
	return ""
}

func (a answers) list(path, key string, recorded, got []any) string {
	if len(recorded) != len(got) {
		return fmt.Sprintf("%s: %d | %d elements: %s | %s", path, len(recorded), len(got), compact(names(recorded)), compact(names(got)))
	}
	set := comparedAsSets[key] || strings.Contains(path, ".subscribed.") || strings.Contains(path, ".already_subscribed.")
	if !set {
		for i := range recorded {
			if difference := a.value(fmt.Sprintf("%s[%d]", path, i), key, recorded[i], got[i]); difference != "" {
				return difference
			}
		}
		return ""
	}
	if byName, ok := elementsByName(got); ok && len(got) > 0 {
		if _, ok := elementsByName(recorded); ok && comparedAsSets[key] {
			return a.named(path, recorded, byName)
		}
	}
	rest := slices.Clone(got)
	for i, x := range recorded {
		at := slices.IndexFunc(rest, func(y any) bool {
			mark := a.mark()
			if a.value(fmt.Sprintf("%s[%d]", path, i), key, x, y) == "" {
				return true
			}
			a.restore(mark)
			return false
		})
		if at < 0 {
			return fmt.Sprintf("%s: missing: %s", path, compact(x))
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return ""
}

// named compares lists of objects that have names.
func (a answers) named(path string, recorded []any, got map[any]any) string {
	for _, x := range recorded {
		name := x.(map[string]any)["name"]
		y, ok := got[name]
		if !ok {
			return fmt.Sprintf("%s: %v is missing", path, name)
		}
		if difference := a.value(fmt.Sprintf("%s[%v]", path, name), "", x, y); difference != "" {
			return difference
		}
	}
	return ""
}

// elementsByName is a list of objects by name; false if one has none.
func elementsByName(list []any) (map[any]any, bool) {
	byName := map[any]any{}
	for _, element := range list {
		object, ok := element.(map[string]any)
		name, named := object["name"]
		if !ok || !named {
			return nil, false
		}
		byName[name] = element
	}
	return byName, true
}

// names is a list with the name or the id in place of each object.
func names(list []any) []any {
	short := make([]any, len(list))
	for i, element := range list {
		short[i] = element
		if object, ok := element.(map[string]any); ok {
			if short[i] = object["name"]; short[i] == nil {
				short[i] = object["id"]
			}
		}
	}
	return short
}

// inOtherOrganization lists the recordings that are also replayed in another organization.
var inOtherOrganization = []string{
	"bots", "custom-emoji", "default-channel-groups", "default-channels-and-folders", "default-user-settings",
	"organization-settings", "profile-fields-playgrounds-domains", "subscriptions", "user-groups",
}

// Another organization, with other names and IDs, answers alike except for names and IDs: the rules contain no data of a
// recording.
func TestConformanceOrganization_OtherNames_SameAnswers(t *testing.T) {
	for _, name := range inOtherOrganization {
		t.Run(name, func(t *testing.T) {
			rec := readRecording(t, "testdata/recordings/"+name+".json")
			renaming := newRenaming(rec)
			if len(renaming.names) == 0 {
				t.Fatal("nothing is called otherwise")
			}
			same, all, differences := replayWithHook(t, name, renaming.recording(rec), skipNumbers)
			if same != all {
				t.Errorf("alike %d/%d, with other names for %q:\n%s", same, all, renaming.names, strings.Join(differences, "\n"))
			}
		})
	}
}

// skipNumbers changes the next id of each kind of object, so that no replay has had it. People keep theirs, because two
// recorded sentences contain a person's id.
func skipNumbers(s *Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.org
	for _, next := range []func() int{
		o.Groups.NextID, o.Channels.NextID, o.Subscriptions.NextID, o.DefaultChannelGroups.NextID, o.RealmEmoji.NextID,
		o.Linkifiers.NextID, o.Playgrounds.NextID, o.Domains.NextID, o.ProfileFields.NextID, o.Messages.NextID,
	} {
		for range 7 {
			next()
		}
	}
}

// renaming replaces the last letters of the names in a recording, and keeps their length.
type renaming struct {
	names   []string
	pattern *regexp.Regexp
}

// created are the fields of a request that name a new object.
var created = []string{"name", "group_name", "full_name", "short_name"}

func newRenaming(rec recording) renaming {
	var r renaming
	add := func(name string) {
		if len(name) > 2 && !slices.Contains(r.names, name) && !symbol.MatchString(name) {
			r.names = append(r.names, name)
		}
	}
	for _, account := range rec.Accounts {
		add(account.FullName)
	}
	for _, x := range rec.Exchanges {
		if x.Status != http.StatusOK || x.Method != http.MethodPost {
			continue
		}
		for _, field := range created {
			add(x.Form[field])
		}
	}
	// The longest comes first, because one name may begin with another.
	slices.SortFunc(r.names, func(a, b string) int { return len(b) - len(a) })
	quoted := make([]string, len(r.names))
	for i, name := range r.names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	r.pattern = regexp.MustCompile(`\$\{[^}]*\}|(?i:\b(?:` + strings.Join(quoted, "|") + `)\b)`)
	return r
}

func (r renaming) recording(rec recording) recording {
	accounts := map[string]Account{}
	for name, account := range rec.Accounts {
		account.FullName = r.text(account.FullName)
		accounts[name] = account
	}
	rec.Accounts = accounts
	exchanges := make([]exchange, len(rec.Exchanges))
	for i, x := range rec.Exchanges {
		x.Path = r.text(x.Path)
		x.Query, _ = r.value(x.Query).(map[string]any)
		x.JSON, _ = r.value(x.JSON).(map[string]any)
		x.Body, _ = r.value(x.Body).(map[string]any)
		form := map[string]string{}
		for name, value := range x.Form {
			form[name] = r.text(value)
		}
		x.Form = form
		exchanges[i] = x
	}
	rec.Exchanges = exchanges
	return rec
}

// value renames in the texts of a value, at any position; the names of fields remain.
func (r renaming) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = r.value(item)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, item := range v {
			object[key] = r.value(item)
		}
		return object
	default:
		return v
	}
}

func (r renaming) text(text string) string {
	return r.pattern.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "${") {
			return found
		}
		last := found[len(found)-1]
		switch last {
		case 'z', 'Z', '9':
			last--
		default:
			last++
		}
		return found[:len(found)-1] + string(last)
	})
}
