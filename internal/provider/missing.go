package provider

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// A configuration can contain one email or group name in many places. Each place must be a separate error, because
// Terraform plans them one by one. The first has the full explanation. The others only have the place, which
// Terraform adds, and the user who has the email now, if that is known.

// noteAddresses registers the emails of a state that a read has replaced, because their users have others now.
func (s *protocolServer) noteAddresses(ctx context.Context, meta *base.Meta, req *tfprotov6.ReadResourceRequest, answer *tfprotov6.ReadResourceResponse) {
	if !hasAddress(req.CurrentState) || !hasAddress(answer.NewState) || bytes.Equal(req.CurrentState.MsgPack, answer.NewState.MsgPack) {
		return // as nearly always
	}
	s.generator.once.Do(func() { s.generator.load(ctx, s) })
	schema, ok := s.generator.schemas[req.TypeName]
	if !ok {
		return
	}
	before, after := addressesIn(schema.ValueType(), req.CurrentState), addressesIn(schema.ValueType(), answer.NewState)
	if maps.Equal(before, after) {
		return
	}
	view, err := meta.Store.Read(ctx, store.Users)
	if err != nil {
		return
	}
	var lost []string
	var gained []int64
	for address := range before {
		if _, isThere := view.UserByAddress(address); !isThere {
			lost = append(lost, address)
		}
	}
	for address := range after {
		// An email that only replaces one hidden from the account is not a new one.
		if user, ok := view.UserByAddress(address); ok && !before[address] && (user.IsBot || user.DeliveryEmail != nil) {
			gained = append(gained, user.ID)
		}
	}
	if len(lost) == 1 && len(gained) == 1 {
		meta.Run.NoteFormerAddress(lost[0], gained[0], namesOne(schema, req, gained[0]))
	}
}

// hasAddress reports whether an encoded state can have an email, because texts are in it unchanged.
func hasAddress(state *tfprotov6.DynamicValue) bool {
	return state != nil && bytes.Contains(state.MsgPack, []byte("@"))
}

// addressesIn returns the emails in a state, also those after "user:".
func addressesIn(kind tftypes.Type, encoded *tfprotov6.DynamicValue) map[string]bool {
	found := map[string]bool{}
	value, err := encoded.Unmarshal(kind)
	if err != nil {
		return found
	}
	_ = tftypes.Walk(value, func(_ *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		var text string
		if value.IsKnown() && !value.IsNull() && value.Type().Is(tftypes.String) && value.As(&text) == nil {
			if text = strings.TrimPrefix(text, "user:"); strings.Count(text, "@") == 1 && !strings.ContainsAny(text, " /:\n") {
				found[text] = true
			}
		}
		return true, nil
	})
	return found
}

// accountIDs are the attributes with the ID of a resource's only account.
var accountIDs = map[string]string{"zulip_user": "id", "zulip_user_role": "user_id", "zulip_user_status": "user_id"}

// namesOne reports whether a state has the ID of its only account.
func namesOne(schema *tfprotov6.Schema, req *tfprotov6.ReadResourceRequest, id int64) bool {
	attribute, ok := accountIDs[req.TypeName]
	if !ok {
		return false
	}
	value, err := req.CurrentState.Unmarshal(schema.ValueType())
	attributes := map[string]tftypes.Value{}
	if err != nil || value.As(&attributes) != nil {
		return false
	}
	return attributes[attribute].Equal(tftypes.NewValue(tftypes.Number, id))
}

// firstSentence matches the first sentence of an error's detail, without its stop. Names are in quotes, and can have
// any characters.
var firstSentence = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|[^".;\n]|[.;]\S)*`)

// shorten shortens errors about unknown names, except the first in a run.
func (s *protocolServer) shorten(ctx context.Context, diagnostics []*tfprotov6.Diagnostic) {
	for _, one := range diagnostics {
		address, ok := suggest.IsMissing(one.Summary)
		meta := s.provider.meta.Load()
		if !ok || meta == nil || meta.Store == nil || one.Severity != tfprotov6.DiagnosticSeverityError {
			continue // a warning describes the effect, and Terraform shows one of several
		}
		cause := firstSentence.FindString(one.Detail) + "."
		holder := s.holder(ctx, meta, address)
		isFirst := meta.Run.IsFirst(one.Summary + holder)
		switch {
		case holder != "" && isFirst:
			one.Detail = cause + " " + holder + " Replace the old email in the configuration with the new one, or with the ID, which never changes."
		case holder != "":
			one.Detail = cause + " " + holder
		case !isFirst:
			one.Detail = cause + " Another error of this run has the details."
		}
	}
}

// holder returns a sentence that names the former user of an email that no user has now, and "" if that is not known.
func (s *protocolServer) holder(ctx context.Context, meta *base.Meta, address string) string {
	id, certain := meta.Run.FormerAddress(address)
	if id == 0 {
		return ""
	}
	view, err := meta.Store.Read(ctx, store.Users)
	if err != nil {
		return ""
	}
	user, ok := view.User(id)
	if !ok {
		return ""
	}
	probably := "It was"
	if !certain {
		probably = "Probably it was"
	}
	return fmt.Sprintf("%s the email of %s (user_id:%d), whose email is %s now.", probably, user.FullName, user.ID, user.Address())
}
