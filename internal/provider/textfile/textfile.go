// Package textfile reads the text files that users write, download or redirect.
package textfile

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"golang.org/x/text/encoding/unicode"
)

// maxBytes is the maximum size of a file, so that a wrong file doesn't fill the memory.
const maxBytes = 1 << 30

// Read returns the text of a file, as [Decode] does.
func Read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	text, err := ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// ReadAll returns the text of a reader, as [Decode] does.
func ReadAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", maxBytes)
	}
	return Decode(data), nil
}

// Decode returns a text in UTF-8, without a byte order mark and with line breaks as in Unix. PowerShell redirects
// output as UTF-16, and editors on Windows add byte order marks. Without a mark, a text that begins with an English
// letter or sign is recognized as UTF-16.
func Decode(data []byte) []byte {
	isLittle := bytes.HasPrefix(data, []byte{0xff, 0xfe}) || len(data) > 1 && data[0] != 0 && data[1] == 0
	isBig := bytes.HasPrefix(data, []byte{0xfe, 0xff}) || len(data) > 1 && data[0] == 0 && data[1] != 0
	if isLittle || isBig {
		order := unicode.LittleEndian
		if isBig {
			order = unicode.BigEndian
		}
		// A decoder replaces what it can't decode, and returns no error.
		data, _ = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(data)
	}
	return bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
}
