package sandbox

import (
	"cmp"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

func unauthorized(msg string) *rules.Error {
	return &rules.Error{Status: http.StatusUnauthorized, Code: "UNAUTHORIZED", Msg: msg}
}

// basicCredentials reads the Authorization header (server-behavior §R7).
func basicCredentials(header string) (email, key string, err error) {
	if header == "" {
		return "", "", unauthorized("Not logged in: API authentication or user session required")
	}
	scheme, encoded, ok := strings.Cut(header, " ")
	if !ok {
		return "", "", unauthorized("Invalid authorization header for basic auth")
	}
	if !strings.EqualFold(scheme, "basic") {
		return "", "", rules.Refuse("This endpoint requires HTTP basic authentication.")
	}
	decoded, decodeErr := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if decodeErr != nil || strings.Count(string(decoded), ":") != 1 {
		return "", "", unauthorized("Invalid authorization header for basic auth")
	}
	email, key, _ = strings.Cut(string(decoded), ":")
	return strings.TrimSpace(email), strings.TrimSpace(key), nil
}

// authenticate finds the account of a header by its real email and its API key.
func authenticate(o *rules.Organization, header string) (rules.User, error) {
	email, key, err := basicCredentials(header)
	if err != nil {
		return rules.User{}, err
	}
	if !keyShaped(key) {
		return rules.User{}, unauthorized("Malformed API key")
	}
	u, known := o.UserByEmail(email)
	// An unknown address is compared with a key too, so that both cases take the same time.
	if subtle.ConstantTimeCompare([]byte(key), []byte(u.APIKey)) != 1 || !known {
		return rules.User{}, unauthorized("Invalid API key")
	}
	if !u.Active {
		return rules.User{}, unauthorized("Account is deactivated")
	}
	return u, nil
}

func keyShaped(key string) bool {
	if len(key) != 32 {
		return false
	}
	for _, c := range []byte(key) {
		digit := c >= '0' && c <= '9'
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !digit && !letter {
			return false
		}
	}
	return true
}

// guard is the class of accounts that may call an endpoint (server-behavior §R15, §R16).
type guard int

const (
	open          guard = iota // no credentials needed
	anyUser                    // every account
	human                      // no bots
	nonGuest                   // no guests
	humanNonGuest              // neither
	admin                      // administrators and owners, bots of that role too
	owner                      // owners, bots of that role too
)

// withBots returns the guard that admits bots like people.
func (g guard) withBots() guard {
	switch g {
	case human:
		return anyUser
	case humanNonGuest:
		return nonGuest
	}
	return g
}

// check returns the refusal for a caller without access to the endpoint.
func (g guard) check(u rules.User) error {
	if u.IsGuest() && (g == nonGuest || g == humanNonGuest) {
		return rules.Refuse("Not allowed for guest users")
	}
	if u.IsBot && (g == human || g == humanNonGuest) {
		return rules.Refuse("This endpoint does not accept bot requests.")
	}
	if g == admin && !u.IsAdmin() {
		return rules.ErrMustBeAdministrator
	}
	if g == owner && !u.IsOwner() {
		return rules.ErrMustBeOwner
	}
	return nil
}

// Account is a person or bot in a new server.
type Account struct {
	Email    string `json:"email"`
	FullName string `json:"full_name"`
	Role     int    `json:"role"` // 100, 200, 300, 400 or 600
	IsBot    bool   `json:"is_bot"`
	// Owner is the name of the account that owns a bot. "" means admin if that account exists, and otherwise the first
	// owner.
	Owner string `json:"owner,omitempty"`
	// Password is a person's password; "" means that the account can use only its API key.
	Password string `json:"password,omitempty"`
	// IsDeleted creates an account like one after the server's command delete_user: deactivated permanently. It keeps the
	// name and address given here.
	IsDeleted bool `json:"is_deleted,omitempty"`
	// IsDeactivated creates a deactivated account.
	IsDeactivated bool `json:"is_deactivated,omitempty"`
	// Permissions that a real server grants only in its shell (server-behavior §U4).
	CanCreateUsers      bool `json:"can_create_users,omitempty"`
	CanChangeUserEmails bool `json:"can_change_user_emails,omitempty"`
}

// Credentials are the identity and the key of an account.
type Credentials struct {
	Email    string `json:"email"`     // authenticates, together with the key
	APIEmail string `json:"api_email"` // how the API shows the account to others
	APIKey   string `json:"api_key"`
	ID       int    `json:"id"`
	Role     int    `json:"role"`
	IsBot    bool   `json:"-"`
	// IsActive is false for a deactivated account, which cannot call the server.
	IsActive bool `json:"-"`
}

// ParseAccounts reads accounts from JSON: an object of them by name, or a
// document that holds such an object under "accounts".
func ParseAccounts(data []byte) (map[string]Account, error) {
	var document struct {
		Accounts map[string]Account `json:"accounts"`
	}
	if err := json.Unmarshal(data, &document); err == nil && document.Accounts != nil {
		return document.Accounts, nil
	}
	var accounts map[string]Account
	if err := json.Unmarshal(data, &accounts); err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	return accounts, nil
}

// Credentials returns those of an account by its name. In a recorded organization the name is the account's address, the
// real one if it was recorded.
func (s *Server) Credentials(account string) (Credentials, bool) {
	credentials, ok := s.AllCredentials()[account]
	return credentials, ok
}

// AllCredentials returns those of every configured account, by name.
func (s *Server) AllCredentials() map[string]Credentials {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Credentials{}
	for _, u := range s.org.Users.All() {
		if u.Account != "" {
			all[u.Account] = Credentials{u.Email, u.APIEmail(), u.APIKey, u.ID, u.Role, u.IsBot, u.Active}
		}
	}
	return all
}

// DeleteAccount deletes an account by its name, as the server's command delete_user does. It reports whether the account
// exists.
func (s *Server) DeleteAccount(account string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := 0
	for id, u := range s.org.Users.All() {
		if u.Account == account && account != "" {
			found = id
		}
	}
	if found == 0 {
		return false
	}
	s.org.DeleteUser(found)
	return s.persist() == nil
}

// addAccounts creates the accounts: people before bots, then by role and name, so that the same accounts get the same ids.
func addAccounts(o *rules.Organization, accounts map[string]Account) error {
	names := slices.SortedFunc(maps.Keys(accounts), func(a, b string) int {
		x, y := accounts[a], accounts[b]
		return cmp.Or(
			compareBool(x.IsBot, y.IsBot),
			cmp.Compare(x.Role, y.Role),
			cmp.Compare(a, b),
		)
	})
	ids := map[string]int{}
	firstOwner := ""
	for _, name := range names {
		a := accounts[name]
		if err := checkAccount(o, name, a); err != nil {
			return err
		}
		u := rules.User{
			Account: name, Email: a.Email, FullName: a.FullName, Role: a.Role, IsBot: a.IsBot,
			CanCreateUsers: a.CanCreateUsers, CanChangeUserEmails: a.CanChangeUserEmails,
		}
		if a.IsBot {
			boss := cmp.Or(a.Owner, "admin")
			if _, ok := ids[boss]; !ok && a.Owner == "" {
				boss = firstOwner
			}
			if u.BotOwnerID = ids[boss]; u.BotOwnerID == 0 {
				return fmt.Errorf("account %q: there is no account %q to own it", name, boss)
			}
		} else if firstOwner == "" && a.Role == rules.RoleOwner && !a.IsDeactivated {
			firstOwner = name
		}
		u = o.AddUser(u)
		ids[name] = u.ID
		if a.Password != "" {
			if err := o.SetPassword(u.ID, a.Password); err != nil {
				return fmt.Errorf("account %q: %w", name, err)
			}
			u, _ = o.Users.Get(u.ID)
		}
		if a.IsDeleted || a.IsDeactivated {
			u.Active, u.Deleted = false, a.IsDeleted
			o.Users.Put(u.ID, u)
		}
	}
	return nil
}

func checkAccount(o *rules.Organization, name string, a Account) error {
	roles := []int{rules.RoleOwner, rules.RoleAdministrator, rules.RoleModerator, rules.RoleMember, rules.RoleGuest}
	if !slices.Contains(roles, a.Role) {
		return fmt.Errorf("account %q: there is no role %d", name, a.Role)
	}
	if a.Email == "" || a.FullName == "" {
		return fmt.Errorf("account %q: email and full_name are needed", name)
	}
	if a.IsBot && a.Password != "" {
		return fmt.Errorf("account %q: bots have no password", name)
	}
	if _, taken := o.UserByEmail(a.Email); taken {
		return fmt.Errorf("account %q: %s is taken", name, a.Email)
	}
	return nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// CredentialsByID returns those of an account by its ID, also of one created later.
func (s *Server) CredentialsByID(id int) (Credentials, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.org.Users.Get(id)
	return Credentials{Email: u.Email, APIEmail: u.APIEmail(), APIKey: u.APIKey, ID: u.ID, Role: u.Role}, ok
}

// AllowInShell gives an account the permissions that a real server grants only in its shell (server-behavior §U4).
func (s *Server) AllowInShell(id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.org.Users.Get(id)
	if !ok {
		return fmt.Errorf("there is no account %d", id)
	}
	u.CanCreateUsers, u.CanChangeUserEmails = true, true
	s.org.Users.Put(id, u)
	return s.persist()
}

// fetchAPIKey is POST /fetch_api_key (https://zulip.com/api/fetch-api-key). A person's password is enough to get the
// person's key.
func fetchAPIKey(r *request) (fields, error) {
	r.inOrder("username", "password")
	username := required(r, "username", text())
	password := required(r, "password", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	u, err := r.org.Authenticate(username, password)
	if err != nil {
		return nil, err
	}
	answer := fields{"api_key": u.APIKey, "email": u.Email}
	answer["user_id"] = u.ID
	return answer, nil
}

// regenerateOwnKey is POST /users/me/api_key/regenerate: the old key ends immediately.
func regenerateOwnKey(r *request) (fields, error) {
	return fields{"api_key": r.org.RegenerateOwnKey(r.me)}, nil
}

// address is where a server listens.
type address struct {
	// urls are the addresses for clients, the first one from the same machine.
	urls []string
	// isEvery is true if it listens on every address of the machine. isLocal is true if no other machine can reach it.
	isEvery, isLocal bool
}

// addressOf returns the address of a listener. Clients cannot use 0.0.0.0. Such a listener is reached at loopback and at
// the addresses of the machine.
func addressOf(scheme string, listens net.Addr) address {
	at := func(ip net.IP, port int) string {
		return scheme + "://" + net.JoinHostPort(ip.String(), strconv.Itoa(port))
	}
	tcp, ok := listens.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return address{urls: []string{scheme + "://" + listens.String()}, isLocal: ok && tcp.IP.IsLoopback()}
	}
	every := address{urls: []string{at(net.IPv4(127, 0, 0, 1), tcp.Port)}, isEvery: true}
	own, _ := net.InterfaceAddrs() // without addresses, loopback remains
	for _, one := range own {
		if network, ok := one.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			every.urls = append(every.urls, at(network.IP, tcp.Port))
		}
	}
	return every
}

// url is the address for clients on the same machine; "" before it listens.
func (a address) url() string {
	if len(a.urls) == 0 {
		return ""
	}
	return a.urls[0]
}
