// Package organization holds the rules of a Zulip organization: its people,
// groups, channels and settings, who may change them, and what a change does.
// It knows nothing of HTTP and shares no type with the rest of the project, so
// that a mistake made there cannot be repeated here.
//
// # How it is put together
//
// One file holds one noun. The rows of a noun live in a [Table]: reads are by
// id or in ascending order of ids, and every write goes through Put and Delete,
// which note what changed. An [Organization] is used by one goroutine at a
// time; who shares it brings the lock.
//
// # Transactions
//
// A change that fails in the middle leaves nothing behind: the caller calls
// [Organization.Rollback]. Where the real server commits a step on its own
// (server-behavior §C10), the rule calls [Organization.Keep] after the step, and a
// later rollback stops there. [Organization.Changes] says what a store has to
// write, and [Organization.Settle] ends the request.
//
// # How to add a noun
//
//  1. Write its file: the row type (JSON tags are the format on disk) and the
//     methods of *Organization that read and change it. A row is a value:
//     clone a slice or a map before changing it, then Put the row.
//  2. Add its table to the Organization struct and make it in [New] with
//     newTable, giving the bucket's name and the first id. Ids of different
//     nouns start far apart, so that mixing them up is noticed.
//  3. Return *[Error] for what the server refuses, with its own words.
//
// Nothing else is needed: rollback and the state file follow from the table.
package organization
