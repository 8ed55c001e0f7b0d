package authz

import (
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/quota"
	"clave/server/internal/model/target"
)

// The memory of a target in bytes: targetOverhead, and the size of its query and its names, which is held several
// times.
const (
	targetOverhead = 1 << 10
	targetTimes    = 3
)

// targetMemory returns the approximate memory of a target in bytes.
func targetMemory(t *target.Target) int64 {
	size := t.Query.Size()
	for _, name := range t.Documents {
		size += len(name.Path)
	}
	return targetOverhead + targetTimes*int64(size)
}

// newHoldings returns the memory of the targets of callers to whom rules apply, of most bytes. A network may hold a
// quarter of it.
func newHoldings(most int64) *quota.Quota {
	return quota.New(quota.Options{Bytes: most, Network: most / 4, Full: fault.E(fault.ResourceExhausted, "The live queries take too much memory.")})
}
