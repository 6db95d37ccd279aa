package validators

import (
	"fmt"
	"time"
)

// Duration accepts a positive duration, such as 30s or 2m.
func Duration() Rule {
	return textRule("must be a duration such as 30s or 2m", func(text string) string {
		if ParseDuration(text) > 0 {
			return ""
		}
		return fmt.Sprintf("%q is not one.", text)
	})
}

// ParseDuration returns zero for what is no duration.
func ParseDuration(text string) time.Duration {
	duration, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return duration
}
