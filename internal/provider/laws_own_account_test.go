package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// granted are permissions of the organization, and a resource whose creation requires each of them.
func granted(t *testing.T, o *acctest.Organization) map[string]struct {
	resource string
	config   values
} {
	t.Helper()
	return map[string]struct {
		resource string
		config   values
	}{
		"can_create_private_channel_group": {"zulip_channel", values{"name": "new", "privacy": "private_shared_history"}},
		"can_create_public_channel_group":  {"zulip_channel", values{"name": "new", "privacy": "public"}},
		"can_create_groups":                {"zulip_user_group", values{"name": "new"}},
		"can_create_bots_group":            {"zulip_bot", values{"short_name": "new", "full_name": "New"}},
		"can_add_custom_emoji_group":       {"zulip_custom_emoji", values{"name": "fest", "file": acctest.Picture(t, 10)}},
		"can_invite_users_group":           {"zulip_invitation", values{"email": "someone.new@example.com"}},
		"create_multiuse_invite_group":     {"zulip_invite_link", values{}},
		"can_add_subscribers_group":        {"zulip_channel_subscription", values{"channel": "announcements", "users": []any{fmt.Sprint(o.WithAccount(t, "bot").Self.ID)}}},
	}
}

func TestLawGrant(t *testing.T) {
	l := laws.Law{Name: "grant", Sentence: "a plan that lacks only a permission of the organization warns, fails without it and leaves no state, and is applied after it is granted"}
	one := acctest.NewSandbox(t, sandbox.Config{})
	laws.Hold(t, l, sortedKeys(granted(t, one)), func(c *laws.Case, setting string) {
		o := acctest.NewSandbox(c.T, sandbox.Config{FeatureLevel: featurelevel.Newest})
		grant := granted(c.T, o)[setting]
		permit := func(role string) {
			o.Call(c.T, "PATCH", "/realm", map[string]string{setting: fmt.Sprintf(`{"new": %d}`, o.SystemGroup(c.T, "role:"+role))})
		}
		c.Try(grant.resource, func() {
			permit("owners")
			run := laws.NewTrial(c, o.WithAccount(c.T, "member"), grant.resource)
			plan, diags := run.Plan(grant.config)
			if len(diags.Errors()) > 0 || !strings.Contains(diags.Warnings().String(), "unless it grants the permission first") || !strings.Contains(diags.String(), setting) {
				c.Broken("the plan does not warn", diags)
				return
			}
			again := *plan
			diags = run.CarryOut(&again, grant.config)
			if failure := diags.Errors().String(); !strings.Contains(failure, "depends_on") || !strings.Contains(failure, setting) || run.State != nil {
				c.Broken("not explained, or a state is left", diags, run.State)
			}
			permit("members")
			if diags = run.CarryOut(plan, grant.config); len(diags.Errors()) > 0 || run.State == nil {
				c.Broken("not applied after the grant", diags)
			}
		})
	})
}

func TestLawOwnAccount(t *testing.T) {
	l := laws.Law{Name: "own account", Sentence: "a plan that takes a role, a membership or an access from the provider's account says so"}
	laws.Hold(t, l, laws.Subjects(t, laws.Resources), func(c *laws.Case, s laws.Subject) {
		c.Try("removed", func() {
			stage := stageOf(c, s)
			sample, own := stage.Value(), any(stage.Self.Address())
			names := textsIn(sample)
			list, isList := sample.([]any)
			_, gives := stage.Config["role"].(string)
			switch {
			case len(names) == 0 || !strings.Contains(names[0], "@") || strings.HasPrefix(names[0], "user:") || s.Name == "email":
				return // it names no people, or an account to create
			case strings.Contains(s.Description, "Only used on create"):
				return // a change of it does nothing
			case !isList && (!gives || s.Name != "user"):
				return // a bot or a status: the account of the person loses nothing with it
			case gives:
				stage.Config = and(stage.Config, "role", stage.Self.Role.String())
			}
			with, without := stage.With(own), values(nil)
			if isList {
				with, without = stage.With(withElement(list, own)), stage.With([]any{someone})
			} else {
				with["on_destroy"] = "member"
			}
			run := stage.Trial(c)
			if !run.Try(with).Start(c) {
				return
			}
			plan, diags := run.Plan(without)
			isSaid := strings.Contains(diags.String(), "own account") || strings.Contains(diags.String(), "provider's account") || strings.Contains(diags.String(), stage.Self.Address())
			if plan == nil || plan.Empty() || isSaid {
				return
			}
			sent := stage.Sent()
			run.CarryOut(plan, without)
			for _, write := range sent.Writes() {
				if strings.Contains(fmt.Sprint(write.Params), fmt.Sprint(stage.Self.ID)) { // otherwise the account stays where it was before
					c.Broken("not said", diags)
				}
			}
		})
	})
}
