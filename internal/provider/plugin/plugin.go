// Package plugin serves a provider as a plugin process of Terraform or OpenTofu. [Serve] sets the process up, and
// serves until the CLI disconnects.
package plugin

import (
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// address is the provider's source address in configurations, without a host. Terraform or OpenTofu adds its own
// default host when it attaches to a plugin started with --debug.
const address = "zulip-iac/zulip"

// Serve serves until Terraform disconnects; with debug, until it is interrupted.
func Serve(server func() tfprotov6.ProviderServer, debug bool) error {
	silenceLibraries(os.Environ(), os.Setenv)
	tradeMemoryForTime(os.LookupEnv)
	options := []tf6server.ServeOpt{
		// Makes TF_LOG_PROVIDER_ZULIP work: the library finds the name only in an address with a host.
		tf6server.WithLogEnvVarName("zulip"),
	}
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		leaveTerminationToCLI()
	}
	return tf6server.Serve(address, server, options...)
}

// leaveTerminationToCLI ignores SIGTERM. A signal that ends a run often goes to the whole process group. Terraform
// then tells the plugin to stop, waits until the state has all changes that were sent, and ends the plugin. go-plugin
// ignores SIGINT for the same reason.
func leaveTerminationToCLI() { signal.Ignore(syscall.SIGTERM) }

// libraryLogs are the variables that set the levels of the plugin libraries' own loggers.
var libraryLogs = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"}

// silenceLibraries turns the plugin libraries' loggers off, unless the user asked for any log of a provider. By default
// they write each of their steps at TRACE, which the CLI parses and drops. That takes half the time of a large plan.
func silenceLibraries(environ []string, setenv func(name, value string) error) {
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if asksForLogs(name) && value != "" && !strings.EqualFold(value, "off") {
			return
		}
	}
	for _, name := range libraryLogs {
		// Fails only for an invalid name; the libraries would then log by default.
		_ = setenv(name, "off")
	}
}

// asksForLogs reports whether a variable can turn on a provider's log. New variables of the family count, because an
// unwanted log is only slow, but a missing one is lost.
func asksForLogs(name string) bool {
	switch name {
	case "TF_LOG_CORE", "TF_LOG_PATH":
		return false // the CLI's own log, and the path of logs
	}
	return name == "TF_LOG" || strings.HasPrefix(name, "TF_LOG_")
}

// memoryLimit is above the memory in use during an apply to 5,000 channels. Below that, the collector would run
// without end and free nothing.
const memoryLimit = 180 << 20

// tradeMemoryForTime collects garbage less often than Go's default, because a plugin runs only for seconds. The limit
// is small compared with Terraform's own memory for the same plan. A plan of 2,000 channels has 104 MB at most, and 129
// MB and no less time at 400 percent. GOGC and GOMEMLIMIT take precedence.
func tradeMemoryForTime(lookup func(name string) (string, bool)) {
	if _, set := lookup("GOGC"); !set {
		debug.SetGCPercent(250)
	}
	if _, set := lookup("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(memoryLimit)
	}
}
