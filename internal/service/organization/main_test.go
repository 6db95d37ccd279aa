package organization_test

import (
	"os"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.RemovePlugin()
	os.Exit(status)
}
