package acctest

import (
	"fmt"
	"io"
	"os"
)

// reportFile is the environment variable for the file of reports, which "make test" prints at the end.
const reportFile = "ZULIP_TEST_REPORT"

// Report calls write with the writer for reports: the file that the environment names, else standard output.
func Report(write func(io.Writer)) {
	path := os.Getenv(reportFile)
	if path == "" {
		write(os.Stdout)
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "the report cannot be written:", err)
		return
	}
	write(file)
	if err := file.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "the report cannot be written:", err)
	}
}
