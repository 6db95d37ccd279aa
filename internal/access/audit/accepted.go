package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Acceptance says that people know of a finding and leave it as it is.
type Acceptance struct {
	Reason string `json:"reason"`
	// Until is the day on which it ends, as 2027-06-30; empty if it never does.
	Until string `json:"until,omitempty"`
}

// AcceptedFile is a file that accepts findings.
type AcceptedFile struct {
	path    string
	entries []*acceptEntry
}

// acceptEntry accepts the findings of a kind about one object.
type acceptEntry struct {
	Acceptance

	kind   Kind
	object string
	// worst is the gravest severity that is accepted; empty: any.
	worst Severity
	ends  time.Time // zero: never
	line  int
}

// ParseAccepted reads a file that accepts findings. An error names every mistake with its line.
func ParseAccepted(path string, content []byte) (*AcceptedFile, error) {
	reader, blocks := hclfile.Open(path, content, "a file of accepted findings can contain only blocks such as  accept \"internet\" { … }")
	p := &acceptParser{Reader: reader, file: &AcceptedFile{path: path}}
	for _, block := range blocks {
		p.block(block)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.file, nil
}

// acceptParser reads a file that accepts findings.
type acceptParser struct {
	*hclfile.Reader

	file *AcceptedFile
}

// The blocks and attributes of a file that accepts findings.
var (
	acceptedSpec = &hclfile.Spec{Blocks: []*hclfile.Spec{acceptSpec}}
	acceptSpec   = &hclfile.Spec{Name: "accept", Label: "internet", Attributes: []hclfile.AttributeSpec{
		{Name: "object"}, {Name: "objects"}, {Name: "reason", Missing: "say in a few words why the finding is accepted"}, {Name: "until"}, {Name: "severity"},
	}}
)

func (p *acceptParser) block(block *hclfile.Block) {
	line, before := block.Line, p.Fails()
	if p.Find(block, acceptedSpec) == nil {
		return
	}
	has, attributes, _ := p.Check(block, acceptSpec)
	entry := acceptEntry{kind: Kind(strings.Join(block.Labels, " ")), line: line}
	if kindRank(entry.kind) < 0 && len(block.Labels) > 0 {
		names := suggest.Names{Things: "kinds", All: kindNames()}
		p.Fail(line, "there is no kind of finding %s%s", suggest.Quote(string(entry.kind)), names.Suggest(string(entry.kind)))
	}
	var objects []string
	for _, one := range attributes {
		switch one.Name {
		case "object":
			objects = append(objects, p.Text(one))
		case "objects":
			objects = append(objects, p.Texts(one)...)
		case "reason":
			entry.Reason = strings.TrimSuffix(p.Text(one), ".")
		case "until":
			entry.Until, entry.ends = p.Day(one)
		case "severity":
			entry.worst = Severity(p.Text(one))
			if entry.worst != "" && entry.worst.rank() < 0 {
				p.Fail(one.Line, "there is no severity %s%s", suggest.Quote(string(entry.worst)), suggest.Names{Things: "severities", All: lists.Strings(Severities)}.Suggest(string(entry.worst)))
			}
		}
	}
	switch {
	case has["object"] && has["objects"]:
		p.Fail(line, "object and objects are both set: write one of them")
	case !has.Any("object", "objects"):
		p.Fail(line, `object is missing: name the object as the audit does, such as object = "the organization"`)
	}
	if p.Fails() > before {
		return
	}
	for _, object := range objects {
		p.add(entry, placeOf(object))
	}
}

// placeOf is the place that an object names. It puts a name without quotes, as Markdown writes it, into quotes. A name
// in quotes stays as it is, so that an object names one place.
func placeOf(object string) string {
	for _, kind := range []string{"channel ", "user group "} {
		name, ok := strings.CutPrefix(object, kind)
		if !ok {
			continue
		}
		if _, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
			return object
		}
		return kind + strconv.Quote(name)
	}
	return object
}

func (p *acceptParser) add(entry acceptEntry, object string) {
	entry.object = object
	for _, other := range p.file.entries {
		if other.kind == entry.kind && other.object == object {
			p.Fail(entry.line, "%s about %s is already accepted on line %d", entry.kind, object, other.line)
			return
		}
	}
	p.file.entries = append(p.file.entries, &entry)
}

// entry returns the entry that accepts a finding about a place. isTooGrave is true if it would accept the finding with
// a lower severity.
func (f *AcceptedFile) entry(finding *Finding, place string) (entry *acceptEntry, isTooGrave bool) {
	for _, one := range f.entries {
		if one.kind == finding.Kind && one.isAbout(place) {
			return one, one.worst != "" && finding.Severity.rank() < one.worst.rank()
		}
	}
	return nil, false
}

// isAbout reports whether an entry names a place, or has a pattern that matches its name, as in "channel:team-*".
func (e *acceptEntry) isAbout(place string) bool {
	for kind, prefix := range map[string]string{"channel ": "channel:", "user group ": "group:"} {
		pattern, isPattern := strings.CutPrefix(e.object, prefix)
		quoted, isOfKind := strings.CutPrefix(place, kind)
		if name, err := strconv.Unquote(quoted); isPattern && isOfKind && err == nil && hclfile.Selects(zulip.FoldName(pattern), zulip.FoldName(name)) {
			return true
		}
	}
	return e.object == place
}

// findingPart is one part of a finding, and the people concerned in its places.
type findingPart struct {
	Finding

	people permission.People
}

// split divides a finding into the part that is not accepted, the accepted parts by reason and end, and the part whose
// acceptance has ended.
func (m *maker) split(finding Finding, people permission.People) []*findingPart {
	if m.options.Accepted == nil {
		return []*findingPart{{Finding: finding, people: people}}
	}
	type key struct {
		acceptance Acceptance
		isExpired  bool
	}
	var parts []*findingPart
	known := map[key]*findingPart{}
	for at, place := range finding.Where {
		var k key
		switch entry, isTooGrave := m.options.Accepted.entry(&finding, place); {
		case entry == nil:
		case isTooGrave:
			m.tooGrave[entry] = true
		default:
			m.usedEntries[entry] = true
			k = key{entry.Acceptance, !entry.ends.IsZero() && !m.options.Now.UTC().Before(entry.ends)}
		}
		part := known[k]
		if part == nil {
			part = &findingPart{Finding: finding, people: people}
			if part.Where = nil; finding.peopleOf != nil {
				part.people = permission.People{}
			}
			switch {
			case k.isExpired:
				part.Expired = &k.acceptance
			case k.acceptance != Acceptance{}:
				part.Accepted = &k.acceptance
			}
			known[k], parts = part, append(parts, part)
		}
		part.Where = append(part.Where, place)
		if finding.peopleOf != nil {
			part.people = part.people.Or(finding.peopleOf[at])
		}
	}
	return parts
}

// warnOfUnused warns about entries that accept nothing. It does not warn if the audit is of a part, or if the account does
// not see everything, because the finding may still exist.
func (m *maker) warnOfUnused() {
	if m.options.Accepted == nil || m.audit.Selection != nil || !m.audit.Complete {
		return
	}
	for _, entry := range m.options.Accepted.entries {
		if m.usedEntries[entry] {
			continue
		}
		text := fmt.Sprintf("there is no longer a finding %s about %s%s", entry.kind, entry.object, m.nearestPlace(entry))
		if m.tooGrave[entry] {
			text = fmt.Sprintf("the finding %s about %s is more severe than %s.", entry.kind, entry.object, entry.worst)
		}
		m.audit.Warnings = append(m.audit.Warnings, fmt.Sprintf("%s:%d accepts nothing: %s", m.options.Accepted.path, entry.line, text))
	}
}

// nearestPlace ends a sentence by asking whether another object with such a finding was meant.
func (m *maker) nearestPlace(entry *acceptEntry) string {
	var places []string
	for _, finding := range m.audit.Findings {
		if finding.Kind == entry.kind && finding.Accepted == nil {
			places = append(places, finding.Where...)
		}
	}
	if near := suggest.Nearest(entry.object, places); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "."
}

// AcceptedText says whether a finding is accepted, or was; "" if it never was.
func (f *Finding) AcceptedText() string {
	switch {
	case f.Accepted != nil && f.Accepted.Until != "":
		return fmt.Sprintf("Accepted until %s: %s.", f.Accepted.Until, f.Accepted.Reason)
	case f.Accepted != nil:
		return fmt.Sprintf("Accepted: %s.", f.Accepted.Reason)
	case f.Expired != nil:
		return fmt.Sprintf("Not accepted since %s. The reason was: %s.", f.Expired.Until, f.Expired.Reason)
	}
	return ""
}

// Open are the findings that are not accepted.
func (a *Audit) Open() []*Finding {
	return lists.Where(a.Findings, func(finding *Finding) bool { return finding.Accepted == nil })
}

// acceptedCount counts the findings that are accepted, and says until when; "" if none is.
func (a *Audit) acceptedCount() string {
	accepted := lists.Where(a.Findings, func(finding *Finding) bool { return finding.Accepted != nil })
	untils := lists.Unique(lists.Map(accepted, func(finding *Finding) string { return finding.Accepted.Until }))
	days := slices.Sorted(slices.Values(sets.Without(untils, []string{""})))
	switch n := len(accepted); {
	case n == 0:
		return ""
	case len(days) == 0:
		return fmt.Sprintf("; %d accepted", n)
	case len(untils) > 1:
		return fmt.Sprintf("; %d accepted, the first until %s", n, days[0])
	default:
		return fmt.Sprintf("; %d accepted until %s", n, days[0])
	}
}
