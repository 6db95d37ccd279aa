// Package picture reads the image files that are uploaded.
package picture

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
)

// Picture is an image file.
type Picture struct {
	// File is its name without the folder, ContentType what its content is.
	File, ContentType string
	Content           []byte
}

// UsualLimit is the largest file in bytes that a server takes whose administrator did not choose another limit. The server
// does not tell it (server-behavior §L9, §O11).
const UsualLimit = 5 << 20

// contentTypes are the images that the server takes (server-behavior §L9, §O11).
var contentTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", avif}

const avif = "image/avif"

// Open reads an image file. What kind it is, its first bytes tell: names lie.
func Open(file string) (*Picture, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &Picture{File: filepath.Base(file), ContentType: http.DetectContentType(content), Content: content}
	if len(content) >= 12 && slices.Contains([]string{"ftypavif", "ftypavis"}, string(content[4:12])) {
		p.ContentType = avif
	}
	if !slices.Contains(contentTypes, p.ContentType) {
		return nil, fmt.Errorf("%s is not a PNG, JPEG, GIF, WebP or AVIF image: its content looks like %s", file, p.ContentType)
	}
	return p, nil
}

// SHA256 is what the content is recognised by, in hexadecimal.
func (p *Picture) SHA256() string {
	sum := sha256.Sum256(p.Content)
	return hex.EncodeToString(sum[:])
}

// SizeWarning says that a server may not take the file because it is too large; "" if it is not.
func (p *Picture) SizeWarning() string {
	if len(p.Content) <= UsualLimit {
		return ""
	}
	return fmt.Sprintf("It has %.1f MiB. Servers take %d MiB unless their administrator chose another limit, which they do not tell.", float64(len(p.Content))/(1<<20), UsualLimit>>20)
}
