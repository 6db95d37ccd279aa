// Package picture reads image files for uploads, and plans them by their content. The server does not return a file, so
// a state has its path and the SHA-256 of its content. This package knows no resource.
package picture

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// Picture is an image file.
type Picture struct {
	// File is its name without the folder, and ContentType the type of its content.
	File, ContentType string
	Content           []byte
}

// ReplacedByOthers replaces the SHA-256 of a picture that was uploaded or removed outside Terraform.
const ReplacedByOthers = ""

// UsualLimit is the maximum size of a file in bytes on a server with the default limit. The server does not show its
// limit (server-behavior §L9, §O11).
const UsualLimit = 5 << 20

// extensions are the types of images that the server accepts, and their file extensions (server-behavior §L9, §O11,
// §U22).
var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", avif: ".avif"}

const avif = "image/avif"

// Open reads an image file. The first bytes determine the type, because names can be wrong.
func Open(file string) (*Picture, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &Picture{File: filepath.Base(file), ContentType: http.DetectContentType(content), Content: content}
	if len(content) >= 12 && slices.Contains([]string{"ftypavif", "ftypavis"}, string(content[4:12])) {
		p.ContentType = avif
	}
	if extensions[p.ContentType] == "" {
		return nil, fmt.Errorf("%s is not a PNG, JPEG, GIF, WebP or AVIF image: its content looks like %s", file, p.ContentType)
	}
	return p, nil
}

// Extension returns the file extension for the content.
func (p *Picture) Extension() string { return extensions[p.ContentType] }

// SHA256 returns the hash of the content, in hexadecimal.
func (p *Picture) SHA256() string {
	sum := sha256.Sum256(p.Content)
	return hex.EncodeToString(sum[:])
}

// SizeWarning returns a warning that a server may refuse the file because of its size; "" if it is small enough.
func (p *Picture) SizeWarning() string {
	if len(p.Content) <= UsualLimit {
		return ""
	}
	return fmt.Sprintf("It has %.1f MiB. Servers accept %d MiB by default, and do not show their limit.", float64(len(p.Content))/(1<<20), UsualLimit>>20)
}

const notAnImage = "Cannot upload the file as an image"

// Plan opens a planned file, and returns the SHA-256 of its content. The picture is nil if the file is not known yet,
// or cannot be uploaded, which is reported.
func Plan(at path.Path, file types.String, diags *diag.Diagnostics) (p *Picture, sum types.String) {
	if file.IsUnknown() {
		return nil, types.StringUnknown()
	}
	p, err := Open(file.ValueString())
	if err != nil {
		diags.AddAttributeError(at, notAnImage, base.Sentence(err))
		return nil, types.StringNull()
	}
	return p, types.StringValue(p.SHA256())
}

// WarnOfSize warns that a server may refuse the file because of its size.
func (p *Picture) WarnOfSize(at path.Path, diags *diag.Diagnostics) {
	if warning := p.SizeWarning(); warning != "" {
		diags.AddAttributeWarning(at, "The file may be too large", warning)
	}
}

// OpenPlanned opens a file to upload it. It reports a file whose content has changed since the plan was made.
func OpenPlanned(at path.Path, file, planned types.String, diags *diag.Diagnostics) (p *Picture, ok bool) {
	p, err := Open(file.ValueString())
	if err != nil {
		diags.AddAttributeError(at, notAnImage, base.Sentence(err))
		return nil, false
	}
	if !planned.IsUnknown() && planned.ValueString() != p.SHA256() {
		diags.AddAttributeError(at, "The file was changed after the plan was made",
			fmt.Sprintf("The content of %s is no longer that of the plan. Nothing was uploaded. Plan again.", file.ValueString()))
		return nil, false
	}
	return p, true
}

// Import writes the file of an import into the state. summary is the summary of an error.
func Import(file, summary string, save func(attribute string, value any), diags *diag.Diagnostics) {
	image, err := Open(file)
	if err != nil {
		diags.AddError(summary, "The file of the configuration cannot be used. "+base.Sentence(err))
		return
	}
	save("file", file)
	save("file_sha256", image.SHA256())
}
