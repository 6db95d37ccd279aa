package browser_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const (
	// picturesWanted renews the pictures of the guides.
	picturesWanted = "REVIEW_PICTURES"
	pictureFolder  = "../../../.github/images"
	pictureWidth   = 1200
	// maxPicture is the maximum size of a picture, in bytes.
	maxPicture = 150_000
)

// exampleSite is what the pictures show in place of the sandbox's address.
const exampleSite = "https://chat.example.com"

func read(o *acctest.Organization) *store.Store {
	return store.New(o.Client, o.Self, 0, new(runstate.State))
}

// exampleAudit is an audit of the example organization after some changes in the web app.
func exampleAudit(t *testing.T) *audit.Audit {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "POST", "/channels/create", map[string]string{
		"name": "payroll", "subscribers": fmt.Sprintf("[%d]", o.Self.ID), "invite_only": "true", "can_subscribe_group": fmt.Sprint(o.SystemGroup(t, "role:members")),
	})
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	o.Call(t, "POST", "/channels/create", map[string]string{"name": "status", "subscribers": fmt.Sprintf("[%d]", o.Self.ID), "is_web_public": "true"})
	a, err := audit.Make(t.Context(), read(o), audit.Options{Site: exampleSite, Now: time.Date(2026, 3, 2, 4, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type object = randomorg.Attributes

// examplePlan is a plan of changes of an example organization.
type examplePlan struct {
	o       *acctest.Organization
	changes []object
}

func (p *examplePlan) add(address string, before, after object) {
	kind, _, _ := strings.Cut(address, ".")
	change := randomorg.ResourceChange(kind, before, after)
	change["address"] = address
	p.changes = append(p.changes, change)
}

func (p *examplePlan) channel(t *testing.T, name, attribute string, before, after any) {
	t.Helper()
	id := p.o.MustChannel(t, name).ID
	p.add("zulip_channel."+name, object{"id": id, "name": name, attribute: before}, object{"id": id, "name": name, attribute: after})
}

func (p *examplePlan) review(t *testing.T) *report.Report {
	t.Helper()
	planned, err := plan.Parse([]byte(randomorg.Plan(t, p.changes...)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := review.New(t.Context(), planned, review.Options{Store: read(p.o), Site: exampleSite, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exampleReview reviews a plan of some changes in the example organization.
func exampleReview(t *testing.T) *report.Report {
	p := &examplePlan{o: acctest.StartSandbox(t, sandbox.Config{})}
	p.o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	p.channel(t, "incidents", "privacy", "public", "web_public")
	p.channel(t, "general", "can_send_message_group", []string{"role:everyone"}, []string{"role:moderators", "user:paul.dubois@example.com"})
	p.channel(t, "leads", "can_administer_channel_group", []string{"role:administrators"}, []string{"group:leads"})
	p.add("zulip_user_role.lena", nil, object{"user": "lena.fischer@example.com", "role": "moderator"})
	return p.review(t)
}

// oneChannel, thirtyChannels and ownerLink are the most frequent review, a large one, and one with a change that is easy to miss.
func oneChannel(t *testing.T) *report.Report {
	p := &examplePlan{o: acctest.StartSandbox(t, sandbox.Config{})}
	p.channel(t, "general", "can_send_message_group", []string{"role:everyone"}, []string{"role:moderators"})
	return p.review(t)
}

func thirtyChannels(t *testing.T) *report.Report {
	p := &examplePlan{o: acctest.StartSandbox(t, sandbox.Config{})}
	guest, _ := p.o.Sandbox.Credentials("guest")
	attributes := []string{"can_delete_any_message_group", "can_add_subscribers_group", "can_resolve_topics_group"}
	for i := range 30 {
		name, attribute, after := fmt.Sprintf("team-%02d", i+1), "can_send_message_group", []string{"role:members"}
		if i >= 18 {
			attribute, after = attributes[i%3], [][]string{{"group:sre"}, {"role:everyone"}, {"role:moderators", "user:kenji.sato@example.com"}}[i/3%3]
		}
		p.o.Call(t, "POST", "/channels/create", map[string]string{"name": name, "subscribers": fmt.Sprintf("[%d, %d]", p.o.Self.ID, guest.ID)})
		p.channel(t, name, attribute, []string{"role:nobody"}, after)
	}
	return p.review(t)
}

func ownerLink(t *testing.T) *report.Report {
	p := &examplePlan{o: acctest.StartSandbox(t, sandbox.Config{})}
	p.add("zulip_invite_link.founders", nil, object{"invite_as": "owner", "expires_in_minutes": nil})
	return p.review(t)
}

// The page has the layout of the comment: the summary and the risks on the first screen, then a row for each change.
// Everything long is closed. The page has a row for every row of the comment.
func TestBrowserLayout(t *testing.T) {
	for name, made := range map[string]func(*testing.T) *report.Report{"one": oneChannel, "thirty": thirtyChannels, "owner-link": ownerLink} {
		t.Run(name, func(t *testing.T) {
			r := made(t)
			tab := open(t, r, 1280, 900)
			tab.wantText("h1", r.Summary.Text)
			if open := eval[int](tab, `document.querySelectorAll("details[open]").length`); open != 0 {
				t.Errorf("%d elements are open", open)
			}
			const bottom = `Math.max(0, ...[...document.querySelectorAll(".risks li, .changes tbody:first-of-type")].map((one) => one.getBoundingClientRect().top))`
			if at := eval[float64](tab, bottom); at > 900 {
				t.Errorf("the first of what changes is at %.0f, below the first screen", at)
			}
			var comment strings.Builder
			if err := markdown.Write(&comment, r); err != nil {
				t.Fatal(err)
			}
			rows, want := eval[int](tab, `document.querySelectorAll("[data-permissions]").length`), 0
			for line := range strings.Lines(comment.String()) {
				if strings.HasPrefix(line, "| ") && !strings.Contains(line, " --- ") && !strings.Contains(line, "| Change |") {
					want++
				}
			}
			if rows != want {
				t.Errorf("the page has %d rows, and the comment %d:\n%s", rows, want, &comment)
			}
			for _, channel := range r.Channels {
				if !eval[bool](tab, fmt.Sprintf(`[...document.querySelectorAll(".place bdi")].some((one) => one.textContent === %q)`, channel.Name)) {
					t.Errorf("%s is not on the page", channel.Name)
				}
			}
			tab.keepWhole("layout-" + name)
			keepFile(t, "layout-"+name+".md", func() []byte { return []byte(comment.String()) })
		})
	}
}

// The pictures in the guides show the current pages, and are small enough for a guide.
func TestBrowserPictures(t *testing.T) {
	tab := openAudit(t, exampleAudit(t), "#severity=high", pictureWidth, 1500)
	tab.wantText("[data-finding]", "payroll")
	tab.click(`[data-finding="0"] summary`)
	tab.wantText("#found", "Found: 2 findings")
	tab.click(".matrix tbody:nth-of-type(2) summary")
	tab.wantText(".matrix details[open]", "Ines Moreau")
	eval[bool](tab, `scrollTo(0, 0), true`)
	tab.picture("audit")

	tab = open(t, exampleReview(t), pictureWidth, 1400)
	tab.wantText(".risks", "external")
	eval[bool](tab, `scrollTo(0, 0), true`)
	tab.picture("review")
}

// picture renews a picture of the guides if that is wanted, and checks the existing one.
func (tab *tab) picture(name string) {
	tab.t.Helper()
	path := filepath.Join(pictureFolder, name+".png")
	if os.Getenv(picturesWanted) != "" {
		eval[bool](tab, drawn)
		small := withFewColours(tab.t, get(tab, chromedp.CaptureScreenshot()))
		if err := os.MkdirAll(pictureFolder, 0o750); err != nil {
			tab.t.Fatal(err)
		}
		if err := os.WriteFile(path, small, 0o600); err != nil {
			tab.t.Fatal(err)
		}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		tab.t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil || config.Width != pictureWidth || len(content) > maxPicture {
		tab.t.Errorf("%s: %d wide, %d bytes, %v; %s=1 renews it", path, config.Width, len(content), err, picturesWanted)
	}
}

// withFewColours writes a picture with its 256 most frequent colours, which makes it a third as large.
func withFewColours(t *testing.T, content []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[color.RGBA]int{}
	for y := range full.Bounds().Dy() {
		for x := range full.Bounds().Dx() {
			counts[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, colour := range colours[:min(len(colours), 256)] {
		palette = append(palette, colour)
	}
	reduced := image.NewPaletted(full.Bounds(), palette)
	draw.Draw(reduced, full.Bounds(), full, image.Point{}, draw.Src)
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, reduced); err != nil {
		t.Fatal(err)
	}
	return small.Bytes()
}
