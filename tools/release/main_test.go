package main

import (
	"strings"
	"testing"
)

func TestCommandsSayWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct{ args, says string }{
		"no command":         {"", "no command is given"},
		"an unknown command": {"publish", `no command "publish"`},
		"no folder":          {"verify -version 1.2.3", "release verify [flags] DIR"},
		"no version":         {"verify dist", `version ""`},
		"a tag":              {"verify -version v1.2.3 dist", "without v"},
		"no configuration":   {"check testdata", configurationFile},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(strings.Fields(test.args))
			if err == nil || !strings.HasPrefix(err.Error(), "Cannot ") || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v", err)
			}
		})
	}
}
