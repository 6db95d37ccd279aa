package cli

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionOf(t *testing.T) {
	module := func(version string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: version}} }
	for name, test := range map[string]struct {
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		"a release":              {"1.2.3", module("v0.0.0-20261122201003-64724510a0b1"), "1.2.3"},
		"go install":             {"", module("v1.2.3"), "1.2.3"},
		"go install of a commit": {"", module("v0.0.0-20261122201003-64724510a0b1"), "0.0.0-20261122201003-64724510a0b1"},
		"without a repository":   {"", module("(devel)"), "dev"},
		"without a module":       {"", nil, "dev"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := versionOf(test.linked, test.info); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestVersionNamesTheCommit(t *testing.T) {
	for name, test := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"committed": {
			&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "6472451"}, {Key: "vcs.modified", Value: "false"}}},
			"commit: 6472451\n",
		},
		"changed": {
			&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "6472451"}, {Key: "vcs.modified", Value: "true"}}},
			"commit: 6472451, with changes that are not committed\n",
		},
		"without a repository": {&debug.BuildInfo{}, "commit: unknown\n"},
		"without a module":     {nil, "commit: unknown\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := printVersion(&out, "1.2.3", test.info); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); !strings.HasPrefix(got, "terraform-provider-zulip 1.2.3\n") || !strings.Contains(got, test.want) {
				t.Errorf("it prints\n%s", got)
			}
		})
	}
}
