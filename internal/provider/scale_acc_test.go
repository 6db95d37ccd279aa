package provider_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// fewRequests is the maximum number of requests of a plan without changes: the server's settings, the account, and
// one snapshot for all kinds with the end of its event queue.
const fewRequests = 4

// sharedReads is the maximum number of requests for one creation: its write, and its part of the reads shared with
// concurrent creations. It would be 2 without sharing. The sharing depends on how close together the creations finish,
// which on a busy machine is less than in "make bench".
const sharedReads = 1.5

const manyOfEach = `
resource "zulip_linkifier" "many" {
  count        = %[1]d
  pattern      = "%[2]s${count.index}-(?P<id>[0-9]+)"
  url_template = "https://example.com/${count.index}/{id}"
}

resource "zulip_user_group" "many" {
  count = %[1]d
  name  = "%[2]s${count.index}"
}

resource "zulip_channel_folder" "many" {
  count = %[1]d
  name  = "%[2]s${count.index}"
}

resource "zulip_custom_profile_field" "many" {
  count      = %[1]d
  field_type = "short_text"
  name       = "%[2]s${count.index}"
}

resource "zulip_user_group_membership" "many" {
  count   = %[1]d
  group   = zulip_user_group.many[count.index].id
  members = ["kenji.sato@example.com"]
}
`

// TestAccSandboxScale creates many objects of five kinds in one configuration, and counts the requests of the apply
// and of the next plan.
func TestAccSandboxScale(t *testing.T) {
	many := acctest.Number(100, 40)
	org := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, fmt.Sprintf(manyOfEach, many, org.Prefix))

	sent := org.Sent()
	w.Must(t, "apply", "-auto-approve", "-parallelism=10")
	made := sent.Requests()
	if writes := sent.Writes(); len(writes) != 5*many {
		t.Errorf("%d writes to make %d", len(writes), 5*many)
	}
	each := float64(len(made)) / float64(5*many)
	if each > sharedReads {
		t.Errorf("%d requests to make %d, %.2f each: %s", len(made), 5*many, each, counted(made))
	}

	sent = org.Sent()
	w.Must(t, "plan", "-detailed-exitcode")
	planned := sent.Requests()
	few := fewRequests
	for _, request := range planned {
		// By chance, the first reading may have only linkifiers, which need no people or groups.
		if types, read := request.Params["fetch_event_types"]; read && !strings.Contains(types, `"realm_user"`) {
			few += 2
		}
	}
	if len(planned) > few {
		t.Errorf("a plan without changes: %d requests: %s", len(planned), counted(planned))
	}

	sent = org.Sent()
	w.Must(t, "destroy", "-auto-approve")
	destroyed := sent.Requests()
	t.Logf("destroying: %s", counted(destroyed))
	scale.add(fmt.Sprintf("making %d of each of five kinds", many), len(made), fmt.Sprintf("%.2f each, at most %.1f", each, sharedReads))
	scale.add("a plan without changes", len(planned), fmt.Sprintf("at most %d", fewRequests))
	scale.add("destroying them", len(destroyed), fmt.Sprintf("%.2f each", float64(len(destroyed))/float64(5*many)))
}

// counted returns the number of requests of each kind.
func counted(requests []sandbox.Request) string {
	counts, order := map[string]int{}, []string{}
	for _, request := range requests {
		kind := request.Method + " " + strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, request.Path)
		if counts[kind] == 0 {
			order = append(order, kind)
		}
		counts[kind]++
	}
	for i, kind := range order {
		order[i] = fmt.Sprintf("%d %s", counts[kind], kind)
	}
	return strings.Join(order, ", ")
}

// scaleTable has the results of TestAccSandboxScale.
type scaleTable struct {
	mu   sync.Mutex
	rows []string
}

var scale scaleTable

func (s *scaleTable) add(what string, requests int, note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, fmt.Sprintf("%s\t%d\t%s", what, requests, note))
}

// printScale prints the table, if there is one.
func printScale(w io.Writer) {
	scale.mu.Lock()
	defer scale.mu.Unlock()
	if len(scale.rows) == 0 {
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "what was asked\trequests\t")
	for _, row := range scale.rows {
		_, _ = fmt.Fprintln(table, row)
	}
	_ = table.Flush()
}
