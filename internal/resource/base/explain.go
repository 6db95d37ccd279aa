package base

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Explain turns an error of a request into the detail of a message: its meaning, the next step, and the server's words.
func Explain(err error) string { return ExplainWith(err) }

// ExplainWith is [Explain] with hints, which return the meaning of a refusal for one resource, or "".
func ExplainWith(err error, hints ...func(error) string) string {
	var parts []string
	for _, hint := range hints {
		if more := hint(err); more != "" {
			parts = append(parts, more)
		}
	}
	var refusal *zulip.Error
	if text, isWritten := explainWritten(err); isWritten || !errors.As(err, &refusal) {
		return strings.Join(append([]string{text}, parts...), "\n\n")
	}
	if hint := hint(refusal); hint != "" {
		parts = append([]string{hint}, parts...)
	}
	return strings.Join(append(parts, fmt.Sprintf("The server answered %s %s with %d: %s.", refusal.Method, refusal.Path, refusal.Status, quoteWords(refusal))), "\n\n")
}

// explainWritten returns the text of an error that is more than the server's answer. isWritten is false if the error
// has no text of its own.
func explainWritten(err error) (text string, isWritten bool) {
	var explained interface{ Explanation() string }
	if errors.As(err, &explained) {
		return explained.Explanation(), true
	}
	var told *store.ToldError
	if errors.As(err, &told) {
		return Sentence(told), true
	}
	return Sentence(err), false
}

func quoteWords(refusal *zulip.Error) string {
	words := fmt.Sprintf("%q", refusal.Msg)
	if refusal.Code != "" && refusal.Code != "BAD_REQUEST" {
		words += " (" + refusal.Code + ")"
	}
	return words
}

// hint explains a refusal whose text is not clear.
func hint(refusal *zulip.Error) string {
	switch {
	case zulip.IsUnauthorized(refusal):
		return "The server refused the account's key. Was the account deactivated, or its key regenerated? Check email and api_key, ZULIP_EMAIL and ZULIP_API_KEY, or the zuliprc file."
	case zulip.IsMessage(refusal, "Must be an organization owner"):
		return "The provider's account must be an owner of the organization for this."
	case zulip.IsMessage(refusal, "Must be an organization administrator"):
		return "The provider's account must be an administrator or owner of the organization for this."
	case zulip.IsMessage(refusal, "Channel content access is required."):
		return "This channel is private, and administrators cannot read private channels by their role. A subscriber of the channel must add the provider's account to its subscribers, or to can_add_subscribers_group or can_subscribe_group."
	case zulip.IsMessage(refusal, "You do not have permission to administer this channel."):
		return "The provider's account must be an administrator of the organization, or in the channel's can_administer_channel_group."
	case zulip.IsMessage(refusal, "This endpoint does not accept bot requests."):
		return "The server lets only people do this, not bots. Use a person's API key."
	case zulip.IsMessage(refusal, "Not allowed for guest users"):
		return "The provider's account is a guest. Use one with a higher role."
	case zulip.IsMessage(refusal, "Web-public channels are not enabled."):
		return "The server's administrator must enable web-public channels, and an owner must allow public access in the organization's settings."
	case refusal.Status >= 500:
		return "The server failed. The request may have been carried out in part. The next plan shows what is left to do."
	}
	return ""
}

// Capitalize makes the first letter a capital, unless the first word is a URL, a path or the name of a setting.
func Capitalize(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || text[0] < 'a' || text[0] > 'z' || strings.ContainsAny(first, "/@_.") {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// Sentence returns an error as a sentence.
func Sentence(err error) string {
	text := Capitalize(err.Error())
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// WithArticle returns a role with its article, as in "an owner" or "a member".
func WithArticle(role zulip.Role) string {
	word := role.String()
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

// ChangedAfterPlan returns the summary of a conflict about an object.
func ChangedAfterPlan(object string) string {
	return Capitalize(object) + " was changed after the plan was made"
}

// ReferenceAdvice ends the message about an object that does not exist, which the configuration may create.
func ReferenceAdvice(title, reference string) string {
	return fmt.Sprintf("\n\nIf this configuration creates or renames the %s, reference it as %s so that Terraform does that first.", title, reference)
}

// NotFoundByImport explains why an import found no object. A block can outlive its object, such as the role of someone who left.
func NotFoundByImport(err error) string {
	return Sentence(err) + "\n\nIf the object no longer exists, remove its import block."
}

// AddBug adds an error that only a mistake in the provider can cause. doing is a verb and its object.
func AddBug(diags *diag.Diagnostics, doing string, err error) {
	diags.AddError("Bug in the provider: cannot "+doing, Sentence(err)+"\n\nPlease report this with the steps to reproduce it.")
}

// AddErrorAt adds an error at an attribute, or to the whole resource if the path is empty.
func AddErrorAt(diags *diag.Diagnostics, at path.Path, summary, detail string) {
	if at.Equal(path.Empty()) {
		diags.AddError(summary, detail)
		return
	}
	diags.AddAttributeError(at, summary, detail)
}

// Error is an error that consists of diagnostics with their attributes. A caller that reports it appends them
// unchanged.
type Error struct{ Diagnostics diag.Diagnostics }

// Error returns the first summary.
func (e *Error) Error() string { return e.Diagnostics[0].Summary() }

// Failed returns err with a summary and an explanation; nil if err is nil. An [Error] is returned unchanged. hints
// return the meaning of a refusal for one resource, or "".
func Failed(summary string, err error, hints ...func(error) string) error {
	var written *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &written):
		return err
	}
	return Refused(path.Empty(), summary, ExplainWith(err, hints...))
}

// Report adds an error to the diagnostics: an [Error] unchanged, and any other error by [Failed]. It adds nothing if
// err is nil.
func Report(diags *diag.Diagnostics, summary string, err error, hints ...func(error) string) {
	var written *Error
	if errors.As(Failed(summary, err, hints...), &written) {
		diags.Append(written.Diagnostics...)
	}
}

// Refused returns an error at an attribute, or at path.Empty().
func Refused(at path.Path, summary, detail string) error {
	var diags diag.Diagnostics
	AddErrorAt(&diags, at, summary, detail)
	return &Error{diags}
}

// AddWarningAt is [AddErrorAt] for a warning.
func AddWarningAt(diags *diag.Diagnostics, at path.Path, summary, detail string) {
	if at.Equal(path.Empty()) {
		diags.AddWarning(summary, detail)
		return
	}
	diags.AddAttributeWarning(at, summary, detail)
}

// The following checks of a plan refuse changes that the provider's account can't make (server-behavior §R15). doing is
// the operation, as in "create linkifiers". Each check returns true if it refuses nothing.

// Refuse reports that the account can't do something, at an attribute or, with path.Empty(), for the whole resource.
// who is a sentence that names who can.
func (m *Meta) Refuse(at path.Path, doing, who string, diags *diag.Diagnostics) {
	AddErrorAt(diags, at, m.cannot(doing), m.whoCan(who)+" Use the key of an account that can.")
}

func (m *Meta) cannot(doing string) string {
	return fmt.Sprintf("%s cannot %s", m.Store.Self().Address(), doing)
}

func (m *Meta) whoCan(who string) string {
	self := m.Store.Self()
	is := WithArticle(self.Role)
	if self.IsBot {
		is = "a bot with the role " + self.Role.String()
	}
	return fmt.Sprintf("%s The provider's account is %s.", who, is)
}

// lack is the error about a permission that the account lacks.
type lack struct{ diag.DiagnosticWithPath }

// Lack is [Meta.Refuse] for a permission that another resource of the configuration can grant: see [CheckInPlan].
func (m *Meta) Lack(at path.Path, doing, who string, diags *diag.Diagnostics) {
	diags.Append(lack{diag.NewAttributeErrorDiagnostic(at, m.cannot(doing), m.whoCan(who)+" Use the key of an account that can. "+
		"If this configuration grants it, add depends_on to this resource with the resource that does.")})
}

// CheckInPlan makes a check of a plan. It warns about each [Meta.Lack], because the plan of one resource can't know
// whether the apply grants the permission first. It reports whether nothing is refused.
func CheckInPlan(diags *diag.Diagnostics, check func(found *diag.Diagnostics)) (ok bool) {
	var found diag.Diagnostics
	check(&found)
	ok = true
	for _, one := range found {
		if lack, isLack := one.(lack); isLack {
			AddWarningAt(diags, lack.Path(), lack.Summary(), "The apply will fail, unless it grants the permission first. "+lack.Detail())
			continue
		}
		ok = ok && one.Severity() != diag.SeverityError
		diags.Append(one)
	}
	return ok
}

// WarnOfUnknown makes a check of a plan with the worst of the values that the plan does not know yet. Its errors are warnings,
// because the apply may know better; unless says when.
func WarnOfUnknown(unless string, diags *diag.Diagnostics, check func(found *diag.Diagnostics)) {
	var found diag.Diagnostics
	check(&found)
	for _, one := range found.Errors() {
		at := path.Empty()
		if of, ok := one.(diag.DiagnosticWithPath); ok {
			at = of.Path()
		}
		AddWarningAt(diags, at, one.Summary(), "The apply will fail, unless "+unless+". "+one.Detail())
	}
}

// NamesAccount says when a permission that is not known yet does not lock the account out.
const NamesAccount = "the names that this plan does not know yet include the account"

// WhyRefused returns the refusal of a request. If the account lacks permissions in the organization as it is now, the
// result names them.
func (m *Meta) WhyRefused(ctx context.Context, err error, check func(view *snapshot.Snapshot, found *diag.Diagnostics)) error {
	var refusal *zulip.Error
	if !errors.As(err, &refusal) || refusal.Status >= 500 || zulip.IsRateLimited(err) {
		return err
	}
	view, unread := m.Store.Fresh(ctx, store.Organization)
	if unread != nil {
		return err
	}
	var found, lacks diag.Diagnostics
	check(view, &found)
	for _, one := range found {
		if one, ok := one.(lack); ok {
			AddErrorAt(&lacks, one.Path(), one.Summary(), one.Detail()+"\n\n"+Explain(err))
		}
	}
	if len(lacks) == 0 {
		return err
	}
	return &Error{lacks}
}

// RequireRole refuses an operation that requires a role or a higher one.
func (m *Meta) RequireRole(needed zulip.Role, at path.Path, doing string, diags *diag.Diagnostics) bool {
	if m.Store.Self().Role <= needed {
		return true
	}
	who := "Only administrators and owners of the organization can do this."
	if needed == zulip.RoleOwner {
		who = "Only owners of the organization can do this."
	}
	m.Refuse(at, doing, who, diags)
	return false
}

// RequireAdministrator refuses an operation that requires an administrator or an owner; bots can be either.
func (b *Base) RequireAdministrator(doing string, diags *diag.Diagnostics) bool {
	return b.Meta.RequireRole(zulip.RoleAdministrator, path.Empty(), doing, diags)
}

// Organization is an organization with its permissions, now or after a change.
type Organization interface {
	permission.Organization
	Realm() *zulip.Realm
}

// RequirePermission refuses an operation that requires one of some permissions of the organization, such as
// "can_create_groups". A permission that the server does not have refuses nothing.
func (m *Meta) RequirePermission(view Organization, at path.Path, doing string, diags *diag.Diagnostics, permissions ...string) bool {
	lets := make([]string, len(permissions))
	for i, name := range permissions {
		value, ok := view.Realm().Permissions[name]
		if !ok || permission.Admits(value, m.Store.Self(), view) {
			return true
		}
		lets[i] = fmt.Sprintf("%s lets only %s do this", name, permission.Describe(value, view))
	}
	m.Lack(at, doing, "The organization's setting "+strings.Join(lets, ", and ")+".", diags)
	return false
}

// MayIn reports whether the account has an ability in a channel, as this run plans the channel. It is true if the server
// does not show who is subscribed, or if this run subscribes the account.
func (m *Meta) MayIn(ctx context.Context, view *snapshot.Snapshot, channel *zulip.Channel, ability permission.ChannelPermission) bool {
	subscribers, err := m.Store.Subscribers(ctx, channel.ID)
	if err != nil {
		tflog.Debug(ctx, "The subscribers of a channel could not be read", map[string]any{"channel": channel.ID, "error": err.Error()})
	}
	if err != nil || subscribers == nil || m.Run.Knows(runstate.Managed, runstate.ID(runstate.SubscribersOf(channel.ID), m.Store.Self().ID)) {
		return true
	}
	facts := m.Run.PermissionsIn(channel)
	facts.Subscribers, facts.SubscribersKnown = subscribers, true
	return view.Access().May(m.Store.Self().ID, ability, facts)
}

// NewChannels lists the channels that this plan creates, about which a fact is known, and which a `channel` attribute names. While
// the attribute is unknown, it may name any of them. The result is a text, "" if there are none.
func (m *Meta) NewChannels(fact runstate.Fact, channel types.String) string {
	var names []string
	name, _, _ := permission.NameOrID(channel.ValueString())
	for _, one := range m.Run.All(fact, runstate.Channel) {
		if channel.IsUnknown() || runstate.Fold(runstate.Channel, one.Name) == runstate.Fold(runstate.Channel, name) {
			names = append(names, strconv.Quote(one.Name))
		}
	}
	return AtMostThree(names)
}

// AtMostThree joins names for a message, and counts those after the third.
func AtMostThree(names []string) string {
	if rest := len(names) - 3; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), rest)
	}
	return strings.Join(names, ", ")
}

// RequireUse refuses an operation for which the server requires access to a channel's content.
func (m *Meta) RequireUse(ctx context.Context, view *snapshot.Snapshot, channel *zulip.Channel, at path.Path, doing string, diags *diag.Diagnostics) {
	if facts := m.Run.PermissionsIn(channel); facts.PrivacyUnknown || !facts.Privacy.IsPrivate() || m.MayIn(ctx, view, channel, permission.CanUse) {
		return
	}
	m.Lack(at, doing, fmt.Sprintf("Channel %q is private, and the account has no access to it. A subscriber must subscribe the account, or name it in can_add_subscribers_group or can_subscribe_group.", channel.Name), diags)
}

// RequirePerson refuses an operation that the server does not allow bots.
func (m *Meta) RequirePerson(at path.Path, doing string, diags *diag.Diagnostics) bool {
	self := m.Store.Self()
	if self.IsBot {
		AddErrorAt(diags, at, "A bot cannot "+doing, fmt.Sprintf("%s is a bot, and the server lets only people do this. Use a person's API key.", self.Address()))
	}
	return !self.IsBot
}

// RequirePersonBelow refuses an operation that the server does not allow bots below a feature level. An unknown level
// refuses nothing.
func (m *Meta) RequirePersonBelow(needed int, at path.Path, doing string, diags *diag.Diagnostics) bool {
	self, level := m.Store.Self(), m.Store.FeatureLevel()
	refused := self.IsBot && level > 0 && level < needed
	if refused {
		AddErrorAt(diags, at, "A bot cannot "+doing,
			fmt.Sprintf("%s is a bot. Bots can do this from %s on; this server has feature level %d. Use a person's API key, or upgrade the server.",
				self.Address(), featurelevel.Describe(needed), level))
	}
	return !refused
}

// RequireMember refuses an operation that the server does not allow guests.
func (m *Meta) RequireMember(doing string, diags *diag.Diagnostics) bool {
	self := m.Store.Self()
	isGuest := self.Role == zulip.RoleGuest
	if isGuest {
		diags.AddError("A guest cannot "+doing, fmt.Sprintf("%s is a guest. Use the key of an account with a higher role.", self.Address()))
	}
	return !isGuest
}

// HasLevel reports whether the server has a feature level, or may have it: an unknown level refuses nothing.
func (b *Base) HasLevel(needed int) bool {
	level := b.FeatureLevel()
	return level == 0 || level >= needed
}

// CheckLevels refuses the parts of a configuration for which the server is too old, by the table of feature levels: a
// resource or action, attributes, and values of attributes. It accepts unknown values.
func (b *Base) CheckLevels(ctx context.Context, of string, config tfsdk.Config, diags *diag.Diagnostics) {
	for _, row := range featurelevel.Of(of) {
		if row.Below != featurelevel.Refused || b.HasLevel(row.Level) {
			continue
		}
		if row.Attribute == "" {
			b.tooOld(path.Empty(), "this resource", "resource", row.Level, diags)
			continue
		}
		var value attr.Value
		at := path.Root(row.Attribute)
		diags.Append(config.GetAttribute(ctx, at, &value)...)
		if value == nil || !IsSet(value) || row.Value != "" && row.Value != textOf(value) {
			continue
		}
		what := row.Attribute
		if row.Value != "" {
			what += " = " + row.Value
		}
		b.tooOld(at, what, "attribute", row.Level, diags)
	}
}

// tooOld reports that the server is too old for something.
func (b *Base) tooOld(at path.Path, what, kind string, needed int, diags *diag.Diagnostics) {
	AddErrorAt(diags, at, "The server is too old for "+what,
		fmt.Sprintf("It requires feature level %d; the server has %d (Zulip %s). Remove the %s from the configuration, or upgrade the server to Zulip %s or later.",
			needed, b.FeatureLevel(), b.Meta.Server.ZulipVersion, kind, featurelevel.FirstRelease(needed)))
}

// textOf returns a text or bool in the form of the table of feature levels.
func textOf(value attr.Value) string {
	switch value := value.(type) {
	case types.String:
		return value.ValueString()
	case types.Bool:
		return strconv.FormatBool(value.ValueBool())
	}
	return ""
}

// RequireLevel refuses an attribute that the server is too old for, if that depends on more than the attribute.
func (b *Base) RequireLevel(attribute string, needed int, diags *diag.Diagnostics) {
	if !b.HasLevel(needed) {
		b.tooOld(path.Root(attribute), attribute, "attribute", needed, diags)
	}
}

// WhyUntried returns a note for a server newer than those tested, with the untested parts of a resource. It returns ""
// for other servers. The note ends a message about a server that does not behave as expected. of is the resource, data
// source or action, and may be empty.
func (b *Base) WhyUntried(of string) string {
	level := b.FeatureLevel()
	if level <= featurelevel.Recorded {
		return ""
	}
	text := fmt.Sprintf("The server has feature level %d. The newest level that the provider was tested with is %d, so it may be wrong about this server.", level, featurelevel.Recorded)
	if untried := featurelevel.UntriedOf(of, level); len(untried) > 0 {
		points := make([]string, len(untried))
		for i, point := range untried {
			points[i] = point.String()
		}
		text += fmt.Sprintf(" Not tested of %s: %s.", of, strings.Join(points, "; "))
	}
	if level > featurelevel.Newest {
		text += fmt.Sprintf(" The provider does not know the changes after level %d.", featurelevel.Newest)
	}
	return text + " The page \"Supported servers\" of the documentation lists what was tested."
}

// WithUntried appends [Base.WhyUntried] to a message.
func (b *Base) WithUntried(of, message string) string {
	message = strings.TrimSpace(message)
	if why := b.WhyUntried(of); why != "" {
		return message + "\n\n" + why
	}
	return message
}

// WhyIgnored returns why the server ignores a parameter, to follow a colon.
func (b *Base) WhyIgnored() string {
	if b.FeatureLevel() > featurelevel.Recorded {
		return fmt.Sprintf("it is too old for it, or no longer has it (feature level %d).", b.FeatureLevel())
	}
	return fmt.Sprintf("it is too old for it (feature level %d).", b.FeatureLevel())
}

// minWaitToReport is the minimum wait of requests that a run reports in its output. The log reports shorter waits too.
const minWaitToReport = 30 * time.Second

// warnOfRateLimit warns, once in a run, that the run takes longer because of the server's rate limit. Terraform has no
// other way to show a provider's progress.
func (m *Meta) warnOfRateLimit(diags *diag.Diagnostics) {
	if m.Client == nil {
		return
	}
	waited := m.Client.Waited()
	if waited < minWaitToReport {
		return
	}
	m.warnedOfRateLimit.Do(func() {
		diags.AddWarning("The server's rate limit slows this run down",
			fmt.Sprintf("Requests have waited %s so far. The server limits the requests of one account, by default to 200 per minute and 2,000 per hour. Nothing has failed, and the run continues as the limit allows. "+
				"You can interrupt the run safely: the next run continues where it ended. "+
				"To make runs faster, apply fewer changes per run, or use an account that nothing else uses. On your own server, raise api_by_user in RATE_LIMITING_RULES.",
				waited.Round(time.Second)))
	})
}
