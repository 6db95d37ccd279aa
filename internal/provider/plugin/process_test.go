package plugin

import (
	"context"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// Set in the child process of TestSilenceLibraries.
const answerOnce = "ANSWER_ONE_CALL"

// The libraries read their levels during a call, from the process's own environment, so each case is a process.
func TestSilenceLibraries(t *testing.T) {
	if os.Getenv(answerOnce) != "" {
		silenceLibraries(os.Environ(), os.Setenv)
		server := tf6server.New(address, provider.NewServer("test"), tf6server.WithLogEnvVarName("zulip"))
		if _, err := server.GetMetadata(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		return
	}

	const protocol, framework = `"@module":"sdk.proto"`, `"@module":"sdk.framework"`
	tests := map[string]struct {
		env  []string
		want []string // the required text of the log; empty for no log
	}{
		"nothing asked for":         {},
		"asked for none":            {env: []string{"TF_LOG=off"}},
		"the CLI's own log":         {env: []string{"TF_LOG_CORE=TRACE", "TF_LOG_PATH=/dev/null"}},
		"everything":                {env: []string{"TF_LOG=TRACE"}, want: []string{protocol, framework}},
		"everything, as JSON":       {env: []string{"TF_LOG=JSON"}, want: []string{protocol, framework}},
		"the logs of providers":     {env: []string{"TF_LOG_PROVIDER=TRACE"}, want: []string{protocol, framework}},
		"the log of this provider":  {env: []string{"TF_LOG_PROVIDER_ZULIP=DEBUG"}, want: []string{protocol, framework}},
		"the log of one library":    {env: []string{"TF_LOG_SDK_PROTO=TRACE"}, want: []string{protocol}},
		"the CLI's and a library's": {env: []string{"TF_LOG_CORE=TRACE", "TF_LOG_SDK=TRACE"}, want: []string{protocol, framework}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			child := exec.Command(os.Args[0], "-test.run=^TestSilenceLibraries$")
			child.Env = append(child.Env, answerOnce+"=yes")
			child.Env = append(child.Env, test.env...)
			var log strings.Builder
			child.Stderr = &log
			if out, err := child.Output(); err != nil {
				t.Fatalf("%v\n%s%s", err, out, log.String())
			}
			if len(test.want) == 0 && log.Len() > 0 {
				t.Errorf("logged although nobody asked:\n%s", log.String())
			}
			for _, want := range test.want {
				if !strings.Contains(log.String(), want) {
					t.Errorf("no %s in the log:\n%s", want, log.String())
				}
			}
		})
	}
}

func TestTradeMemoryForTime(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })

	tradeMemoryForTime(func(string) (string, bool) { return "100", true })
	if got := debug.SetGCPercent(100); got != 100 || debug.SetMemoryLimit(-1) != limit {
		t.Errorf("what the user set was overruled: %d%%, %d bytes", got, debug.SetMemoryLimit(-1))
	}
	tradeMemoryForTime(func(string) (string, bool) { return "", false })
	if got := debug.SetGCPercent(100); got != 250 || debug.SetMemoryLimit(-1) == limit {
		t.Errorf("not set: %d%%, %d bytes", got, debug.SetMemoryLimit(-1))
	}
}
