package recording

import "fmt"

// Anonymise replaces the people's and bots' names and addresses by invented ones that follow from their IDs, and removes what
// else they say of themselves. Roles and IDs stay, as do names and descriptions of the organization, its groups and its channels.
func (o *Organization) Anonymise() {
	for i := range o.Accounts {
		account := &o.Accounts[i]
		name, local := "Person", "person"
		if account.IsBot {
			name, local = "Bot", "bot"
		}
		address := fmt.Sprintf("%s%d@example.com", local, account.ID)
		if isDummy := account.DeliveryEmail == nil || *account.DeliveryEmail != account.Email; account.IsBot || !isDummy {
			account.Email = address
		} else {
			account.Email = fmt.Sprintf("user%d@%s", account.ID, o.Realm.BotDomain)
		}
		if account.DeliveryEmail != nil {
			account.DeliveryEmail = &address
		}
		account.FullName = fmt.Sprintf("%s %d", name, account.ID)
		account.Timezone, account.ProfileData = "", nil
	}
	for i := range o.Bots {
		for j := range o.Bots[i].Services {
			o.Bots[i].Services[j].BaseURL = "https://example.com/"
		}
	}
	for i := range o.Invitations {
		if !o.Invitations[i].IsMultiuse {
			o.Invitations[i].Email = fmt.Sprintf("invited%d@example.com", o.Invitations[i].ID)
		}
	}
}
