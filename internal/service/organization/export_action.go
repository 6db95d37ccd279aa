package organization

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ action.ActionWithConfigure  = (*exportAction)(nil)
	_ action.ActionWithModifyPlan = (*exportAction)(nil)
)

// exportAction is the action zulip_export.
type exportAction struct{ base.Action }

// NewExportAction returns the action zulip_export.
func NewExportAction() action.Action { return &exportAction{} }

type exportModel struct {
	ExportType types.String `tfsdk:"export_type"`
	LinkFile   types.String `tfsdk:"link_file"`
	Timeout    types.String `tfsdk:"timeout"`
}

// exportTypes are the types by their names in the API documentation.
var exportTypes = map[string]zulip.ExportType{public: zulip.ExportPublic, standard: zulip.ExportStandard}

const (
	public   = "public"
	standard = "standard"

	usualTimeout = time.Hour
	// longestPause is between two looks at how far the server is.
	longestPause = 15 * time.Second

	doing = "export the organization's data"
	// where people find exports in the web app.
	where = "Organization settings, under Data exports"
)

func (a *exportAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_export"
}

func (a *exportAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Exports the data of the organization, and waits until the server has finished. Only administrators and owners can, also bots with such a role. The server starts at most five exports in seven days, deleted and failed ones among them, and refuses organizations with more than 250,000 messages or 20 GiB of files.\n\n" +
			"Whoever knows the link to the exported data can download it, without an account. It is therefore in no state, plan, message or log: `link_file` is a file that it is written to, and " + where + ", shows it to administrators. Delete the export there when it is downloaded.\n\n" +
			"Each invocation starts another export, also after one that was interrupted or took too long: the server goes on with that one.",
		Attributes: map[string]schema.Attribute{
			"export_type": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "What is exported: `public` data, or with `standard` also the private data of the people who consent to it, by **Let administrators export my private data** in their personal settings. Defaults to `public`.",
				Validators:          []validator.String{validators.OneOf(public, standard)},
			},
			"link_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file that the link is written to when the export has finished. Only the account that runs the CLI can read it; a file that is there is replaced. Its folder has to exist. If unset, the link is only in " + where + ".",
				Validators:          []validator.String{validators.Length(1, 4096)},
			},
			"timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long to wait for the server, as in `30m`. Defaults to `1h`.",
				Validators:          []validator.String{validators.Duration()},
			},
		},
	}
}

// ModifyPlan refuses accounts that may not.
func (a *exportAction) ModifyPlan(_ context.Context, _ action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.CanPlan(&resp.Diagnostics) {
		a.RequireAdministrator(doing, &resp.Diagnostics)
	}
}

// Invoke exports the data.
func (a *exportAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config exportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) || !a.RequireAdministrator(doing, &resp.Diagnostics) {
		return
	}
	link, err := newLinkFile(config.LinkFile)
	if err != nil { // before the server does the work
		resp.Diagnostics.AddAttributeError(path.Root("link_file"), "Cannot write the file for the link", "Nothing was sent. "+base.Sentence(err))
		return
	}
	defer link.discard()
	tell := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	id, ok := a.start(ctx, &config, tell, &resp.Diagnostics)
	if !ok {
		return
	}
	url, ok := a.await(ctx, id, config.timeout(), tell, &resp.Diagnostics)
	if !ok {
		return
	}
	if err := link.write(url); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("link_file"), "Cannot write the file for the link",
			fmt.Sprintf("Export %d has finished, and its link is in %s. %s", id, where, base.Sentence(err)))
		return
	}
	if link == nil {
		tell("Export %d has finished. Its link is in %s.", id, where)
		return
	}
	tell("Export %d has finished. Its link is in %s.", id, config.LinkFile.ValueString())
}

func (m *exportModel) timeout() time.Duration {
	if m.Timeout.IsNull() {
		return usualTimeout
	}
	return validators.ParseDuration(m.Timeout.ValueString())
}

// start starts the export. After a lost answer it looks for it: each one counts among the few that the server takes.
func (a *exportAction) start(ctx context.Context, config *exportModel, tell func(string, ...any), diags *diag.Diagnostics) (id int64, ok bool) {
	const summary = "Cannot export the data of the organization"
	kind := zulip.ExportPublic
	if !config.ExportType.IsNull() {
		kind = exportTypes[config.ExportType.ValueString()]
	}
	before, err := a.Meta.Client.Exports(ctx)
	if err == nil && kind == zulip.ExportStandard {
		err = a.tellConsents(ctx, tell)
	}
	if err != nil {
		diags.AddError(summary, "Nothing was started. "+base.Explain(err))
		return 0, false
	}
	id, err = a.Meta.Client.StartExport(ctx, kind)
	if zulip.MayHaveHappened(err) {
		id, err = a.find(ctx, kind, before, err)
	}
	if err != nil {
		diags.AddError(summary, base.ExplainWith(err, exportHint))
		return 0, false
	}
	tell("Export %d has started", id)
	return id, true
}

// tellConsents says how many people let their private data be exported.
func (a *exportAction) tellConsents(ctx context.Context, tell func(string, ...any)) error {
	consents, err := a.Meta.Client.ExportConsents(ctx)
	if err != nil {
		return err
	}
	people := len(consents)
	consents = slices.DeleteFunc(consents, func(c *zulip.ExportConsent) bool { return !c.Consented })
	tell("%d of %d people let their private data be exported", len(consents), people)
	return nil
}

// find returns the export that a request started whose answer was lost, or its error.
func (a *exportAction) find(ctx context.Context, kind zulip.ExportType, before []*zulip.Export, lost error) (int64, error) {
	now, err := a.Meta.Client.Exports(ctx)
	if err != nil {
		return 0, errors.Join(lost, err)
	}
	for _, export := range now {
		isNew := !slices.ContainsFunc(before, func(other *zulip.Export) bool { return other.ID == export.ID })
		if isNew && export.ActingUserID == a.Meta.Store.Self().ID && export.Type == kind {
			return export.ID, nil
		}
	}
	return 0, lost
}

func exportHint(err error) string {
	if zulip.IsMessage(err, "Exceeded rate limit.") {
		return "The server starts at most five exports of an organization in seven days; deleted and failed ones count."
	}
	return ""
}

// await waits until the server has finished, and returns where the file is.
func (a *exportAction) await(ctx context.Context, id int64, timeout time.Duration, tell func(string, ...any), diags *diag.Diagnostics) (url string, ok bool) {
	summary := fmt.Sprintf("Export %d did not finish", id)
	const goesOn = " The server goes on with it: see " + where + ". Invoking the action again starts another one."
	started := time.Now()
	for pause := zulip.FirstPause; ; pause = min(2*pause, longestPause) {
		left := timeout - time.Since(started)
		if left <= 0 {
			diags.AddError(summary, fmt.Sprintf("It was not finished after %s.", timeout)+goesOn)
			return "", false
		}
		if err := zulip.Sleep(ctx, min(pause, left)); err != nil {
			diags.AddError(summary, "Waiting for it was interrupted."+goesOn)
			return "", false
		}
		export, err := a.read(ctx, id)
		switch {
		case err != nil:
			diags.AddError("Cannot read how far export "+fmt.Sprint(id)+" is", base.Explain(err)+goesOn)
			return "", false
		case export == nil || export.DeletedTimestamp != nil:
			diags.AddError(summary, "Somebody has deleted it meanwhile.")
			return "", false
		case export.FailedTimestamp != nil:
			diags.AddError(fmt.Sprintf("Export %d failed", id), fmt.Sprintf("The server says that it failed at %s, and nothing more: the reason is in the log of the server. Failed exports count among the five in seven days.",
				time.Unix(int64(*export.FailedTimestamp), 0).UTC().Format(time.RFC3339)))
			return "", false
		case export.Pending:
			tell("Waiting for export %d: %s so far", id, time.Since(started).Round(time.Second))
		case export.URL == nil || *export.URL == "":
			diags.AddError(summary, "The server says that it has finished, and gives no link to it. See "+where+".")
			return "", false
		default:
			return a.Meta.Client.Absolute(*export.URL), true
		}
	}
}

// read returns an export; nil if the server does not list it.
func (a *exportAction) read(ctx context.Context, id int64) (*zulip.Export, error) {
	exports, err := a.Meta.Client.Exports(ctx)
	if err != nil {
		return nil, err
	}
	for _, export := range exports {
		if export.ID == id {
			return export, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// linkFile is the file for the link, until it is written under another name beside the one that it is to have; nil: none.
type linkFile struct {
	file *os.File
	path string
}

func newLinkFile(name types.String) (*linkFile, error) {
	if name.IsNull() {
		return nil, nil //nolint:nilnil // there is to be none
	}
	target := name.ValueString()
	file, err := os.CreateTemp(filepath.Dir(target), ".zulip-export-*") // only its owner may read it
	if err != nil {
		return nil, err
	}
	return &linkFile{file, target}, nil
}

// write writes the link, and puts the file in its place.
func (l *linkFile) write(url string) error {
	if l == nil {
		return nil
	}
	_, problem := l.file.WriteString(url + "\n")
	if err := errors.Join(problem, l.file.Close()); err != nil {
		return err
	}
	return os.Rename(l.file.Name(), l.path)
}

// discard removes what is not in its place.
func (l *linkFile) discard() {
	if l == nil {
		return
	}
	_ = l.file.Close()           // it is closed if it was written
	_ = os.Remove(l.file.Name()) // it is elsewhere then
}
