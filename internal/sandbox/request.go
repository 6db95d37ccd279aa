package sandbox

import (
	"strconv"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// request is what a handler works with: the caller, the parameters, and the
// organization, which nobody else touches meanwhile.
type request struct {
	*params
	org    *rules.Organization
	me     rules.User        // zero for open endpoints
	vars   map[string]string // variables of the path
	files  []file
	client string // the program that asks
	site   string // the server's URL as the caller wrote it
	query  string // as it was sent
	// redirect is set to answer with another address instead of fields.
	redirect string
	server   *Server
	// polling is set for a request that has waited for events.
	polling *polling
}

// id returns an integer variable of the path.
func (r *request) id(name string) int {
	id, err := strconv.Atoi(r.vars[name])
	if err != nil {
		return 0 // the route takes digits only
	}
	return id
}

// add puts a field into an object if the server's feature level has it.
func (r *request) add(object fields, since int, name string, value any) {
	if r.level >= since {
		object[name] = value
	}
}
