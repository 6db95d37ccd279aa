package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// sumLine is a line as sha256sum writes it.
var sumLine = regexp.MustCompile(`^([0-9a-f]{64})  ([^/ ]+)$`)

// verifySums checks that the sums list the archives and the manifest, each once, and nothing else, and that they are right.
func (r *release) verifySums(present map[string]bool) []problem {
	var problems []problem
	bad := func(cause, next string) { problems = append(problems, problem{r.sums(), cause, next}) }
	content, err := os.ReadFile(r.path(r.sums()))
	if err != nil {
		bad(err.Error(), "Make it readable")
		return problems
	}
	wanted, listed := r.summed(), map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(content), "\n"), "\n") {
		parts := sumLine.FindStringSubmatch(line)
		if parts == nil {
			bad(fmt.Sprintf("the line %q is not a sum, two spaces and a name", line), "Write it as sha256sum does")
			continue
		}
		sum, name := parts[1], parts[2]
		switch {
		case listed[name]:
			bad(name+" is listed twice", "List each file once")
		case !slices.Contains(wanted, name):
			bad(name+" is listed, and is neither an archive nor the manifest", "Leave it out: a registry refuses the release. See checksum.ids in "+configurationFile)
		case present[name]:
			problems = append(problems, r.verifySum(name, sum)...)
		}
		listed[name] = true
	}
	for _, name := range wanted {
		if !listed[name] {
			bad(name+" is not listed", "Add it: a registry refuses a release without its sum. See checksum in "+configurationFile)
		}
	}
	return problems
}

// verifySum compares a file with the sum that is published for it.
func (r *release) verifySum(name, published string) []problem {
	actual, err := sha256Of(r.path(name))
	if err != nil {
		return []problem{{name, err.Error(), "Make it readable"}}
	}
	if actual != published {
		return []problem{{name, fmt.Sprintf("its sum is %s, and %s says %s", actual, r.sums(), published), "It was changed after the sums were made, or damaged on its way: build the release again"}}
	}
	return nil
}

// sha256Of returns the SHA-256 sum of a file in hexadecimal digits.
func sha256Of(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
