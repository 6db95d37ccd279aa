package acctest

import (
	"encoding/base64"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// secretsFile names the file that takes, line by line, what must not occur in anything that a run prints or logs.
const secretsFile = "ZULIP_TEST_SECRETS"

// noteSecrets notes the keys of a sandbox's accounts, as they are and as they travel. The links with which people can
// join are noted when the test is over, for until then new ones are made.
func noteSecrets(t *testing.T, server *sandbox.Server) {
	t.Helper()
	var words []string
	for _, account := range server.AllCredentials() {
		words = append(words, account.APIKey, base64.StdEncoding.EncodeToString([]byte(account.Email+":"+account.APIKey)))
	}
	noteWords(t, words...)
	t.Cleanup(func() { noteWords(t, server.AllInviteKeys()...) })
}

func noteWords(t *testing.T, words ...string) {
	t.Helper()
	noteLines(t, secretsFile, words)
}
