// Jq replaces jq on a machine without it, with the one filter of the GitLab template. jq FILTER FILE prints the ID of the
// first note that begins with a text.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
)

func main() {
	filter := regexp.MustCompile(`^\[\.\[\] \| select\(\.body \| startswith\("([^"\\]+)"\)\)\]\[0\]\.id // empty$`).FindStringSubmatch(os.Args[1])
	if filter == nil || len(os.Args) != 3 {
		log.Fatalf("not understood: %q", os.Args[1:])
	}
	content, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	var notes []struct {
		ID   int
		Body string
	}
	if err := json.Unmarshal(content, &notes); err != nil {
		log.Fatal(err)
	}
	for _, note := range notes {
		if strings.HasPrefix(note.Body, filter[1]) {
			fmt.Println(note.ID)
			return
		}
	}
}
