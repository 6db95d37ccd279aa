package rules

import "time"

// Export is one of the organization's data (server-behavior §O12).
type Export struct {
	ID           int       `json:"id"`
	Type         int       `json:"type"`
	ActingUserID int       `json:"acting_user_id"`
	Requested    time.Time `json:"requested"`
	// Finished is when the export succeeds or fails.
	Finished time.Time `json:"finished"`
	Fails    bool      `json:"fails,omitempty"`
	Deleted  time.Time `json:"deleted,omitzero"`
	// Secret is part of the file's address, which needs no credentials.
	Secret string `json:"secret"`
}

// Types of exports.
const (
	ExportPublic  = 1 // public data
	ExportConsent = 2 // all data of people who consent to it
)

const (
	maxExports    = 5
	exportsPeriod = 7 * 24 * time.Hour
	exportTakes   = time.Second
)

// Pending reports whether the server still works on the export.
func (o *Organization) Pending(e Export) bool { return o.now().Before(e.Finished) }

// SetUpExports sets how long exports take, and whether they fail.
func (o *Organization) SetUpExports(takes time.Duration, fail bool) {
	o.exportTakes, o.exportsFail = takes, fail
}

// StartExport is POST /export/realm. Exports that failed or were deleted count too.
func (o *Organization) StartExport(actor User, kind int) (Export, error) {
	now := o.now().UTC()
	recent := 0
	for _, e := range o.Exports.All() {
		if !e.Requested.Before(now.Add(-exportsPeriod)) {
			recent++
		}
	}
	if recent >= maxExports {
		return Export{}, Refuse("Exceeded rate limit.")
	}
	e := Export{
		ID: o.Exports.NextID(), Type: kind, ActingUserID: actor.ID, Requested: now, Finished: now.Add(o.exportTakes),
		Fails: o.exportsFail, Secret: NewAPIKey(),
	}
	o.Exports.Put(e.ID, e)
	return e, nil
}

// DeleteExport is DELETE /export/realm/{id}: it removes the file and keeps the row.
func (o *Organization) DeleteExport(id int) error {
	e, ok := o.Exports.Get(id)
	switch {
	case !ok:
		return Refuse("Invalid data export ID")
	case !e.Deleted.IsZero():
		return Refuse("Export already deleted")
	case o.Pending(e):
		return Refuse("Export still in progress")
	case e.Fails:
		return Refuse("Export failed, nothing to delete")
	}
	e.Deleted = o.now().UTC()
	o.Exports.Put(id, e)
	return nil
}

// HasFile reports whether the file of an export can be loaded.
func (o *Organization) HasFile(e Export) bool { return !o.Pending(e) && !e.Fails && e.Deleted.IsZero() }

// ExportBySecret returns the export with a secret.
func (o *Organization) ExportBySecret(secret string) (Export, bool) {
	for _, e := range o.Exports.All() {
		if e.Secret == secret && o.HasFile(e) {
			return e, true
		}
	}
	return Export{}, false
}

// ConsentsToExport reports whether a person allows exports of private data.
func (o *Organization) ConsentsToExport(id int) bool {
	for _, s := range OwnUserSettings {
		if s.Name == "allow_private_data_export" {
			return o.UserSetting(id, s) == true
		}
	}
	return false
}
