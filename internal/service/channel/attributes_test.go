package channel_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/attributetest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	resourceattribute "github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/channel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// samples are channels as a server shows them, two for each row of the table of attributes.
func samples(folder int64) attributetest.Samples {
	return attributetest.Samples{
		"id":                         {`{"stream_id": 1}`, `{"stream_id": 2}`},
		"name":                       {`{"name": "sampled"}`, `{"name": "renamed"}`},
		"description":                {`{"description": "before"}`, `{"description": "after"}`},
		"privacy":                    {`{}`, `{"invite_only": true, "history_public_to_subscribers": true}`},
		"folder_id":                  {`{"folder_id": null}`, fmt.Sprintf(`{"folder_id": %d}`, folder)},
		"folder":                     {`{"folder_id": null}`, fmt.Sprintf(`{"folder_id": %d}`, folder)},
		"topics_policy":              {`{"topics_policy": "inherit"}`, `{"topics_policy": "disable_empty_topic"}`},
		"message_retention_days":     {`{"message_retention_days": null}`, `{"message_retention_days": 30}`},
		"is_default":                 {`{"is_default": false}`, `{"is_default": true}`},
		"default_push_notifications": {`{"default_push_notifications": false}`, `{"default_push_notifications": true}`},
		"creator_id":                 {`{"creator_id": 1}`, `{"creator_id": 2}`},
		"date_created":               {`{"date_created": 1}`, `{"date_created": 2}`},
		"is_archived":                {`{"is_archived": false}`, `{"is_archived": true}`},
		"url":                        {`{"stream_id": 1}`, `{"stream_id": 2}`},
	}
}

// withFolder is what the rows know of an organization with a folder.
func withFolder(id int64) resourceattribute.Server {
	var facts snapshot.Facts
	facts.Take(&zulip.RegisterAnswer{Folders: []*zulip.ChannelFolder{{ID: id, Name: "Operations"}}}, zulip.FetchFolders)
	return resourceattribute.Server{View: snapshot.New(facts, new(runstate.State))}
}

func TestEveryAttributeIsReadComparedAndSent(t *testing.T) {
	test := attributetest.Of(channel.Attributes, samples(1))
	test.On = withFolder(1)
	test.Check(t)
	for name, one := range channel.CreationAttributes() {
		if one.IsComputed() {
			t.Errorf("%s: the server knows it, and it is in no row of the table", name)
		}
	}
}

func TestProtocolEveryAttribute(t *testing.T) {
	start := func(t *testing.T) *acctest.Run {
		_, run := managedAt(t, featurelevel.Newest)
		return run
	}
	o, _ := managedAt(t, featurelevel.Newest) // all of them have the same folder
	folder := *o.MustChannel(t, "incidents").FolderID
	test := attributetest.Of(channel.Attributes, samples(folder))
	test.On = withFolder(folder)
	test.Apply(t, start, values{"name": "sampled", "initial_subscribers": who(o.Self.Email)})
}
