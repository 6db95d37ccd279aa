// Bench measures what plans and applies cost: how many requests, how long, how much memory, for organizations of several
// sizes, beside what the CLI and the plugin protocol cost by themselves. It prints a table and writes the figures as JSON;
// from such files it also compares two commits, and makes the tables of the documentation.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

// options are what is to be done.
type options struct {
	sizes    []int
	runs     int
	people   int
	groups   int
	short    bool
	limits   bool
	tf       string
	json     string
	profiles string

	compare  string
	markdown string
	into     []string
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err = o.do(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(arguments []string) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	sizes := flags.String("n", "100,1000,5000", "how many channels, one `number` after the other")
	flags.IntVar(&o.runs, "runs", 3, "how often each plan is made, and everything that does not take long")
	flags.IntVar(&o.people, "people", 5000, "how many people the organization has")
	flags.IntVar(&o.groups, "groups", 200, "how many groups it has")
	flags.BoolVar(&o.short, "short", false, "measure some minutes: all of 100 channels, and creating and planning 1,000")
	flags.BoolVar(&o.limits, "limits", false, "also measure, for some minutes, under the limits that a server has by default")
	flags.StringVar(&o.tf, "tf", "terraform", "the CLI")
	flags.StringVar(&o.json, "json", "", "`file` for the figures")
	flags.StringVar(&o.profiles, "profile", "", "`folder` for profiles of the plugin during a plan")
	flags.StringVar(&o.compare, "compare", "", "measure nothing, but compare the figures of two `files`, with a comma between")
	flags.StringVar(&o.markdown, "markdown", "", "measure nothing, but write the tables of the documentation from a `file` of figures")
	into := flags.String("into", "", "the `files` with commas between whose tables -markdown renews (default: print them)")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if *into != "" {
		o.into = strings.Split(*into, ",")
	}
	for word := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return o, fmt.Errorf("%q is not a number of channels", word)
		}
		o.sizes = append(o.sizes, n)
	}
	if o.runs < 1 || o.people < 30 || o.groups < 1 {
		return o, fmt.Errorf("%d runs, %d people, %d groups: at least 1, 30 and 1 are needed", o.runs, o.people, o.groups)
	}
	return o, nil
}

func (o options) do(ctx context.Context, w io.Writer) error {
	switch {
	case o.compare != "":
		before, after, found := strings.Cut(o.compare, ",")
		if !found {
			return fmt.Errorf("%q names one file, two are to be compared", o.compare)
		}
		return compareFiles(w, before, after)
	case o.markdown != "":
		return renewTables(w, o.markdown, o.into)
	}
	return measure(ctx, w, o)
}
