// Package sandbox is a stand-in Zulip server: an organization to learn with, to
// run checks against in CI, and for this project's own tests. What it accepts,
// refuses and answers is recorded from a real server (testdata/recordings,
// testdata/random) or described in the wire references its comments cite.
//
// # How it reads
//
// endpoints.go is the table of everything the server answers. serve.go is the
// way of one request: route it, authenticate, count it against the rate limits,
// ask the endpoint's guard, run the handler, write what changed to the state
// file, answer. There is one file of handlers for each noun; a handler declares
// its parameters, calls the rules in package organization and names the fields
// of the answer. One request is handled at a time, so that runs repeat exactly;
// waiting (latency, stalls, gates) happens outside the lock.
//
// # How to add a noun or an endpoint
//
//  1. Its rules and its table go into package organization, whose documentation
//     says how.
//  2. Its handlers go into a file of their own here. A handler declares its
//     parameters with required, optional and fallback in the server's order,
//     then returns the error of checked, if any, and only then acts.
//     request.since(level) declares a parameter that older servers do not know,
//     request.add a field that they do not show.
//  3. Each endpoint is one line in endpoints.go; a part of the snapshot that
//     POST /register takes is one line of snapshotParts.
//  4. The name of its recording joins the list in conformance_test.go.
//
// # What tests can do with it
//
// [Server.Journal] tells what was asked. [Server.Fail] makes requests fail,
// before or after their work is done. [Server.Gate] holds requests and lets
// them go in an order of the test's choice. [Server.Organization] looks at what
// the server holds without going through the API. [Server.SetFeatureLevel] turns
// it into an older or newer server.
//
// # The trading cloud
//
// [TradingCloud] stands in for the other system the provider talks to: identity
// provider and web API at one address of their own, in trading.go and
// trading_api.go. It shares journal and faults with the server, and no data.
package sandbox
