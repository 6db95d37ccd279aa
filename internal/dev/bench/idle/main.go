// Idle is a provider of the usual build with the schema of ours, whose create, read, update and delete do nothing. What a
// plan costs with it is what the plugin protocol costs: the floor that the benchmark measures against.
//
// With ZULIP_BENCH_AT_ONCE it does not even look at what it is asked: what a plan without changes costs then, no plugin
// can do for less.
package main

import (
	"context"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/service/channels"
)

func main() {
	if os.Getenv("ZULIP_BENCH_AT_ONCE") != "" {
		if err := serveAtOnce(); err != nil {
			log.Fatal(err)
		}
		return
	}
	serve := providerserver.ServeOpts{Address: "bench.test/zulip-iac/idle"}
	if err := providerserver.Serve(context.Background(), func() provider.Provider { return idle{} }, serve); err != nil {
		log.Fatal(err)
	}
}

type idle struct{}

func (idle) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "idle"
}

func (idle) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{}
}

func (idle) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (idle) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (idle) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return idleChannel{} }}
}

type idleChannel struct{}

func (idleChannel) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel"
}

func (idleChannel) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	channels.NewChannelResource().Schema(ctx, req, resp)
}

func (idleChannel) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = withoutUnknown(req.Plan.Raw)
}

func (idleChannel) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (idleChannel) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = withoutUnknown(req.Plan.Raw)
}

func (idleChannel) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// withoutUnknown is what the plan leaves open, filled with nothing.
func withoutUnknown(value tftypes.Value) tftypes.Value {
	known, err := tftypes.Transform(value, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if !v.IsKnown() {
			return tftypes.NewValue(v.Type(), nil), nil
		}
		return v, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return known
}
