package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
)

// maxAddress is how much of the address of a resource is kept, in bytes. Terraform has no limit.
const maxAddress = 300

// prefixes say in a value what the rest of it names.
var prefixes = []string{"name:", "group:", "user:"}

// limitOf is how long the text of an attribute can be.
func limitOf(resource, attribute string) int {
	switch {
	case attribute == "channel", attribute == "name" && resource == "zulip_channel":
		return meaning.MaxChannelName
	case attribute == "name", attribute == "full_name", attribute == "group", attribute == "subgroups":
		return meaning.MaxName
	}
	return meaning.MaxText
}

// cut cuts a text at so many characters, which do not count what says what it names.
func cut(text string, limit int) string {
	for _, prefix := range prefixes {
		if name, ok := strings.CutPrefix(text, prefix); ok {
			if prefix == "group:" {
				limit = meaning.MaxName
			}
			return prefix + meaning.Cut(name, limit)
		}
	}
	return meaning.Cut(text, limit)
}

// cutAddress cuts the address of a resource. Two different ones stay different: resources refer to each other by them.
func cutAddress(address string) string {
	if len(address) <= maxAddress {
		return address
	}
	end := maxAddress
	for !utf8.RuneStart(address[end]) {
		end--
	}
	sum := sha256.Sum256([]byte(address))
	return address[:end] + "…" + hex.EncodeToString(sum[:8])
}
