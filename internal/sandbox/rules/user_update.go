package rules

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"errors"
	"math"
	"net/http"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// UserChange is the request PATCH /users/{id}; nil leaves things unchanged (server-behavior §U6).
type UserChange struct {
	FullName, NewEmail *string
	Role               *int
	Profile            []ProfileValue
}

// UpdateUser changes a person or bot, active or not, in one transaction. It skips an empty name.
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
	if c.FullName != nil && *c.FullName != u.FullName && Strip(*c.FullName) != "" {
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

// setRole changes the role of a row that is not stored yet. It checks the permission only for a change.
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

// changeEmail changes the address immediately, without checking domains or the old address.
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

// addressTaken returns why an address cannot be given to a new account, in the server's words, and whether its current
// account is deactivated.
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

// NewUser is the request POST /users.
type NewUser struct{ Email, Password, FullName string }

// CreateUser creates a member. It requires a permission that the API cannot grant (server-behavior §U4).
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

// mentionLike matches the part of a mention that distinguishes people of one name.
var mentionLike = regexp.MustCompile(`\|\d+$`)

// checkFullName returns the stored form of a name. The account except may have it
// already.
func (o *Organization) checkFullName(name string, except int) (string, error) {
	name = Strip(name)
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

func isControl(r rune) bool {
	return unicode.IsControl(r) || r >= 0xFFF9 && r <= 0xFFFF && r != unicode.ReplacementChar
}

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

// maxAddressLength is the limit in the server's check of addresses.
const maxAddressLength = 320

// isAddress reports whether a text is a plain email address.
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

// Limits of passwords (server-behavior §U19). The estimate of guesses is zxcvbn's.
const (
	minPasswordLength  = 6
	maxPasswordLength  = 100
	minPasswordGuesses = 10000
)

// errPasswordTooLong is an internal error, like on the real server.
var errPasswordTooLong = errors.New("password exceeds max length")

// commonWords are the passwords, names and English words of the lists of zxcvbn
// (https://github.com/dropbox/zxcvbn). Words in line n are the nth of
// their list, and take n guesses. Words without effect on a password are left out.
//
//go:embed common_words.txt.gz
var commonWords []byte

var wordRanks = sync.OnceValue(func() map[string]int {
	unpacked, err := gzip.NewReader(bytes.NewReader(commonWords))
	if err != nil {
		panic(err) // it is embedded
	}
	ranks, rank := map[string]int{}, 0
	for lines := bufio.NewScanner(unpacked); lines.Scan(); {
		rank++
		for word := range strings.FieldsSeq(lines.Text()) {
			ranks[word] = rank
		}
	}
	return ranks
})

// checkPassword refuses a weak password, with the endpoint's text.
// zxcvbn counts at least 10,000 guesses for two parts, so
// a password is weak only if it is a single part that is easily
// guessed. zxcvbn's dates are not implemented here.
func checkPassword(password, refusal string) error {
	length := utf8.RuneCountInString(password)
	switch {
	case length > maxPasswordLength:
		return errPasswordTooLong
	case length < minPasswordLength, passwordGuesses(password) < minPasswordGuesses:
		return Refuse("%s", refusal)
	}
	return nil
}

func passwordGuesses(password string) float64 {
	letters := []rune(password)
	guesses := min(math.Pow(10, float64(len(letters))), wordGuesses(password))
	if isSequence(letters) {
		guesses = min(guesses, float64(52*len(letters)))
	}
	for size := 1; size <= len(letters)/2; size++ {
		part := string(letters[:size])
		if times := len(letters) / size; strings.Repeat(part, times) == password {
			guesses = min(guesses, passwordGuesses(part)*float64(times))
		}
	}
	return guesses
}

// lookalikes are the letters that digits and signs replace.
var lookalikes = map[rune]string{
	'4': "a", '@': "a", '8': "b", '(': "c", '{': "c", '[': "c", '<': "c", '3': "e", '6': "g", '9': "g",
	'1': "il", '!': "i", '|': "il", '7': "lt", '0': "o", '$': "s", '5': "s", '+': "t", '%': "x", '2': "z",
}

// wordGuesses returns the guesses for a common password, read forwards or backwards, with
// capitals, or with signs that look like letters.
func wordGuesses(password string) float64 {
	capitals := capitalVariations(password)
	word := strings.ToLower(password)
	guesses := min(rankOf(word), 2*rankOf(reversed(word))) * capitals

	// Each sign replaces one letter, in every position.
	var signs []rune
	for _, c := range word {
		if lookalikes[c] != "" && !slices.Contains(signs, c) {
			signs = append(signs, c)
		}
	}
	var substitute func(plain string, variations float64, signs []rune)
	substitute = func(plain string, variations float64, signs []rune) {
		if len(signs) == 0 {
			guesses = min(guesses, rankOf(plain)*capitals*variations)
			return
		}
		for _, letter := range lookalikes[signs[0]] {
			signed := strings.Count(word, string(signs[0]))
			unsigned := strings.Count(word, string(letter))
			substitute(strings.ReplaceAll(plain, string(signs[0]), string(letter)), variations*mixes(signed, unsigned), signs[1:])
		}
	}
	if len(signs) > 0 {
		substitute(word, 1, signs)
	}
	return guesses
}

func rankOf(word string) float64 {
	if rank, ok := wordRanks()[word]; ok {
		return float64(rank)
	}
	return math.Inf(1)
}

// capitalVariations is the factor of capitals in the guesses of a word.
func capitalVariations(word string) float64 {
	letters := []rune(word)
	upper, lower := 0, 0
	for _, c := range letters {
		if unicode.IsUpper(c) {
			upper++
		} else if unicode.IsLower(c) {
			lower++
		}
	}
	usual := upper == 1 && (unicode.IsUpper(letters[0]) || unicode.IsUpper(letters[len(letters)-1]))
	switch {
	case upper == 0:
		return 1
	case lower == 0, usual:
		return 2
	}
	return mixes(upper, lower)
}

// mixes returns the number of ways to choose at most as many places as the rarer kind has; 2 if only one kind exists.
func mixes(a, b int) float64 {
	if a == 0 || b == 0 {
		return 2
	}
	sum, chosen := 0.0, 1.0
	for i := 1; i <= min(a, b); i++ {
		chosen = chosen * float64(a+b-i+1) / float64(i)
		sum += chosen
	}
	return sum
}

// keyboardRows are adjacent keys.
var keyboardRows = []string{"`1234567890-=", "qwertyuiop[]\\", "asdfghjkl;'", "zxcvbnm,./"}

// isSequence reports whether the characters have the same distance, like abcdef and 97531, or are a part of a row of the
// keyboard.
func isSequence(letters []rune) bool {
	if len(letters) < 3 {
		return false
	}
	word := strings.ToLower(string(letters))
	for _, row := range keyboardRows {
		if strings.Contains(row, word) || strings.Contains(row, reversed(word)) {
			return true
		}
	}
	step := letters[1] - letters[0]
	for i := 2; i < len(letters); i++ {
		if letters[i]-letters[i-1] != step {
			return false
		}
	}
	return step != 0 && -5 <= step && step <= 5
}

func reversed(word string) string {
	letters := []rune(word)
	slices.Reverse(letters)
	return string(letters)
}

// hashPassword returns the stored form of a person's password.
func hashPassword(id int, password string) ([]byte, error) {
	const rounds = 1000
	return pbkdf2.Key(sha256.New, password, []byte(strconv.Itoa(id)), rounds, sha256.Size)
}

// hasPassword reports whether the person has this password.
func (u User) hasPassword(password string) bool {
	hash, err := hashPassword(u.ID, password)
	return err == nil && len(u.PasswordHash) > 0 && subtle.ConstantTimeCompare(hash, u.PasswordHash) == 1
}

// SetPassword gives a person a password without checking it.
func (o *Organization) SetPassword(id int, password string) error {
	u, ok := o.Users.Get(id)
	if !ok {
		return errNoSuchUser
	}
	hash, err := hashPassword(id, password)
	if err != nil {
		return err
	}
	u.PasswordHash = hash
	o.Users.Put(id, u)
	return nil
}

// Authenticate returns the person with this real address and password (https://zulip.com/api/fetch-api-key). Bots have no
// password.
func (o *Organization) Authenticate(email, password string) (User, error) {
	refuse := func(code, msg string) (User, error) {
		return User{}, &Error{Status: http.StatusUnauthorized, Code: code, Msg: msg}
	}
	if !isAddress(email) {
		return User{}, Refuse("Enter a valid email address.")
	}
	u, known := o.UserByEmail(email)
	switch {
	case !o.Settings().AuthenticationMethods["Email"]:
		return refuse("PASSWORD_AUTH_DISABLED", "Password authentication is disabled in this organization")
	case known && !u.Active && password != "":
		return refuse("USER_DEACTIVATED", "Account is deactivated")
	case !known || !u.hasPassword(password):
		return refuse("AUTHENTICATION_FAILED", "Your username or password is incorrect")
	}
	return u, nil
}
