package configuration

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"gopkg.in/ini.v1"
)

// longestFile is far more than a zuliprc file needs, in bytes.
const longestFile = 1 << 20

// fileChoice is the zuliprc file to read.
type fileChoice struct {
	path   string // "" for none
	named  bool   // somebody asked for it, so it has to be there
	source string // who
}

// chooseFile follows zuliprc in the block, ZULIP_CONFIG, and the home
// directory. A file nobody named is left alone if the account is known
// without it: a mistake in it is then no concern of this organization.
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

// readFile reads the chosen file; nil, nil if it is not there and nobody
// asked for it.
func readFile(choice fileChoice) (*place, *SettingError) {
	file, err := os.Open(choice.path)
	if errors.Is(err, fs.ErrNotExist) && !choice.named {
		return nil, nil
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(file, longestFile+1))
		_ = file.Close() // it was only read
	}
	if err != nil {
		problem := &SettingError{Attribute: "zuliprc", Summary: "The zuliprc file cannot be read", Detail: err.Error() + "."}
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
			Detail: fmt.Sprintf("%s: %s. It should look like this:\n\n[api]\nemail=terraform-bot@chat.example.com\nkey=…\nsite=https://chat.example.com",
				choice.path, complaint),
		}
	}
	return &place{values: values, path: choice.path, source: func(string) string { return choice.path }}, nil
}

// parseZuliprc reads the official file format. The complaint never quotes the
// file: any line of it may be a key.
func parseZuliprc(text []byte) (values map[string]string, complaint string) {
	if len(text) > longestFile {
		return nil, "it is far too large"
	}
	file, err := ini.LoadSources(ini.LoadOptions{
		// Values are taken as they stand, as the official clients do.
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
			// Not String, which would fill in %(name)s.
			values[setting] = strings.TrimSpace(section.Key(key).Value())
		}
	}
	return values, ""
}

// lineOf is the number of the line an error of the parser is about, if it can
// be told.
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

// exposedFile warns of a file with a key that others on this machine can read.
func exposedFile(path string, p *place) []string {
	if runtime.GOOS == "windows" || p.values[apiKey] == "" {
		return nil // there the mode says nothing
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
