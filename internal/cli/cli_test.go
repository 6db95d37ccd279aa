package cli

import (
	"errors"
	"testing"
)

func TestRunServesThePlugin(t *testing.T) {
	for name, test := range map[string]struct {
		args  []string
		debug bool
	}{
		"as Terraform starts it":       {args: []string{}},
		"for a debugger":               {args: []string{"--debug"}, debug: true},
		"as Terraform's docs write it": {args: []string{"-debug"}, debug: true},
	} {
		t.Run(name, func(t *testing.T) {
			served := 0
			serve := func(debug bool) error {
				served++
				if debug != test.debug {
					t.Errorf("debug = %v", debug)
				}
				return nil
			}
			if status := Run("test", serve, test.args); status != 0 || served != 1 {
				t.Errorf("status %d, served %d times", status, served)
			}
		})
	}
}

func TestRunFails(t *testing.T) {
	serve := func(bool) error { return errors.New("no") }
	if status := Run("test", serve, []string{}); status != 1 {
		t.Errorf("a plugin that cannot serve: status %d", status)
	}
	if status := Run("test", serve, []string{"conquer"}); status != 1 {
		t.Errorf("an unknown command: status %d", status)
	}
}
