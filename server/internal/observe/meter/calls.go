package meter

import (
	"slices"
	"sync/atomic"
	"time"

	"clave/server/internal/base/fault"
)

// Other stands for every name that is not in a fixed list, so that clients can't create new names.
const Other = "other"

// codes is the number of canonical codes.
const codes = int(fault.Unauthenticated) + 1

// byCode counts by canonical code.
type byCode [codes]atomic.Int64

// add counts one.
func (b *byCode) add(c fault.Code) {
	if c < 0 || int(c) >= codes {
		c = fault.Unknown
	}
	b[c].Add(1)
}

// Calls counts the calls of one transport by method and code. A nil Calls counts nothing.
type Calls struct {
	meter     *Meter
	transport string
	methods   map[string]*method
}

// method holds the counts of one method.
type method struct {
	codes byCode
	took  *Histogram
	open  atomic.Int64
}

// Calls returns the counter of the calls of a transport with these methods; all other methods are Other. It keeps no
// durations of streams, since they last. It must be called before the transport serves. Further calls with the same
// transport return the same counter.
func (m *Meter) Calls(transport string, methods, streams []string) *Calls {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.mu.calls {
		if c.transport == transport {
			return c
		}
	}
	c := &Calls{meter: m, transport: transport, methods: make(map[string]*method)}
	for _, name := range append(slices.Clone(methods), Other) {
		c.methods[name] = &method{took: newHistogram(durations, float64(time.Second))}
	}
	for _, name := range streams {
		c.methods[name] = &method{}
	}
	m.mu.calls = append(m.mu.calls, c)
	return c
}

// OpenCall is a call in progress. The zero value counts nothing.
type OpenCall struct {
	calls  *Calls
	method *method
	began  time.Time
	// noted receives the call's code; nil if it is not needed.
	noted *Counted
}

// Begin begins a call.
func (c *Calls) Begin(name string) OpenCall {
	if c == nil {
		return OpenCall{}
	}
	m := c.methods[name]
	if m == nil {
		m = c.methods[Other]
	}
	m.open.Add(1)
	return OpenCall{calls: c, method: m, began: c.meter.clock.Now()}
}

// End ends the call with its code.
func (o OpenCall) End(code fault.Code) {
	if o.calls == nil {
		return
	}
	o.method.open.Add(-1)
	o.method.codes.add(code)
	if o.noted != nil {
		o.noted.Code = code
	}
	if o.method.took != nil {
		o.method.took.took(o.calls.meter.clock.Now().Sub(o.began))
	}
}

// MethodCounts are the calls of one method.
type MethodCounts struct {
	Transport, Method string
	// Codes are the ended calls by canonical code.
	Codes map[fault.Code]uint64
	// Took holds their durations in seconds; nil for streams.
	Took *Distribution
	// Open is the number of calls in progress.
	Open int64
}

// Called returns the counts of all methods that have been called, for all transports.
func (m *Meter) Called() (all []MethodCounts) {
	m.mu.Lock()
	calls := slices.Clone(m.mu.calls)
	m.mu.Unlock()
	for _, c := range calls {
		for name, counted := range c.methods {
			out := MethodCounts{Transport: c.transport, Method: name, Codes: counted.codes.read(), Open: counted.open.Load()}
			if len(out.Codes) == 0 && out.Open == 0 {
				continue
			}
			if counted.took != nil {
				d := counted.took.Read()
				out.Took = &d
			}
			all = append(all, out)
		}
	}
	return all
}

// read returns the counts, without codes that did not occur.
func (b *byCode) read() map[fault.Code]uint64 {
	out := make(map[fault.Code]uint64)
	for i := range b {
		if n := b[i].Load(); n > 0 {
			out[fault.Code(i)] = uint64(n)
		}
	}
	return out
}
