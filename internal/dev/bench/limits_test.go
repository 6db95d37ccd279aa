package main

import (
	"testing"
	"time"
)

func TestUnderLimits(t *testing.T) {
	for requests, want := range map[int]time.Duration{
		0:    0,
		200:  0,
		201:  time.Minute,
		1004: 5 * time.Minute,
		2000: 9 * time.Minute,
		2001: time.Hour,
		5004: 2*time.Hour + 5*time.Minute,
	} {
		if got := underLimits(requests); got != want {
			t.Errorf("%d requests take at least %s, want %s", requests, got, want)
		}
	}
}
