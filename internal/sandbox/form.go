package sandbox

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxBody is the largest request body taken, as of the server's nginx
// (server-behavior §R5).
const maxBody = 25 << 20

// form is what a request carries besides its path: fields of the body, fields
// of the query, and files. Of a repeated field the last counts.
type form struct {
	body, query map[string]string
	files       []file
}

// file is an uploaded file.
type file struct {
	Field, Name, ContentType string
	Content                  []byte
}

// readForm reads a request as Django does: bodies of the two form types only,
// whatever the verb; any other body is as if absent (server-behavior §R4).
func readForm(r *http.Request) (form, error) {
	f := form{body: map[string]string{}, query: parseFields(r.URL.RawQuery)}
	content, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return f, err
	}
	kind, options, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // a broken one is none
	switch kind {
	case "application/x-www-form-urlencoded":
		f.body = parseFields(string(content))
	case "multipart/form-data":
		f.readMultipart(multipart.NewReader(strings.NewReader(string(content)), options["boundary"]))
	}
	return f, nil
}

// readMultipart reads parts until the first broken one.
func (f *form) readMultipart(parts *multipart.Reader) {
	for {
		part, err := parts.NextPart()
		if err != nil {
			return
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return
		}
		if name := part.FileName(); name != "" {
			f.files = append(f.files, file{part.FormName(), name, part.Header.Get("Content-Type"), content})
		} else {
			f.body[part.FormName()] = strings.ToValidUTF8(string(content), string(utf8.RuneError))
		}
	}
}

// parseFields decodes a query string or a form body, and takes what cannot be
// decoded as it stands.
func parseFields(encoded string) map[string]string {
	fields := map[string]string{}
	for pair := range strings.SplitSeq(encoded, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		fields[unquote(name)] = unquote(value)
	}
	return fields
}

// unquote decodes a plus as a space and %XX as a byte; a percent sign without
// two digits stays, and bytes that are no UTF-8 become replacement characters.
func unquote(s string) string {
	s = strings.ReplaceAll(s, "+", " ")
	if !strings.Contains(s, "%") {
		return strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	var decoded strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if one, err := url.PathUnescape(s[i : i+3]); err == nil {
				decoded.WriteString(one)
				i += 2
				continue
			}
		}
		decoded.WriteByte(s[i])
	}
	return strings.ToValidUTF8(decoded.String(), string(utf8.RuneError))
}

// values returns every field, the body's before the query's.
func (f form) values() map[string]string {
	all := make(map[string]string, len(f.body)+len(f.query))
	for name, value := range f.query {
		all[name] = value
	}
	for name, value := range f.body {
		all[name] = value
	}
	return all
}

// isTooLarge reports whether reading a body failed for its size.
func isTooLarge(err error) bool {
	var tooLarge *http.MaxBytesError
	return errors.As(err, &tooLarge)
}
