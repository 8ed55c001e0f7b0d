package meter

import (
	"context"
	"fmt"

	"clave/server/internal/base/fault"
)

// Counted is a call that this server has counted.
type Counted struct {
	Transport, Method string
	Code              fault.Code
}

// String returns a text for ParseCounted.
func (c Counted) String() string { return fmt.Sprintf("%s %s %d", c.Transport, c.Method, c.Code) }

// ParseCounted parses the text of a Counted. It returns false for other texts.
func ParseCounted(text string) (c Counted, ok bool) {
	_, err := fmt.Sscanf(text, "%s %s %d", &c.Transport, &c.Method, &c.Code)
	return c, err == nil
}

// countedKey is the key of a *Counted in a context.
type countedKey struct{}

// Noting returns a context under which the call that BeginIn counts is noted once it has ended.
func Noting(ctx context.Context) (context.Context, *Counted) {
	c := &Counted{}
	return context.WithValue(ctx, countedKey{}, c), c
}

// BeginIn is Begin for a call with a context.
func (c *Calls) BeginIn(ctx context.Context, name string) OpenCall {
	u := c.Begin(name)
	if u.noted, _ = ctx.Value(countedKey{}).(*Counted); u.noted != nil && c != nil {
		*u.noted = Counted{Transport: c.transport, Method: name}
		if c.methods[name] == nil {
			u.noted.Method = Other
		}
	}
	return u
}

// forwarded identifies the calls of one method that were forwarded.
type forwarded struct{ transport, method string }

// Forwarded counts a call that another server has served instead of this one. The names must be from a fixed list; an
// empty method is Other.
func (m *Meter) Forwarded(c Counted) {
	if m == nil {
		return
	}
	if c.Method == "" {
		c.Method = Other
	}
	key := forwarded{c.Transport, c.Method}
	m.mu.Lock()
	counts := m.mu.forwarded[key]
	if counts == nil {
		counts = new(byCode)
		if m.mu.forwarded == nil {
			m.mu.forwarded = make(map[forwarded]*byCode)
		}
		m.mu.forwarded[key] = counts
	}
	m.mu.Unlock()
	counts.add(c.Code)
}

// AllForwarded returns the counts of the calls that were forwarded, with their codes.
func (m *Meter) AllForwarded() (all []MethodCounts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, counts := range m.mu.forwarded {
		all = append(all, MethodCounts{Transport: key.transport, Method: key.method, Codes: counts.read()})
	}
	return all
}
