package authz

import (
	"net/netip"
	"sync"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/rate"
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

// holdings bounds the memory of the targets of callers to whom rules apply. A network may hold a quarter of it. It is
// safe for concurrent use.
type holdings struct {
	most int64
	mu   struct {
		sync.Mutex
		all int64
		// networks holds the bytes of each network; addresses of the machine itself are not in it.
		networks map[netip.Prefix]int64
	}
}

// newHoldings returns holdings of most bytes.
func newHoldings(most int64) *holdings {
	h := &holdings{most: most}
	h.mu.networks = make(map[netip.Prefix]int64)
	return h
}

// add adds n bytes, which may be negative, to what the network of an address holds. It returns ResourceExhausted if
// there is no room.
func (h *holdings) add(from netip.Addr, n int64) error {
	network := rate.Network(from)
	counted := from.IsValid() && !from.Unmap().IsLoopback()
	h.mu.Lock()
	defer h.mu.Unlock()
	if n > 0 && (h.mu.all+n > h.most || counted && h.mu.networks[network]+n > h.most/4) {
		return fault.E(fault.ResourceExhausted, "The live queries take too much memory.")
	}
	h.mu.all += n
	if !counted {
		return nil
	}
	if h.mu.networks[network] += n; h.mu.networks[network] == 0 {
		delete(h.mu.networks, network)
	}
	return nil
}
