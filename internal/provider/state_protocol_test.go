package provider_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// statesFile holds a state of every resource that there was before the first release, as a build from then wrote it. It is
// never written again.
const statesFile = "testdata/states-0.json"

// An identity that was written when it held the people too is still read.
func TestProtocolIdentitiesOfVersionZero(t *testing.T) {
	p := acctest.StartProcess(t.Context(), t)
	for resource, c := range map[string]struct {
		stored string
		want   values
	}{
		"zulip_channel_subscription":  {`{"channel_id": 7, "user_ids": [10, 11]}`, values{"channel_id": int64(7)}},
		"zulip_user_group_membership": {`{"group_id": 7, "members": [10], "subgroups": null}`, values{"group_id": int64(7)}},
	} {
		read, diags := p.UpgradeIdentityFrom(resource, 0, []byte(c.stored))
		diags.ExpectNoError(t)
		if !reflect.DeepEqual(read, c.want) {
			t.Errorf("%s: %v", resource, read)
		}
	}
}

// A state that was written before the first release is still read, every attribute of it.
func TestProtocolStatesOfVersionZero(t *testing.T) {
	text, err := os.ReadFile(statesFile)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &states); err != nil {
		t.Fatal(err)
	}
	p := acctest.StartProcess(t.Context(), t)
	for resource, state := range states {
		t.Run(resource, func(t *testing.T) {
			if version := p.SchemaVersion(resource); version < base.SchemaVersion {
				t.Errorf("the schema has version %d; the first release fixes %d", version, base.SchemaVersion)
			}
			read, diags := p.UpgradeFrom(resource, 0, state)
			diags.ExpectNoError(t)
			var stored values
			if err := json.Unmarshal(state, &stored); err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(read)
			if err != nil {
				t.Fatal(err)
			}
			var kept values
			if err := json.Unmarshal(again, &kept); err != nil {
				t.Fatal(err)
			}
			for name, value := range stored {
				if !reflect.DeepEqual(kept[name], value) {
					t.Errorf("%s was %v, and is read as %v", name, value, kept[name])
				}
			}
		})
	}
}

// A state that a newer version with the same schema version wrote is still read: what it has beyond the schema is left out.
// The guide about versions promises it to those who go back.
func TestProtocolStatesOfANewerVersion(t *testing.T) {
	text, err := os.ReadFile(statesFile)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]values{}
	if err := json.Unmarshal(text, &states); err != nil {
		t.Fatal(err)
	}
	p := acctest.StartProcess(t.Context(), t)
	for resource, stored := range states {
		t.Run(resource, func(t *testing.T) {
			stored["of_a_later_version"] = "x"
			state, err := json.Marshal(stored)
			if err != nil {
				t.Fatal(err)
			}
			read, diags := p.UpgradeFrom(resource, p.SchemaVersion(resource), state)
			diags.ExpectNoError(t)
			if _, ok := read["of_a_later_version"]; ok || len(read) == 0 {
				t.Errorf("it is read as %v", read)
			}
		})
	}
}
