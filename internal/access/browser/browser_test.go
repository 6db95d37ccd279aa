// Package browser_test tests the pages of a review and of an audit in a browser: what they draw, which requests they send,
// and the keyboard. It is a separate package so that only these tests require the library for the browser.
package browser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

const (
	// browserWanted can be "required": without a browser the tests then fail.
	browserWanted = "REVIEW_BROWSER"
	// screenshotFolder names the folder for pictures of the pages; without it no pictures are kept.
	screenshotFolder = "REVIEW_SCREENSHOTS"
)

// browserPath is the browser that was found.
var browserPath string

// TestMain runs no test without a browser, and says so in the report, so that no test counts as passed.
func TestMain(m *testing.M) {
	browserPath = findBrowser()
	switch {
	case browserPath != "":
		status := m.Run()
		stopBrowser()
		os.Exit(status)
	case os.Getenv(browserWanted) == "required":
		fmt.Fprintf(os.Stderr, "%s=required, and no browser is installed: chromium or google-chrome\n", browserWanted)
		os.Exit(1)
	}
	acctest.Report(func(w io.Writer) {
		fmt.Fprintln(w, "NOT TESTED in a browser: the pages of the access review and of the audit. Neither chromium nor google-chrome is installed.")
	})
}

// sized is the number of objects on a large page: a quarter unless ZULIP_TEST_ALL=1.
func sized(number int) int { return acctest.Number(number, number/4) }

func findBrowser() string {
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// stopBrowser ends the browser, if a test has started one.
var stopBrowser = func() {}

// browser starts the browser that all tests share. Each test has its own context, which keeps nothing from the others.
var browser = sync.OnceValues(func() (context.Context, error) {
	// Chromium's own sandbox needs permissions that containers do not give; the only pages shown are the ones written here.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserPath), chromedp.NoSandbox)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeTab := chromedp.NewContext(allocator)
	stopBrowser = func() { closeTab(); stop() }
	return ctx, chromedp.Do(ctx)
})

// tab is a page that a browser shows.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mutex      sync.Mutex
	complaints []string // messages on the console, and requests for anything but the page itself
}

// action is something done in the browser.
type action = chromedp.Action[chromedp.Void]

// open writes a review as a page and shows it in a new tab until the test ends. The test fails if the page logged errors or
// sent requests.
func open(t *testing.T, r *report.Report, width, height int64, before ...action) *tab {
	t.Helper()
	var text bytes.Buffer
	if err := page.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	return openPage(t, text.Bytes(), width, height, before...)
}

// openAudit is open for an audit. The fragment is the part after the number sign of the page's address.
func openAudit(t *testing.T, a *audit.Audit, fragment string, width, height int64, before ...action) *tab {
	t.Helper()
	var text bytes.Buffer
	if err := page.WriteAudit(&text, a); err != nil {
		t.Fatal(err)
	}
	tab := openPage(t, text.Bytes(), width, height, before...)
	if fragment != "" {
		tab.do(chromedp.Navigate("about:blank"), chromedp.Navigate(tab.url+fragment)) // a person to whom the page was passed on
	}
	return tab
}

func openPage(t *testing.T, page []byte, width, height int64, before ...action) *tab {
	t.Helper()
	path := filepath.Join(t.TempDir(), "review.html")
	if err := os.WriteFile(path, page, 0o600); err != nil {
		t.Fatal(err)
	}
	parent, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, closeTab := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)

	tab := &tab{t: t, ctx: ctx, url: "file://" + path}
	if err := chromedp.Listen(ctx, tab.listen); err != nil {
		t.Fatal(err)
	}
	tab.do(chromedp.EmulateViewport(width, height))
	tab.do(before...)
	tab.do(chromedp.Navigate(tab.url))
	t.Cleanup(func() {
		tab.mutex.Lock()
		defer tab.mutex.Unlock()
		for _, complaint := range tab.complaints {
			t.Error(complaint)
		}
	})
	return tab
}

func (tab *tab) listen(event any) {
	var complaint string
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		complaint = "the script failed: " + event.ExceptionDetails.Text
		if thrown := event.ExceptionDetails.Exception; thrown != nil {
			complaint += " " + thrown.Description
		}
	case *runtime.EventConsoleAPICalled:
		complaint = fmt.Sprintf("the script wrote to the console: %s", event.Type)
	case *log.EventEntryAdded:
		complaint = "the browser complains: " + event.Entry.Text
	case *network.EventRequestWillBeSent:
		if event.Request.URL != tab.url && !strings.HasPrefix(event.Request.URL, "data:") {
			complaint = "the page asks for " + event.Request.URL
		}
	}
	if complaint != "" {
		tab.mutex.Lock()
		defer tab.mutex.Unlock()
		tab.complaints = append(tab.complaints, complaint)
	}
}

func (tab *tab) do(actions ...action) {
	tab.t.Helper()
	if err := chromedp.Do(tab.ctx, actions...); err != nil {
		tab.t.Fatal(err)
	}
}

// get runs an action in the browser and returns its result.
func get[T any](tab *tab, action chromedp.Action[T]) T {
	tab.t.Helper()
	value, err := chromedp.Run(tab.ctx, action)
	if err != nil {
		tab.t.Fatal(err)
	}
	return value
}

// eval returns the value of an expression in the page; for a promise, the value that it resolves to.
func eval[T any](tab *tab, expression string) T {
	tab.t.Helper()
	return get(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// drawn resolves when the screen shows the changes to the page.
const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))`

// click clicks on an element as a person does, once it stops moving. Rows far below are drawn and get their real height when
// they are scrolled to, which moves the rows under them.
func (tab *tab) click(selector string) {
	tab.t.Helper()
	found := eval[bool](tab, fmt.Sprintf(`(async () => {
		const patience = performance.now() + 20_000;
		let top = NaN, still = 0;
		while (still < 5 && performance.now() < patience) {
			const element = document.querySelector(%q);
			element?.scrollIntoView({ block: "center", behavior: "instant" });
			await new Promise(requestAnimationFrame);
			const now = element?.getBoundingClientRect().top ?? NaN;
			still = now === top ? still + 1 : 0;
			top = now;
		}
		return still === 5;
	})()`, selector))
	if !found {
		tab.t.Fatalf("%s is not there, or does not come to rest", selector)
	}
	tab.do(chromedp.Click(chromedp.CSS(selector)))
}

// wantText waits for a text. An event fills an opened element, and a busy machine delivers the event some frames later.
func (tab *tab) wantText(selector, want string) {
	tab.t.Helper()
	eval[bool](tab, drawn)
	got := eval[string](tab, fmt.Sprintf(`(async () => {
		const patience = performance.now() + 20_000;
		for (;;) {
			const shown = document.querySelector(%q)?.innerText ?? "nothing: no such element";
			if (shown.includes(%q) || performance.now() > patience) return shown;
			await new Promise(requestAnimationFrame);
		}
	})()`, selector, want))
	if !strings.Contains(got, want) {
		tab.t.Errorf("%s shows %q, want %q", selector, got, want)
	}
}

// wantHolding is wantText for a closed element, which it opens. It does not require a script of the page.
func (tab *tab) wantHolding(selector, want string) {
	tab.t.Helper()
	got := eval[string](tab, fmt.Sprintf(`{
		const details = document.querySelector(%q);
		details.open = true;
		details.innerText;
	}`, selector))
	if !strings.Contains(got, want) {
		tab.t.Errorf("%s holds %q, want %q", selector, got, want)
	}
}

// rows names the channels that are shown.
func (tab *tab) rows() string {
	tab.t.Helper()
	eval[bool](tab, drawn)
	return eval[string](tab, `[...document.querySelectorAll("[id^=effects-]:not([hidden]) [data-place]:not([hidden]) > bdi")].map((name) => name.textContent).join(" | ")`)
}

// choose sets the fields of the filter as a person would, and tells the page.
func (tab *tab) choose(fields map[string]string) {
	tab.t.Helper()
	for id, value := range fields {
		eval[bool](tab, fmt.Sprintf(`{
			const field = document.getElementById(%q);
			field.value = %q;
			field.dispatchEvent(new Event("input", { bubbles: true }));
		}`, id, value))
	}
}

// keep takes a picture of the visible part of the page, keepWhole of the whole page, if pictures are wanted.
func (tab *tab) keep(name string) {
	tab.t.Helper()
	keepFile(tab.t, name+".png", func() []byte { return get(tab, chromedp.CaptureScreenshot()) })
}

func (tab *tab) keepWhole(name string) {
	tab.t.Helper()
	keepFile(tab.t, name+".png", func() []byte { return get(tab, chromedp.FullScreenshot(100)) })
}

func keepFile(t *testing.T, name string, content func() []byte) {
	t.Helper()
	folder := os.Getenv(screenshotFolder)
	if folder == "" {
		return
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), content(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// countComputing starts to count the page's processor time, and computing returns it in milliseconds. Unlike waiting, it
// does not take longer if the machine has other work.
func countComputing(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
	_, err = cdp.Call(ctx, target, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	return none, err
}

func computing(ctx context.Context, target *chromedp.Target) (float64, error) {
	result, err := cdp.Call(ctx, target, performance.GetMetrics, cdp.Empty{})
	for _, metric := range result.Metrics {
		if metric.Name == "TaskDuration" {
			return metric.Value * 1000, err
		}
	}
	return 0, errors.Join(err, errors.New("the browser does not count what the page computes"))
}

// onPaper shows a page as it is printed.
func onPaper(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
	_, err = cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	return none, err
}

// hasNoScript turns off the scripts of pages.
func hasNoScript(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
	_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return none, err
}

// prefersDark asks for dark pages.
func prefersDark(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
	_, err = cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	return none, err
}
