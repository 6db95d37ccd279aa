// Package sandbox is a Zulip server for tests, for CI, and for trying the provider out. It implements the part of the API
// that the provider uses. Its answers, including errors, are recorded from a real server (testdata/recordings,
// testdata/random), or follow Zulip's API documentation and server-behavior.md, which the comments cite.
//
// [New] returns a [Server]; [Server.Start] listens, [Server.Handler] is for tests without a network.
//
// # Structure
//
// endpoints.go is the table of all endpoints. unsupported.go lists the other endpoints of Zulip's API, which the sandbox
// refuses. serve.go handles a request: it finds the endpoint, authenticates, and checks the rate limits and the endpoint's
// guard. Then it runs the handler, writes the changes to the state file, and answers.
//
// Each kind of object has one file of handlers. A handler declares its parameters, calls the rules in package rules, and
// builds the fields of the answer. Requests are handled one at a time, so that runs are reproducible. Latency, stalls,
// gates and events wait outside the lock. Messages and heartbeats are the only events.
//
// recorded_file.go reads and checks a recorded organization. recorded_load.go puts its settings into the tables, and
// recorded_objects.go its objects. They must know every field of a table.
//
// # How to add an endpoint or a kind of object
//
//  1. Its rules and its table go into package rules, whose documentation
//     says how.
//  2. Its handlers go into a file of their own here. A handler first declares its
//     parameters with required, optional and withDefault. inOrder names the
//     parameters that the server does not check by name. The handler returns the
//     error of checked, if any, before it acts.
//     request.since(level) declares a parameter that older servers do not know,
//     request.add adds a field that they do not return.
//  3. Each endpoint is one line in endpoints.go; a part of the snapshot that
//     POST /register returns is one line of snapshotParts.
//  4. Add the name of its recording to the list in conformance_test.go.
//
// # What tests can do with it
//
// [Server.Journal] lists the requests. [Server.Fail] injects faults, before or after a request is handled. [Server.Gate]
// holds requests and releases them in the order that the test chooses. [Server.Organization] inspects the organization
// without using the API. [Server.SetFeatureLevel] turns it into an older or newer server.
//
// # The trading cloud
//
// [TradingCloud] is a server for the other system that the provider talks to: an identity provider and a web API at one
// address, in trading.go and trading_api.go. It shares journal and faults with the server, but no data.
package sandbox
