package provider_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// thirdWith are other attributes that a third value needs, and twoValues the attributes that have none, with the reason.
var (
	thirdWith = map[string]values{"zulip_user_status.emoji_code": {"emoji_name": "heart"}}
	twoValues = map[string]string{"zulip_organization.can_access_all_users_group": "the server accepts two roles"}
)

func TestLawCompareAndSet(t *testing.T) {
	l := laws.Law{Name: "compare-and-set", Sentence: "a value that someone set after the plan is not overwritten, and the apply fails", Every: 3}
	about := func(s laws.Subject) bool {
		isFree := s.IsText() && !fewValues.MatchString(s.Description) || s.ValueType().Is(tftypes.Number) || s.IsPermission()
		return laws.Resources(s) && len(s.Path) == 1 && !s.WriteOnly && isFree
	}
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		c.Try("changed after the plan", func() {
			stage := stageOf(c, s)
			run, other, third := stage.Trial(c), stage.Trial(c), values(nil)
			if !run.Try(stage.Config).Start(c) {
				return
			}
			plan, diags := run.Plan(stage.Second())
			if len(diags.Errors()) > 0 || plan.Empty() {
				c.NotTried("it isn't changed in place")
				return
			}
			if len(plan.Replace) > 0 {
				return // the old object ends, and nothing is written into it
			}
			other.State = run.State
			isThird := func(value any) bool {
				third = stage.With(value)
				maps.Copy(third, thirdWith[s.String()])
				return !reflect.DeepEqual(value, stage.Value()) && !reflect.DeepEqual(value, stage.Another) && other.Try(third).Applied()
			}
			sent := stage.Sent()
			isFound := slices.ContainsFunc(thirdValues(c.T, stage), isThird)
			if !isFound {
				sent = stage.Sent()
				run.Apply(plan)
			}
			switch {
			case len(sent.Writes()) == 0:
				return // the server does not have it
			case !isFound && twoValues[s.String()] != "":
				return
			case !isFound:
				c.NotTried("it has no third value")
				return
			}
			theirs := other.State.Values[s.Name]
			var failed bool
			if breach := run.Watch(func() { failed = len(run.Apply(plan).Errors()) > 0 }); breach != "" {
				c.Broken("the protocol is violated", breach)
			}
			if other.Try(third); !reflect.DeepEqual(other.State.Values[s.Name], theirs) {
				c.Broken("overwritten", third)
			}
			if !failed {
				c.Broken("the apply succeeds", third)
			}
		})
	})
}

// thirdValues returns values that may be valid besides the two samples.
func thirdValues(t *testing.T, stage laws.Stage) (all []any) {
	switch sample := stage.Value().(type) {
	case string:
		if strings.HasSuffix(stage.Name, "file") {
			path := filepath.Join(t.TempDir(), "third.png")
			writePictureOf(t, path, 10)
			return []any{path}
		}
		all = append(all, "2764", sample+"3", strings.Replace(sample, "0", "1", 1))
		for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(stage.Description, -1) {
			all = append(all, strings.Trim(quoted[1], `"`))
		}
		for _, user := range stage.Call(t, "GET", "/users", nil)["members"].([]any) {
			all = append(all, user.(map[string]any)["email"])
		}
	case int, int64:
		number := reflect.ValueOf(sample).Int()
		all = append(all, number+3, number-50, number+50)
		for _, folder := range stage.Call(t, "GET", "/channel_folders", nil)["channel_folders"].([]any) {
			all = append(all, int64(folder.(map[string]any)["id"].(float64)))
		}
	default:
		return []any{[]any{"role:fullmembers"}, []any{"role:members"}, []any{"role:administrators"}}
	}
	for _, channel := range stage.Call(t, "GET", "/streams", nil)["streams"].([]any) {
		channel := channel.(map[string]any)
		all = append(all, channel["name"], int64(channel["stream_id"].(float64)))
	}
	return all
}
