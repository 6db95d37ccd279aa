package rules

import (
	"maps"
	"net/mail"
	"slices"
	"strings"
)

// Bot holds the properties of a bot that other accounts lack (server-behavior §U13). Its key is the bot's id, and a bot
// without a row has only default values.
type Bot struct {
	// IDs of channels; 0 is none.
	SendingChannelID int  `json:"default_sending_channel,omitempty"`
	EventsChannelID  int  `json:"default_events_register_channel,omitempty"`
	AllPublic        bool `json:"default_all_public_channels,omitempty"`

	// Config is never shown.
	Config map[string]string `json:"config_data,omitempty"`
	// Service is the target of an outgoing webhook bot.
	Service *BotService `json:"service,omitempty"`
}

// BotService is the address of an outgoing webhook.
type BotService struct {
	URL       string `json:"base_url"`
	Interface int    `json:"interface"`
	Token     string `json:"token"`
}

// Interfaces of outgoing webhooks.
const (
	InterfaceGeneric = 1
	InterfaceSlack   = 2
)

// NewBot is what POST /bots asks for.
type NewBot struct {
	FullName, ShortName      string
	Type                     int
	PayloadURL               string
	Interface                int
	ServiceName              string
	Config                   map[string]string
	SendingChannel, Register *string // names
	AllPublic                *bool
	Avatars                  []Upload
}

// CreateBot creates a bot that belongs to actor.
func (o *Organization) CreateBot(actor User, in NewBot) (User, error) {
	short := Strip(in.ShortName)
	if short == "" {
		return User{}, errBadName
	}
	name, err := o.checkFullName(in.FullName, 0)
	if err != nil {
		return User{}, err
	}
	email := o.botAddress(short)
	if err := o.checkNewBot(actor, in, name, email); err != nil {
		return User{}, err
	}
	row := Bot{Config: in.Config}
	for _, channel := range []struct {
		name *string
		id   *int
	}{{in.SendingChannel, &row.SendingChannelID}, {in.Register, &row.EventsChannelID}} {
		if channel.name == nil {
			continue
		}
		ch, err := o.ChannelContentByName(actor, *channel.name) // unlike in an update, "" is none
		if err != nil {
			return User{}, err
		}
		*channel.id = ch.ID
	}
	if in.Type == BotIncomingWebhook && in.ServiceName != "" && !slices.Contains(integrations, in.ServiceName) {
		return User{}, Refuse("Invalid integration '%s'.", in.ServiceName)
	}
	set(&row.AllPublic, in.AllPublic)
	if in.Type == BotOutgoingWebhook {
		row.Service = &BotService{URL: in.PayloadURL, Interface: in.Interface, Token: NewAPIKey()}
	}
	u := o.AddUser(User{Email: email, FullName: name, Role: RoleMember, IsBot: true, BotType: in.Type, BotOwnerID: actor.ID})
	o.Bots.Put(u.ID, row)
	for _, file := range in.Avatars {
		o.Commit() // the bot remains even if its picture is refused (server-behavior §U22)
		if u.AvatarUpload, err = o.keepAvatar(file); err != nil {
			return User{}, err
		}
		o.Users.Put(u.ID, u)
	}
	return u, nil
}

var (
	errBadName      = Refuse("Bad name or username")
	errAddressInUse = Refuse("Email is already in use.")
)

// botAddress returns the address of a bot with a short name.
func (o *Organization) botAddress(short string) string {
	address := mail.Address{Address: short + "-bot@" + o.Host()}
	return strings.Trim(address.String(), "<>") // quoted if necessary
}

func (o *Organization) checkNewBot(actor User, in NewBot, name, email string) error {
	if in.Type == BotEmbedded {
		return Refuse("Embedded bots are not enabled.")
	}
	if !isAddress(email) {
		return errBadName
	}
	if _, taken := o.UserByEmail(email); taken {
		return errAddressInUse
	}
	if o.activeNameTaken(name) {
		return errNameInUse
	}
	if err := o.checkMayCreateBot(actor, in.Type); err != nil {
		return err
	}
	if in.Type < BotGeneric || in.Type > BotEmbedded {
		return Refuse("Invalid bot type")
	}
	if err := checkInterface(in.Interface); err != nil {
		return err
	}
	return checkOneAvatar(in.Avatars)
}

var errNameInUse = Refuse("Name is already in use.")

// checkMayCreateBot checks the permission to create bots. Incoming webhook bots need a lesser one.
func (o *Organization) checkMayCreateBot(u User, kind int) error {
	if o.MayRealm(u, "can_create_bots_group") {
		return nil
	}
	if kind == BotIncomingWebhook && o.MayRealm(u, "can_create_write_only_bots_group") {
		return nil
	}
	return errInsufficientPermission
}

func checkInterface(kind int) error {
	if kind != InterfaceGeneric && kind != InterfaceSlack {
		return Refuse("Invalid interface type")
	}
	return nil
}

func checkOneAvatar(files []Upload) error {
	if len(files) > 1 {
		return Refuse("You may only upload one file at a time")
	}
	return nil
}

// botChannel finds a channel by its name; "" and nil are none.
func (o *Organization) botChannel(actor User, name *string) (int, error) {
	if name == nil || *name == "" {
		return 0, nil
	}
	ch, err := o.ChannelContentByName(actor, *name)
	return ch.ID, err
}

// Bot returns a bot, active or not, that actor can change.
func (o *Organization) Bot(actor User, id int) (User, error) {
	u, ok := o.Users.Get(id)
	switch {
	case !ok || !u.IsBot:
		return User{}, Refuse("No such bot")
	case !actor.administers(u):
		return User{}, errInsufficientPermission
	case u.CanCreateUsers && !actor.IsOwner():
		return User{}, ErrMustBeOwner
	}
	return u, nil
}

// BotDetails returns the properties of a bot that other accounts lack.
func (o *Organization) BotDetails(id int) Bot {
	row, _ := o.Bots.Get(id)
	return row
}

// BotsOf returns the bots that belong to a person.
func (o *Organization) BotsOf(owner int) []User {
	var bots []User
	for _, u := range o.Users.All() {
		if u.IsBot && u.BotOwnerID == owner {
			bots = append(bots, u)
		}
	}
	return bots
}

// BotChange is the request PATCH /bots/{id}; nil leaves things unchanged, and an empty channel name removes the channel.
type BotChange struct {
	FullName, ShortName      *string
	Role, OwnerID            *int
	SendingChannel, Register *string
	AllPublic                *bool
	PayloadURL               *string
	Interface                int // goes with PayloadURL
	Config                   map[string]string
	Avatars                  []Upload
}

// UpdateBot changes a bot step by step: the steps before a failing one remain (server-behavior §U14).
func (o *Organization) UpdateBot(actor User, id int, c BotChange) error {
	if _, err := o.Bot(actor, id); err != nil {
		return err
	}
	steps := []func(User, int, BotChange) error{
		o.renameBot, o.changeShortName, o.setBotRole, o.setBotOwner, o.setBotChannels, o.setBotService, o.setBotConfig, o.setBotAvatar,
	}
	for _, step := range steps {
		if err := step(actor, id, c); err != nil {
			return err
		}
		o.Commit()
	}
	return nil
}

func (o *Organization) renameBot(_ User, id int, c BotChange) error {
	u, _ := o.Users.Get(id)
	if c.FullName == nil {
		return nil
	}
	name, err := o.checkFullName(*c.FullName, id)
	if err != nil || name == u.FullName {
		return err
	}
	if o.activeNameTaken(name) {
		return errNameInUse
	}
	u.FullName = name
	o.Users.Put(id, u)
	return nil
}

// changeShortName gives a bot another address. The current name changes nothing. Undocumented: the step follows the full
// name, and the refusal of a used address.
func (o *Organization) changeShortName(_ User, id int, c BotChange) error {
	if c.ShortName == nil {
		return nil
	}
	short := Strip(*c.ShortName)
	if short == "" {
		return errBadName
	}
	email := o.botAddress(short)
	u, _ := o.Users.Get(id)
	if strings.EqualFold(email, u.Email) {
		return nil
	}
	if !isAddress(email) {
		return errBadName
	}
	if _, taken := o.UserByEmail(email); taken {
		return errAddressInUse
	}
	u.Email = email
	o.Users.Put(id, u)
	return nil
}

func (o *Organization) setBotRole(actor User, id int, c BotChange) error {
	if c.Role == nil {
		return nil
	}
	u, _ := o.Users.Get(id)
	if err := o.setRole(actor, &u, *c.Role); err != nil {
		return err
	}
	o.Users.Put(id, u)
	return nil
}

func (o *Organization) setBotOwner(_ User, id int, c BotChange) error {
	u, _ := o.Users.Get(id)
	if c.OwnerID == nil || *c.OwnerID == u.BotOwnerID {
		return nil
	}
	switch owner, ok := o.Users.Get(*c.OwnerID); {
	case !ok:
		return Refuse("Failed to change owner, no such user")
	case !owner.Active:
		return Refuse("Failed to change owner, user is deactivated")
	case owner.IsBot:
		return Refuse("Failed to change owner, bots can't own other bots")
	}
	u.BotOwnerID = *c.OwnerID
	o.Users.Put(id, u)
	return nil
}

func (o *Organization) setBotChannels(actor User, id int, c BotChange) error {
	row := o.BotDetails(id)
	for _, choice := range []struct {
		name  *string
		field *int
	}{{c.SendingChannel, &row.SendingChannelID}, {c.Register, &row.EventsChannelID}} {
		if choice.name == nil {
			continue
		}
		channel, err := o.botChannel(actor, choice.name)
		if err != nil {
			return err
		}
		*choice.field = channel
		o.Bots.Put(id, row)
		o.Commit()
	}
	set(&row.AllPublic, c.AllPublic)
	o.Bots.Put(id, row)
	return nil
}

func (o *Organization) setBotService(_ User, id int, c BotChange) error {
	if c.PayloadURL == nil {
		return nil
	}
	if err := checkInterface(c.Interface); err != nil {
		return err
	}
	row := o.BotDetails(id)
	if row.Service == nil {
		return errConflict // the server does not expect another type of bot here
	}
	service := *row.Service
	service.URL, service.Interface = *c.PayloadURL, c.Interface
	row.Service = &service
	o.Bots.Put(id, row)
	return nil
}

// setBotConfig merges the keys; none is removed.
func (o *Organization) setBotConfig(_ User, id int, c BotChange) error {
	if c.Config == nil {
		return nil
	}
	row := o.BotDetails(id)
	row.Config = maps.Clone(row.Config)
	if row.Config == nil {
		row.Config = map[string]string{}
	}
	maps.Copy(row.Config, c.Config)
	o.Bots.Put(id, row)
	return nil
}

func (o *Organization) setBotAvatar(_ User, id int, c BotChange) error {
	if err := checkOneAvatar(c.Avatars); err != nil || len(c.Avatars) == 0 {
		return err
	}
	upload, err := o.keepAvatar(c.Avatars[0])
	if err != nil {
		return err
	}
	o.setAvatar(id, upload)
	return nil
}

// DeactivateBot deactivates a bot; it may be repeated.
func (o *Organization) DeactivateBot(actor User, id int) error {
	u, err := o.Bot(actor, id)
	if err != nil {
		return err
	}
	if u.Active {
		o.deactivate(u)
	}
	return nil
}

// RegenerateKey gives a bot a new API key; the old one ends immediately.
func (o *Organization) RegenerateKey(actor User, id int) (key string, err error) {
	u, err := o.Bot(actor, id)
	if err != nil {
		return "", err
	}
	return o.RegenerateOwnKey(u), nil
}

// RegenerateOwnKey gives the caller, a person or bot, a new API key.
func (o *Organization) RegenerateOwnKey(u User) (key string) {
	u.APIKey = NewAPIKey()
	o.Users.Put(u.ID, u)
	return u.APIKey
}

// integrations are the possible services of incoming webhook bots.
var integrations = strings.Fields("airbrake alertmanager ansibletower asana azuredevops beeminder bitbucket bitbucket2 bitbucket3 " +
	"buildbot circleci clickup clubhouse codeship crashlytics dialogflow discourse dropbox errbot flock freshdesk front gitea " +
	"github gitlab gocd gogs grafana groove harbor hellosign helloworld heroku homeassistant intercom jenkins jira jotform " +
	"json librato lidarr linear mention netlify newrelic opbeat opencollective opsgenie pagerduty papertrail patreon pingdom " +
	"pivotal radarr raygun redmine reviewboard rhodecode rundeck semaphore sentry slack slack_incoming solano sonarqube " +
	"sonarr splunk statuspage stripe taiga teamcity thinkst transifex travis trello updown uptimerobot wekan wordpress " +
	"youtrack zabbix zapier zendesk")
