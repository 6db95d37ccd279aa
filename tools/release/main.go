// Release builds the parts of a release that GoReleaser does not, and verifies a release as a registry does before it takes
// one. It needs neither gpg nor a network. Its commands:
//
//	verify   checks a folder that has the files of a release: names, contents, sums, signature, manifest, SBOMs, pages
//	check    checks what .goreleaser.yml says
//	pack     builds the release for this platform, as .goreleaser.yml says but without GoReleaser
//	narrow   prints .goreleaser.yml for this platform alone
//	sbom     writes the SBOM of an archive, as SPDX JSON
//	sign     signs a file with the key in GPG_PRIVATE_KEY and PASSPHRASE
//	key      makes a key to try things with
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
)

func main() {
	flags := flag.NewFlagSet("release", flag.ExitOnError)
	folder := flags.String("C", ".", "change to this folder first")
	_ = flags.Parse(os.Args[1:]) // exits on an error
	err := os.Chdir(*folder)
	if err == nil {
		err = run(flags.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// commands are the functions that run the commands, by name.
var commands = map[string]func(args []string) error{
	"verify": runVerify,
	"check":  runCheck,
	"pack":   runPack,
	"narrow": runNarrow,
	"sbom":   runSBOM,
	"sign":   runSign,
	"key":    runKey,
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("Cannot run release: no command is given. Name one of verify, check, pack, narrow, sbom, sign and key.")
	}
	command, ok := commands[args[0]]
	if !ok {
		return fmt.Errorf("Cannot run release: it has no command %q. Name one of verify, check, pack, narrow, sbom, sign and key.", args[0])
	}
	return command(args[1:])
}

// parse reads flags and exactly as many arguments as there are names.
func parse(flags *flag.FlagSet, args []string, names ...string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != len(names) {
		return fmt.Errorf("Cannot run release %s: it is given %q instead of %s. Run it as: release %s [flags] %[3]s.",
			flags.Name(), flags.Args(), strings.Join(names, " "), flags.Name())
	}
	return nil
}

// versionPattern matches the versions that a registry takes, without v.
var versionPattern = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func runVerify(args []string) error {
	var r release
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "version of the release, without v")
	flags.StringVar(&r.source, "source", ".", "folder of the provider's source: .goreleaser.yml and docs/")
	flags.StringVar(&r.key, "key", "release-key.asc", "file of the public key")
	here := flags.Bool("this-platform", false, "expect the archive of this platform alone")
	if err := parse(flags, args, "DIR"); err != nil {
		return err
	}
	if !versionPattern.MatchString(r.version) {
		return fmt.Errorf("Cannot verify version %q: it is not a semantic version. Name it with -version, without v: 1.2.3 or 1.2.3-rc1.", r.version)
	}
	r.dir = flags.Arg(0)
	config, err := loadConfiguration(r.source)
	if err != nil {
		return err
	}
	r.platforms = config.platforms()
	if *here {
		r.platforms = []platform{thisPlatform()}
	}
	if err := report(r.verify()); err != nil {
		return err
	}
	fmt.Printf("Release %s in %s is as a registry wants it: %d archives, manifest, sums, signature, SBOMs, pages.\n",
		r.version, r.dir, len(r.platforms))
	return nil
}

func runCheck(args []string) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	if err := parse(flags, args, "SOURCE"); err != nil {
		return err
	}
	config, err := loadConfiguration(flags.Arg(0))
	if err != nil {
		return err
	}
	return report(config.check(flags.Arg(0)))
}

// A problem is a reason not to publish a release. Cause and next step are sentences without their full stops.
type problem struct{ object, cause, next string }

func (p problem) String() string {
	return fmt.Sprintf("Cannot release %s: %s. %s.", p.object, p.cause, p.next)
}

// report prints the problems, and returns an error if there are any.
func report(problems []problem) error {
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		return fmt.Errorf("Cannot publish this release: %d problems are listed above. Solve them, and build it again.", len(problems))
	}
	return nil
}
