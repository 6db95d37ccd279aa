package configuration

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	key      = "Zq8vT0nJ3xLbW5sYd2RkGf7HmCp1EuAo"
	otherKey = "b7HmCp1EuAoZq8vT0nJ3xLbW5sYd2RkG"
)

// setUp is one machine: an environment and a home directory.
type setUp struct {
	Input
	environment map[string]string
}

func newSetUp(t *testing.T) *setUp {
	t.Helper()
	s := &setUp{environment: map[string]string{}}
	s.Home = t.TempDir()
	s.Getenv = func(name string) string { return s.environment[name] }
	return s
}

func (s *setUp) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(s.Home, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (s *setUp) resolve(t *testing.T) Values {
	t.Helper()
	values, problems := Resolve(s.Input)
	for _, problem := range problems {
		t.Errorf("unexpected: %v", problem)
	}
	return values
}

// refuse expects an error, and checks its text.
func (s *setUp) refuse(t *testing.T, setting string, words ...string) Values {
	t.Helper()
	values, problems := Resolve(s.Input)
	if len(problems) == 0 {
		t.Fatalf("no problem, but %+v", values)
	}
	var problem *SettingError
	if !errors.As(problems[0], &problem) || problem.Attribute != setting {
		t.Fatalf("the problem %v is not about %q", problems[0], setting)
	}
	for _, word := range words {
		if !strings.Contains(problem.Error(), word) {
			t.Errorf("%q lacks %q", problem, word)
		}
	}
	for _, each := range problems {
		if strings.Contains(each.Error(), key) || strings.Contains(each.Error(), otherKey) {
			t.Errorf("%q shows a key", each)
		}
	}
	return values
}

func zuliprc(site, email, key string) string {
	return "[api]\nemail=" + email + "\nkey=" + key + "\nsite=" + site + "\n"
}

func TestOrder(t *testing.T) {
	const where = "https://chat.example.com"
	s := newSetUp(t)
	home := s.write(t, ".zuliprc", zuliprc(where, "home@x.y", key))
	expect := func(email, source string) {
		t.Helper()
		values := s.resolve(t)
		if values.Email.Value != email || values.Email.Source != source {
			t.Errorf("email %+v, want %s from %s", values.Email, email, source)
		}
		if values.Site.Value != where || values.APIKey.Value != key {
			t.Errorf("got %+v", values)
		}
	}
	expect("home@x.y", home)

	named := s.write(t, "from-environment", zuliprc(where, "config@x.y", key))
	s.environment["ZULIP_CONFIG"] = named
	expect("config@x.y", named)

	block := s.write(t, "from-block", zuliprc(where, "block-file@x.y", key))
	path := "~/from-block"
	s.Zuliprc = &path
	expect("block-file@x.y", block)

	s.environment["ZULIP_EMAIL"] = "environment@x.y"
	expect("environment@x.y", "ZULIP_EMAIL")

	blockEmail := "block@x.y"
	s.Email = &blockEmail
	expect("block@x.y", "provider block")

	empty := ""
	s.Email = &empty
	expect("environment@x.y", "ZULIP_EMAIL")
}

func TestValues_SeveralSources_Combined(t *testing.T) {
	s := newSetUp(t)
	file := s.write(t, ".zuliprc", zuliprc("https://chat.example.com/", "home@x.y", key))
	block := "https://CHAT.example.com"
	s.Site = &block
	s.environment["ZULIP_EMAIL"] = "environment@x.y"
	values := s.resolve(t)
	if values.Site != (Found[string]{block, "provider block"}) ||
		values.Email != (Found[string]{"environment@x.y", "ZULIP_EMAIL"}) ||
		values.APIKey != (Found[string]{key, file}) {
		t.Errorf("got %+v", values)
	}
	if err := values.Missing(); err != nil {
		t.Error(err)
	}
}

func TestKey_OtherOrganization_NotUsed(t *testing.T) {
	here, there := "https://here.example.com", "https://there.example.com"
	t.Run("file, block", func(t *testing.T) {
		s := newSetUp(t)
		file := s.write(t, ".zuliprc", zuliprc(there, "a@x.y", key))
		s.Site = &here
		values := s.refuse(t, "email", here, there, file, "provider block")
		if values.APIKey.IsSet() || values.Email.IsSet() {
			t.Errorf("the account is there: %+v", values)
		}
	})
	t.Run("file, environment", func(t *testing.T) {
		s := newSetUp(t)
		file := s.write(t, ".zuliprc", zuliprc(there, "a@x.y", key))
		s.environment["ZULIP_SITE"] = here
		s.environment["ZULIP_EMAIL"] = "a@x.y"
		s.refuse(t, "api_key", here, there, file, "ZULIP_SITE")
	})
	t.Run("environment, block", func(t *testing.T) {
		s := newSetUp(t)
		s.environment = map[string]string{"ZULIP_SITE": there, "ZULIP_EMAIL": "a@x.y", "ZULIP_API_KEY": key}
		s.Site = &here
		s.refuse(t, "email", here, there, "ZULIP_EMAIL", "ZULIP_SITE")
	})
	t.Run("an account without a site goes anywhere", func(t *testing.T) {
		s := newSetUp(t)
		s.write(t, ".zuliprc", "[api]\nemail=a@x.y\nkey="+key+"\n")
		s.Site = &here
		if values := s.resolve(t); values.APIKey.Value != key {
			t.Errorf("got %+v", values)
		}
	})
	t.Run("a file that is not needed does no harm", func(t *testing.T) {
		s := newSetUp(t)
		s.write(t, ".zuliprc", zuliprc(there, "a@x.y", otherKey)+"insecure=true\n")
		mail, secret := "b@x.y", key
		s.Site, s.Email, s.APIKey = &here, &mail, &secret
		values := s.resolve(t)
		if values.APIKey.Value != key || values.Insecure.Value || values.File != "" {
			t.Errorf("got %+v", values)
		}
	})
	t.Run("nor does a named one, not even its certificates", func(t *testing.T) {
		s := newSetUp(t)
		path := s.write(t, "rc", zuliprc(there, "a@x.y", otherKey)+"insecure=true\ncert_bundle=/ca.pem\n")
		mail, secret := "b@x.y", key
		s.Site, s.Email, s.APIKey, s.Zuliprc = &here, &mail, &secret, &path
		values := s.resolve(t)
		if values.Insecure.Value || values.CABundle.IsSet() {
			t.Errorf("got %+v", values)
		}
		if len(values.Warnings) != 1 || !strings.Contains(values.Warnings[0], path) {
			t.Errorf("warnings %q", values.Warnings)
		}
	})
}

func TestConnectionSettings(t *testing.T) {
	s := newSetUp(t)
	file := s.write(t, ".zuliprc", zuliprc("https://chat.example.com", "a@x.y", key)+
		"cert_bundle=~/ca.pem\nclient_cert=/c.pem\nclient_cert_key=/k.pem\ninsecure=TRUE\n")
	values := s.resolve(t)
	if values.CABundle != (Found[string]{filepath.Join(s.Home, "ca.pem"), file}) || values.Insecure != (Found[bool]{true, file}) {
		t.Errorf("got %+v", values)
	}
	if len(values.Warnings) != 1 || !strings.Contains(values.Warnings[0], "not checked") {
		t.Errorf("warnings %q", values.Warnings)
	}
	client := values.Client()
	if client.Site != "https://chat.example.com" || client.Email != "a@x.y" || client.APIKey != key || !client.Insecure ||
		client.CABundle != values.CABundle.Value || client.ClientCert != "/c.pem" || client.ClientKey != "/k.pem" {
		t.Errorf("client %+v", client)
	}

	s.environment = map[string]string{
		"ZULIP_CERT_BUNDLE": "/e-ca.pem", "ZULIP_CERT": "/e-c.pem", "ZULIP_CERT_KEY": "/e-k.pem", "ZULIP_ALLOW_INSECURE": "false",
	}
	values = s.resolve(t)
	if values.CABundle != (Found[string]{"/e-ca.pem", "ZULIP_CERT_BUNDLE"}) ||
		values.ClientCert != (Found[string]{"/e-c.pem", "ZULIP_CERT"}) ||
		values.ClientKey != (Found[string]{"/e-k.pem", "ZULIP_CERT_KEY"}) ||
		values.Insecure != (Found[bool]{false, "ZULIP_ALLOW_INSECURE"}) || len(values.Warnings) != 0 {
		t.Errorf("got %+v", values)
	}

	s.environment["ZULIP_ALLOW_INSECURE"] = "1"
	s.refuse(t, "", "ZULIP_ALLOW_INSECURE", `"1"`, "true or false")
	delete(s.environment, "ZULIP_ALLOW_INSECURE")
	s.write(t, ".zuliprc", "[api]\ninsecure=yes\n")
	s.refuse(t, "", "insecure in "+file, `"yes"`)
}

func TestFiles_Unreadable_Error(t *testing.T) {
	missing := "/does/not/exist/zuliprc"
	t.Run("named in the block", func(t *testing.T) {
		s := newSetUp(t)
		s.Zuliprc = &missing
		s.refuse(t, "zuliprc", missing, "zuliprc in the provider block")
	})
	t.Run("named in the environment", func(t *testing.T) {
		s := newSetUp(t)
		s.environment["ZULIP_CONFIG"] = missing
		s.refuse(t, "zuliprc", missing, "ZULIP_CONFIG")
	})
	t.Run("a directory", func(t *testing.T) {
		s := newSetUp(t)
		s.Zuliprc = &s.Home
		s.refuse(t, "zuliprc", s.Home)
	})
	t.Run("by default", func(t *testing.T) {
		s := newSetUp(t)
		values := s.resolve(t)
		err := values.Missing()
		if err == nil {
			t.Fatal("nothing is missing")
		}
		for _, word := range []string{"site, email, api_key", filepath.Join(s.Home, ".zuliprc"), "does not exist", "ZULIP_CONFIG"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q lacks %q", err, word)
			}
		}
	})
	t.Run("no home", func(t *testing.T) {
		s := newSetUp(t)
		s.Home = ""
		if values := s.resolve(t); values.File != "" || values.Missing() == nil {
			t.Errorf("got %+v", values)
		}
	})
}

func TestMissing_OneSetting_NamedAlone(t *testing.T) {
	s := newSetUp(t)
	file := s.write(t, ".zuliprc", "[api]\nemail=a@x.y\nsite=https://chat.example.com\n")
	err := s.resolve(t).Missing()
	var missing *SettingError
	if !errors.As(err, &missing) || missing.Attribute != "api_key" || !strings.Contains(err.Error(), "Not set: api_key.") || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
}

func TestMalformedFiles(t *testing.T) {
	for name, test := range map[string]struct{ text, word string }{
		"no section":     {"email=a@x.y\nkey=" + key + "\n", "no section [api]"},
		"other section":  {"[zulip]\nkey=" + key + "\n", "no section [api]"},
		"empty":          {"", "no section [api]"},
		"a bare line":    {"[api]\nemail=a@x.y\n" + key + "\n", "number 3"},
		"open section":   {"[api\nkey=" + key + "\n", "name=value"},
		"no name":        {"[api]\n=" + key + "\n", "name=value"},
		"far too large":  {"[api]\n" + strings.Repeat("# \n", longestFile/3), "too large"},
		"not even text":  {"\x00\x01\x02" + key, "name=value"},
		"open key quote": {"[api]\n\"" + key + "\n", "name=value"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetUp(t)
			file := s.write(t, ".zuliprc", test.text)
			s.refuse(t, "zuliprc", file, test.word)
		})
	}
}

func TestFileFormat(t *testing.T) {
	text := "\ufeff# downloaded\n[other]\nkey=x\n[api]\nEmail : a@x.y \nkey = a;b#c%(site)s\\\nsite=https://chat.example.com\n; end\n"
	var utf16 []byte
	for _, char := range text {
		utf16 = append(utf16, byte(char), byte(char>>8))
	}
	for _, content := range [][]byte{[]byte(text), utf16} {
		values, complaint := parseZuliprc(content)
		for setting, want := range map[string]string{email: "a@x.y", apiKey: `a;b#c%(site)s\`, site: "https://chat.example.com"} {
			if complaint != "" || values[setting] != want {
				t.Errorf("%.10q: %s; %s is %q, want %q", content, complaint, setting, values[setting], want)
			}
		}
	}
}

func TestExposedFile_Readable_Warning(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes have no meaning there
	}
	s := newSetUp(t)
	file := s.write(t, ".zuliprc", zuliprc("https://chat.example.com", "a@x.y", key))
	if values := s.resolve(t); len(values.Warnings) != 0 {
		t.Errorf("warnings %q", values.Warnings)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	values := s.resolve(t)
	if len(values.Warnings) != 1 || !strings.Contains(values.Warnings[0], "chmod 600 "+file) || !strings.Contains(values.Warnings[0], "0640") {
		t.Errorf("warnings %q", values.Warnings)
	}
}

func FuzzZuliprc(f *testing.F) {
	for _, seed := range []string{
		zuliprc("https://chat.example.com", "a@x.y", key), "[api]\nkey", "[api", "[api]\nkey=\"\"\"\nx\n\"\"\"\n",
		"[api]\nkey=`x`\n[DEFAULT]\nsite=y", "\ufeff[api]\n", "[api]\r\nemail = \"a\"\r\n", "[api]\nkey=%(key)s\n", "[api]\nKEY:x", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, complaint := parseZuliprc(text)
		if (values == nil) == (complaint == "") {
			t.Errorf("%q: %v, %q", text, values, complaint)
		}
		for setting, value := range values {
			if _, known := variables[setting]; !known || value != strings.TrimSpace(value) {
				t.Errorf("%q: %s=%q", text, setting, value)
			}
		}
	})
}

// tradingEnvironment sets everything.
func tradingEnvironment() map[string]string {
	return map[string]string{
		"TRADING_CLOUD_API_URL": "https://api.example.com", "TRADING_CLOUD_AUTH_URL": "https://auth.example.com",
		"TRADING_CLOUD_CLIENT_ID": "env", "TRADING_CLOUD_CLIENT_SECRET": key, "TRADING_CLOUD_ORGANIZATIONS_PATH": "/v2/Organizations",
	}
}

func resolveTrading(environment map[string]string, block TradingInput) (TradingValues, error) {
	block.Getenv = func(name string) string { return environment[name] }
	return ResolveTrading(block)
}

func TestTradingOrder(t *testing.T) {
	client, blank := "block", ""
	values, err := resolveTrading(tradingEnvironment(), TradingInput{ClientID: &client, OrganizationsPath: &blank})
	if err != nil || values.Missing() != nil || !values.IsSet() {
		t.Fatalf("got %+v, %v, %v", values, err, values.Missing())
	}
	if values.ClientID != (Found[string]{"block", Block}) || values.APIURL != (Found[string]{"https://api.example.com", "TRADING_CLOUD_API_URL"}) {
		t.Errorf("got %+v", values)
	}
	cfg := values.Client()
	if cfg.APIURL != "https://api.example.com" || cfg.AuthURL != "https://auth.example.com" || cfg.ClientID != "block" || cfg.ClientSecret != key || cfg.OrganizationsPath != "/v2/Organizations" {
		t.Errorf("client %+v", cfg)
	}
	if source := values.Source("client_secret"); source != "TRADING_CLOUD_CLIENT_SECRET" {
		t.Errorf("the secret is from %q", source)
	}
}

func TestTradingMissing(t *testing.T) {
	values, err := resolveTrading(nil, TradingInput{})
	if err != nil || values.IsSet() || values.Missing() == nil {
		t.Errorf("nothing set: %+v, %v, %v", values, err, values.Missing())
	}
	environment := tradingEnvironment()
	delete(environment, "TRADING_CLOUD_CLIENT_SECRET")
	delete(environment, "TRADING_CLOUD_ORGANIZATIONS_PATH") // not needed
	values, err = resolveTrading(environment, TradingInput{})
	var missing *SettingError
	if err != nil || !values.IsSet() || !errors.As(values.Missing(), &missing) || missing.Attribute != "client_secret" ||
		missing.Summary != "Not set for the trading cloud: client_secret" || !strings.Contains(missing.Detail, "TRADING_CLOUD_CLIENT_SECRET") {
		t.Errorf("got %+v, %v, %v", values, err, values.Missing())
	}
}

func TestTradingSecret_OtherProvider_NotUsed(t *testing.T) {
	elsewhere, same, own := "https://elsewhere.example.com", "https://AUTH.example.com/", otherKey
	values, err := resolveTrading(tradingEnvironment(), TradingInput{AuthURL: &elsewhere})
	var problem *SettingError
	if !errors.As(err, &problem) || problem.Attribute != "client_secret" || values.ClientSecret.IsSet() {
		t.Fatalf("got %+v, %v", values, err)
	}
	for _, word := range []string{elsewhere, "https://auth.example.com", "TRADING_CLOUD_CLIENT_SECRET", "TRADING_CLOUD_AUTH_URL"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q lacks %q", err, word)
		}
	}
	if strings.Contains(err.Error(), key) {
		t.Errorf("%q shows the secret", err)
	}
	for name, block := range map[string]TradingInput{
		"the same one": {AuthURL: &same}, "a secret of its own": {AuthURL: &elsewhere, ClientSecret: &own},
	} {
		if values, err := resolveTrading(tradingEnvironment(), block); err != nil || !values.ClientSecret.IsSet() {
			t.Errorf("%s: %+v, %v", name, values, err)
		}
	}
}
