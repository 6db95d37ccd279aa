package provider_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// wireNames are the names of attributes in the API that differ from those of the attributes.
var wireNames = map[string]string{"field_type": "type", "invite_as": "invited_as", "giphy_rating": "gif_rating_policy"}

// wireName returns the name of an attribute in the API.
func wireName(attribute string) string { return cmp.Or(wireNames[attribute], attribute) }

func TestLawNewerServer(t *testing.T) {
	l := laws.Law{Name: "newer server", Sentence: "a value that only a newer server has is refreshed, and an unset attribute with it plans nothing"}
	about := func(s laws.Subject) bool {
		return laws.Resources(s) && s.IsText() && (s.Optional && fewValues.MatchString(s.Description) || s.Name == "field_type")
	}
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		c.Try("value of the future", func() {
			stage := stageOf(c, s)
			config, isNeeded := stage.Config, s.Required || unsetWith[s.String()] != nil
			if sample, _ := stage.Value().(string); !strings.Contains(s.Description, "`"+sample+"`") {
				return // any text is a value
			}
			if !isNeeded {
				config = stage.With(nil)
			}
			run := stage.Trial(c)
			if !run.Try(config).Start(c) {
				return
			}
			site, changed := newer(c.T, fmt.Sprint(run.Block["site"]), s.Name)
			run.Block["site"] = site
			if breach := run.Watch(func() {
				if diags := run.Refresh(); len(diags.Errors()) > 0 {
					c.Broken("the refresh fails", diags)
				} else if run.State == nil {
					c.Broken("the refresh loses the object")
				} else if plan, diags := run.Plan(config); len(diags.Errors()) > 0 {
					c.Broken("the plan fails", diags)
				} else if !isNeeded && !plan.Empty() {
					c.Broken("the plan changes it", plan.Changes(), plan.Prior.Values[s.Name])
				}
			}); breach != "" {
				c.Broken("the protocol is violated", breach)
			}
			isSent := slices.ContainsFunc(stage.Sent().Requests(), func(r sandbox.Request) bool { return r.Params[wireName(s.Name)] != "" })
			if changed.Load() == 0 && isSent { // otherwise only the provider has the attribute
				c.NotTried("the server's answers don't have it")
			}
		})
	})
}

// newer returns the address of a newer server, with another value of an attribute, and how often it was shown.
func newer(t *testing.T, site, attribute string) (address string, changed *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(site)
	requireNoError(t, err)
	changed = new(atomic.Int64)
	value := regexp.MustCompile(`"((?:realm_|stream_)?` + wireName(attribute) + `)":\s*(\d+|"[a-zA-Z_]*")`)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Header.Del("Accept-Encoding") },
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil || !json.Valid(body) {
				r.Body = io.NopCloser(bytes.NewReader(body))
				return err
			}
			body = value.ReplaceAllFunc(body, func(found []byte) []byte {
				changed.Add(1)
				parts := value.FindSubmatch(found)
				if parts[2][0] == '"' {
					return fmt.Appendf(nil, `"%s":"of_the_future"`, parts[1])
				}
				return fmt.Appendf(nil, `"%s":77`, parts[1])
			})
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, changed
}
