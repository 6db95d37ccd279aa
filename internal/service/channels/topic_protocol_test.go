package channels_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestProtocolChannelTopics(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	channel := o.MustChannel(t, "general").ID
	ids := []int64{}
	for _, topic := range []string{"plans", "", "news"} {
		id, err := o.Client.SendMessage(context.Background(), zulip.Addressee{ChannelID: channel, Topic: topic}, "x")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	p := o.NewRun(t, "zulip_message").Process()
	for _, name := range []string{"general", fmt.Sprint(channel)} {
		read, diags := p.ReadData("zulip_channel_topics", values{"channel": name})
		diags.ExpectNoError(t)
		if read["channel_id"] != channel {
			t.Errorf("channel_id is %v, want %d", read["channel_id"], channel)
		}
		found := map[any]any{}
		list, _ := read["topics"].([]any)
		for _, one := range list {
			topic, _ := one.(values)
			found[topic["name"]] = topic["max_id"]
		}
		if found["plans"] != ids[0] || found[""] != ids[1] || found["news"] != ids[2] {
			t.Errorf("read %v, sent messages %v", found, ids)
		}
		if first, _ := list[0].(values); first["name"] != "news" {
			t.Errorf("%v comes first, want the topic with the newest message", first)
		}
	}
	_, diags := p.ReadData("zulip_channel_topics", values{"channel": "genral"})
	diags.ExpectError(t, "channel", `did you mean "general"?`)

	guest := o.As(t, "guest").NewRun(t, "zulip_message").Process()
	_, diags = guest.ReadData("zulip_channel_topics", values{"channel": "leads"})
	diags.ExpectError(t, "channel", "No such channel")
}

func TestProtocolTopicsOfAnArchivedChannel(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.ArchivedChannels - 1})
	channel := o.MustChannel(t, "general").ID
	id, err := o.Client.SendMessage(context.Background(), zulip.Addressee{ChannelID: channel, Topic: "plans"}, "x")
	if err != nil {
		t.Fatal(err)
	}
	o.Archive(t, "general")
	read := func() (values, acctest.Diagnostics) {
		return o.NewRun(t, "zulip_message").Process().ReadData("zulip_channel_topics", values{"channel": "general"})
	}
	_, diags := read()
	diags.ExpectError(t, "channel", `Cannot read the topics of channel "general"`, "The channel is archived", "needs feature level 480", "the server has 479")

	o.Sandbox.SetFeatureLevel(featurelevel.ArchivedChannels)
	found, diags := read()
	diags.ExpectNoError(t)
	topics := map[any]any{}
	list, _ := found["topics"].([]any)
	for _, one := range list {
		topic, _ := one.(values)
		topics[topic["name"]] = topic["max_id"]
	}
	if topics["plans"] != id {
		t.Errorf("read %v, sent message %d", found, id)
	}
}
