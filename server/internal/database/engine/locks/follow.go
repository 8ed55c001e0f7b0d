package locks

import (
	"context"
	"slices"
)

// How a query follows writers. A commit locks its documents before its changes are known, and may wait for these
// locks: one transaction has read a document, and a commit waits to write it. The ranges do not show such a commit, so
// that the query of another transaction would overtake it, and its transaction would be in conflict with it. The query
// therefore locks the documents in its range that commits wait to write, or hold meanwhile, behind these commits. This
// is not needed for isolation: the range is locked afterwards. So a query never ends, nor is ended, by a deadlock that
// this lock closes.

// Writing returns the documents that other owners' commits wait to write, and those that these hold meanwhile, in the
// order of their names, as far as they are in a scope. inScope must not wait.
func (t *Table) Writing(o *Owner, inScope func(path string) bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	add := func(l *docLock) {
		if inScope(l.path) {
			out = append(out, l.path)
		}
	}
	for l := range t.mu.queued {
		written := false
		for _, r := range l.queue {
			if !r.writes || r.o == o {
				continue
			}
			written = true
			for _, held := range r.o.held {
				if held.held(r.o) == Exclusive {
					add(held)
				}
			}
		}
		if written {
			add(l)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Follow locks a document, shared, behind the commits that wait to write it. It returns without the lock if waiting for
// it is a deadlock.
func (t *Table) Follow(ctx context.Context, o *Owner, path string) error {
	return t.lockPath(ctx, path, &request{o: o, mode: Shared, optional: true}, false)
}
