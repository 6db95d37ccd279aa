// Package configuration finds the organization to manage and the account to use: in the provider block, the
// environment, or a zuliprc file, the same places with the same names as the official clients. It sends no requests.
package configuration

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gopkg.in/ini.v1"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/textfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Input has the sources of values.
type Input struct {
	// Site, Email, APIKey and Zuliprc are the settings of the provider block. nil and "" both mean that a setting is
	// not set.
	Site, Email, APIKey, Zuliprc *string
	// Getenv reads the environment, as os.Getenv does.
	Getenv func(string) string
	// Home is the user's home directory, for ~/.zuliprc. "": there is none.
	Home string
}

// Found is one value, and its source for messages: "provider block", "ZULIP_SITE", "/home/ada/.zuliprc".
type Found[T comparable] struct {
	Value  T
	Source string
}

// Block is the source of a value that the provider block sets.
const Block = "provider block"

// IsSet reports whether the value was found anywhere.
func (s Found[T]) IsSet() bool { return s.Source != "" }

// Values are the settings from all sources.
type Values struct {
	Site, Email, APIKey             Found[string]
	CABundle, ClientCert, ClientKey Found[string] // paths of PEM files
	Insecure                        Found[bool]

	// File is the zuliprc file that was read; "" if none.
	File string
	// Warnings are problems that are not errors.
	Warnings []string

	searched string // the file that was searched for
}

// SettingError is a mistake in one setting, with a message for its author.
type SettingError struct {
	Attribute string // name of the provider block's attribute: "site", "email", "api_key", "zuliprc"; "" if it has none
	Summary   string
	Detail    string
}

func (e *SettingError) Error() string { return e.Summary + ". " + e.Detail }

// Resolve searches for each value in the provider block, then in the environment, then in a zuliprc file: the one
// that the block's zuliprc or ZULIP_CONFIG names, or ~/.zuliprc without these. Each value is searched for separately,
// so a block that sets the site can leave the key to the environment. Each problem is a *SettingError.
//
// A key is only valid in the organization it was created for. If a source has a site, its key and email are therefore
// only for that site, and sending them to another one is an error.
func Resolve(in Input) (Values, []error) {
	var values Values
	places := []place{
		blockPlace(map[string]*string{site: in.Site, email: in.Email, apiKey: in.APIKey}),
		environmentPlace(in.Getenv, variables),
	}
	file := chooseFile(in, places)
	values.searched = file.path
	if file.path != "" {
		fromFile, problem := readFile(file)
		if problem != nil {
			return values, []error{problem}
		}
		if fromFile != nil {
			values.File = file.path
			values.Warnings = append(values.Warnings, exposedFile(file.path, fromFile)...)
			places = append(places, *fromFile)
		}
	}

	values.Site, _ = lookUp(places, site)
	problems := values.resolveAccount(places)
	problems = append(problems, values.resolveTLS(places, in.Home)...)
	if file.named && values.File != "" && len(problems) == 0 && !values.uses(values.File) {
		values.Warnings = append(values.Warnings, fmt.Sprintf("Nothing in %s is used: "+
			"the provider block and ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY take precedence.", values.File))
	}
	return values, problems
}

// Missing names the missing settings for a call with an account, and the places that were searched. It is nil if none
// is missing.
func (v Values) Missing() error {
	var missing []string
	for _, need := range []struct {
		name  string
		found Found[string]
	}{{site, v.Site}, {email, v.Email}, {apiKey, v.APIKey}} {
		if !need.found.IsSet() {
			missing = append(missing, need.name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	looked := "the provider block and the environment (ZULIP_SITE, ZULIP_EMAIL, ZULIP_API_KEY, ZULIP_CONFIG)"
	switch {
	case v.File != "":
		looked += " and " + v.File
	case v.searched != "":
		looked += " and " + v.searched + ", which does not exist"
	}
	return &SettingError{
		Attribute: missing[0],
		Summary:   "Not set: " + strings.Join(missing, ", "),
		Detail: "Looked in " + looked + ". Set them in the provider block or the environment, or download the account's zuliprc file " +
			"(Zulip: Settings, Account & privacy, API key; for a bot: Settings, Bots) and name it with zuliprc or ZULIP_CONFIG.",
	}
}

// Client is the part of a client's configuration that was resolved.
func (v Values) Client() zulip.Config {
	return zulip.Config{
		Site: v.Site.Value, Email: v.Email.Value, APIKey: v.APIKey.Value,
		CABundle: v.CABundle.Value, ClientCert: v.ClientCert.Value, ClientKey: v.ClientKey.Value,
		Insecure: v.Insecure.Value,
	}
}

// resolveAccount searches for the email and the key.
func (v *Values) resolveAccount(places []place) (problems []error) {
	for _, setting := range []struct {
		name string
		into *Found[string]
	}{{email, &v.Email}, {apiKey, &v.APIKey}} {
		found, from := lookUp(places, setting.name)
		if found.IsSet() && !from.isAbout(v.Site) {
			own := Found[string]{from.values[site], from.source(site)}
			problems = append(problems, &SettingError{
				Attribute: setting.name,
				Summary:   "The account belongs to another organization",
				Detail: fmt.Sprintf("The site is %s (from %s), but %s comes from %s, which belongs to %s (from %s). "+
					"Nothing was sent. Set %s for %s too, or remove the site, so that it comes from the same source as the account.",
					v.Site.Value, v.Site.Source, setting.name, found.Source, own.Value, own.Source, setting.name, v.Site.Value),
			})
			continue
		}
		*setting.into = found
	}
	return problems
}

// resolveTLS searches for the settings of the connection. A file about another organization has no effect on the
// certificate check of this one.
func (v *Values) resolveTLS(places []place, home string) []error {
	places = slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		return p.path != "" && !p.isAbout(v.Site)
	})
	for _, setting := range []struct {
		name string
		into *Found[string]
	}{{caBundle, &v.CABundle}, {clientCert, &v.ClientCert}, {clientKey, &v.ClientKey}} {
		*setting.into, _ = lookUp(places, setting.name)
		setting.into.Value = expandHome(setting.into.Value, home)
	}

	found, from := lookUp(places, insecure)
	if !found.IsSet() {
		return nil
	}
	where := found.Source
	if from.path != "" {
		where = insecure + " in " + from.path
	}
	v.Insecure.Source = found.Source
	// This is as strict as the official clients, so that no one disables the check by mistake.
	switch strings.ToLower(found.Value) {
	case "true":
		v.Insecure.Value = true
		v.Warnings = append(v.Warnings, where+" is true, so the server's certificate is not checked: "+
			"anyone on the network path can read the API key.")
	case "false":
	default:
		return []error{&SettingError{
			Summary: "Invalid value: neither true nor false",
			Detail:  fmt.Sprintf("%s is %q; it must be true or false.", where, found.Value),
		}}
	}
	return nil
}

// uses reports whether any value comes from the source.
func (v Values) uses(source string) bool {
	return slices.Contains([]string{
		v.Site.Source, v.Email.Source, v.APIKey.Source,
		v.CABundle.Source, v.ClientCert.Source, v.ClientKey.Source, v.Insecure.Source,
	}, source)
}

// These are the names of the settings in the provider block and, for the connection, in the zuliprc file.
const (
	site       = "site"
	email      = "email"
	apiKey     = "api_key"
	caBundle   = "cert_bundle"
	clientCert = "client_cert"
	clientKey  = "client_cert_key"
	insecure   = "insecure"
)

// variables are the settings' names in the environment, as in the official
// clients.
var variables = map[string]string{
	site:       "ZULIP_SITE",
	email:      "ZULIP_EMAIL",
	apiKey:     "ZULIP_API_KEY",
	caBundle:   "ZULIP_CERT_BUNDLE",
	clientCert: "ZULIP_CERT",
	clientKey:  "ZULIP_CERT_KEY",
	insecure:   "ZULIP_ALLOW_INSECURE",
}

// place is one source of values.
type place struct {
	values map[string]string // by setting; an empty one is not set
	path   string            // path of the file; "" for other sources
	source func(setting string) string
}

// blockPlace is a block's attributes, by setting.
func blockPlace(attributes map[string]*string) place {
	p := place{values: map[string]string{}, source: func(string) string { return Block }}
	for setting, value := range attributes {
		if value != nil {
			p.values[setting] = strings.TrimSpace(*value)
		}
	}
	return p
}

// environmentPlace is the environment, with these variables as settings.
func environmentPlace(getenv func(string) string, variables map[string]string) place {
	p := place{values: map[string]string{}, source: func(setting string) string { return variables[setting] }}
	for setting, variable := range variables {
		p.values[setting] = strings.TrimSpace(getenv(variable))
	}
	return p
}

// isAbout reports whether the source has no other site than this one.
func (p place) isAbout(effective Found[string]) bool {
	own := p.values[site]
	return own == "" || !effective.IsSet() || zulip.SameSite(own, effective.Value)
}

// lookUp returns a value from the first source that has it.
func lookUp(places []place, setting string) (Found[string], place) {
	for _, p := range places {
		if value := p.values[setting]; value != "" {
			return Found[string]{value, p.source(setting)}, p
		}
	}
	return Found[string]{}, place{}
}

// longestFile is far more than a zuliprc file needs, in bytes.
const longestFile = 1 << 20

// fileChoice is the zuliprc file to read.
type fileChoice struct {
	path   string // "" for none
	named  bool   // if true, it is configured and must exist
	source string // who
}

// chooseFile follows zuliprc in the block, ZULIP_CONFIG, and the home directory. If no setting names the file and the
// account is known without it, the file is ignored, with all mistakes in it.
func chooseFile(in Input, places []place) fileChoice {
	if in.Zuliprc != nil && strings.TrimSpace(*in.Zuliprc) != "" {
		return fileChoice{expandHome(strings.TrimSpace(*in.Zuliprc), in.Home), true, "zuliprc in the provider block"}
	}
	if path := strings.TrimSpace(in.Getenv("ZULIP_CONFIG")); path != "" {
		return fileChoice{expandHome(path, in.Home), true, "ZULIP_CONFIG"}
	}
	complete := true
	for _, setting := range []string{site, email, apiKey} {
		found, _ := lookUp(places, setting)
		complete = complete && found.IsSet()
	}
	if complete || in.Home == "" {
		return fileChoice{}
	}
	return fileChoice{path: filepath.Join(in.Home, ".zuliprc")}
}

// readFile reads the chosen file. It returns nil, nil if a file that no setting names does not exist.
func readFile(choice fileChoice) (*place, *SettingError) {
	file, err := os.Open(choice.path)
	if errors.Is(err, fs.ErrNotExist) && !choice.named {
		return nil, nil
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(file, longestFile+1))
		_ = file.Close() // the file was only read
	}
	if err != nil {
		problem := &SettingError{Attribute: "zuliprc", Summary: "Cannot read the zuliprc file", Detail: err.Error() + "."}
		if choice.named {
			problem.Detail = fmt.Sprintf("%s names it: %s.", choice.source, err)
		}
		return nil, problem
	}
	values, complaint := parseZuliprc(text)
	if complaint != "" {
		return nil, &SettingError{
			Attribute: "zuliprc",
			Summary:   "The zuliprc file is malformed",
			Detail: fmt.Sprintf("%s: %s. It must look like this:\n\n[api]\nemail=terraform-bot@chat.example.com\nkey=…\nsite=https://chat.example.com",
				choice.path, complaint),
		}
	}
	return &place{values: values, path: choice.path, source: func(string) string { return choice.path }}, nil
}

// parseZuliprc reads the official file format. The error never quotes the file, because any line may be a key.
func parseZuliprc(text []byte) (values map[string]string, complaint string) {
	if len(text) > longestFile {
		return nil, "it is far too large"
	}
	text = textfile.Decode(text)
	file, err := ini.LoadSources(ini.LoadOptions{
		// Values are unchanged, as in the official clients.
		IgnoreInlineComment: true,
		IgnoreContinuation:  true,
		InsensitiveKeys:     true,
		KeyValueDelimiters:  "=:",
	}, text)
	if err != nil {
		return nil, "a line" + lineOf(err, text) + " is neither [section] nor name=value"
	}
	section, err := file.GetSection("api")
	if err != nil {
		return nil, "it has no section [api]"
	}
	values = map[string]string{}
	for _, setting := range []string{site, email, apiKey, caBundle, clientCert, clientKey, insecure} {
		key := setting
		if setting == apiKey {
			key = "key"
		}
		if section.HasKey(key) {
			// Not String, which would expand %(name)s.
			values[setting] = strings.TrimSpace(section.Key(key).Value())
		}
	}
	return values, ""
}

// lineOf returns the number of the line of a parser error, if it is known.
func lineOf(err error, text []byte) string {
	var noDelimiter ini.ErrDelimiterNotFound
	if !errors.As(err, &noDelimiter) {
		return ""
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(line) == strings.TrimSpace(noDelimiter.Line) {
			return fmt.Sprintf(" (number %d)", i+1)
		}
	}
	return ""
}

// exposedFile warns about a file with a key that others on this machine can read.
func exposedFile(path string, p *place) []string {
	if runtime.GOOS == "windows" || p.values[apiKey] == "" {
		return nil // the mode has no meaning there
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Other users of this machine can read the API key in %s (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)}
}

// expandHome resolves a leading ~/ as a shell would.
func expandHome(path, home string) string {
	if rest, found := strings.CutPrefix(path, "~/"); found && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}
