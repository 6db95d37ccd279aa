package main

import "time"

// limits are what a server comes with: so many requests in a window of time (server-behavior §R17).
var limits = []struct {
	window   time.Duration
	requests int
}{{time.Minute, 200}, {time.Hour, 2000}}

// underLimits is how long an account needs at least for requests that a server takes at once without limits.
func underLimits(requests int) time.Duration {
	leaves := make([]time.Duration, requests)
	for i := range leaves {
		for _, limit := range limits {
			if i >= limit.requests {
				leaves[i] = max(leaves[i], leaves[i-limit.requests]+limit.window)
			}
		}
	}
	if requests == 0 {
		return 0
	}
	return leaves[requests-1]
}
