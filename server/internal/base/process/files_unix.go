//go:build unix

package process

import (
	"math"
	"syscall"
)

// MaxFiles returns the number of files and connections that the process may have open.
func MaxFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
