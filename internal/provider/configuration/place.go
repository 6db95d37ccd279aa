package configuration

import (
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The settings, by the names of the provider block and, for the connection,
// of the zuliprc file.
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

// place is one place that holds values.
type place struct {
	values map[string]string // by setting; an empty one is not set
	path   string            // of the file, "" if the place is none
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

// environmentPlace is the environment, which has settings as these variables.
func environmentPlace(getenv func(string) string, variables map[string]string) place {
	p := place{values: map[string]string{}, source: func(setting string) string { return variables[setting] }}
	for setting, variable := range variables {
		p.values[setting] = strings.TrimSpace(getenv(variable))
	}
	return p
}

// isAbout reports whether the place names no other site than this one.
func (p place) isAbout(effective Found[string]) bool {
	own := p.values[site]
	return own == "" || !effective.IsSet() || zulip.SameSite(own, effective.Value)
}

// lookUp takes a value from the first place that has it.
func lookUp(places []place, setting string) (Found[string], place) {
	for _, p := range places {
		if value := p.values[setting]; value != "" {
			return Found[string]{value, p.source(setting)}, p
		}
	}
	return Found[string]{}, place{}
}
