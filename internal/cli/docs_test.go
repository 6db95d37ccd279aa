package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command line in a code block of README, guides, workflows and the pages of .github is one that the binary takes.
func TestDocsCommandLinesAreTaken(t *testing.T) {
	var files []string
	for _, pattern := range []string{"README.md", ".github/*.md", "templates/guides/*.md.tmpl", "examples/ci/*.yml", "examples/*/README.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	tried := map[string]int{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandLines(string(content)) {
			root := newRoot("test", func(bool) error { return nil })
			root.InitDefaultCompletionCmd()
			root.InitDefaultVersionFlag()
			command, arguments, err := root.Find(line)
			if err == nil {
				command.InitDefaultHelpFlag()
				err = command.ParseFlags(arguments)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", file, strings.Join(line, " "), err)
			} else if err := command.ValidateArgs(command.Flags().Args()); err != nil && len(line) > 1 {
				t.Errorf("%s: %s: %v", file, strings.Join(line, " "), err)
			}
			tried[command.Name()]++
		}
	}
	for _, command := range []string{"audit", "bash", "check", "export", "review", "sandbox", "version"} {
		if tried[command] == 0 {
			t.Errorf("no page runs %s", command)
		}
	}
}

// commandLines returns the arguments of the binary in the code blocks of a page, or in a workflow.
func commandLines(text string) (lines [][]string) {
	blocks := []string{text}
	if strings.Contains(text, "```") {
		blocks = nil
		for _, block := range regexp.MustCompile("(?ms)^ *```sh\n(.*?)\n *```$").FindAllStringSubmatch(text, -1) {
			blocks = append(blocks, block[1])
		}
	}
	for _, block := range blocks {
		block = strings.ReplaceAll(block, "\\\n", " ")
		for _, call := range regexp.MustCompile(`(?m)(?:^|[\s(/"])terraform-provider-zulip"? ([a-z-][^\n)]*)`).FindAllStringSubmatch(block, -1) {
			line := regexp.MustCompile(` (>|\|).*`).ReplaceAllString(call[1], "")
			lines = append(lines, strings.Fields(strings.NewReplacer("'", "", `"${against[@]}"`, "").Replace(line)))
		}
	}
	return lines
}
