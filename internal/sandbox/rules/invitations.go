package rules

import (
	"crypto/rand"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// InviteTerms are the common properties of invitations by email and by link (server-behavior §U15, §U16).
type InviteTerms struct {
	InviterID int       `json:"inviter_id"`
	Role      int       `json:"role"`
	Invited   time.Time `json:"invited"`
	// Expires is when the invitation ends; nil: never.
	Expires *time.Time `json:"expires,omitempty"`

	Channels                    []int   `json:"channels,omitempty"`
	Groups                      []int   `json:"groups,omitempty"`
	IncludeDefaultSubscriptions bool    `json:"include_default_subscriptions,omitempty"`
	WelcomeMessage              *string `json:"welcome_message,omitempty"`
}

// Invitation is an invitation by email.
type Invitation struct {
	ID int `json:"id"`
	InviteTerms
	Email        string `json:"email"`
	NotifyOnJoin bool   `json:"notify_on_join"`
}

// InviteLink is an invitation that everyone with the link can use. Revoked links are kept, so that a second revocation is
// recognized.
type InviteLink struct {
	ID int `json:"id"`
	InviteTerms
	Key     string `json:"key"`
	Revoked bool   `json:"revoked,omitempty"`
}

// NewInvite is a request that creates an invitation.
type NewInvite struct {
	Role                        int
	Minutes                     *int // nil: never expires
	Channels, Groups            []int
	IncludeDefaultSubscriptions bool
	WelcomeMessage              *string
}

// CreateInviteLink creates a link.
func (o *Organization) CreateInviteLink(actor User, in NewInvite) (InviteLink, error) {
	if !o.MayRealm(actor, "create_multiuse_invite_group") {
		return InviteLink{}, errInsufficientPermission
	}
	if err := checkInvitePermissions(actor, in); err != nil {
		return InviteLink{}, err
	}
	terms, err := o.inviteTerms(actor, in)
	if err != nil {
		return InviteLink{}, err
	}
	link := InviteLink{ID: o.InviteLinks.NextID(), InviteTerms: terms, Key: NewInviteKey()}
	o.InviteLinks.Put(link.ID, link)
	return link, nil
}

// Invite invites each of the addresses in a text. Addresses with an account are skipped and reported, although the others
// are invited.
func (o *Organization) Invite(actor User, addresses string, notify bool, in NewInvite) error {
	if !o.MayRealm(actor, "can_invite_users_group") {
		return errInsufficientPermission
	}
	if err := checkInvitePermissions(actor, in); err != nil {
		return err
	}
	if addresses == "" {
		return Refuse("You must specify at least one email address.")
	}
	terms, err := o.inviteTerms(actor, in)
	if err != nil {
		return err
	}
	var good []string
	var bad, taken []refusedAddress
	all := splitAddresses(addresses)
	for _, address := range all {
		if problem := o.addressProblem(address); problem != "" {
			bad = append(bad, refusedAddress{address, problem, false})
		} else if problem, deactivated := o.addressTaken(address); problem != "" {
			taken = append(taken, refusedAddress{address, problem, deactivated})
		} else {
			good = append(good, address)
		}
	}
	if len(bad) > 0 {
		return invitationFailed("Some emails did not validate, so we didn't send any invitations.", append(bad, taken...), false)
	}
	if len(taken) > 0 && len(good) == 0 {
		return invitationFailed("We weren't able to invite anyone.", taken, false)
	}
	for _, address := range good {
		i := Invitation{ID: o.Invitations.NextID(), InviteTerms: terms, Email: address, NotifyOnJoin: notify}
		o.Invitations.Put(i.ID, i)
	}
	if len(taken) > 0 {
		o.Commit()
		return invitationFailed("Some of those addresses are already using Zulip, so we didn't send them an invitation. We did send invitations to everyone else!", taken, true)
	}
	return nil
}

// ListInvitations returns the valid invitations: for administrators all of them, otherwise the caller's own.
func (o *Organization) ListInvitations(u User) ([]Invitation, []InviteLink) {
	var invitations []Invitation
	for _, i := range o.Invitations.All() {
		if o.isUsableInvite(i.InviteTerms) && (u.IsAdmin() || i.InviterID == u.ID) {
			invitations = append(invitations, i)
		}
	}
	var links []InviteLink
	for _, l := range o.InviteLinks.All() {
		if !l.Revoked && o.isUsableInvite(l.InviteTerms) && (u.IsAdmin() || l.InviterID == u.ID) {
			links = append(links, l)
		}
	}
	return invitations, links
}

// RevokeInvitation revokes an invitation by email.
func (o *Organization) RevokeInvitation(actor User, id int) error {
	if err := o.invitationFor(actor, id); err != nil {
		return err
	}
	o.Invitations.Delete(id)
	return nil
}

// ResendInvitation sends the email again, without another change.
func (o *Organization) ResendInvitation(actor User, id int) error { return o.invitationFor(actor, id) }

func (o *Organization) invitationFor(actor User, id int) error {
	i, ok := o.Invitations.Get(id)
	if !ok {
		return errNoInvitation
	}
	return checkOthersInvite(actor, i.InviteTerms)
}

// RevokeInviteLink revokes a link, expired or not.
func (o *Organization) RevokeInviteLink(actor User, id int) error {
	link, ok := o.InviteLinks.Get(id)
	if !ok {
		return errNoInvitation
	}
	if err := checkOthersInvite(actor, link.InviteTerms); err != nil {
		return err
	}
	if link.Revoked {
		return Refuse("Invitation has already been revoked")
	}
	link.Revoked = true
	o.InviteLinks.Put(id, link)
	return nil
}

var (
	errNoInvitation = Refuse("No such invitation")
	// errInviteNeedsAdmin has the text of the role check, but not its code.
	errInviteNeedsAdmin = Refuse("Must be an organization administrator")
)

// checkInvitePermissions checks the role of the actor. Only owners can invite owners. Only administrators can give a role above
// member or choose the welcome message.
func checkInvitePermissions(actor User, in NewInvite) error {
	if err := checkInviteRole(actor, in.Role, in.Role < RoleMember); err != nil {
		return err
	}
	if in.WelcomeMessage != nil && !actor.IsAdmin() {
		return errInviteNeedsAdmin
	}
	return nil
}

// checkOthersInvite refuses changes of other users' invitations, except to administrators.
func checkOthersInvite(actor User, terms InviteTerms) error {
	if terms.InviterID == actor.ID {
		return nil
	}
	return checkInviteRole(actor, terms.Role, true)
}

func checkInviteRole(actor User, role int, needsAdmin bool) error {
	if role == RoleOwner && !actor.IsOwner() {
		return ErrMustBeOwner
	}
	if needsAdmin && !actor.IsAdmin() {
		return errInviteNeedsAdmin
	}
	return nil
}

// inviteTerms checks the channels and groups of an invitation.
func (o *Organization) inviteTerms(actor User, in NewInvite) (InviteTerms, error) {
	mayAddAll := true
	for _, id := range in.Channels {
		ch, err := o.ChannelContent(actor, id)
		if err != nil {
			return InviteTerms{}, Refuse("Invalid channel ID %d. No invites were sent.", id)
		}
		mayAddAll = mayAddAll && (o.IsDefault(id) || o.mayAddSubscribers(actor, ch))
	}
	if !mayAddAll {
		return InviteTerms{}, Refuse("You do not have permission to subscribe other users to channels.")
	}
	for _, id := range in.Groups {
		if _, err := o.groupForUpdate(actor, id, "can_add_members_group", false); err != nil {
			return InviteTerms{}, err
		}
	}
	terms := InviteTerms{
		InviterID: actor.ID, Role: in.Role, Invited: o.now().UTC(),
		Channels: slices.Clone(in.Channels), Groups: slices.Clone(in.Groups),
		IncludeDefaultSubscriptions: in.IncludeDefaultSubscriptions, WelcomeMessage: in.WelcomeMessage,
	}
	if in.Minutes != nil {
		expires := time.Unix(terms.Invited.Unix()+60*int64(*in.Minutes), 0).UTC()
		if expires.Year() > 9999 { // the year of a real server has four digits
			return InviteTerms{}, errConflict
		}
		terms.Expires = &expires
	}
	return terms, nil
}

func (o *Organization) isUsableInvite(terms InviteTerms) bool {
	return terms.Expires == nil || terms.Expires.After(o.now())
}

// expireInvitations ends all invitations of a person.
func (o *Organization) expireInvitations(inviter int) {
	now := o.now().UTC()
	invitations, links := o.ListInvitations(User{Role: RoleOwner})
	for _, i := range invitations {
		if i.InviterID == inviter {
			i.Expires = &now
			o.Invitations.Put(i.ID, i)
		}
	}
	for _, l := range links {
		if l.InviterID == inviter {
			l.Expires = &now
			o.InviteLinks.Put(l.ID, l)
		}
	}
}

// endInvitationsTo ends the invitations of a person who has joined.
func (o *Organization) endInvitationsTo(email string) {
	now := o.now().UTC()
	invitations, _ := o.ListInvitations(User{Role: RoleOwner})
	for _, i := range invitations {
		if strings.EqualFold(i.Email, email) {
			i.Expires = &now
			o.Invitations.Put(i.ID, i)
		}
	}
}

// refusedAddress is an address that was not invited, with the reason.
type refusedAddress struct {
	email, problem string
	deactivated    bool
}

func invitationFailed(msg string, refused []refusedAddress, sent bool) *Error {
	var problems [][]any
	for _, r := range refused {
		problems = append(problems, []any{r.email, r.problem, r.deactivated})
	}
	return &Error{Code: "INVITATION_FAILED", Msg: msg, Extra: map[string]any{
		"errors": problems, "sent_invitations": sent,
		"license_limit_reached": false, "daily_limit_reached": false,
	}}
}

// splitAddresses splits a text at commas and line ends. From "Name <address>" it returns only the address. It drops
// repetitions.
func splitAddresses(text string) []string {
	var all []string
	for entry := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		address := strings.TrimFunc(entry, unicode.IsSpace)
		if named, err := mail.ParseAddress(address); err == nil {
			address = named.Address
		}
		if address != "" && !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all
}

// addressProblem returns why an address cannot be invited, in the server's words.
func (o *Organization) addressProblem(address string) string {
	if !isAddress(address) {
		return "Invalid address."
	}
	switch o.emailRestriction(address) {
	case outsideDomains:
		return "Outside your domain."
	case disposable:
		return "Please use your real email address."
	case containsPlus:
		return "Email addresses containing + are not allowed."
	}
	return ""
}

// NewInviteKey returns the random part of a link.
func NewInviteKey() string { return strings.ToLower(rand.Text())[:24] }

// Domain is an email domain that may join (server-behavior §L11).
type Domain struct {
	ID              int    `json:"id"`
	Domain          string `json:"domain"`
	AllowSubdomains bool   `json:"allow_subdomains"`
}

const maxDomain = 255

var domainLabel = regexp.MustCompile(`^[a-z0-9-]*$`)

// AddDomain adds a domain, written in any case.
func (o *Organization) AddDomain(name string, subdomains bool) (Domain, error) {
	name = strings.ToLower(Strip(name))
	if problem := domainProblem(name); problem != "" {
		return Domain{}, Refuse("Invalid domain: %s", problem)
	}
	if _, err := o.domain(name); err == nil {
		return Domain{}, Refuse("The domain %s is already a part of your organization.", name)
	}
	d := Domain{ID: o.Domains.NextID(), Domain: name, AllowSubdomains: subdomains}
	o.Domains.Put(d.ID, d)
	return d, nil
}

// UpdateDomain sets whether the domain's subdomains count too.
func (o *Organization) UpdateDomain(name string, subdomains bool) error {
	d, err := o.domain(name)
	if err != nil {
		return err
	}
	d.AllowSubdomains = subdomains
	o.Domains.Put(d.ID, d)
	return nil
}

// DeleteDomain removes a domain. Removing the last one also ends the restriction to domains, because no one could join.
func (o *Organization) DeleteDomain(name string) error {
	d, err := o.domain(name)
	if err != nil {
		return err
	}
	o.Domains.Delete(d.ID)
	if o.Domains.Len() == 0 && o.Settings().EmailsRestrictedToDomains {
		o.changeRealm(func(r *Realm) { r.EmailsRestrictedToDomains = false })
	}
	return nil
}

func (o *Organization) domain(name string) (Domain, error) {
	for _, d := range o.Domains.All() {
		if d.Domain == name {
			return d, nil
		}
	}
	return Domain{}, Refuse("No entry found for domain %s.", name)
}

func domainProblem(name string) string {
	switch {
	case name == "":
		return "Domain can't be empty."
	case !strings.Contains(name, "."):
		return "Domain must have at least one dot (.)"
	case len(name) > maxDomain:
		return "Domain is too long"
	case name[0] == '.' || name[len(name)-1] == '.':
		return "Domain cannot start or end with a dot (.)"
	}
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return "Consecutive '.' are not allowed."
		case label[0] == '-' || label[len(label)-1] == '-':
			return "Subdomains cannot start or end with a '-'."
		case !domainLabel.MatchString(label):
			return "Domain can only have letters, numbers, '.' and '-'s."
		}
	}
	return ""
}

// A restriction is the reason why an address cannot join.
type restriction int

const (
	allowed restriction = iota
	outsideDomains
	disposable
	containsPlus
)

// disposableDomains are some of the providers of throw-away addresses.
var disposableDomains = map[string]bool{
	"mailinator.com": true, "mailnator.com": true, "guerrillamail.com": true, "10minutemail.com": true,
	"yopmail.com": true, "trashmail.com": true, "temp-mail.org": true, "sharklasers.com": true,
}

// emailRestriction returns whether, or why not, an address can join.
func (o *Organization) emailRestriction(email string) restriction {
	local, domain, _ := cutLast(strings.ToLower(email), "@")
	realm := o.Settings()
	if !realm.EmailsRestrictedToDomains {
		if realm.DisallowDisposableEmailAddresses && disposableDomains[domain] {
			return disposable
		}
		return allowed
	}
	if strings.Contains(local, "+") {
		return containsPlus
	}
	for _, d := range o.Domains.All() {
		if domain == d.Domain || d.AllowSubdomains && strings.HasSuffix(domain, "."+d.Domain) {
			return allowed
		}
	}
	return outsideDomains
}
