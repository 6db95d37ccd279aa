package zulip

import (
	"context"
	"errors"
	"net/http"
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
	form := &Form{}
	form.JSON("export_type", kind)
	var answer struct {
		ID int64 `json:"id"`
	}
	if _, err := c.send(ctx, http.MethodPost, "/export/realm", form, neverRetry, &answer); err != nil {
		return 0, err
	}
	if answer.ID == 0 {
		return 0, &maybeAppliedError{errors.New("POST /export/realm: the answer holds no ID")}
	}
	return answer.ID, nil
}

// Exports lists all exports, by ID.
func (c *Client) Exports(ctx context.Context) ([]*Export, error) {
	var answer struct {
		Exports []*Export `json:"exports"`
	}
	if _, err := c.send(ctx, http.MethodGet, "/export/realm", nil, safeToRetry, &answer); err != nil {
		return nil, err
	}
	return withoutNull(answer.Exports), nil
}

// ExportConsents lists the active people.
func (c *Client) ExportConsents(ctx context.Context) ([]*ExportConsent, error) {
	var answer struct {
		Consents []*ExportConsent `json:"export_consents"`
	}
	if _, err := c.send(ctx, http.MethodGet, "/export/realm/consents", nil, safeToRetry, &answer); err != nil {
		return nil, err
	}
	return withoutNull(answer.Consents), nil
}
