package export_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// newer starts a proxy of a server that shows other values.
func newer(t *testing.T, site string, values map[string]string) (address string) {
	t.Helper()
	target, err := url.Parse(site)
	acctest.NoError(t, err)
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Header.Del("Accept-Encoding") },
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			for pattern, value := range values {
				body = regexp.MustCompile(pattern).ReplaceAll(body, []byte(value))
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return err
		},
	})
	t.Cleanup(server.Close)
	return server.URL
}

// TestProtocolExport_UnknownValues_LeftOut exports an organization of a newer server. The files don't have values that this
// version does not know, and EXPORT.md lists them.
func TestProtocolExport_UnknownValues_LeftOut(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.NewRun(t, "zulip_custom_profile_field").MustApply(acctest.Values{"name": "Born", "field_type": "date"})
	o.NewRun(t, "zulip_custom_profile_field").MustApply(acctest.Values{"name": "Phone", "field_type": "short_text"})
	o.NewRun(t, "zulip_channel").MustApply(acctest.Values{"name": "later", "topics_policy": "disable_empty_topic"})
	o.NewRun(t, "zulip_user_role").MustApply(acctest.Values{"user": "lena.fischer@example.com", "role": "moderator"})
	t.Setenv("ZULIP_SITE", newer(t, o.Block(nil)["site"].(string), map[string]string{
		`"type":\s*4\b`: `"type":9`, `"role":\s*300\b`: `"role":350`, `"topics_policy":\s*"disable_empty_topic"`: `"topics_policy":"brand_new"`,
	}))
	folder := exportNew(t, export.Options{})
	if problems := planFolder(t, folder); len(problems) > 0 {
		t.Error(strings.Join(problems, "\n\n"))
	}
	files := filesOf(t, folder)
	if !strings.Contains(files["channels.tf"], `"later"`) || !strings.Contains(files["profile_fields.tf"], `"Phone"`) {
		t.Errorf("not exported: %v", files)
	}
	for _, words := range []string{
		"- channel `later`, without `topics_policy`: topics\\_policy must be one of \"inherit\",",
		`It is "brand\_new".`,
		"- custom_profile_field `Born`: field\\_type must be one of",
		"- user_role `lena.fischer@example.com`: role must be one of",
	} {
		if !strings.Contains(files["EXPORT.md"], words) {
			t.Errorf("EXPORT.md does not have %s:\n%s", words, files["EXPORT.md"])
		}
	}
}
