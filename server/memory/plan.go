package memory

// Plan divides the memory of a program.
type Plan struct {
	// Limit is the soft memory limit of the garbage collector; 0 means none.
	Limit int64
	// Cache is for the storage engine's blocks and tables in memory, and Table for one of these tables.
	Cache, Table int64
	// Requests is for requests that are being received or wait.
	Requests int64
}

// What the parts take when nothing limits them. More cache is of use only for data that exceed it, so it must be configured. Under load there
// are three tables, one being filled, one being written out and one kept to be filled next, whatever the requests are. Larger ones make
// fewer merges of data that exceed them by far, and must be configured too.
const (
	enough     = 768 * mib
	leastTable = 4 * mib
	mostTable  = 32 * mib
	// leastRequests is enough for the largest request there is, WebChannel's of 36 MiB.
	leastRequests = 40 * mib
	mostRequests  = 64 * mib
)

// PlanFor returns the plan for a limit in bytes, 0 for none. configured reports whether the limit was: then the
// cache grows with it, while a machine's memory is not to be filled because it is there.
func PlanFor(limit int64, configured bool) Plan {
	share := int64(enough)
	if limit > 0 && (configured || limit < enough) {
		share = limit
	}
	return Plan{
		Limit:    limit,
		Cache:    share / 8,
		Table:    min(max(share/48, leastTable), mostTable),
		Requests: min(max(share/8, leastRequests), mostRequests),
	}
}
