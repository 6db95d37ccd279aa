package core

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

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
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
	// KeepsName is true if the thing keeps its name when it is destroyed: the server archives or deactivates it.
	KeepsName bool
}

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
	case e.IsRename && e.KeepsName && run.WillBeDestroyed(e.Kind, e.ID):
		e.refuseKeptName(diags)
	case e.IsRename:
		// Another resource of this run may give the name up. Which do is not known in a plan: it depends on what is planned first.
		detail := ""
		if e.Detail != "" {
			detail = e.Detail + "\n\n"
		}
		diags.AddAttributeWarning(e.At, e.Summary, detail+"If another resource of this configuration gives up the name in the same apply, the provider retries for some seconds until the name is free. "+
			"That does not help if the other resource depends on this one: then apply twice. "+
			fmt.Sprintf("If no resource gives up the name, this apply stops here. Choose another name. If no resource manages the object that has it, import that object with the ID %s and rename it.", e.Import))
	case run.IsManaged(e.Kind, e.ID):
		diags.AddAttributeWarning(e.At, e.Summary, "If another resource of this configuration gives up the name, Terraform must change that resource first: add depends_on to this resource, or apply twice. Otherwise this apply stops here.\n\n"+e.text(meta))
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
	fmt.Fprintf(&text, "To manage it, import it:\n\n%s\n\nIf this configuration manages it at another resource address, for example because a for_each key changed, add a moved block. "+
		"If this resource is being replaced, remove create_before_destroy: the name is taken until the old object is gone.", ImportBlock(e.Kind, e.Import))
	if e.AsPlanned && !meta.RecoverInterrupted {
		text.WriteString("\n\nIf an interrupted apply left it behind, apply once with ZULIP_RECOVER_INTERRUPTED=true. That adopts objects that match the plan exactly and that, as far as the server shows, the same account created within the last hour.")
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
	if id, isPlanned := meta.Run.PlannedID(e.Kind, e.key()); e.KeepsName && isPlanned && id != 0 && id != e.ID {
		e.refuseKeptName(diags)
	}
}

// refuseKeptName refuses a plan that destroys a thing and gives its name to another one: the thing keeps its name.
func (e Existing) refuseKeptName(diags *diag.Diagnostics) {
	base.AddErrorAt(diags, e.At, fmt.Sprintf("%s %q keeps its name", base.Capitalize(e.Title), e.Name),
		fmt.Sprintf("This plan destroys %s %q (ID %s) and gives its name to another %s. The server only archives or deactivates the old object, which keeps its name, so the name does not become free.\n\n"+
			"Apply twice: first give %s %q another name, then destroy it and rename the other %s. To keep the old object, do not rename the other.", e.Title, e.Name, e.Import, e.Title, e.Title, e.Name, e.Title))
}

// key is the name by which the run knows the thing.
func (e Existing) key() string { return cmp.Or(e.Key, e.Name) }

func (e Existing) refuseAddress(meta *base.Meta, diags *diag.Diagnostics) {
	add := diags.AddError
	if meta.WarnOfExisting {
		add = diags.AddWarning
	}
	add(fmt.Sprintf("%s %q will be destroyed and re-created", base.Capitalize(e.Title), e.Name),
		fmt.Sprintf("One resource of this configuration destroys it, and another resource creates a %s of the same name. Their order is not defined, and the name is taken until the old object is gone. "+
			"If you renamed the resource or changed a key of for_each or count, add a moved block, and nothing will be destroyed:\n\n  moved {\n    from = OLD_ADDRESS\n    to   = NEW_ADDRESS\n  }\n\n"+
			"To replace it, apply twice: first without the new resource.\n\n"+
			"If a failed apply left it as a deposed object, remove it from the state (terraform state rm ADDRESS) and import it:\n\n%s", e.Title, ImportBlock(e.Kind, e.Import)))
}

// ImportBlock writes the block with which a configuration imports an object. kind begins with the type of the resource.
func ImportBlock(kind, id string) string {
	of, _, _ := strings.Cut(kind, " ")
	return fmt.Sprintf("  import {\n    to = %s.NAME # the address of this resource\n    id = %q\n  }", of, id)
}

// CreateOnce creates an object by a request that would create a second one if it were repeated. So it notes what exists before, and
// if an answer is lost it looks for the object: what looks the same, did not exist before, and belongs to no resource that this
// run knows, is what this run has created. It returns the ID; its error is for [base.Explain].
//
// kind is the type of the resource. object tells what is created from what others create: who creates the same waits. look returns
// the ID of an object that looks the same and of which isNew is true, or zero; it is called once before anything is sent, with
// an isNew that notes what exists. create sends the request.
func CreateOnce(ctx context.Context, meta *base.Meta, kind, object string,
	look func(ctx context.Context, isNew func(id int64) bool) (int64, error), create func(context.Context) (int64, error),
) (id int64, err error) {
	done, err := meta.Run.Lock(ctx, kind+" "+object)
	if err != nil {
		return 0, err
	}
	defer done()
	before := map[int64]bool{}
	if _, err := look(ctx, func(id int64) bool { before[id] = true; return false }); err != nil && !refused(err) {
		return 0, fmt.Errorf("the provider could not check what already exists, and sent nothing: %w", err)
	}
	isNew := func(id int64) bool { return !before[id] && !meta.Run.IsManaged(kind, id) }
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		if id, err = create(ctx); err == nil {
			break
		}
		if !zulip.MayHaveHappened(err) {
			if attempt > 0 { // perhaps for an attempt of before, which was carried out late
				if made, lookErr := look(ctx, isNew); lookErr == nil && made != 0 {
					id = made
					break
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
			break
		}
		if lookErr != nil || attempt >= meta.Client.MaxRetries() || zulip.IsInterrupted(ctx) {
			return 0, &unknownOutcomeError{err, lookErr}
		}
	}
	meta.Run.Manage(kind, id)
	return id, nil
}

// notCreatedError says why nothing was created. It hides its cause, the failure of a reading, from who asks whether a request may
// have been carried out.
type notCreatedError struct{ cause error }

// Error says that nothing was created, and why.
func (e *notCreatedError) Error() string { return "nothing was created: " + e.cause.Error() }

// Explanation is that for people.
func (e *notCreatedError) Explanation() string {
	return base.Explain(e.cause) + "\n\nNothing was created."
}

// unknownOutcomeError is the failure of something that may have been carried out.
type unknownOutcomeError struct {
	cause error
	look  error // why it could not be looked for; nil: it was, and is not there
}

// Error is the text of the cause.
func (e *unknownOutcomeError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *unknownOutcomeError) Unwrap() error { return e.cause }

// Explanation explains the cause and says what to expect of the next apply.
func (e *unknownOutcomeError) Explanation() string {
	return base.Explain(e.cause) + "\n\n" + e.after()
}

func (e *unknownOutcomeError) after() string {
	if e.look == nil {
		return "The provider looked for it afterwards and did not find it, so you can apply again. If the server carries out the request later, the next plan reports an object that has a name, with the block that imports it."
	}
	return fmt.Sprintf("The provider could not check whether it exists: %s Check before you apply again. The next plan reports an object that has a name, with the block that imports it. It would create any other object a second time.", base.Explain(e.look))
}

// refused reports whether the server answered, and the answer is no: then it would not help to ask again.
func refused(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && refusal.Status < 500 && !zulip.IsUnauthorized(err)
}

// replacedKey is where the ID of a thing stands in its private state. A thing that is replaced is planned once more, as a new
// one: only this says then which it replaces.
const replacedKey = "id"

// StoreReplacedID notes the ID of what is planned, for [ReplacedID].
func StoreReplacedID(ctx context.Context, private interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}, id int64) diag.Diagnostics {
	return private.SetKey(ctx, replacedKey, []byte(strconv.FormatInt(id, 10)))
}

// ReplacedID returns the ID of what a thing replaces that is planned as a new one; nothing if it replaces none.
func ReplacedID(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) []int64 {
	data, found := private.GetKey(ctx, replacedKey)
	diags.Append(found...)
	if id, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		return []int64{id}
	}
	return nil
}
