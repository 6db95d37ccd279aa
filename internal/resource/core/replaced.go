package core

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// replacedKey is where the ID of a thing stands in its private state. A thing that is replaced is planned once more, as a new
// one: only this says then which it replaces.
const replacedKey = "id"

// StoreReplacedID notes the ID of what is planned, for [ReplacedID].
func StoreReplacedID(ctx context.Context, private interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}, id int64) diag.Diagnostics {
	return private.SetKey(ctx, replacedKey, []byte(strconv.FormatInt(id, 10)))
}

// ReplacedID returns the ID of what a thing replaces that is planned as a new one; nothing if it replaces none.
func ReplacedID(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) []int64 {
	data, found := private.GetKey(ctx, replacedKey)
	diags.Append(found...)
	if id, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		return []int64{id}
	}
	return nil
}
