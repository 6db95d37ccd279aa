// Package cli implements the commands of the binary: their flags, their help and their output. [Run] is called by main; it
// serves the plugin, or runs a subcommand, each of which has a file here. The work itself is done by packages such as sandbox,
// review and audit.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// pluginCookie is the environment variable with which a CLI starts every plugin. Without it, a person did.
const pluginCookie = "TF_PLUGIN_MAGIC_COOKIE"

// Run executes the command line and returns the exit status. Without a subcommand it calls serve, which serves the plugin;
// debug is the flag --debug.
func Run(version string, serve func(debug bool) error, args []string) int {
	// Terraform's documentation writes the flag with one dash, which here would be five flags of one letter.
	for i, arg := range args {
		if arg == "-debug" {
			args[i] = "--debug"
		}
	}

	root := newRoot(version, serve)
	root.SetArgs(args)
	if err := root.ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return exitStatus(err)
	}
	return 0
}

// exitStatus is the exit status after an error.
func exitStatus(err error) int {
	var conditions *foundError
	var incomplete *incompleteError
	switch {
	case errors.As(err, &conditions):
		return 2
	case errors.As(err, &incomplete):
		return 3
	}
	return 1
}

func newRoot(version string, serve func(debug bool) error) *cobra.Command {
	root := &cobra.Command{
		Use:   "terraform-provider-zulip",
		Short: "Terraform provider for Zulip",
		Long: `Terraform provider for Zulip.

Terraform and OpenTofu start it themselves, without a command. Run the commands below yourself.`,
		Version:       version,
		Args:          cobra.NoArgs,
		SilenceErrors: true, // Run prints them
		SilenceUsage:  true,
	}
	debug := root.Flags().Bool("debug", false, "serve the plugin for a debugger until interrupted, and print the environment variable to set for Terraform")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, isPlugin := os.LookupEnv(pluginCookie); !isPlugin && !*debug {
			return cmd.Help()
		}
		return serve(*debug)
	}

	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddCommand(newSandbox(), newReview(version), newAudit(version), newExport(version), newRules(), newVersion(version))
	return root
}

// withInterrupt returns a context that Ctrl-C cancels. Only commands use it, because the plugin must ignore Ctrl-C
// while Terraform shuts down.
func withInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
