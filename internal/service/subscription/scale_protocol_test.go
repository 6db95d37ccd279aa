package subscription_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// crowd gives a test an organization of an owner and so many more, and a channel without anybody in it.
func crowd(t *testing.T, count int) (o *acctest.Organization, users []any) {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: int(zulip.RoleOwner)}}
	for i := range count {
		email := fmt.Sprintf("m%d@example.com", i)
		accounts[fmt.Sprint("m", i)] = sandbox.Account{Email: email, FullName: fmt.Sprint("Member ", i), Role: int(zulip.RoleMember)}
		users = append(users, email)
	}
	o = acctest.StartSandbox(t, sandbox.Config{Accounts: accounts})
	hall(t, o, "hall")
	return o, users
}

func hall(t *testing.T, o *acctest.Organization, name string) {
	t.Helper()
	if _, _, err := o.Client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: name}); err != nil {
		t.Fatal(err)
	}
}

// Five thousand are put into a channel by one request, and taken out by one.
func TestProtocolSubscribersOfALargeChannel(t *testing.T) {
	const count = 5000
	o, users := crowd(t, count)
	run := o.NewRun(t, exclusiveType)
	sent := o.Sent()
	run.MustApply(values{"channel": "hall", "users": users})
	sent.Expect(t, putIn)
	// Three processes, that of the plan, of the apply and of the plan after it: each the server's settings, the account, the
	// snapshot and its queue; who is in the channel, before the write, after it and in each plan; the channels, and the write.
	if requests := sent.Requests(); len(requests) > 3*4+4+2+1 {
		t.Errorf("%d requests: %v", len(requests), paths(requests))
	}
	if in := o.Subscribers(t, "hall"); len(in) != count {
		t.Errorf("%d are in the channel", len(in))
	}
	sent = o.Sent()
	run.MustApply(values{"channel": "hall", "users": users[:count/2]})
	sent.Expect(t, takeOut)
	if in := o.Subscribers(t, "hall"); len(in) != count/2 {
		t.Errorf("%d are in the channel", len(in))
	}
}

// The subscribers of many channels come in one snapshot, with the channels themselves; those of few are asked for.
func TestProtocolSubscribersOfManyChannels(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	const count = 12
	states := []*acctest.Instance{}
	for i := range count {
		name := fmt.Sprint("hall", i)
		hall(t, o, name)
		run := o.NewRun(t, exclusiveType)
		run.MustApply(values{"channel": name, "users": []any{owner, admin}})
		states = append(states, run.State)
	}
	for _, channels := range []int{count, 2} {
		p := o.NewRun(t, exclusiveType).Process()
		sent := o.Sent()
		done := make(chan *acctest.Instance)
		for _, state := range states[:channels] {
			go func() {
				read, diags := p.Read(exclusiveType, state)
				if len(diags.Errors()) > 0 {
					t.Error(diags)
				}
				done <- read
			}()
		}
		for range channels {
			if read := <-done; read == nil || len(read.Values["users"].([]any)) != 2 {
				t.Errorf("read: %v", read)
			}
		}
		// Who comes first does not know how many follow: up to two are read alone.
		got := paths(sent.Requests())
		alone := slices.DeleteFunc(slices.Clone(got), func(path string) bool { return path != "GET /streams/*/members" })
		if len(alone) > 2 || len(got)-len(alone) > 4 {
			t.Errorf("%d channels: %v", channels, got)
		}
	}
}

// paths are the requests in short, sorted, with the IDs of channels left out.
func paths(requests []sandbox.Request) []string {
	var all []string
	for _, request := range requests {
		path := request.Path
		var id int64
		if _, err := fmt.Sscanf(path, "/streams/%d/members", &id); err == nil {
			path = "/streams/*/members"
		}
		all = append(all, request.Method+" "+path)
	}
	slices.Sort(all)
	return all
}
