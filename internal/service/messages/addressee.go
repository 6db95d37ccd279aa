package messages

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// addressee has the attributes with the recipients of a message: a topic of a channel, or people.
type addressee struct {
	Channel    types.String `tfsdk:"channel"`
	Topic      types.String `tfsdk:"topic"`
	Recipients types.Set    `tfsdk:"recipients"`
}

const (
	channelDescription    = "Channel of the message, by ID or name, such as `zulip_channel.x.id`. Write `name:2024` for a name that is a number. Set this and `topic`, or `recipients`."
	topicDescription      = "Topic in the channel, at most 60 characters. `\"\"` is the topic without a name. White space at both ends is ignored."
	recipientsDescription = "Users and bots that get a direct message, by email address or user ID. You can leave out the provider's account."
)

// addresseeNames are the kinds of the objects that the attributes of [addressee] name.
var addresseeNames = map[string]string{"channel": runstate.Channel, "recipients": runstate.Account}

// addresseeAttributes are the attributes of [addressee] for a resource.
func addresseeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"channel":    schema.StringAttribute{Optional: true, MarkdownDescription: channelDescription},
		"topic":      schema.StringAttribute{Optional: true, MarkdownDescription: topicDescription},
		"recipients": schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: recipientsDescription},
	}
}

// addresseeActionAttributes are the attributes of [addressee] for an action.
func addresseeActionAttributes() map[string]actionschema.Attribute {
	return map[string]actionschema.Attribute{
		"channel":    actionschema.StringAttribute{Optional: true, MarkdownDescription: channelDescription},
		"topic":      actionschema.StringAttribute{Optional: true, MarkdownDescription: topicDescription},
		"recipients": actionschema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: recipientsDescription},
	}
}

// IsEmpty reports whether the addressee names neither a channel nor people.
func (a *addressee) IsEmpty() bool {
	return a.Channel.IsNull() && a.Topic.IsNull() && a.Recipients.IsNull()
}

// Equal reports whether two have equal attributes.
func (a addressee) Equal(b addressee) bool {
	return a.Channel.Equal(b.Channel) && a.Topic.Equal(b.Topic) && a.Recipients.Equal(b.Recipients)
}

// Validate refuses mistakes that are independent of the organization. It ignores unknown values, which may turn out
// to be null.
func (a *addressee) Validate(diags *diag.Diagnostics) {
	switch {
	case base.IsSet(a.Channel) && base.IsSet(a.Recipients):
		diags.AddAttributeError(path.Root("recipients"), "channel and recipients exclude each other",
			"A message goes to a topic of a channel, or directly to people. Set channel and topic, or set recipients.")
	case a.Channel.IsNull() && a.Recipients.IsNull():
		diags.AddError("No recipient", "Set channel and topic, or recipients.")
	case a.Channel.IsNull() && base.IsSet(a.Topic):
		diags.AddAttributeError(path.Root("topic"), "A direct message has no topic", "Remove topic, or set channel instead of recipients.")
	case base.IsSet(a.Channel) && a.Topic.IsNull():
		diags.AddAttributeError(path.Root("topic"), "A message to a channel requires a topic",
			"Set topic. The topic without a name is topic = \"\".")
	case base.IsSet(a.Recipients) && len(a.Recipients.Elements()) == 0:
		diags.AddAttributeError(path.Root("recipients"), "No recipient", "List at least one person or bot.")
	}
	checkCharacters(a.Topic, diags)
}

// Resolve resolves the attributes. known is false if one of them is unknown. Objects that do not exist are reported
// at their attribute.
func (a *addressee) Resolve(view *snapshot.Snapshot, diags *diag.Diagnostics) (to zulip.Addressee, known bool) {
	return a.resolve(view, false, diags)
}

// ResolveToSend resolves the attributes for a request. The error is a [base.Error] if a named object does not exist.
func (a *addressee) ResolveToSend(ctx context.Context, from *store.Store) (zulip.Addressee, error) {
	view, err := from.Read(ctx, store.Channels)
	if err != nil {
		return zulip.Addressee{}, err
	}
	var diags diag.Diagnostics
	to, _ := a.Resolve(view, &diags)
	if diags.HasError() {
		return zulip.Addressee{}, &base.Error{Diagnostics: diags}
	}
	return to, nil
}

// resolve is Resolve. In a plan, an object that this run will create is unknown.
func (a *addressee) resolve(view *snapshot.Snapshot, inPlan bool, diags *diag.Diagnostics) (to zulip.Addressee, known bool) {
	known = !a.Channel.IsUnknown() && !a.Topic.IsUnknown() && !a.Recipients.IsUnknown()
	if !a.Channel.IsNull() && !a.Channel.IsUnknown() {
		if inPlan {
			lookup.NameChannelInPlan(view, a.Channel.ValueString(), path.Root("channel"), diags)
		}
		channel, err := lookup.Channel(view, a.Channel.ValueString())
		switch {
		case inPlan && lookup.IsPlannedChannel(view, a.Channel.ValueString()):
			known = false
		case err != nil:
			base.Report(diags, "", lookup.NoSuchChannel(path.Root("channel"), err))
		case channel.IsArchived:
			diags.AddAttributeError(path.Root("channel"), "The channel is archived",
				fmt.Sprintf("No one can post in %q. A zulip_channel with its name and adopt_archived = true unarchives it. Reference that resource here as zulip_channel.NAME.id, so that Terraform unarchives it first.", channel.Name))
		default:
			to.ChannelID = channel.ID
		}
	}
	to.Topic = a.Topic.ValueString()
	if a.Recipients.IsUnknown() {
		return to, known
	}
	for _, element := range a.Recipients.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			known = false
			continue
		}
		user, err := lookup.User(view, text.ValueString())
		later := false
		if inPlan {
			_, later, _ = lookup.UserInConfig(view, text.ValueString(), path.Root("recipients"), diags)
		}
		switch {
		case later:
			known = false
		case err != nil:
			lookup.AddError(diags, path.Root("recipients"), err, "")
		case !user.IsActive:
			diags.AddAttributeError(path.Root("recipients"), "Deactivated",
				fmt.Sprintf("%q can't receive messages. Remove the email from recipients, or reactivate the account.", text.ValueString()))
		default:
			to.UserIDs = append(to.UserIDs, user.ID)
		}
	}
	slices.Sort(to.UserIDs)
	to.UserIDs = slices.Compact(to.UserIDs)
	return to, known
}

// Check resolves the attributes and refuses a topic that the server would cut.
func (a *addressee) Check(view *snapshot.Snapshot, diags *diag.Diagnostics) (to zulip.Addressee, known bool) {
	a.checkTopic(view, diags)
	return a.resolve(view, false, diags)
}

// CheckPlan is Check for a plan. An object that this run will create is unknown.
func (a *addressee) CheckPlan(view *snapshot.Snapshot, diags *diag.Diagnostics) (to zulip.Addressee, known bool) {
	a.checkTopic(view, diags)
	return a.resolve(view, true, diags)
}

func (a *addressee) checkTopic(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	limit := zulip.MaxTopicLength
	if realm := view.Realm(); realm != nil && realm.MaxTopicLength > 0 {
		limit = realm.MaxTopicLength
	}
	checkLength(path.Root("topic"), "topic", zulip.StoredTopic(a.Topic.ValueString()), limit, diags)
}

// Words describes the recipients in messages.
func (a *addressee) Words() string {
	if a.Recipients.IsNull() {
		return fmt.Sprintf("channel %q, topic %q", a.Channel.ValueString(), a.Topic.ValueString())
	}
	var people []string
	for _, element := range a.Recipients.Elements() {
		if text, ok := element.(types.String); ok {
			people = append(people, text.ValueString())
		}
	}
	return strings.Join(people, ", ")
}

// Read sets the attributes to the server's recipients. It keeps texts with the same meaning, so that a plan shows no
// difference.
func (a *addressee) Read(to zulip.Addressee, view *snapshot.Snapshot, self int64) {
	if to.IsDirect() {
		a.Channel, a.Topic = types.StringNull(), types.StringNull()
		var ignored diag.Diagnostics
		kept, known := a.Resolve(view, &ignored)
		if !known || a.Recipients.IsNull() || ignored.HasError() || !kept.Same(to, self) {
			a.Recipients = recipientTexts(to.UserIDs, view, self)
		}
		return
	}
	a.Recipients = types.SetNull(types.StringType)
	a.Channel = types.StringValue(lookup.KeepChannel(a.Channel.ValueString(), to.ChannelID, view))
	if a.Topic.IsNull() || a.Topic.IsUnknown() || zulip.StoredTopic(a.Topic.ValueString()) != zulip.StoredTopic(to.Topic) {
		a.Topic = types.StringValue(to.Topic)
	}
}

// KeepPrior keeps prior texts with the same meaning, so that a plan shows no difference.
func (a *addressee) KeepPrior(held addressee, view *snapshot.Snapshot, self int64) {
	var ignored diag.Diagnostics
	mine, known := a.Resolve(view, &ignored)
	theirs, knownToo := held.Resolve(view, &ignored)
	if known && knownToo && !ignored.HasError() && mine.Same(theirs, self) {
		*a = held
	}
}

// recipientTexts returns the emails of the recipients, without the sender unless alone.
func recipientTexts(ids []int64, view *snapshot.Snapshot, self int64) types.Set {
	var elements []attr.Value
	for _, id := range ids {
		if id == self && len(ids) > 1 {
			continue
		}
		words := strconv.FormatInt(id, 10)
		if user, ok := view.User(id); ok {
			words = user.Address()
		}
		elements = append(elements, types.StringValue(words))
	}
	return types.SetValueMust(types.StringType, elements)
}

// contentDescription describes the content of a message.
const contentDescription = "Text in Markdown, at most 10000 characters unless the server is set up otherwise. White space at the end is ignored."

// contentValidator refuses a content that no server accepts.
func contentValidator() validator.String {
	return validators.Checked("content", func(content string) error {
		if zulip.StoredContent(content) == "" {
			return errors.New("the message is empty. Set content to some text. White space alone isn't enough")
		}
		return nil
	})
}

// checkContent refuses a content that the server would cut.
func checkContent(content types.String, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	limit := zulip.MaxMessageLength
	if realm := view.Realm(); realm != nil && realm.MaxMessageLength > 0 {
		limit = realm.MaxMessageLength
	}
	checkLength(path.Root("content"), "content", zulip.StoredContent(content.ValueString()), limit, diags)
}

// keepContent returns the configured content if the server stores it as its current content, and otherwise the
// server's.
func keepContent(kept types.String, held string) types.String {
	if !kept.IsNull() && !kept.IsUnknown() && zulip.StoredContent(kept.ValueString()) == zulip.StoredContent(held) {
		return kept
	}
	return types.StringValue(held)
}

func checkLength(at path.Path, what, text string, limit int, diags *diag.Diagnostics) {
	if length := utf8.RuneCountInString(text); length > limit {
		diags.AddAttributeError(at, "The "+what+" is too long",
			fmt.Sprintf("It has %d characters. The server accepts %d, and would silently cut off the rest.", length, limit))
	}
}

var controlCharacter = regexp.MustCompile(`\p{Cc}`)

// checkCharacters refuses a topic with characters that the server refuses.
func checkCharacters(topic types.String, diags *diag.Diagnostics) {
	if controlCharacter.MatchString(zulip.StoredTopic(topic.ValueString())) {
		diags.AddAttributeError(path.Root("topic"), "Invalid topic", "A topic is a single line without control characters.")
	}
}
