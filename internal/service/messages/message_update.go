package messages

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// messageChange is the planned change of a message. Fields that are nil are unchanged.
type messageChange struct {
	channel        *int64
	topic, content *string
}

type (
	messageStep    = change.Step[*zulip.Message, messageChange]
	messagePending = change.Pending[*zulip.Message, messageChange]
	messageReading = change.Reading[*zulip.Message]
)

// Update moves and edits the message as planned, unless there is a conflict.
func (r *messageResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state messageModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	to, _ := plan.Resolve(view, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		checkMessagePlace(ctx, r.Meta, view, &state, to, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	now := r.subject(state.ID.ValueInt64()).Change(ctx, &r.Base, messageSteps(&state, &plan, to, view), nil, &resp.Diagnostics)
	if now == nil {
		return
	}
	self := r.Meta.Store.Self().ID
	if resp.Diagnostics.HasError() {
		state.read(now.Thing, view, self)
	} else { // Terraform only accepts planned values; the next plan shows other changes
		state = plan
		state.read(now.Thing, view, self)
		state.addressee, state.Content = plan.addressee, plan.Content
		if base.IsSet(plan.ChannelID) {
			state.ChannelID = plan.ChannelID
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// messageSteps returns the differences between a state and a plan.
func messageSteps(state, plan *messageModel, to zulip.Addressee, view *snapshot.Snapshot) (changed []messageStep) {
	add := func(one messageStep) {
		if one.Prior != one.Planned {
			changed = append(changed, one)
		}
	}
	if !to.IsDirect() {
		add(messageStep{
			Attribute: "channel", Prior: channelText(state.ChannelID.ValueInt64(), view), Planned: channelText(to.ChannelID, view),
			Current: func(m *zulip.Message) string { return channelText(m.To().ChannelID, view) },
			Put:     func(c *messageChange, _ *zulip.Message, _ bool) { c.channel = &to.ChannelID },
		})
		add(messageStep{
			Attribute: "topic", Prior: quotedTopic(state.Topic.ValueString()), Planned: quotedTopic(to.Topic),
			Current: func(m *zulip.Message) string { return quotedTopic(m.To().Topic) },
			Put:     func(c *messageChange, _ *zulip.Message, _ bool) { c.topic = &to.Topic },
		})
	}
	add(messageStep{
		Attribute: "content", Prior: quotedContent(state.Content.ValueString()), Planned: quotedContent(plan.Content.ValueString()),
		Current: func(m *zulip.Message) string { return quotedContent(m.Content) },
		Put: func(c *messageChange, _ *zulip.Message, _ bool) {
			content := plan.Content.ValueString()
			c.content = &content
		},
	})
	return changed
}

// These functions return topics and contents in the server's form, for messages.
func quotedTopic(topic string) string { return strconv.Quote(zulip.StoredTopic(topic)) }

func quotedContent(content string) string { return strconv.Quote(zulip.StoredContent(content)) }

// channelText returns the name of a channel with its ID, which distinguishes it from others of the name.
func channelText(id int64, view *snapshot.Snapshot) string {
	if channel, ok := view.Channels().ByID(id); ok {
		return fmt.Sprintf("%q (ID %d)", channel.Name, id)
	}
	return fmt.Sprint(id)
}

// subject has the functions that read and change a message.
func (r *messageResource) subject(id int64) change.Subject[*zulip.Message, messageChange] {
	name := fmt.Sprintf("message %d", id)
	return change.Subject[*zulip.Message, messageChange]{
		Of: "zulip_message", NameBefore: name, Name: func(*zulip.Message) string { return name }, Explain: r.Explain,
		Read: func(ctx context.Context, _ func(*zulip.Message) bool) (*messageReading, error) {
			found, err := r.Meta.Store.Message(ctx, id)
			switch {
			case err != nil:
				return nil, err
			case found == nil:
				return nil, fmt.Errorf("the provider's account no longer sees %s. Plan again to see what happened", name)
			}
			return &messageReading{Thing: found}, nil
		},
		Send: func(ctx context.Context, p messagePending) ([]string, error) { return nil, r.send(ctx, p) },
	}
}

// send sends the requests of a change, because the server does not accept a new channel and a new text in one
// (server-behavior §M5).
func (r *messageResource) send(ctx context.Context, p messagePending) error {
	update, from := p.Update(), p.Now.To()
	if update.channel != nil || update.topic != nil {
		to := from
		if update.channel != nil {
			to.ChannelID = *update.channel
		}
		if update.topic != nil {
			to.Topic = *update.topic
		}
		if err := r.Meta.Client.MoveMessage(ctx, p.Now.ID, from, to); err != nil && !zulip.IsMessage(err, "Nothing to change") {
			return err
		}
	}
	if update.content == nil {
		return nil
	}
	return r.Meta.Client.EditMessage(ctx, p.Now.ID, p.Now.Content, *update.content, r.FeatureLevel())
}
