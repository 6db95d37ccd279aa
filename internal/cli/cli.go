// Package cli holds the commands of the binary: their flags and what they print. What they do is in the packages they
// call.
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

// Run carries out the command line args and returns the exit status. Without a subcommand it calls serve, which is the
// plugin, with whether the user asked for debugging.
func Run(version string, serve func(debug bool) error, args []string) int {
	// Terraform's documentation writes it with one dash, which here would be five flags of one letter.
	for i, arg := range args {
		if arg == "-debug" {
			args[i] = "--debug"
		}
	}

	root := newRoot(version, serve)
	root.SetArgs(args)
	if err := root.ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		var gate *gateError
		if errors.As(err, &gate) {
			return 2
		}
		return 1
	}
	return 0
}

func newRoot(version string, serve func(debug bool) error) *cobra.Command {
	root := &cobra.Command{
		Use:   "terraform-provider-zulip",
		Short: "A Zulip organization as reviewed code",
		Long: `Terraform provider for Zulip.

Without a command this is the plugin, which Terraform and OpenTofu start by themselves.`,
		Version:       version,
		Args:          cobra.NoArgs,
		SilenceErrors: true, // Run prints them, once
		SilenceUsage:  true,
	}
	debug := root.Flags().Bool("debug", false, "serve until interrupted, for a debugger to attach to; prints what to set in the terminal that runs the CLI")
	root.RunE = func(*cobra.Command, []string) error { return serve(*debug) }

	root.AddCommand(newSandbox(), newReview(version))
	return root
}

// untilInterrupted is done when the user wants the process to end. Only for commands: the plugin must outlive the Ctrl-C
// that a terminal sends to it too, because Terraform has work for it until the end.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
