package acctest

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// secretsFile names the file that takes, line by line, what must not occur in anything that a run prints or logs. Not
// set: nothing is noted.
const secretsFile = "ZULIP_TEST_SECRETS"

// noteSecrets notes the keys of a sandbox's accounts, as they are and as they travel.
func noteSecrets(t *testing.T, server *sandbox.Server) {
	t.Helper()
	var words []string
	for _, account := range server.AllCredentials() {
		words = append(words, account.APIKey, base64.StdEncoding.EncodeToString([]byte(account.Email+":"+account.APIKey)))
	}
	noteWords(t, words...)
}

func noteWords(t *testing.T, words ...string) {
	t.Helper()
	path := os.Getenv(secretsFile)
	if path == "" || len(words) == 0 {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(strings.Join(words, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
