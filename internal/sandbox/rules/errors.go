package rules

import (
	"fmt"
	"net/http"
)

// Error is a refusal as the server words it (server-behavior §R9).
type Error struct {
	// Status is the HTTP status; 0 stands for 400, which nearly all have.
	Status int
	// Code is the machine readable code; "" stands for BAD_REQUEST.
	Code string
	// Msg is the sentence for people.
	Msg string
	// Extra holds further fields of the answer.
	Extra map[string]any
}

func (e *Error) Error() string { return e.Msg }

// Refuse returns the common refusal: status 400, code BAD_REQUEST.
func Refuse(format string, args ...any) *Error {
	return &Error{Msg: fmt.Sprintf(format, args...)}
}

// Refusals that several kinds of objects share.
var (
	errInsufficientPermission = Refuse("Insufficient permission")
	errInvalidChannelID       = Refuse("Invalid channel ID")
	errNoSuchUser             = Refuse("No such user")
	errUserDeactivated        = Refuse("User is deactivated")
	errGroupDeactivated       = Refuse("User group is deactivated.")

	// ErrMustBeAdministrator and ErrMustBeOwner are raised by role checks
	// (server-behavior §R12); their status is 400 although the code says otherwise.
	ErrMustBeAdministrator = &Error{Code: "UNAUTHORIZED_PRINCIPAL", Msg: "Must be an organization administrator"}
	ErrMustBeOwner         = &Error{Code: "UNAUTHORIZED_PRINCIPAL", Msg: "Must be an organization owner"}
)

func channelExists(name string) *Error {
	return &Error{
		Status: http.StatusConflict,
		Code:   "CHANNEL_ALREADY_EXISTS",
		Msg:    fmt.Sprintf("Channel '%s' already exists", name),
		Extra:  map[string]any{"channel_name": name},
	}
}

// BadValue refuses a value outside a parameter's special set (server-behavior §R13).
func BadValue(name string, value any) *Error {
	return &Error{
		Code:  "REQUEST_VARIABLE_INVALID",
		Msg:   fmt.Sprintf("Bad value for '%s': %v", name, value),
		Extra: map[string]any{"var_name": name, "bad_value": value},
	}
}

// errConflict stands for what the real server does not handle: a constraint of
// its database is violated, and the answer is a plain 500 (server-behavior §F3, §S11).
var errConflict = &Error{Status: http.StatusInternalServerError, Msg: "Internal server error"}
