package base

import "github.com/hashicorp/terraform-plugin-framework/diag"

// Error is an error that is diagnostics already, with the attributes they are about. Who reports it appends them as they are.
type Error struct{ Diagnostics diag.Diagnostics }

// Error returns the first summary.
func (e *Error) Error() string { return e.Diagnostics[0].Summary() }
