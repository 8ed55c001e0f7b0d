//go:build !unix

package process

import "math"

// MaxFiles returns the number of files and connections that the process may have open.
func MaxFiles() int { return math.MaxInt32 }
