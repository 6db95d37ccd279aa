//go:build unix

package main

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const channelType = "zulip_channel"

// readEach is a provider that asks for each channel by itself when it is read, as providers usually do.
type readEach struct {
	tfprotov6.ProviderServer
	client  *zulip.Client
	channel tftypes.Type // of a channel's state
}

func newReadEach(server tfprotov6.ProviderServer, client *zulip.Client) (*readEach, error) {
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	return &readEach{server, client, schemas.ResourceSchemas[channelType].ValueType()}, nil
}

// ReadResource asks for the channel, and answers as the provider does.
func (r *readEach) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if req.TypeName == channelType {
		id, err := r.idOf(req.CurrentState)
		if err != nil {
			return nil, fmt.Errorf("reading the ID of a channel: %w", err)
		}
		if _, err := r.client.Channel(ctx, id); err != nil {
			return nil, err
		}
	}
	return r.ProviderServer.ReadResource(ctx, req)
}

func (r *readEach) idOf(state *tfprotov6.DynamicValue) (int64, error) {
	value, err := state.Unmarshal(r.channel)
	if err != nil {
		return 0, err
	}
	var attributes map[string]tftypes.Value
	if err := value.As(&attributes); err != nil {
		return 0, err
	}
	var number big.Float
	if err := attributes["id"].As(&number); err != nil {
		return 0, err
	}
	id, _ := number.Int64()
	return id, nil
}
