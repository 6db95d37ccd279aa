package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/export/recording"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// runSnapshot records the organization in a file, and prints a line about its content.
func runSnapshot(ctx context.Context, flags exportFlags, stdout, stderr io.Writer) error {
	if flags.snapshot != "-" {
		switch _, err := os.Lstat(flags.snapshot); { // before the organization is read
		case err == nil:
			return existsError(flags.snapshot)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("--snapshot: %w", err)
		}
	}
	session, err := provider.Open(ctx, flags.version)
	if err != nil {
		return err
	}
	for _, warning := range session.Warnings {
		_, _ = fmt.Fprintln(stderr, "Warning:", warning)
	}
	organization, err := recording.Read(ctx, session.Meta().Client)
	if err != nil {
		return err
	}
	if flags.anonymise {
		organization.Anonymise()
	}
	encode := organization.Encode
	if flags.peopleOnly {
		encode = organization.EncodePeople
	}
	content, err := encode()
	if err != nil {
		return err
	}
	if flags.snapshot == "-" {
		if _, err := stdout.Write(content); err != nil {
			return err
		}
		stdout = stderr // the rest is not part of the file
	} else if err := writeNew(flags.snapshot, content); err != nil {
		return err
	}
	if flags.peopleOnly {
		return nil
	}
	_, err = fmt.Fprintln(stdout, snapshotSummary(organization, flags.snapshot, flags.anonymise))
	return err
}

// snapshotSummary describes the content of a file, and what it lacks.
func snapshotSummary(o *recording.Organization, file string, anonymised bool) string {
	counts := []string{
		counted(len(o.Accounts), "account"), counted(len(o.UserGroups), "user group"), counted(len(o.Channels), "channel"),
		counted(len(o.Folders), "channel folder"), counted(len(o.Invitations), "invitation"),
	}
	text := "Recorded " + strings.Join(counts, ", ")
	if file != "-" {
		text += " in " + file
	}
	if anonymised {
		text += ", with invented names for people and bots"
	}
	const most = 3
	seen := ". The server showed everything."
	if hidden := o.NotSeen; len(hidden) > most {
		seen = fmt.Sprintf(". Not seen: %s; and %d more, listed under not_seen.", strings.Join(hidden[:most], "; "), len(hidden)-most)
	} else if len(hidden) > 0 {
		seen = fmt.Sprintf(". Not seen: %s.", strings.Join(hidden, "; "))
	}
	return text + seen
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeNew creates a new file that only its owner can read.
func writeNew(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return existsError(path)
	}
	if err != nil {
		return err
	}
	if _, err = file.Write(content); err != nil {
		return errors.Join(err, file.Close(), os.Remove(path))
	}
	return file.Close()
}

func existsError(path string) error {
	return fmt.Errorf("%s exists, and export doesn't overwrite it: remove it, or name another file", path)
}
