package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// complete sets the completions of the values of flags. Values of other flags complete to nothing, because cobra's
// default is the files of the folder.
func complete(command *cobra.Command, flags map[string]cobra.CompletionFunc) {
	for name, completion := range flags {
		if err := command.RegisterFlagCompletionFunc(name, completion); err != nil {
			panic(err) // the command has no such flag
		}
	}
}

// anyFile completes to the files of the folder.
var anyFile = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)

// fileOf completes to files with the extension.
func fileOf(extension string) cobra.CompletionFunc {
	return cobra.FixedCompletions([]string{extension}, cobra.ShellCompDirectiveFilterFileExt)
}

// oneOf completes to one of the words.
func oneOf(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// listOf completes to a comma-separated list of the words, each once.
func listOf(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		begun := ""
		if comma := strings.LastIndexByte(typed, ','); comma >= 0 {
			begun = typed[:comma+1]
		}
		var lists []string
		for _, word := range words {
			if !slices.Contains(strings.Split(begun, ","), word) {
				lists = append(lists, begun+word)
			}
		}
		// Without a space behind it, because another word can follow.
		return lists, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// firstArgument completes the first argument, and none after it.
func firstArgument(completion cobra.CompletionFunc) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completion(command, args, typed)
	}
}
