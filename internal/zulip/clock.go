//go:build !bench

package zulip

// newClock returns the clock of a client.
func newClock() clock { return wallClock{} }
