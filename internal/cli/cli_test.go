package cli

import (
	"errors"
	"os"
	"testing"
)

func TestRunServesThePlugin(t *testing.T) {
	for name, test := range map[string]struct {
		args    []string
		byHand  bool
		debug   bool
		unasked bool
	}{
		"as Terraform starts it":       {args: []string{}},
		"for a debugger":               {args: []string{"--debug"}, byHand: true, debug: true},
		"as Terraform's docs write it": {args: []string{"-debug"}, byHand: true, debug: true},
		"by a person":                  {args: []string{}, byHand: true, unasked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(pluginCookie, "as the protocol has it")
			if test.byHand {
				if err := os.Unsetenv(pluginCookie); err != nil {
					t.Fatal(err)
				}
			}
			served := 0
			serve := func(debug bool) error {
				served++
				if debug != test.debug {
					t.Errorf("debug = %v", debug)
				}
				return nil
			}
			if status := Run("test", serve, test.args); status != 0 || served == 1 == test.unasked {
				t.Errorf("status %d, served %d times", status, served)
			}
		})
	}
}

func TestRunFails(t *testing.T) {
	t.Setenv(pluginCookie, "as the protocol has it")
	serve := func(bool) error { return errors.New("no") }
	if status := Run("test", serve, []string{}); status != 1 {
		t.Errorf("a plugin that cannot serve: status %d", status)
	}
	if status := Run("test", serve, []string{"conquer"}); status != 1 {
		t.Errorf("an unknown command: status %d", status)
	}
}
