package zulip

import (
	"context"
	"errors"
)

// ExportType is what an export of the organization's data holds (https://zulip.com/api/export-realm).
type ExportType int64

// The types of exports.
const (
	ExportPublic   ExportType = 1 // public data
	ExportStandard ExportType = 2 // also the private data of those who consent
)

// Export is one of the organization's data (server-behavior §O12).
type Export struct {
	ID           int64 `json:"id"`
	ActingUserID int64 `json:"acting_user_id"`
	// Pending is whether the server still works on it. Then it has succeeded, or FailedTimestamp says when it failed, in
	// seconds since 1970.
	Pending          bool     `json:"pending"`
	FailedTimestamp  *float64 `json:"failed_timestamp"`
	DeletedTimestamp *float64 `json:"deleted_timestamp"`
	// URL is where the file is, a secret: it opens without credentials. nil: there is no file.
	URL  *string    `json:"export_url"`
	Type ExportType `json:"export_type"`
}

// ExportConsent says whether a person lets private data be exported.
type ExportConsent struct {
	UserID    int64 `json:"user_id"`
	Consented bool  `json:"consented"`
}

// StartExport starts an export and returns its ID. Calling it again starts another: the client does not retry it.
func (c *Client) StartExport(ctx context.Context, kind ExportType) (int64, error) {
	id, err := c.create(ctx, "/export/realm", params{"export_type": kind}.form(), neverRetry, "id")
	if err == nil && id == 0 {
		err = &maybeAppliedError{errors.New("POST /export/realm: the answer holds no ID")}
	}
	return id, err
}

// Exports lists all exports, by ID.
func (c *Client) Exports(ctx context.Context) ([]*Export, error) {
	return list[Export](ctx, c, "/export/realm", nil, "exports")
}

// ExportConsents lists the active people.
func (c *Client) ExportConsents(ctx context.Context) ([]*ExportConsent, error) {
	return list[ExportConsent](ctx, c, "/export/realm/consents", nil, "export_consents")
}
