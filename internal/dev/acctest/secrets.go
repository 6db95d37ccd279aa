package acctest

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// secretsFile is the environment variable for the file of secrets, one a line, that must not occur in any output or log.
const secretsFile = "ZULIP_TEST_SECRETS"

// noteSecrets notes the keys of a sandbox's accounts, plain and as sent. Invitation links are noted after the test, when all
// of them exist.
func noteSecrets(t *testing.T, server *sandbox.Server) {
	t.Helper()
	var words []string
	for _, account := range server.AllCredentials() {
		words = append(words, account.APIKey, base64.StdEncoding.EncodeToString([]byte(account.Email+":"+account.APIKey)))
	}
	noteWords(t, words...)
	t.Cleanup(func() { noteWords(t, server.AllInviteKeys()...) })
}

// minSecretLength is the minimum length of a secret to search for: a shorter one may occur by coincidence.
const minSecretLength = 8

// secretRecorder wraps the provider and records the value of every attribute that is sensitive or write-only in the schema.
// The search then includes new secrets automatically.
type secretRecorder struct {
	server
	schemas func() (*tfprotov6.GetProviderSchemaResponse, error)
}

// server has all methods of the provider.
//
//nolint:staticcheck // the parts have no other names until they belong to tfprotov6.ProviderServer
type server interface {
	tfprotov6.ProviderServerWithActions
	tfprotov6.ProviderServerWithListResource
	tfprotov6.ProviderServerWithStateStores
}

func newSecretRecorder() (tfprotov6.ProviderServer, error) {
	whole, ok := provider.NewServer("test").(server)
	if !ok {
		return nil, errors.New("the provider does not answer all of the protocol any more")
	}
	return &secretRecorder{whole, sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
		return whole.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	})}, nil
}

// ApplyResourceChange notes the secrets of the configuration and of the new state.
func (n *secretRecorder) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	schemas, err := n.schemas()
	if err != nil {
		return nil, err
	}
	answer, err := n.server.ApplyResourceChange(ctx, req)
	if err == nil {
		err = noteSecretsOf(schemas.ResourceSchemas[req.TypeName], req.Config, answer.NewState)
	}
	return answer, err
}

// OpenEphemeralResource notes the secrets of the configuration and of the result.
func (n *secretRecorder) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	schemas, err := n.schemas()
	if err != nil {
		return nil, err
	}
	answer, err := n.server.OpenEphemeralResource(ctx, req)
	if err == nil {
		err = noteSecretsOf(schemas.EphemeralResourceSchemas[req.TypeName], req.Config, answer.Result)
	}
	return answer, err
}

func noteSecretsOf(schema *tfprotov6.Schema, values ...*tfprotov6.DynamicValue) error {
	var words []string
	for _, value := range values {
		for _, secret := range provider.Secrets(schema, value) {
			if len(secret) >= minSecretLength {
				words = append(words, secret, url.QueryEscape(secret))
			}
		}
	}
	return appendLines(secretsFile, words)
}

func noteWords(t *testing.T, words ...string) {
	t.Helper()
	noteLines(t, secretsFile, words)
}

// StartTrading gives a test a trading cloud and sets the environment for it. The environment then has no messaging site,
// unless Start or StartSandbox follows.
func StartTrading(t *testing.T, cfg sandbox.TradingConfig) *sandbox.TradingCloud {
	t.Helper()
	cloud := sandbox.NewTradingCloud(cfg)
	if err := cloud.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	c := cloud.Credentials()
	noteWords(t, c.ClientSecret)
	t.Cleanup(func() {
		_ = cloud.Close()
		noteWords(t, cloud.Tokens()...)
		noteCalls(t, cloud.Journal().Requests(sandbox.Filter{}))
	})
	for variable, value := range map[string]string{
		"TRADING_CLOUD_API_URL": c.APIURL, "TRADING_CLOUD_AUTH_URL": c.AuthURL, "TRADING_CLOUD_CLIENT_ID": c.ClientID,
		"TRADING_CLOUD_CLIENT_SECRET": c.ClientSecret, "TRADING_CLOUD_ORGANIZATIONS_PATH": "",
		"ZULIP_SITE": "", "ZULIP_EMAIL": "", "ZULIP_API_KEY": "", "ZULIP_CONFIG": "",
		"HOME": t.TempDir(), // without a ~/.zuliprc
	} {
		t.Setenv(variable, value)
	}
	return cloud
}
