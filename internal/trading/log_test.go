package trading_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func TestNothingSecretIsLogged(t *testing.T) {
	cloud, client, _ := start(t, sandbox.TradingConfig{})
	var log bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &log)
	if _, err := client.Platforms(ctx); err != nil {
		t.Fatal(err)
	}
	words := append(cloud.Tokens(), secret)
	cloud.RevokeTokens()
	if _, err := client.Organizations(ctx); err != nil {
		t.Fatal(err)
	}
	words = append(words, cloud.Tokens()...)
	if len(words) != 3 || !strings.Contains(log.String(), "TradePlatforms_GetAll") {
		t.Fatalf("nothing to be found: %d secrets, log:\n%s", len(words), log.String())
	}
	for _, word := range words {
		if strings.Contains(log.String(), word) {
			t.Errorf("%q is in the log:\n%s", word, log.String())
		}
	}
}
