package sandbox

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere lists the recordings that are replayed in another organization too.
var elsewhere = []string{
	"bots", "custom-emoji", "default-channel-groups", "default-channels-and-folders", "default-user-settings",
	"organization-settings", "profile-fields-playgrounds-domains", "subscriptions", "user-groups",
}

// An organization in which everything is called otherwise and has another number answers alike, but for names and numbers:
// nothing in the rules knows the data of a recording.
func TestConformanceElsewhere(t *testing.T) {
	for _, name := range elsewhere {
		t.Run(name, func(t *testing.T) {
			rec := readRecording(t, "testdata/recordings/"+name+".json")
			renaming := newRenaming(rec)
			if len(renaming.names) == 0 {
				t.Fatal("nothing is called otherwise")
			}
			same, all, differences := replayMeanwhile(t, name, renaming.recording(rec), skipNumbers)
			if same != all {
				t.Errorf("alike %d/%d, with other names for %q:\n%s", same, all, renaming.names, strings.Join(differences, "\n"))
			}
		})
	}
}

// skipNumbers makes the next object of each kind get another id than in any replay before. People keep theirs: two
// recorded sentences name one by number.
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

// renaming gives the names of a recording other last letters, so that they stay as long as they were.
type renaming struct {
	names   []string
	pattern *regexp.Regexp
}

// created are the fields in which a request names what it makes.
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
	// The longest first: one may begin with another.
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

// value renames in the texts of a value, wherever they stand; what its fields are called stays.
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
