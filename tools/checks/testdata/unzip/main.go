// Unzip replaces unzip on a machine without it: "unzip -o ARCHIVE" extracts the files of an archive here.
package main

import (
	"archive/zip"
	"io"
	"log"
	"os"
	"path/filepath"
)

func main() {
	archive, err := zip.OpenReader(os.Args[len(os.Args)-1])
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range archive.File {
		if err := extract(entry); err != nil {
			log.Fatal(err)
		}
	}
}

func extract(entry *zip.File) error {
	content, err := entry.Open()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Base(entry.Name), data, 0o700)
}
