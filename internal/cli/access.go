package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/configuration"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// This file has the common parts of the commands about access, review and audit.

// foundError is the error of a command whose --fail-on or --fail-on-new applies.
type foundError struct {
	command string
	found   []string
}

func (e *foundError) Error() string {
	return "the " + e.command + " found: " + strings.Join(e.found, ", ")
}

// settle finds the organization and the account in the same places as the provider. orElse is the advice if a setting
// is missing.
func settle(version, command, orElse string, stderr io.Writer) (configuration.Values, zulip.Config, error) {
	home, _ := os.UserHomeDir() // without one there is no ~/.zuliprc
	values, problems := configuration.Resolve(configuration.Input{Getenv: os.Getenv, Home: home})
	if missing := values.Missing(); len(problems) == 0 && missing != nil {
		problems = append(problems, fmt.Errorf("%w%s", missing, orElse))
	}
	if err := errors.Join(problems...); err != nil {
		return values, zulip.Config{}, err
	}
	for _, warning := range values.Warnings {
		_, _ = fmt.Fprintln(stderr, "Warning:", warning)
	}
	config := values.Client()
	config.UserAgent = "terraform-provider-zulip/" + version + " " + command
	return values, config, nil
}

// connect finds the organization in the same places as the provider, and reads the account. orElse is the advice if a
// setting is missing.
func connect(ctx context.Context, version, command, orElse string, stderr io.Writer) (*store.Store, string, error) {
	values, config, err := settle(version, command, orElse, stderr)
	if err != nil {
		return nil, "", err
	}
	client, err := zulip.New(config)
	if err != nil {
		return nil, "", err
	}
	server, err := client.ServerSettings(ctx)
	if err != nil {
		return nil, "", provider.ExplainSite(values, err)
	}
	self, err := client.Me(ctx)
	if err != nil {
		return nil, "", provider.ExplainAccount(values, err)
	}
	return store.New(client, self, server.ZulipFeatureLevel, new(runstate.State)).OneAtATime(), config.Site, nil
}

// form is an output form of a command. With an empty path it is not written.
type form[T any] struct {
	path  string
	write func(io.Writer, T) error
}

// writeForms writes every requested form of the result.
func writeForms[T any](stdout io.Writer, found T, forms []form[T]) error {
	for _, form := range forms {
		var err error
		switch form.path {
		case "":
		case "-":
			err = form.write(stdout, found)
		default:
			err = replaceFile(form.path, func(w io.Writer) error { return form.write(w, found) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
