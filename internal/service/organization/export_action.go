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
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewExportAction returns the action zulip_export.
func NewExportAction() action.Action {
	return adapter.Action[exportModel]{Name: "export", Schema: exportSchema, Plan: planExport, Invoke: invokeExport}.New()
}

// exportTypes are the types by their names in the API's documentation.
var exportTypes = map[string]zulip.ExportType{exportPublic: zulip.ExportPublic, exportStandard: zulip.ExportStandard}

const (
	exportPublic   = "public"
	exportStandard = "standard"

	exportTimeout = time.Hour
	// exportLongestPause is the maximum time between two checks of the server's progress.
	exportLongestPause = 15 * time.Second

	doingExport = "export the organization's data"
	// whereExports is the place of exports in the web app
	whereExports = "Organization settings, under Data exports"
)

func exportSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "[Exports the data of the organization](https://zulip.com/help/export-your-organization) and waits until the server has finished.",
		Attributes: map[string]schema.Attribute{
			"export_type": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Data to export: `public`, or `standard` to add the private data of users who consent in their settings (**Let administrators export my private data**). Defaults to `public`.",
				Validators:          []validator.String{validators.OneOf(exportPublic, exportStandard)},
			},
			"link_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a file for the link, in an existing folder. Only the system account that runs Terraform can read it. An existing file is replaced. Without it, the link is only in " + whereExports + ".",
				Validators:          []validator.String{validators.Length(1, 4096)},
			},
			"timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Time limit for the export, such as `30m`. Defaults to `1h`.",
				Validators:          []validator.String{validators.Duration()},
			},
		},
	}
}

// planExport refuses accounts that can't export, and warns about a folder that does not exist.
func planExport(_ context.Context, c *adapter.Call[exportModel]) error {
	c.RequireAdministrator(doingExport, c.Diags)
	if !base.IsSet(c.Config.LinkFile) {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(c.Config.LinkFile.ValueString())); err != nil {
		c.Diags.AddAttributeWarning(path.Root("link_file"), noLinkFile+", so the apply will fail", "Create its folder first. "+base.Sentence(err))
	}
	return nil
}

const noLinkFile = "Cannot write the file for the link"

func invokeExport(ctx context.Context, c *adapter.Call[exportModel]) error {
	if !c.RequireAdministrator(doingExport, c.Diags) {
		return nil
	}
	link, err := newExportLinkFile(c.Config.LinkFile)
	if err != nil { // before the server starts to work
		return base.Refused(path.Root("link_file"), noLinkFile, "Nothing was sent. "+base.Sentence(err))
	}
	defer link.discard()
	id, err := startExport(ctx, c)
	if err != nil {
		return err
	}
	url, err := awaitExport(ctx, c, id)
	if err != nil {
		return err
	}
	if err := link.write(url); err != nil {
		return base.Refused(path.Root("link_file"), noLinkFile,
			fmt.Sprintf("Export %d has finished, and its link is in %s. %s", id, whereExports, base.Sentence(err)))
	}
	in := whereExports
	if link != nil {
		in = c.Config.LinkFile.ValueString()
	}
	c.Say("Export %d has finished. Its link is in %s.", id, in)
	return nil
}

type exportModel struct {
	ExportType types.String `tfsdk:"export_type"`
	LinkFile   types.String `tfsdk:"link_file"`
	Timeout    types.String `tfsdk:"timeout"`
}

func (m *exportModel) timeout() time.Duration {
	if m.Timeout.IsNull() {
		return exportTimeout
	}
	return validators.ParseDuration(m.Timeout.ValueString())
}

// startExport starts the export. After a lost answer it looks for the export, because the server only allows a few.
func startExport(ctx context.Context, c *adapter.Call[exportModel]) (int64, error) {
	const summary = "Cannot export the data of the organization"
	kind := zulip.ExportPublic
	if !c.Config.ExportType.IsNull() {
		kind = exportTypes[c.Config.ExportType.ValueString()]
	}
	before, err := c.Meta.Client.Exports(ctx)
	if err == nil && kind == zulip.ExportStandard {
		err = sayConsents(ctx, c)
	}
	if err != nil {
		return 0, base.Refused(path.Empty(), summary, "Nothing was started. "+base.Explain(err))
	}
	id, err := c.Meta.Client.StartExport(ctx, kind)
	if zulip.MayHaveHappened(err) {
		id, err = findExport(ctx, c.Meta, kind, before, err)
	}
	if err != nil {
		return 0, base.Failed(summary, err, exportHint)
	}
	c.Say("Export %d has started", id)
	return id, nil
}

// sayConsents reports how many people allow the export of their private data.
func sayConsents(ctx context.Context, c *adapter.Call[exportModel]) error {
	consents, err := c.Meta.Client.ExportConsents(ctx)
	if err != nil {
		return err
	}
	people := len(consents)
	consents = slices.DeleteFunc(consents, func(one *zulip.ExportConsent) bool { return !one.Consented })
	c.Say("%d of %d people let their private data be exported", len(consents), people)
	return nil
}

// findExport returns the export of a request whose answer was lost, or the request's error.
func findExport(ctx context.Context, meta *base.Meta, kind zulip.ExportType, before []*zulip.Export, lost error) (int64, error) {
	now, err := meta.Client.Exports(ctx)
	if err != nil {
		return 0, errors.Join(lost, err)
	}
	for _, export := range now {
		isNew := !slices.ContainsFunc(before, func(other *zulip.Export) bool { return other.ID == export.ID })
		if isNew && export.ActingUserID == meta.Store.Self().ID && export.Type == kind {
			return export.ID, nil
		}
	}
	return 0, lost
}

func exportHint(err error) string {
	if zulip.IsMessage(err, "Exceeded rate limit.") {
		return "The server allows five exports of an organization in seven days. Deleted and failed exports count."
	}
	return ""
}

// awaitExport waits until the server has finished, and returns the URL of the file.
func awaitExport(ctx context.Context, c *adapter.Call[exportModel], id int64) (string, error) {
	timeout := c.Config.timeout()
	refuse := func(detail string) (string, error) {
		return "", base.Refused(path.Empty(), fmt.Sprintf("Export %d did not finish", id), detail)
	}
	const goesOn = " The server continues the export: see " + whereExports + ". Invoking the action again starts another export."
	started := zulip.Now(ctx)
	for pause := zulip.FirstPause; ; pause = min(2*pause, exportLongestPause) {
		left := timeout - zulip.Now(ctx).Sub(started)
		if left <= 0 {
			return refuse(fmt.Sprintf("It was not finished after %s.", timeout) + goesOn)
		}
		if err := zulip.Sleep(ctx, min(pause, left)); err != nil {
			return refuse("Waiting for it was interrupted." + goesOn)
		}
		export, err := readExport(ctx, c.Meta.Client, id)
		switch {
		case err != nil:
			return "", base.Refused(path.Empty(), fmt.Sprintf("Cannot read the progress of export %d", id), base.Explain(err)+goesOn)
		case export == nil || export.DeletedTimestamp != nil:
			return refuse("Someone deleted the export.")
		case export.FailedTimestamp != nil:
			return "", base.Refused(path.Empty(), fmt.Sprintf("Export %d failed", id), fmt.Sprintf("It failed at %s. The server gives no reason; check its log. Failed exports count toward the limit of five in seven days.",
				time.Unix(int64(*export.FailedTimestamp), 0).UTC().Format(time.RFC3339)))
		case export.Pending:
			c.Say("Waiting for export %d: %s so far", id, zulip.Now(ctx).Sub(started).Round(time.Second))
		case export.URL == nil || *export.URL == "":
			return refuse("The server reports that it has finished, but gives no link. See " + whereExports + ".")
		default:
			return c.Meta.Client.Absolute(*export.URL), nil
		}
	}
}

// readExport returns an export; nil if the server does not list it.
func readExport(ctx context.Context, client *zulip.Client, id int64) (*zulip.Export, error) {
	exports, err := client.Exports(ctx)
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

// exportLinkFile is the temporary file next to the target, to which the link is written first. It is nil if there is no
// target.
type exportLinkFile struct {
	file *os.File
	path string
}

func newExportLinkFile(name types.String) (*exportLinkFile, error) {
	if name.IsNull() {
		return nil, nil //nolint:nilnil // there is to be none
	}
	target := name.ValueString()
	file, err := os.CreateTemp(filepath.Dir(target), ".zulip-export-*") // only its owner can read it
	if err != nil {
		return nil, err
	}
	return &exportLinkFile{file, target}, nil
}

// write writes the link, and moves the file to the target.
func (l *exportLinkFile) write(url string) error {
	if l == nil {
		return nil
	}
	_, problem := l.file.WriteString(url + "\n")
	if err := errors.Join(problem, l.file.Close()); err != nil {
		return err
	}
	return os.Rename(l.file.Name(), l.path)
}

// discard removes the file unless it was moved to the target.
func (l *exportLinkFile) discard() {
	if l == nil {
		return
	}
	_ = l.file.Close()           // the file is closed if it was written
	_ = os.Remove(l.file.Name()) // the file was moved in that case
}
