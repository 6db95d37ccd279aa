package messages_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// reactionManaged starts a sandbox with a message, and a run with one zulip_reaction that does not exist yet.
func reactionManaged(t *testing.T) (*acctest.Organization, *acctest.Run, int64) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	id, err := o.Client.SendMessage(context.Background(), zulip.Addressee{ChannelID: o.MustChannel(t, "general").ID, Topic: "votes"}, "Shall we?")
	acctest.NoError(t, err)
	run := o.NewRun(t, "zulip_reaction")
	return o, run, id
}

// expectReaction fails the test unless the account has reacted to the message with these names.
func expectReaction(t *testing.T, o *acctest.Organization, message int64, want ...string) {
	t.Helper()
	found, err := o.Client.Message(context.Background(), message)
	acctest.NoError(t, err)
	got := []string{}
	for _, reaction := range found.Reactions {
		if reaction.UserID == o.Self.ID {
			got = append(got, reaction.EmojiName)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the account has reacted with %q, want %q", got, want)
	}
}

// A custom emoji is removed again, although the server assumes a Unicode emoji by default.
func TestProtocolReactionExtraEmoji(t *testing.T) {
	o, run, message := reactionManaged(t)
	run.MustApply(values{"message_id": message, "emoji_name": "zulip"})
	if run.State.Values["reaction_type"] != "zulip_extra_emoji" {
		t.Errorf("the state holds %v", run.State.Values)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectReaction(t, o, message)
}

// A custom emoji of the organization is accepted, even if this run will add it.
func TestProtocolReactionOwnEmoji(t *testing.T) {
	o, run, message := reactionManaged(t)
	id := o.Emoji(t, "party_hat")
	run.MustApply(values{"message_id": message, "emoji_name": "party_hat"})
	if got := run.State.Values; got["reaction_type"] != "realm_emoji" || got["emoji_code"] != fmt.Sprint(id) {
		t.Errorf("the state holds %v", got)
	}
	expectReaction(t, o, message, "party_hat")

	config := values{"message_id": message, "emoji_name": "later"}
	picture := filepath.Join(t.TempDir(), "later.png")
	acctest.NoError(t, os.WriteFile(picture, []byte("\x89PNG\r\n\x1a\n"), 0o600))
	p := o.NewRun(t, "zulip_reaction").Process()
	p.MustPlan("zulip_custom_emoji", nil, values{"name": "later", "file": picture})
	p.MustPlan("zulip_reaction", nil, config)
	run.Fork().ExpectRefused(config, "emoji_name", `No such emoji: "later"`)
}

// The first reaction determines the name of the emoji for all reactions. The configuration keeps its own name.
func TestProtocolReactionOtherName(t *testing.T) {
	o, run, message := reactionManaged(t)
	member := o.As(t, "member")
	member.Call(t, http.MethodPost, fmt.Sprintf("/messages/%d/reactions", message), map[string]string{"emoji_name": "thumbs_up"})
	run.MustApply(values{"message_id": message, "emoji_name": "+1"})
	expectReaction(t, o, message, "thumbs_up")
	if run.State.Values["emoji_name"] != "+1" {
		t.Errorf("the state holds %v", run.State.Values)
	}
}

func TestProtocolReaction_RemovedOutside_AddedNext(t *testing.T) {
	o, run, message := reactionManaged(t)
	config := values{"message_id": message, "emoji_name": "tada"}
	run.MustApply(config)
	path := fmt.Sprintf("/messages/%d/reactions", message)
	o.Call(t, http.MethodDelete, path, map[string]string{"emoji_name": "tada"})
	again := o.NewRun(t, "zulip_reaction")
	late := again.MustPlan(config)
	run.MustApply(config)
	expectReaction(t, o, message, "tada")

	_, diags := again.Process().Apply(late) // an existing reaction
	diags.ExpectError(t, "emoji_name", "already", "import {")
	_, diags = again.Plan(config)
	diags.ExpectWarning(t, "emoji_name", "already reacted", "so the apply will fail", "import {")
	expectReaction(t, o, message, "tada")

	gone := run.MustPlan(nil)
	o.Call(t, http.MethodDelete, path, map[string]string{"emoji_name": "tada"})
	run.Apply(gone).ExpectNoError(t)
}

func TestProtocolReaction_UnreadAfterCreation_Replaced(t *testing.T) {
	o, run, message := reactionManaged(t)
	config := values{"message_id": message, "emoji_name": "tada"}
	plan := run.MustPlan(config)
	// Two readings come before the creation: of the second plan, and of the creation.
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/messages/*", Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Skip: 2})
	run.Apply(plan).ExpectError(t, "", "after it was added", "tainted")
	heal()
	expectReaction(t, o, message, "tada")
	run.Refresh().ExpectNoError(t)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectReaction(t, o, message)
}

func TestProtocolReactionImport(t *testing.T) {
	o, run, message := reactionManaged(t)
	run.MustApply(values{"message_id": message, "emoji_name": "tada"})
	before := run.State
	run.ExpectImports(fmt.Sprintf("%d/tada", message), before.Values["id"], before.Identity)
	o.NewRun(t, "zulip_reaction").Import("tada", nil).ExpectError(t, "", "MESSAGE_ID/EMOJI_NAME")
	o.NewRun(t, "zulip_reaction").Import(fmt.Sprintf("%d/heart", message), nil).ExpectError(t, "", "No such reaction", "tada")
}

// With a code the server accepts any name if the message has a reaction with the emoji.
func TestProtocolReactionByCode(t *testing.T) {
	o, run, message := reactionManaged(t)
	o.As(t, "member").Call(t, "POST", fmt.Sprintf("/messages/%d/reactions", message), map[string]string{"emoji_name": "grinning"})
	for _, config := range []values{
		{"message_id": message, "emoji_name": "tada", "emoji_code": "1f600", "reaction_type": "unicode_emoji"},
		{"message_id": message, "emoji_name": "name_of_old", "emoji_code": "1f600", "reaction_type": "unicode_emoji"},
	} {
		run.Fork().MustPlan(config)
	}
	run.ExpectRefused(values{"message_id": message, "emoji_name": "tada", "emoji_code": "1f44d"}, "emoji_code", "1f389", "only if the message has a reaction with this emoji")
}

// The plan says that the account cannot react to a message that it does not see.
func TestProtocolReaction_UnseenMessage_Announced(t *testing.T) {
	o, run, message := reactionManaged(t)
	config := values{"message_id": message, "emoji_name": "heart"}
	run.MustApply(config)
	o.Call(t, http.MethodDelete, fmt.Sprint("/messages/", message), nil)
	run.Refresh().ExpectNoError(t)
	plan, diags := run.Plan(config)
	diags.ExpectWarning(t, "message_id", fmt.Sprintf("The account does not see message %d, so the apply will fail", message))
	run.Apply(plan).ExpectError(t, "", "Cannot react")
}

func TestProtocolReactionBadInput(t *testing.T) {
	_, run, message := reactionManaged(t)
	run.ExpectRefusals(acctest.Refusals{
		{values{"message_id": message, "emoji_name": ":tada:"}, "emoji_name", []string{"without colons"}},
		{values{"message_id": message, "emoji_name": "tada", "reaction_type": "sticker"}, "reaction_type", []string{"realm_emoji"}},
		{values{"message_id": message, "emoji_name": "tadaa"}, "emoji_name", []string{`No such emoji: "tadaa"`, "Did you mean tada"}},
		{values{"message_id": message, "emoji_name": "tada", "reaction_type": "realm_emoji"}, "reaction_type", []string{"is unicode_emoji"}},
	})
	run.Apply(run.MustPlan(values{"message_id": 1, "emoji_name": "tada"})).ExpectError(t, "", "The message was deleted")
}

func TestProtocolReactionImport_NotFound_Error(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.NewRun(t, "zulip_reaction").Import("99/tada", nil).ExpectError(t, "", "Cannot read message 99", "cannot read it")
}
