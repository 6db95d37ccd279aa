//go:build unix

package acctest

import (
	"syscall"
	"testing"
)

// StartInGroup is Start in a process group of its own, as a shell starts a command: see [Running.Signal].
func (w *Workspace) StartInGroup(t *testing.T, args ...string) *Running {
	t.Helper()
	return w.start(t, &syscall.SysProcAttr{Setpgid: true}, args...)
}

// Signal sends a signal to the CLI; with group, to its plugin too, like Ctrl-C in a terminal. The CLI must be started by
// StartInGroup.
func (r *Running) Signal(t *testing.T, signal syscall.Signal, group bool) {
	t.Helper()
	pid := r.command.Process.Pid
	if group {
		pid = -pid
	}
	if err := syscall.Kill(pid, signal); err != nil {
		t.Fatal(err)
	}
}
