package core

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// Existing is what has the name already that a new thing is to get. It is never taken into a state because it looks like
// what is planned: somebody else may have made it. Only recover_interrupted takes what an apply that was broken off has
// left.
type Existing struct {
	// Kind is the type of the resource, Title what messages call the thing, Name its name; Key is the name by which the run
	// knows it, if that is another one.
	Kind, Title, Name, Key string
	ID                     int64
	// Import is what terraform import takes.
	Import string
	At     path.Path
	// Summary says that the name is taken, Detail by what, and which other ways there are than to import it.
	Summary, Detail string
	// AsPlanned says that it is what would be made, Ours that this account made it within the hour: both as far as the
	// server tells.
	AsPlanned, Ours bool
	// MayBeReplaced says that this may be what a resource with create_before_destroy is to replace, as far as the server
	// tells.
	MayBeReplaced bool
	// IsRename says that the name is not for a new thing, but for one that the state holds.
	IsRename bool
}

// NeverAdopted says on the page of a resource what becomes of one that is there already.
const NeverAdopted = "An object that exists already is never adopted because it looks the same: creating it is refused, with the block that imports it. What an interrupted apply left behind, `recover_interrupted` of the provider block adopts."

// interrupted is how long ago something can have been made to count as what an apply has left that was broken off.
const interrupted = time.Hour

// IsRecent reports whether something was made so short a while ago that an apply which was broken off can have made it.
func IsRecent(made time.Time) bool { return time.Since(made) <= interrupted }

// CheckExisting says at plan what becomes of a new thing whose name is taken, and reports whether it will be adopted.
//
// What a resource that is made anew may meet as itself is only warned of, and the apply refuses it. With
// create_before_destroy it does so in the plan of its apply: after an error there, the state would hold the old one as a
// deposed object that stands in the way of every apply to come. A refusal of the apply itself leaves the state as it was.
func CheckExisting(meta *base.Meta, e Existing, diags *diag.Diagnostics) (adopted bool) {
	run := &meta.Run
	switch {
	case !e.IsRename && run.WillBeDestroyed(e.Kind, e.ID):
		e.refuseAddress(meta, diags)
	case e.IsRename:
		// Another resource of this run may give the name up. Which do is not known in a plan: it depends on what is planned first.
		detail := ""
		if e.Detail != "" {
			detail = e.Detail + "\n\n"
		}
		diags.AddAttributeWarning(e.At, e.Summary, detail+"If another resource of this configuration gives it up in the same apply, this one waits for that, unless that one refers to this one or has a depends_on on it: then do it in two applies. "+
			fmt.Sprintf("If no resource gives it up, this apply stops here: choose another one, or, if nothing manages what has this one, import that with the ID %s and change it too.", e.Import))
	case run.IsManaged(e.Kind, e.ID):
		diags.AddAttributeWarning(e.At, e.Summary, "If another resource of this configuration gives it up, that has to come first: let this resource depend on that one (depends_on), or do it in two applies. Otherwise this apply stops here.\n\n"+e.text(meta))
	case meta.RecoverInterrupted && e.AsPlanned && e.Ours:
		run.Release(e.Kind, e.key(), e.ID)
		diags.AddAttributeWarning(e.At, fmt.Sprintf("Existing %s will be adopted", e.Title),
			fmt.Sprintf("%s %q (%s) is as planned, as far as the server tells, and recover_interrupted is set: it counts as created by an apply that was interrupted. Nothing changes in the organization. With -target, the run does not see which other resource of the state may hold it: look before you apply.", base.Capitalize(e.Title), e.Name, e.Import))
		return true
	case e.MayBeReplaced || meta.WarnOfExisting:
		diags.AddAttributeWarning(e.At, e.Summary+", and the apply will stop at it", e.text(meta))
	default:
		diags.AddAttributeError(e.At, e.Summary, e.text(meta))
	}
	return false
}

// Refuse reports why a thing was not made whose name is taken.
func (e Existing) Refuse(meta *base.Meta, diags *diag.Diagnostics) {
	diags.AddAttributeError(e.At, e.Summary, e.text(meta))
}

// text says what there is, and what to do.
func (e Existing) text(meta *base.Meta) string {
	var text strings.Builder
	if e.Detail != "" {
		text.WriteString(e.Detail + "\n\n")
	}
	fmt.Fprintf(&text, "To manage it, import it:\n\n%s\n\nIf it is managed in this configuration under another address, for example before a for_each key changed, add a moved block. "+
		"If this resource is being replaced, remove create_before_destroy: the name is taken until the old object is gone.", ImportBlock(e.Kind, e.Import))
	if e.AsPlanned && !meta.RecoverInterrupted {
		text.WriteString("\n\nIf an interrupted apply left it behind, apply once with ZULIP_RECOVER_INTERRUPTED=true: that adopts what is exactly as planned and, as far as the server tells, was created by the same account within the last hour.")
	}
	return text.String()
}

// RegisterDestroy registers that a resource of this run gives up its thing, and refuses it where another one makes a new thing
// of the same name: whichever of the two is planned last says so, this or [CheckExisting]. Of the thing it takes
// Kind, Title, Name, Key, ID and Import.
func RegisterDestroy(meta *base.Meta, e Existing, diags *diag.Diagnostics) {
	meta.Run.WillDestroy(e.Kind, e.ID)
	if meta.Run.WillBeCreated(e.Kind, e.key()) {
		e.refuseAddress(meta, diags)
	}
}

// key is the name by which the run knows the thing.
func (e Existing) key() string { return cmp.Or(e.Key, e.Name) }

func (e Existing) refuseAddress(meta *base.Meta, diags *diag.Diagnostics) {
	add := diags.AddError
	if meta.WarnOfExisting {
		add = diags.AddWarning
	}
	add(fmt.Sprintf("%s %q will be destroyed and re-created", base.Capitalize(e.Title), e.Name),
		fmt.Sprintf("One resource of this configuration destroys it, and another one creates a %s of the same name. The order of the two is not defined, and the name is taken until the old object is gone. "+
			"If this is a rename of the resource, or another key of for_each or count, add a moved block and nothing will be destroyed:\n\n  moved {\n    from = OLD_ADDRESS\n    to   = NEW_ADDRESS\n  }\n\n"+
			"To replace it, apply twice: first without the new resource.\n\n"+
			"If the state shows it as a deposed object after a failed apply, remove that from the state (terraform state rm ADDRESS), and import it:\n\n%s", e.Title, ImportBlock(e.Kind, e.Import)))
}

// ImportBlock writes the block with which a configuration imports an object. kind begins with the type of the resource.
func ImportBlock(kind, id string) string {
	of, _, _ := strings.Cut(kind, " ")
	return fmt.Sprintf("  import {\n    to = %s.NAME # the address of this resource\n    id = %q\n  }", of, id)
}
