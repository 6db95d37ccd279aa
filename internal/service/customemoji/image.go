package customemoji

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
)

// picture is an image file.
type picture struct {
	file, contentType string
	content           []byte
}

// contentTypes are the images that the server takes (server-behavior §L9).
var contentTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", avif}

const avif = "image/avif"

// openPicture reads an image file. What kind it is, its first bytes tell: names lie.
func openPicture(file string) (*picture, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &picture{file: filepath.Base(file), contentType: http.DetectContentType(content), content: content}
	if len(content) >= 12 && slices.Contains([]string{"ftypavif", "ftypavis"}, string(content[4:12])) {
		p.contentType = avif
	}
	if !slices.Contains(contentTypes, p.contentType) {
		return nil, fmt.Errorf("%s is not a PNG, JPEG, GIF, WebP or AVIF image: its content looks like %s", file, p.contentType)
	}
	return p, nil
}

// sha256 is what the content is recognised by.
func (p *picture) sha256() string {
	sum := sha256.Sum256(p.content)
	return hex.EncodeToString(sum[:])
}
