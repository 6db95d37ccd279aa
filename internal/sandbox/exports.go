package sandbox

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// exportsPath begins the path of the files of data exports.
const exportsPath = "/user_avatars/exports/1/"

// exportTypes is from when on exports have a type (https://zulip.com/api/export-realm).
const exportTypes = 304

func startExport(r *request) (fields, error) {
	kind := withDefault(r.since(exportTypes), "export_type", listed(integer, rules.ExportPublic, rules.ExportConsent), rules.ExportPublic)
	if err := r.checked(); err != nil {
		return nil, err
	}
	e, err := r.org.StartExport(r.me, kind)
	if err != nil {
		return nil, err
	}
	answer := fields{}
	r.add(answer, 182, "id", e.ID)
	return answer, nil
}

func listExports(r *request) (fields, error) {
	exports := []fields{}
	for _, e := range r.org.Exports.All() {
		object := fields{
			"id": e.ID, "export_time": e.Requested.Unix(), "acting_user_id": e.ActingUserID, "export_url": nil,
			"deleted_timestamp": seconds(e.Deleted), "failed_timestamp": nil, "pending": r.org.Pending(e),
		}
		switch {
		case r.org.HasFile(e):
			object["export_url"] = r.site + exportFile(e)
		case e.Fails && !r.org.Pending(e):
			object["failed_timestamp"] = seconds(e.Finished)
		}
		r.add(object, exportTypes, "export_type", e.Type)
		exports = append(exports, object)
	}
	return fields{"exports": exports}, nil
}

// seconds is a time as the API writes it; null for none.
func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}

func exportFile(e rules.Export) string {
	return fmt.Sprintf("%s%s/zulip-export-%d.tar.gz", exportsPath, e.Secret, e.ID)
}

func listExportConsents(r *request) (fields, error) {
	consents := []fields{}
	for id, u := range r.org.Users.All() {
		if !u.Active || u.IsBot {
			continue
		}
		object := fields{"user_id": id, "consented": r.org.ConsentsToExport(id)}
		r.add(object, 430, "email_address_visibility", u.EmailVisibility)
		consents = append(consents, object)
	}
	return fields{"export_consents": consents}, nil
}

func deleteExport(r *request) (fields, error) {
	return nil, r.org.DeleteExport(r.id("export_id"))
}

// serveExport serves the file of an export to whoever knows its address. A real one holds everything; this one says what
// was exported.
func (s *Server) serveExport(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	e, ok := s.org.ExportBySecret(req.PathValue("secret"))
	name := s.org.Settings().Name
	s.mu.Unlock()
	if !ok || exportFile(e) != req.URL.Path {
		http.NotFound(w, req)
		return
	}
	content, err := json.Marshal(fields{"zerver_realm": []fields{{"id": 1, "name": name}}})
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	_ = archive.WriteHeader(&tar.Header{Name: "realm.json", Mode: 0o600, Size: int64(len(content)), ModTime: e.Finished})
	_, _ = archive.Write(content) // here and below: the client is gone, then
	_ = archive.Close()
	_ = compressed.Close()
}
