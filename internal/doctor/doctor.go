// Package doctor compares what a server answers with what the provider expects of its feature level. It changes nothing.
//
// [Examine] reads the server with the client's own calls. What is expected is what the sandbox answers at the same level to an
// account of the same role: its answers follow the table of feature levels. How the client decodes a field is known from its
// types. A [Report] lists each [Difference]. It names fields, types and levels, and nothing of the organization, so
// that people can send it in.
package doctor

import (
	"context"
	"fmt"
	"regexp"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Options are what [Examine] needs beside the server.
type Options struct {
	// Version is that of the provider.
	Version string
	// Attributes lists the attributes of each resource of the provider, which tell whom a difference concerns.
	Attributes map[string][]string
}

// versionLike is a version as servers report it.
var versionLike = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,3}){0,2}(-[a-z0-9]{1,12}){0,5}(\+git)?$`)

// Examine compares the organization that a configuration leads to with what is expected.
func Examine(ctx context.Context, config zulip.Config, options Options) (*Report, error) {
	actual, err := newReader(config)
	if err != nil {
		return nil, err
	}
	if err := actual.readServer(ctx); err != nil {
		return nil, err
	}
	report := &Report{FormatVersion: FormatVersion, Provider: options.Version, ServerVersion: "(not a version)", Differences: []Difference{}}
	settings, self := actual.answers.byPath[serverSettingsPath], actual.answers.byPath[ownAccountPath]
	level, ok := field[int](settings, "zulip_feature_level")
	if !ok || level <= 0 {
		return nil, fmt.Errorf("the server reports no feature level: there is nothing to compare it with")
	}
	report.FeatureLevel, report.ComparedLevel = level, min(level, featurelevel.Newest)
	if version, _ := field[string](settings, "zulip_version"); versionLike.MatchString(version) {
		report.ServerVersion = version
	}
	number, _ := field[int](self, "role")
	isBot, _ := field[bool](self, "is_bot")
	role := zulip.Role(number)
	if _, known := zulip.ParseRole(role.String()); !known {
		return nil, fmt.Errorf("the account has the role %d, which the provider does not know: there is nothing to compare with", number)
	}
	report.Role, report.IsBot = role.String(), isBot
	report.describeLevel()

	if err := actual.readAll(ctx, level); err != nil {
		return nil, err
	}
	believed, err := expected(ctx, report.ComparedLevel, role, isBot)
	if err != nil {
		return nil, err
	}
	c := &comparison{report: report, attributes: options.Attributes}
	c.compareAnswers(believed.answers, actual.answers)
	c.comparePermissions(actual.answers.byPath[registerPath])
	c.compareGroups(believed.answers.byPath[registerPath], actual.answers.byPath[registerPath])
	c.compareRoles(actual.answers.byPath[registerPath])
	report.sort()
	return report, nil
}
