package page_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// everyRight is a review in which every right of each of many channels changes for the same few sets of many people, or
// for people of its own in each channel, nearly everybody.
func everyRight(channels, accounts int, own bool) *report.Report {
	r := &report.Report{FormatVersion: report.FormatVersion}
	for id := range accounts {
		r.Accounts = append(r.Accounts, &report.Account{ID: int64(id), Name: fmt.Sprint("Person-", id), Address: fmt.Sprintf("p%d@example.com", id), Role: "member"})
	}
	half := report.PeopleOf(r.Accounts[:accounts/2]...)
	for i := range channels {
		lose := report.PeopleOf(r.Accounts[accounts/2:]...)
		if own {
			lose = report.PeopleOf(append(append([]*report.Account{}, r.Accounts[:i]...), r.Accounts[i+1:]...)...)
		}
		channel := &report.Channel{Name: fmt.Sprint("channel-", i), Action: report.Update, Addresses: []string{fmt.Sprintf("zulip_channel.all[%d]", i)}}
		for _, right := range permission.Rights {
			channel.Rights = append(channel.Rights, &report.Right{
				Name: string(right), Text: right.InWords(), Gain: half, Lose: lose,
				Change: report.Change{Before: report.Value{Texts: []string{"role:members"}}, After: report.Value{Texts: []string{fmt.Sprint("group:g", i)}}},
			})
		}
		r.Channels = append(r.Channels, channel)
	}
	return r
}

func BenchmarkWriteHTML(b *testing.B) {
	for name, own := range map[string]bool{"alike": false, "each its own": true} {
		b.Run(name, func(b *testing.B) {
			r := everyRight(1000, 5000, own)
			b.ReportAllocs()
			for b.Loop() {
				size := new(counter)
				if err := page.Write(size, r); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(*size)/1e6, "MB")
			}
		})
	}
}

// counter counts what is written.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return io.Discard.Write(p)
}
