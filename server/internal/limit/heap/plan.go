package heap

// Plan divides the memory of a program.
type Plan struct {
	// Limit is the soft memory limit of the garbage collector; 0 means none.
	Limit int64
	// Cache is for the storage engine's blocks and tables in memory, and Table for one of these tables.
	Cache, Table int64
	// Requests is for requests that are being received or that wait.
	Requests int64
	// Windows is for the documents of live queries with a limit.
	Windows int64
	// Results is for the results that queries sort.
	Results int64
	// Connections, Calls, Streams and Responses are the maximum numbers of connections, of calls of gRPC, of lasting
	// streams, and of HTTP requests that are being served.
	Connections, Calls, Streams, Responses int
}

// The sizes of the parts without a limit. A larger cache is useful only for larger data, so it must be configured.
// Under load there are always three tables: one is being filled, one is being written out, and one is kept for filling
// next. Larger tables cause fewer merges of data that are far larger, and must be configured too.
const (
	defaultShare = 768 * mib
	leastTable   = 4 * mib
	mostTable    = 32 * mib
	// leastRequests suffices for the largest request, WebChannel's of 36 MiB.
	leastRequests = 40 * mib
	mostRequests  = 64 * mib
)

// The bytes that a connection with TLS, a call without a message, a stream and an unread response take, and the limits
// of their numbers. Each kind may take a quarter of the memory.
const (
	perConnection = 64 << 10
	perCall       = 32 << 10
	perStream     = 64 << 10
	perResponse   = 48 << 10
	minSlots      = 256
	mostResponses = 4096
)

// PlanFor returns the plan for a limit in bytes, 0 for none. configured reports whether the limit was configured: only
// then does the cache grow with it, because the program should not fill a machine's memory without need.
func PlanFor(limit int64, configured bool) Plan {
	share := int64(defaultShare)
	if limit > 0 && (configured || limit < defaultShare) {
		share = limit
	}
	return Plan{
		Limit:    limit,
		Cache:    share / 8,
		Table:    min(max(share/48, leastTable), mostTable),
		Requests: min(max(share/8, leastRequests), mostRequests),
		Windows:  max(share, limit) / 8,
		Results:  max(share, limit) / 8,

		Connections: max(int(max(share, limit)/4/perConnection), minSlots),
		Calls:       max(int(max(share, limit)/4/perCall), minSlots),
		Streams:     max(int(max(share, limit)/4/perStream), minSlots),
		Responses:   min(max(int(share/4/perResponse), minSlots), mostResponses),
	}
}

// developmentSlots is the least number of calls and of streams in development, where tests may open thousands of live
// queries at once. A network has a quarter of them.
const developmentSlots = 1 << 16

// ForDevelopment returns the plan for a server on which only its user's programs call, and whose user has not
// configured a limit.
func (p Plan) ForDevelopment() Plan {
	p.Calls, p.Streams = max(p.Calls, developmentSlots), max(p.Streams, developmentSlots)
	return p
}
