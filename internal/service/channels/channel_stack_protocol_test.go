package channels_test

import (
	"context"
	"net/http/httptrace"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// CONTRIBUTING.md lists the functions between an apply and its request, at most ten.
func TestProtocolChannel_OnePermission_SentByListedFunctions(t *testing.T) {
	var stack []string
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GetConn: func(string) {
		if now := ownFunctions(); slices.Contains(now, "Client.UpdateChannel") {
			stack = now
		}
	}})
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := acctest.NewRun(ctx, t, "zulip_channel", o.Block(nil))
	run.MustApply(values{"name": "stack", "can_send_message_group": who("role:members")})
	stack = nil
	run.MustApply(values{"name": "stack", "can_send_message_group": who("role:moderators")})

	page, err := os.ReadFile("../../../CONTRIBUTING.md")
	acctest.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "## How an apply sends a change\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		listed = append(listed, row[1])
	}
	if !reflect.DeepEqual(stack, listed) || len(listed) > 10 {
		t.Errorf("the request is sent by\n  %s\nand CONTRIBUTING.md lists\n  %s", strings.Join(stack, "\n  "), strings.Join(listed, "\n  "))
	}
}

// ownFunctions returns the functions of this module on the current call stack, without those of tests, the outermost
// first. A method has the name of its type.
func ownFunctions() (names []string) {
	var counters [100]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters[:])])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		_, name, isOwn := strings.Cut(frame.Function, "/terraform-provider-zulip/internal/")
		if !isOwn || strings.HasPrefix(name, "dev/") || strings.Contains(name, "_test.") {
			continue
		}
		_, name, _ = strings.Cut(name[strings.LastIndex(name, "/")+1:], ".")
		names = append(names, strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(name))
	}
	slices.Reverse(names)
	return names
}
