package localsandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// thisRun names the run of the CLI that this process belongs to: the CLI's process, and where the system tells it, when that
// started. Process IDs are used again, and an organization must not be found by a later run.
func thisRun() string { return runOf(os.Getppid()) }

func runOf(pid int) string { return fmt.Sprintf("%d-%s", pid, startOf(pid)) }

// startOf returns when a process started, as Linux counts it; "" on other systems.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name of the program, in parentheses, may hold anything; the 22nd field is the 20th after it (proc_pid_stat(5)).
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}

// isRunning reports whether the process of a run, as thisRun names it, is there still. What is not the name of a run is left
// alone.
func isRunning(run string) bool {
	number, start, _ := strings.Cut(run, "-")
	pid, err := strconv.Atoi(number)
	if err != nil {
		return true
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	if runtime.GOOS != "windows" { // there, finding a process says that it is there
		if err := process.Signal(syscall.Signal(0)); err != nil && !errors.Is(err, os.ErrPermission) {
			return false
		}
	}
	return start == startOf(pid)
}
