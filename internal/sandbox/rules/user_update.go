package rules

import (
	"net/mail"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// UserChange is what PATCH /users/{id} asks for; nil leaves things unchanged
// (server-behavior §U6).
type UserChange struct {
	FullName, NewEmail *string
	Role               *int
	Profile            []ProfileValue
}

// UpdateUser changes a person or bot, active or not, in one transaction. An
// empty name is skipped.
func (o *Organization) UpdateUser(actor User, id int, c UserChange) error {
	u, err := o.AdministeredUser(actor, id)
	if err != nil {
		return err
	}
	if c.NewEmail != nil && (!actor.CanChangeUserEmails || !actor.IsAdmin()) {
		return Refuse("User not authorized to change user emails")
	}
	if c.Role != nil {
		if err := o.setRole(actor, &u, *c.Role); err != nil {
			return err
		}
	}
	if c.FullName != nil && *c.FullName != u.FullName && strings.TrimSpace(*c.FullName) != "" {
		if u.FullName, err = o.checkFullName(*c.FullName, u.ID); err != nil {
			return err
		}
	}
	o.Users.Put(id, u)
	if err := o.SetProfileData(actor, id, c.Profile); err != nil {
		return err
	}
	if c.NewEmail != nil && *c.NewEmail != u.Email {
		return o.changeEmail(id, *c.NewEmail)
	}
	return nil
}

// setRole changes the role of a row that is not stored yet. Without a change
// nobody asks who may.
func (o *Organization) setRole(actor User, u *User, role int) error {
	switch {
	case role == u.Role:
		return nil
	case (role == RoleOwner || u.IsOwner()) && !actor.IsOwner():
		return ErrMustBeOwner
	case !actor.IsAdmin():
		return ErrMustBeAdministrator
	case o.isLastOwner(*u):
		return Refuse("The owner permission cannot be removed from the only organization owner.")
	}
	u.Role = role
	return nil
}

// changeEmail takes effect at once; neither domains nor the old address matter.
func (o *Organization) changeEmail(id int, email string) error {
	if !isAddress(email) {
		return Refuse("Invalid new email address.")
	}
	if problem, _ := o.addressTaken(email); problem != "" {
		return Refuse("New email value error: %s", problem)
	}
	u, _ := o.Users.Get(id)
	u.Email = email
	o.Users.Put(id, u)
	return nil
}

// addressTaken says in the server's words why an address cannot be given to
// anybody, and whether its holder is deactivated.
func (o *Organization) addressTaken(email string) (problem string, deactivated bool) {
	u, taken := o.UserByEmail(email)
	switch {
	case o.isSystemBot(email):
		return "Reserved for system bots.", false
	case !taken:
		return "", false
	case !u.Active:
		return "Account has been deactivated.", true
	}
	return "Already has an account.", false
}

// NewUser is what POST /users asks for.
type NewUser struct{ Email, Password, FullName string }

// CreateUser makes a member. It requires a permission that the API does not give
// (server-behavior §U4).
func (o *Organization) CreateUser(actor User, in NewUser) (User, error) {
	if !actor.CanCreateUsers {
		return User{}, Refuse("User not authorized to create users")
	}
	name, err := o.checkFullName(in.FullName, 0)
	if err != nil {
		return User{}, err
	}
	if !isAddress(in.Email) {
		return User{}, Refuse("Bad name or username")
	}
	switch o.emailRestriction(in.Email) {
	case outsideDomains:
		return User{}, Refuse("Email '%s' not allowed in this organization", in.Email)
	case disposable:
		return User{}, Refuse("Disposable email addresses are not allowed in this organization")
	case containsPlus:
		return User{}, Refuse("Email addresses containing + are not allowed.")
	}
	if problem, _ := o.addressTaken(in.Email); problem != "" {
		return User{}, Refuse("Email is already in use.")
	}
	if err := checkPassword(in.Password, "The password is too weak."); err != nil {
		return User{}, err
	}
	local, domain, _ := cutLast(in.Email, "@")
	u := o.AddUser(User{Email: local + "@" + strings.ToLower(domain), FullName: name, Role: RoleMember})
	for channel := range o.DefaultChannels.All() {
		o.subscribe(u.ID, channel, "")
	}
	o.endInvitationsTo(in.Email)
	return u, o.SetPassword(u.ID, in.Password)
}

// Limits and rules of full names (server-behavior §U5).
const (
	maxFullName      = 100
	forbiddenInNames = "*`\\>\"@"
)

// mentionLike is how a mention tells people of one name apart.
var mentionLike = regexp.MustCompile(`\|\d+$`)

// checkFullName returns the name as it is stored; except is whom it may belong
// to already.
func (o *Organization) checkFullName(name string, except int) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case utf8.RuneCountInString(name) > maxFullName:
		return "", Refuse("Name too long!")
	case name == "":
		return "", Refuse("Name must not be empty!")
	case strings.ContainsAny(name, forbiddenInNames), strings.ContainsFunc(name, isControl):
		return "", Refuse("Invalid characters in name!")
	case mentionLike.MatchString(name):
		return "", Refuse("Invalid format!")
	}
	if o.Settings().RequireUniqueNames {
		for id, u := range o.Users.All() {
			if id != except && comparableName(u.FullName) == comparableName(name) {
				return "", Refuse("Unique names required in this organization.")
			}
		}
	}
	return name, nil
}

func isControl(r rune) bool { return unicode.IsControl(r) || r >= 0xFFF9 && r <= 0xFFFF }

// comparableName makes names that look alike equal.
func comparableName(name string) string { return cases.Fold().String(norm.NFKC.String(name)) }

// activeNameTaken reports whether an active account has exactly the name.
func (o *Organization) activeNameTaken(name string) bool {
	for _, u := range o.Users.All() {
		if u.Active && u.FullName == name {
			return true
		}
	}
	return false
}

// maxAddressLength is that of the server's check of addresses.
const maxAddressLength = 320

// isAddress reports whether a text is a plain e-mail address.
func isAddress(s string) bool {
	parsed, err := mail.ParseAddress(s)
	if err != nil || strings.Trim(parsed.String(), "<>") != s || len(s) > maxAddressLength {
		return false
	}
	local, domain, _ := cutLast(s, "@")
	if strings.Contains(local, " ") { // not even in quotes
		return false
	}
	_, top, dotted := cutLast(domain, ".")
	return dotted && len(top) > 1
}
