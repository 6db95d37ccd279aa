package review_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

const folderRule = `rule "the folder" {
  channels   = "folder:Board"
  permission = "read"
  only       = "role:owners"
}`

// A rule that names a folder by its old name selects nothing, and fails.
func TestReviewFolder_Renamed_RuleUnknown(t *testing.T) {
	f := newFirm(t)
	found := f.reviewed(folderRule, resourceChange("zulip_channel_folder", attributes{"id": f.folder, "name": "Board"}, attributes{"id": f.folder, "name": "Directors"}))
	expectRule(t, found, "the folder", true)
}

// A channel is in its folder under the new name.
func TestReviewFolder_RuleName_ChannelsSelected(t *testing.T) {
	f := newFirm(t)
	other := int64(f.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "Other", "description": ""})["channel_folder_id"].(float64))
	f.Call(t, "PATCH", fmt.Sprintf("/streams/%d", f.hall), map[string]string{"folder_id": fmt.Sprint(other)})
	found := f.reviewed(folderRule,
		resourceChange("zulip_channel_folder", attributes{"id": f.folder, "name": "Board"}, attributes{"id": f.folder, "name": "Old"}),
		resourceChange("zulip_channel_folder", attributes{"id": other, "name": "Other"}, attributes{"id": other, "name": "Board"}))
	expectRule(t, found, "the folder", true)
	if found.Rules[0].Status != report.RuleFails {
		t.Errorf("everyone reads #hall: %q", found.Rules[0].Lines())
	}
}

// An archived channel that is adopted is still in its folder.
func TestReviewChannel_AdoptedInFolder_Fails(t *testing.T) {
	f := newFirm(t)
	f.Call(t, "PATCH", fmt.Sprintf("/streams/%d", f.hall), map[string]string{"folder_id": fmt.Sprint(f.folder)})
	f.Call(t, "DELETE", fmt.Sprintf("/streams/%d", f.hall), nil)
	found := f.reviewed(folderRule, resourceChange("zulip_channel", nil, attributes{"name": "hall", "adopt_archived": true}))
	expectRule(t, found, "the folder", true)
}
