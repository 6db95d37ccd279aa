package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// How long names can be, in characters. A plan is a file that anybody can have written: names that no server takes would be
// repeated wherever a report names something, and make of a few megabytes some gigabytes. What is longer is cut and ends in an
// ellipsis, so that it is one character longer than anything there is and never taken for it.
const (
	maxChannelName = 60
	maxName        = 100 // of a user group and of a person
	maxText        = 300 // of everything else: the longest is an address
)

// maxAddress is how much of the address of a resource is kept, in bytes. Terraform has no limit.
const maxAddress = 300

// prefixes say in a value what the rest of it names.
var prefixes = []string{"name:", "group:", "user:"}

// limitOf is how long the text of an attribute can be.
func limitOf(resource, attribute string) int {
	switch {
	case attribute == "channel", attribute == "name" && resource == "zulip_channel":
		return maxChannelName
	case attribute == "name", attribute == "full_name", attribute == "group", attribute == "subgroups":
		return maxName
	}
	return maxText
}

// cut cuts a text at so many characters, which do not count what says what it names.
func cut(text string, limit int) string {
	for _, prefix := range prefixes {
		if name, ok := strings.CutPrefix(text, prefix); ok {
			if prefix == "group:" {
				limit = maxName
			}
			return prefix + cutName(name, limit)
		}
	}
	return cutName(text, limit)
}

func cutName(name string, limit int) string {
	for at := range name {
		if limit == 0 {
			return name[:at] + "…"
		}
		limit--
	}
	return name
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
