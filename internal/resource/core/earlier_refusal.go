package core

import (
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// EarlierRefusal returns an error if the server has refused, earlier in this run, to let the provider's account create
// anything of a kind, whatever it is: then nothing more of the kind is sent. Otherwise it returns nil.
func EarlierRefusal(meta *base.Meta, kind string) error {
	if !meta.Run.IsRefused(kind) {
		return nil
	}
	return fmt.Errorf("nothing was sent: the server does not let the provider's account create any %s, as another error of this run says", kind)
}
