package recording_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export/recording"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// serve starts a sandbox, and returns it with a client of an account.
func serve(t testing.TB, config sandbox.Config, account string) (*sandbox.Server, *zulip.Client) {
	t.Helper()
	server, err := sandbox.New(config)
	acctest.NoError(t, err)
	acctest.NoError(t, server.Start("127.0.0.1:0"))
	t.Cleanup(func() { _ = server.Close() })
	return server, clientOf(t, server, account)
}

func clientOf(t testing.TB, server *sandbox.Server, account string) *zulip.Client {
	t.Helper()
	credentials, ok := server.Credentials(account)
	if !ok {
		t.Fatalf("there is no account %q", account)
	}
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: credentials.Email, APIKey: credentials.APIKey, MaxRetries: -1})
	acctest.NoError(t, err)
	return client
}

// record returns the file of an organization.
func record(t testing.TB, client *zulip.Client) string {
	t.Helper()
	organization, err := recording.Read(t.Context(), client)
	acctest.NoError(t, err)
	file, err := organization.Encode()
	acctest.NoError(t, err)
	return string(file)
}

// differences returns the first lines in which two files differ.
func differences(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			from := max(i-8, 0)
			return "recorded:\n" + strings.Join(x[from:min(i+3, len(x))], "\n") + "\nloaded:\n" + strings.Join(y[from:min(i+3, len(y))], "\n")
		}
	}
	return "one is longer"
}

func TestRecording_ExampleLoaded_Unchanged(t *testing.T) {
	a, client := serve(t, sandbox.Config{}, "owner")
	file := record(t, client)
	owner, _ := a.Credentials("owner")
	_, loaded := serve(t, sandbox.Config{Organization: []byte(file)}, owner.Email)
	if again := record(t, loaded); again != file {
		t.Error(differences(file, again))
	}
}

// large returns the file of an organization with many people and channels, each with fifty subscribers.
func large(t testing.TB, people, channels int) []byte {
	t.Helper()
	_, client := serve(t, sandbox.Config{}, "owner")
	organization, err := recording.Read(t.Context(), client)
	acctest.NoError(t, err)
	person := organization.Accounts[3]
	for i := range people {
		address := fmt.Sprintf("person%d@example.com", i)
		person.ID, person.DeliveryEmail, person.FullName = int64(2000+i), &address, fmt.Sprintf("Person %d", i)
		person.Email = fmt.Sprintf("user%d@zulip.example.com", person.ID)
		organization.Accounts = append(organization.Accounts, person)
	}
	channel := organization.Channels[2]
	for i := range channels {
		channel.ID, channel.Name, channel.Subscribers = int64(2000+i), fmt.Sprintf("channel %d", i), nil
		for j := range 50 {
			channel.Subscribers = append(channel.Subscribers, int64(2000+(i+j)%people))
		}
		slices.Sort(channel.Subscribers)
		organization.Channels = append(organization.Channels, channel)
	}
	file, err := organization.Encode()
	acctest.NoError(t, err)
	return file
}

func BenchmarkLoad(b *testing.B) {
	file := large(b, 2000, 2000)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		server, err := sandbox.New(sandbox.Config{Organization: file})
		acctest.NoError(b, err)
		_ = server.Close()
	}
}

func BenchmarkRecord(b *testing.B) {
	file := large(b, 2000, 2000)
	_, client := serve(b, sandbox.Config{Organization: file}, "ines.moreau@example.com")
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if again := record(b, client); again != string(file) {
			b.Fatal(differences(string(file), again))
		}
	}
}

// The URL of an outgoing webhook is often a secret, so the file has only its host.
func TestNoSecretsOfOutgoingBots(t *testing.T) {
	_, client := serve(t, sandbox.Config{}, "owner")
	bot := zulip.NewBot{FullName: "Hook", ShortName: "hook", Type: zulip.BotOutgoingWebhook, PayloadURL: "https://hooks.example.com/services/hush?key=hush", Interface: 1}
	if _, err := client.CreateBot(t.Context(), bot); err != nil {
		t.Fatal(err)
	}
	file := record(t, client)
	if strings.Contains(file, "hush") || !strings.Contains(file, `"https://hooks.example.com/"`) {
		t.Errorf("%s", file)
	}
}

// A file of a later version, in which each object has one more key, is the same organization.
func TestRecording_LaterKeys_Ignored(t *testing.T) {
	const owner = "ines.moreau@example.com"
	every, err := os.ReadFile("../../sandbox/testdata/organization.json") // has an object of each kind
	acctest.NoError(t, err)
	_, client := serve(t, sandbox.Config{Organization: every}, owner)
	file := record(t, client)
	var later map[string]any
	acctest.NoError(t, json.Unmarshal([]byte(file), &later))
	for _, part := range later {
		addKey(part)
	}
	text, err := json.Marshal(later)
	acctest.NoError(t, err)
	_, loaded := serve(t, sandbox.Config{Organization: text}, owner)
	if again := record(t, loaded); again != file {
		t.Error(differences(file, again))
	}
}

// addKey adds a key to an object, or to each object of a list, and to the lists in it.
func addKey(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			addKey(element)
		}
	case map[string]any:
		for _, inner := range value {
			if list, ok := inner.([]any); ok {
				addKey(list)
			}
		}
		value["later"] = true
	}
}
