// Package rules implements the rules of a Zulip organization: its people, groups, channels and settings, the
// permissions to change them, and the effects of a change. It is independent of HTTP and shares no type with the
// provider, so that a mistake in the provider is not repeated here.
//
// # Structure
//
// There is one file for each kind of object. Its rows are in a [Table]. Reads are by id, in ascending order of ids, or in
// the order of the last writes. Every write goes through Put and Delete, which record the change. An [Organization] may be
// used by one goroutine at a time; the caller must lock.
//
// # Transactions
//
// If a change fails half way, the caller calls [Organization.Rollback]. If the real server commits a step separately
// (server-behavior §C10), the rule calls [Organization.Commit] after the step, and a later rollback stops there.
// [Organization.Changes] returns the changes for a store, and [Organization.EndRequest] ends the request.
//
// # How to add a kind of object
//
//  1. Write its file: the row type (JSON tags are the format on disk) and the
//     methods of *Organization that read and change it. A row is a value:
//     clone a slice or a map before changing it, then Put the row.
//  2. Add its table to the Organization struct and create it in [New] with
//     newTable, giving the bucket's name and the first id. Ids of different
//     kinds start far apart, so that mixing them up is noticed.
//  3. Return *[Error] for a refusal, with the server's message.
//
// Rollback and the state file then work without further code.
package rules
