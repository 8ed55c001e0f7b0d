package harness

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// ShippedUntil returns the time up to which a shipped log is complete, by the names of its segments.
func ShippedUntil(t *testing.T, segments []string) time.Time {
	t.Helper()
	last := int64(0)
	for _, segment := range segments {
		until, err := strconv.ParseInt(segment[strings.LastIndex(segment, "-")+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		last = max(last, until)
	}
	return time.UnixMicro(last)
}
