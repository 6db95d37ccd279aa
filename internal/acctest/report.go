package acctest

import (
	"fmt"
	"io"
	"os"
)

// reportFile names the file that takes what tests have to say beside their verdicts; "make test" prints it at the end.
const reportFile = "ZULIP_TEST_REPORT"

// Report calls write with where the tests' findings go: the file that the environment names, else standard output.
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
