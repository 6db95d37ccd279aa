package picture

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
)

// Change uploads or removes the picture of a T. The server returns no files and gives each upload another URL, so the
// provider compares URLs.
type Change[T any] struct {
	// Attribute is the attribute of the file.
	Attribute string
	// URL returns the URL of an object's uploaded picture; "" if it has none.
	URL func(T) string
	// Prior is the URL that the plan was computed from.
	Prior string
	// File is the path of the file to upload; "" to remove the picture.
	File string
	Send func(context.Context) error
}

// Run makes the change: see [change.Subject.Change]. It returns nil if nothing was read after the request.
func (c Change[T]) Run(ctx context.Context, b *base.Base, subject change.Subject[T, struct{}], now *change.Reading[T], diags *diag.Diagnostics) *change.Reading[T] {
	const none = "no uploaded picture"
	isSent := false
	planned := none
	if c.File != "" {
		planned = fmt.Sprintf("the file %q", c.File)
	}
	describe := func(url string) string {
		switch {
		case url == "":
			return none
		case c.File != "" && isSent && mayFollow(c.Prior, url):
			return planned
		}
		return strconv.Quote(url)
	}
	subject.StoresAsSent = true
	subject.Send = func(ctx context.Context, _ change.Pending[T, struct{}]) ([]string, error) {
		isSent = true
		return nil, c.Send(ctx)
	}
	step := change.Step[T, struct{}]{
		Attribute: c.Attribute, Prior: describe(c.Prior), Planned: planned,
		Current: func(thing T) string { return describe(c.URL(thing)) },
		Put:     func(*struct{}, T, bool) {},
	}
	return subject.Change(ctx, b, []change.Step[T, struct{}]{step}, now, diags)
}

// mayFollow reports whether one upload can have changed the first URL to the second. If both have a version, it grows
// by one with each upload (server-behavior §O11).
func mayFollow(before, after string) bool {
	path, version := versionOf(before)
	afterPath, afterVersion := versionOf(after)
	if path == afterPath && version > 0 && afterVersion > 0 {
		return afterVersion == version+1
	}
	return after != before
}

func versionOf(address string) (path string, version int) {
	parsed, err := url.Parse(address)
	if err != nil {
		return address, 0
	}
	version, _ = strconv.Atoi(parsed.Query().Get("version")) // 0 where it has none
	return parsed.Path, version
}
