package cli

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Version returns the version of the binary without the "v": the linker's in a release, the module's after "go
// install", or "dev".
func Version(linked string) string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(linked, info)
}

func versionOf(linked string, info *debug.BuildInfo) string {
	module := ""
	// Without a version, as in a test, it is in parentheses: "(devel)".
	if info != nil && strings.HasPrefix(info.Main.Version, "v") {
		module = strings.TrimPrefix(info.Main.Version, "v")
	}
	return cmp.Or(linked, module, "dev")
}

func newVersion(version string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the servers it is tested with",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			return printVersion(cmd.OutOrStdout(), version, info)
		},
	}
}

// printVersion prints the versions for a bug report.
func printVersion(w io.Writer, version string, info *debug.BuildInfo) error {
	_, err := fmt.Fprintf(w, "terraform-provider-zulip %s\ncommit: %s\nbuilt with: %s, %s/%s\ntested feature levels: %d (Zulip %s) to %d\n",
		version, commitOf(info), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		featurelevel.Oldest, featurelevel.FirstRelease(featurelevel.Oldest), featurelevel.Newest)
	return err
}

// commitOf returns the commit of the binary's source, as recorded by Go.
func commitOf(info *debug.BuildInfo) string {
	if info == nil {
		return "unknown"
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	commit := cmp.Or(settings["vcs.revision"], "unknown")
	if settings["vcs.modified"] == "true" {
		commit += ", with uncommitted changes"
	}
	return commit
}
