// Package existing prevents that an object is created twice or lost. A plan reports an existing object with the name of
// a planned one ([Object.Check]), and objects that two resources manage ([Manage]). An apply creates an object once
// ([CreateOnce]), although the answer to its request may be lost. This package knows no resource.
package existing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Object is an existing object with the name of a planned new one. It is never adopted because it matches the plan:
// it may have been created outside Terraform. Only recover_interrupted adopts the object of an interrupted apply.
type Object struct {
	// Kind is the type of the resource, Title its noun in messages, and Name the object's name. Key is its name in the
	// run state, if that differs.
	Kind, Title, Name, Key string
	ID                     int64
	// Import is the ID for terraform import.
	Import string
	At     path.Path
	// Summary says that the name is taken. Detail describes the object, and alternatives to an import.
	Summary, Detail string
	// AsPlanned is true if it matches the plan, and Ours if this account created it within the last hour, both as far
	// as the server shows.
	AsPlanned, Ours bool
	// MayBeReplaced is true if this may be the object that a resource with create_before_destroy replaces, as far as
	// the server shows.
	MayBeReplaced bool
	// IsRename is true if the name is for an object in the state, not for a new one.
	IsRename bool
	// IsKept is true if the object stays as it is when its resource is destroyed.
	IsKept bool
	// KeepsName is true if a destroyed object keeps its name, because the server archives or deactivates it.
	KeepsName bool
}

// maxRecoverAge is the maximum age of an object that recover_interrupted adopts.
const maxRecoverAge = time.Hour

// IsRecent reports whether an interrupted apply may have created an object of this age.
func IsRecent(made time.Time) bool { return time.Since(made) <= maxRecoverAge }

// Check reports an existing object with the name of a planned one, and returns true if it will be adopted.
//
// If a replaced resource may itself have the object, the plan only warns, and the apply refuses. With
// create_before_destroy, the plan within the apply makes this check: after an error there, the state would have the old
// object as a deposed one, which blocks every later apply. A refusal in the apply itself leaves the state unchanged.
func (e Object) Check(meta *base.Meta, diags *diag.Diagnostics) (adopted bool) {
	run := &meta.Run
	switch {
	case !e.IsRename && run.Knows(runstate.Destroyed, runstate.ID(e.Kind, e.ID)):
		e.refuseAddress(meta, diags)
	case e.IsRename && e.KeepsName && run.Knows(runstate.Destroyed, runstate.ID(e.Kind, e.ID)):
		e.refuseKeptName(diags)
	case e.IsRename:
		// Other resources of this run may release the name. A plan does not know which, because the order of planning
		// varies.
		detail := ""
		if e.Detail != "" {
			detail = e.Detail + "\n\n"
		}
		diags.AddAttributeWarning(e.At, e.Summary, detail+"If another resource of this configuration gives up the name in the same apply, the provider retries for some seconds until the name is free. "+
			"That does not help if the other resource depends on this one, by a reference or depends_on: then apply twice. "+
			fmt.Sprintf("If no resource gives up the name, this apply stops here. Choose another name. If no resource manages the object that has it, import that object with the ID %s and rename it.", e.Import))
	case run.Knows(runstate.Managed, runstate.ID(e.Kind, e.ID)):
		diags.AddAttributeWarning(e.At, e.Summary, "If this resource is tainted and has it, the apply replaces it. If another resource of this configuration gives up the name, Terraform must change that resource first: add depends_on to this resource, or apply twice. Otherwise this apply stops here.\n\n"+e.text(meta))
	case meta.RecoverInterrupted && e.AsPlanned && e.Ours:
		run.Release(e.Kind, e.key(), e.ID)
		diags.AddAttributeWarning(e.At, fmt.Sprintf("Existing %s will be adopted", e.Title),
			fmt.Sprintf("%s %q (%s) matches the plan, as far as the server shows it, and recover_interrupted is set. The provider assumes that an interrupted apply created it. Nothing changes in the organization. With -target, the provider does not see whether another resource of the state has it, so check before you apply.", base.Capitalize(e.Title), e.Name, e.Import))
		return true
	case e.MayBeReplaced || meta.WarnOfExisting:
		diags.AddAttributeWarning(e.At, e.Summary+", so the apply will fail", e.text(meta))
	default:
		diags.AddAttributeError(e.At, e.Summary, e.text(meta))
	}
	return false
}

// AdoptionReason says in a plan why a resource adopts an archived or deactivated object. attribute is the one that asks for
// it: adopt_archived or adopt_deactivated.
func AdoptionReason(title, attribute string) string {
	return fmt.Sprintf("It was %s outside Terraform or by an earlier apply. This apply adopts it instead of creating a new %s, because %s is true in the resource or in the provider block.",
		strings.TrimPrefix(attribute, "adopt_"), title, attribute)
}

// RefuseNamedByText refuses a plan that changes the name of an object, if a resource that was planned before names the
// object by it. word is the attribute. It uses Kind, Title, Name, ID and At of the object.
func RefuseNamedByText(meta *base.Meta, e Object, word string, diags *diag.Diagnostics) {
	if !meta.Run.Knows(runstate.Named, runstate.ID(e.Kind, e.ID)) {
		return
	}
	base.AddErrorAt(diags, e.At, fmt.Sprintf("The %s %s is written as text elsewhere", word, suggest.Quote(e.Name)),
		fmt.Sprintf("This plan changes the %s of %s %d, and another resource of the configuration still names the %s by %s. Terraform can change one before or after the other. "+
			"Change the other resource. %s.", word, e.Title, e.ID, e.Title, suggest.Quote(e.Name), lookup.Instead(e.Title, "zulip_"+strings.ReplaceAll(e.Title, " ", "_"), e.ID)))
}

// RefuseDuplicate refuses a name in a plan, because another resource of the configuration has an equal one. what is the
// attribute in messages, as in "channel name". advice is further advice, or empty.
func RefuseDuplicate(kind, what, name, other, advice string, at path.Path, diags *diag.Diagnostics) {
	detail := fmt.Sprintf("Another %s in this configuration has the same %s.", kind, what)
	if other != name {
		detail = fmt.Sprintf("%s is equal to %s for the server, and another %s in this configuration has it.", suggest.Quote(name), suggest.Quote(other), kind)
	}
	diags.AddAttributeError(at, fmt.Sprintf("Duplicate %s %s", what, suggest.Quote(name)), detail+" Change or remove one of them."+advice)
}

// Refuse reports why an object was not created: its name is taken.
func (e Object) Refuse(meta *base.Meta, diags *diag.Diagnostics) {
	diags.AddAttributeError(e.At, e.Summary, e.text(meta))
}

// manyBlocks names the command that writes such blocks for a whole configuration.
const manyBlocks = "If this concerns many resources, \"terraform-provider-zulip export . --for plan.json\" writes their import and moved blocks. Make plan.json with ZULIP_WARN_OF_EXISTING=true."

// text describes the existing object and the fix.
func (e Object) text(meta *base.Meta) string {
	var text strings.Builder
	if e.Detail != "" {
		text.WriteString(e.Detail + "\n\n")
	}
	fmt.Fprintf(&text, "To manage it, import it:\n\n%s\n\nIf this configuration manages it at another resource address, for example because a for_each key changed, add a moved block. "+
		"If this resource is being replaced, remove create_before_destroy: the name is taken until the old object is gone.\n\n"+manyBlocks, ImportBlock(e.Kind, e.Import))
	if e.AsPlanned && !meta.RecoverInterrupted {
		text.WriteString("\n\nIf an interrupted apply left it behind, apply once with ZULIP_RECOVER_INTERRUPTED=true. That adopts objects that match the plan exactly and that, as far as the server shows, the same account created within the last hour.")
	}
	return text.String()
}

// RegisterDestroy registers that a resource of this run destroys its object, and refuses it if another resource
// creates one with the same name. The resource that is planned last reports this, here or in [Object.Check]. It uses
// Kind, Title, Name, Key, ID, Import and IsKept of the object. It warns if another resource names the object by a text.
func RegisterDestroy(meta *base.Meta, e Object, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Destroyed, runstate.ID(e.Kind, e.ID))
	if !e.IsKept {
		meta.Run.Note(runstate.Ending, runstate.ID(e.Kind, e.ID))
		if meta.Run.Knows(runstate.Named, runstate.ID(e.Kind, e.ID)) {
			diags.AddWarning(suggest.Ends(e.Kind, e.Name))
		}
	}
	if meta.Run.Knows(runstate.Created, runstate.Name(e.Kind, e.key())) {
		e.refuseAddress(meta, diags)
	}
	if id, isPlanned := meta.Run.PlannedID(e.Kind, e.key()); e.KeepsName && isPlanned && id != 0 && id != e.ID {
		e.refuseKeptName(diags)
	}
}

// refuseKeptName refuses a plan that destroys an object and gives its name to another, because the destroyed object
// keeps its name.
func (e Object) refuseKeptName(diags *diag.Diagnostics) {
	base.AddErrorAt(diags, e.At, fmt.Sprintf("%s %q keeps its name", base.Capitalize(e.Title), e.Name),
		fmt.Sprintf("This plan destroys %s %q (ID %s) and gives its name to another %s. The server only archives or deactivates the old object, which keeps its name, so the name does not become free.\n\n"+
			"Apply twice: first give %s %q another name, then destroy it and rename the other %s. To keep the old object, do not rename the other.", e.Title, e.Name, e.Import, e.Title, e.Title, e.Name, e.Title))
}

// key returns the name of the object in the run state.
func (e Object) key() string { return cmp.Or(e.Key, e.Name) }

func (e Object) refuseAddress(meta *base.Meta, diags *diag.Diagnostics) {
	add := diags.AddError
	if meta.WarnOfExisting {
		add = diags.AddWarning
	}
	add(fmt.Sprintf("%s %q will be destroyed and re-created", base.Capitalize(e.Title), e.Name),
		fmt.Sprintf("One resource of this configuration destroys it, and another creates one of the same name. Their order is not defined, and the name is taken until the old object is gone. "+
			"If you renamed the resource or changed a key of for_each or count, add a moved block, and nothing will be destroyed:\n\n  moved {\n    from = OLD_ADDRESS\n    to   = NEW_ADDRESS\n  }\n\n"+
			manyBlocks+"\n\nTo replace it, apply twice: first without the new resource.\n\n"+
			"If a failed apply left it as a deposed object, remove it from the state (terraform state rm ADDRESS) and import it:\n\n%s", ImportBlock(e.Kind, e.Import)))
}

// ImportBlock returns the import block for an object. kind begins with the type of the resource.
func ImportBlock(kind, id string) string {
	of, _, _ := strings.Cut(kind, " ")
	return fmt.Sprintf("  import {\n    to = %s.NAME # the address of this resource\n    id = %q\n  }", of, id)
}

// CreateOnce creates an object by a request that would create a second one if it were repeated. It therefore records
// the existing objects first, and after a lost answer searches for the new one: an object that matches, did not exist
// before, and belongs to no resource of this run. It returns the ID; its error is for [base.Explain].
//
// kind is the type of the resource. object identifies the object, and creations of the same object wait for each other.
// look returns the ID of a matching object for which isNew is true, or zero. It is called once before anything is sent,
// with an isNew that records the existing objects. create sends the request. effect is what the creation changes elsewhere;
// nil for nothing.
func CreateOnce(ctx context.Context, meta *base.Meta, kind, object string, effect *effects.Write,
	look func(ctx context.Context, isNew func(id int64) bool) (int64, error), create func(context.Context) (int64, error),
) (id int64, err error) {
	done, err := meta.Run.Lock(ctx, kind+" "+object)
	if err != nil {
		return 0, err
	}
	defer done()
	once := func() (int64, error) { return createOnce(ctx, meta, kind, look, create) }
	if effect == nil {
		id, err = once()
	} else {
		id, err = meta.Run.Effects.Create(once, *effect)
	}
	if err == nil {
		meta.Run.Note(runstate.Managed, runstate.ID(kind, id))
	}
	return id, err
}

func createOnce(ctx context.Context, meta *base.Meta, kind string,
	look func(ctx context.Context, isNew func(id int64) bool) (int64, error), create func(context.Context) (int64, error),
) (id int64, err error) {
	before := map[int64]bool{}
	if _, err := look(ctx, func(id int64) bool { before[id] = true; return false }); err != nil && !refused(err) {
		return 0, fmt.Errorf("the provider could not check what already exists, and sent nothing: %w", err)
	}
	isNew := func(id int64) bool { return !before[id] && !meta.Run.Knows(runstate.Managed, runstate.ID(kind, id)) }
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		if id, err = create(ctx); err == nil {
			return id, nil
		}
		if !zulip.MayHaveHappened(err) {
			if attempt > 0 { // perhaps because of an earlier attempt that was executed late
				if made, lookErr := look(ctx, isNew); lookErr == nil && made != 0 {
					return made, nil
				}
			}
			return 0, err
		}
		tflog.Info(ctx, "It is not known whether this was carried out: looking for it",
			map[string]any{"kind": kind, "error": err.Error(), "wait": pause.String()})
		if zulip.Sleep(ctx, pause) != nil {
			return 0, &unknownOutcomeError{err, context.Cause(ctx)}
		}
		pause *= 2
		var lookErr error
		if id, lookErr = look(ctx, isNew); id != 0 {
			return id, nil
		}
		if lookErr != nil || attempt >= meta.Client.MaxRetries() || zulip.IsInterrupted(ctx) {
			return 0, &unknownOutcomeError{err, lookErr}
		}
	}
}

// unknownOutcomeError is the failure of a request that may have been executed.
type unknownOutcomeError struct {
	cause error
	look  error // why the search failed; nil if it found nothing
}

// Error is the text of the cause.
func (e *unknownOutcomeError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *unknownOutcomeError) Unwrap() error { return e.cause }

// Explanation explains the cause and the next apply.
func (e *unknownOutcomeError) Explanation() string {
	return base.Explain(e.cause) + "\n\n" + e.after()
}

func (e *unknownOutcomeError) after() string {
	if e.look == nil {
		return "The provider looked for it afterwards and did not find it, so you can apply again. If the server carries out the request later, the next plan reports an object that has a name, with the block that imports it."
	}
	return fmt.Sprintf("The provider could not check whether it exists: %s Check before you apply again. The next plan reports an object that has a name, with the block that imports it. It would create any other object a second time.", base.Explain(e.look))
}

// refused reports whether the server refused the request, so that a repetition would not help.
func refused(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && refusal.Status < 500 && !zulip.IsUnauthorized(err)
}

// replacedKey is the key of an object's ID in its private state. A replaced resource is planned again as a new one, and
// only this key then identifies the replaced object.
const replacedKey = "id"

// StoreReplacedID stores the ID of the planned object for [ReplacedID].
func StoreReplacedID(ctx context.Context, private base.PrivateSetter, id int64) diag.Diagnostics {
	return private.SetKey(ctx, replacedKey, []byte(strconv.FormatInt(id, 10)))
}

// ForgetReplacedID removes that ID when a refresh removes the object from the state: the next plan creates another one.
func ForgetReplacedID(ctx context.Context, private base.PrivateSetter) diag.Diagnostics {
	return private.SetKey(ctx, replacedKey, nil)
}

// ReplacedID returns the ID of the object that a new one replaces, and nil if it replaces none.
func ReplacedID(ctx context.Context, private base.PrivateGetter, diags *diag.Diagnostics) []int64 {
	data, found := private.GetKey(ctx, replacedKey)
	diags.Append(found...)
	if id, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		return []int64{id}
	}
	return nil
}

// RefuseReplacement makes a check of the second plan of a replacement, and refuses the plan for each warning of it. Terraform shows
// no warnings of this plan, because it expects the first plan to have given them; but the first plan of -replace and
// replace_triggered_by changes nothing.
func RefuseReplacement(diags *diag.Diagnostics, check func(found *diag.Diagnostics)) {
	var found diag.Diagnostics
	check(&found)
	for _, one := range found {
		if one.Severity() == diag.SeverityWarning {
			diags.AddError(one.Summary(), one.Detail()+"\n\nThe plan is refused, because Terraform shows no warnings of a replacement. To keep the object, plan without -replace, and without replace_triggered_by for it. "+
				"To replace it all the same, first remove the resource and apply: that plan shows what ends.")
			continue
		}
		diags.Append(one)
	}
}

// Manage registers the object in the prior state of a planned resource, and whether the resource is destroyed. It
// warns if another resource has the same object in its state, which no apply can fix. It refuses to destroy an object
// of another resource of the run; the resource that is planned last reports this. It uses Kind, Title, Name, Key, ID
// and Import of the object.
func Manage(meta *base.Meta, e Object, isDestroyed bool, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Managed, runstate.ID(e.Kind, e.ID))
	if isDestroyed {
		if meta.Run.Knows(runstate.Kept, runstate.ID(e.Kind, e.ID)) {
			refuseDestroy(e, diags)
		}
		RegisterDestroy(meta, e, diags)
		return
	}
	if meta.Run.Knows(runstate.Destroyed, runstate.ID(e.Kind, e.ID)) {
		refuseDestroy(e, diags)
	}
	if !meta.Run.Note(runstate.Kept, runstate.ID(e.Kind, e.ID)) {
		diags.AddWarning(fmt.Sprintf("Two resources manage %s %q", e.Title, e.Name),
			fmt.Sprintf("Another %s in the state has the same ID, %s. Each apply undoes the changes of the other, and destroying either resource destroys the %s for both. "+
				"Remove one of them with a removed block (lifecycle { destroy = false }), or with terraform state rm ADDRESS.", e.Kind, e.Import, e.Title))
	}
}

// refuseDestroy reports that one resource would destroy the object of another.
func refuseDestroy(e Object, diags *diag.Diagnostics) {
	diags.AddError(fmt.Sprintf("Another resource still manages %s %q", e.Title, e.Name),
		fmt.Sprintf("Two resources in the state have the ID %s, and this plan destroys one of them. That would destroy the %s for both. If you renamed the resource, add a moved block. If the object was imported twice, remove one resource with a removed block (lifecycle { destroy = false }) or terraform state rm ADDRESS.", e.Import, e.Title))
}

// RefuseTakenName refuses, during plan, the name of an archived or deactivated object. `terraform destroy` plans the
// whole configuration first, so the error stops it too, unless it does not refresh.
//
// If the object ended outside Terraform since the last apply, the plan only warns, so that the rest of it can be seen. The
// apply refuses.
func RefuseTakenName(meta *base.Meta, kind string, id int64, at path.Path, summary, detail string, diags *diag.Diagnostics) {
	if meta.Run.Knows(runstate.Ended, runstate.ID(kind, id)) {
		diags.AddAttributeWarning(at, summary+", so the apply will fail", detail+"\n\nThis happened outside Terraform. To accept it, remove this resource from the configuration, with what references it.")
		return
	}
	diags.AddAttributeError(at, summary, detail+"\n\nTo destroy this configuration instead, run terraform destroy -refresh=false.")
}
