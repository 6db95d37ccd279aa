package sandbox

import (
	"crypto/md5" //nolint:gosec // the address of a picture, not a secret
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// avatarURL is null only where the client can compute it: no picture was uploaded, everyone may see the address, and the
// client says that it does so.
func avatarURL(u rules.User, clientGravatar bool) any {
	if clientGravatar && u.AvatarUpload == "" && u.EmailVisibility == rules.EmailVisibleToEveryone {
		return nil
	}
	return avatarAddress(u, "", "")
}

// avatarAddress is where the picture of an account is: an upload has a name of its own, and no version
// (server-behavior §U22).
func avatarAddress(u rules.User, size, query string) string {
	if u.AvatarUpload != "" {
		return rules.AvatarPath(u.AvatarUpload + size)
	}
	sum := md5.Sum([]byte(strings.ToLower(u.APIEmail()))) //nolint:gosec // as above
	return fmt.Sprintf("https://secure.gravatar.com/avatar/%s?d=identicon%s&version=%d", hex.EncodeToString(sum[:]), query, u.AvatarVersion)
}

// addOwnAvatar adds the caller's own picture to a snapshot, which alone says where it comes from.
func (r *request) addOwnAvatar(answer fields) {
	answer["avatar_source"] = "G"
	if r.me.AvatarUpload != "" {
		answer["avatar_source"] = "U"
	}
	answer["avatar_url"], answer["avatar_url_medium"] = avatarURL(r.me, false), avatarAddress(r.me, "-medium", "&s=500")
}

func uploadOwnAvatar(r *request) (fields, error) {
	if err := r.org.UploadOwnAvatar(r.me, r.uploads()); err != nil {
		return nil, err
	}
	return r.ownAvatarAnswer()
}

func removeOwnAvatar(r *request) (fields, error) {
	if err := r.org.RemoveOwnAvatar(r.me); err != nil {
		return nil, err
	}
	return r.ownAvatarAnswer()
}

func (r *request) ownAvatarAnswer() (fields, error) {
	me, err := r.org.AnyUser(r.me.ID)
	if err != nil {
		return nil, err
	}
	return fields{"avatar_url": avatarURL(me, false)}, nil
}
