package session

import (
	"context"
	"net/netip"
	"strings"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/audit"
)

// Caller implements token.Callers. A session has the rights of a server, read-only unless it may write.
func (s *Sessions) Caller(_ context.Context, authorization, project string) (token.Caller, error) {
	s.mu.Lock()
	of := s.mu.keys[strings.TrimPrefix(authorization, "Bearer ")]
	s.mu.Unlock()
	if of == nil {
		return token.Caller{}, fault.E(fault.Unauthenticated, "The console's session has ended.")
	}
	return s.CallerOf(of, project), nil
}

// Admin implements token.Callers.
func (s *Sessions) Admin(ctx context.Context, authorization, project string) (token.Caller, error) {
	return s.Caller(ctx, authorization, project)
}

// CallerOf returns a session as a caller.
func (s *Sessions) CallerOf(of *Session, project string) token.Caller {
	return token.Caller{Privileged: true, ReadOnly: !of.Write, Project: project, Journal: journal{s.o.Audit, of}}
}

// journal records the changes of a session.
type journal struct {
	log     *audit.Log
	session *Session
}

// Begin implements token.Journal.
func (j journal) Begin(c token.Change) (func(error), error) {
	if err := j.log.Ready(); err != nil {
		return nil, err
	}
	select {
	case <-j.session.ended: // a stream may outlive its session
		return nil, fault.E(fault.Unauthenticated, "The console's session has ended.")
	default:
	}
	address := c.Address.String()
	if c.Address == (netip.Addr{}) {
		address = j.session.Address
	}
	e := audit.Entry{Session: j.session.ID, Address: address, Method: c.Method, Database: c.Database, Targets: c.Targets, Count: c.Count}
	return j.log.Begin(e), nil
}
