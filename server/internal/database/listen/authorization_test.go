package listen_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// below returns a query for documents whose field n is below 4, as its client, who may get those below 8, may run it.
func below(t testing.TB, limit int) listen.Target {
	return listen.Target{
		Target: target.Target{ID: 1, Query: collection(t, "c", func(q *query.Query) {
			byN(limit)(q)
			q.Where = query.Field{Path: value.FieldPath{"n"}, Op: query.LessThan, Value: value.Int(4)}
		})},
		Authorization: listen.Authorization{
			Check: func(context.Context, listen.Read) ([]resource.Document, error) { return nil, nil },
			MayGet: func(_ context.Context, _ listen.Read, _ resource.Document, d *document.Document) bool {
				if d == nil {
					return false
				}
				n, ok := d.Fields["n"].(value.Int)
				return ok && n < 8
			},
		},
	}
}

// TestDocumentsThatLeave checks that the content of a document that leaves a query is sent to clients who may get the
// document, and to others only that it has left: of changes, and when a target is resumed, with and without a limit.
func TestDocumentsThatLeave(t *testing.T) {
	for _, limit := range []int{query.NoLimit, 3} {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			h := newFixture(t, listen.Options{})
			h.commit(set("c/a", 1), set("c/b", 2), set("c/c", 3))
			c := h.open()
			c.stream.Add(below(t, limit))
			c.want("open", "ADD[1], chg c/a>[1], chg c/b>[1], chg c/c>[1], CUR[1], B")
			token := c.token
			h.commit(set("c/a", 5))
			c.want("left, may be got", "chg c/a>-[1], B")
			h.commit(set("c/b", 9))
			c.want("left, must not be got", "left c/b>-[1], B")
			h.commit(set("c/b", 10))
			h.commit(set("c/b"))
			c.quiet("deleted after it has left")
			h.commit(set("c/c"))
			c.want("deleted", "del c/c>-[1], B")
			h.commit(set("c/x", 1))
			c.want("new", "chg c/x>[1], B")
			h.commit(set("c/x", 9))
			c.want("left again", "left c/x>-[1], B")
			for what, resume := range map[string]func(*target.Target){
				"by token": func(t *target.Target) { t.Resume = token },
				"by time":  func(t *target.Target) { t.ReadTime = tokenVersion(token) },
			} {
				again := h.open()
				to := below(t, limit)
				resume(&to.Target)
				again.stream.Add(to)
				var got []string
				for {
					e := again.next()
					if e.Kind == target.Current {
						break
					}
					if e.Kind != target.Snapshot && e.Kind != target.Added {
						got = append(got, text(e))
					}
				}
				want := []string{"chg c/a>-[1]", "del c/c>-[1]", "left c/b>-[1]", "left c/x>-[1]", "F(0;0)"}
				if all := strings.Join(sortChanges(got), ", "); all != strings.Join(want, ", ") {
					t.Errorf("resumed %s: got %s, want %s", what, all, strings.Join(want, ", "))
				}
				again.close()
			}
		})
	}
}

// tokenVersion returns the version of a resume token.
func tokenVersion(token []byte) clock.Version {
	v := clock.Version(0)
	for _, b := range token[1:9] {
		v = v<<8 | clock.Version(b)
	}
	return v
}

// member returns an authorization that depends on the document r/ann, as if rules looked it up.
func member() listen.Authorization {
	looked := docs("r/ann")
	return listen.Authorization{Key: "ann", Check: func(ctx context.Context, read listen.Read) ([]resource.Document, error) {
		d, err := read(ctx, looked[0])
		if err == nil && d == nil {
			err = fault.Denied()
		}
		return looked, err
	}}
}

// TestARightIsThatOfTheCommit checks that a commit that revokes a right beside a change, or in the midst of others, is
// the last that a client has no part of, also for targets that the commit does not change.
func TestARightIsThatOfTheCommit(t *testing.T) {
	for name, writes := range map[string][]document.Write{
		"beside a change": {set("r/ann"), set("c/a", 2)},
		"alone":           {set("r/ann")},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, listen.Options{})
			h.commit(set("r/ann", 1), set("c/a", 1))
			c := h.open()
			c.stream.Add(listen.Target{Authorization: member(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
			c.want("open", "ADD[1], chg c/a>[1], CUR[1], B")
			h.commit(set("r/ann", 2), set("c/a", 3))
			c.want("still a member", "chg c/a>[1], B")
			h.commit(writes...)
			h.commit(set("c/a", 4))
			h.commit(set("r/ann", 3), set("c/a", 5))
			c.want("no member at one commit", "REM[1]{7}")
			c.stream.Add(listen.Target{Authorization: member(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
			c.want("a member again", "ADD[1], chg c/a>[1], CUR[1], B")
		})
	}
}

// TestARightIsThatOfTheSnapshot checks that a snapshot of a commit is not sent for a target to which a client had no
// right then, although the commit does not change the target, and the client has the right again at a later one, for
// which the target was authorized when other rules came into force.
func TestARightIsThatOfTheSnapshot(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	var replaced atomic.Bool
	gate := make(chan struct{})
	rule := member()
	changed := listen.Authorization{Key: "ann", Check: func(ctx context.Context, read listen.Read) ([]resource.Document, error) {
		if !replaced.Load() {
			return nil, nil
		}
		<-gate // until both commits are made
		return rule.Check(ctx, read)
	}}
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "d", nil)}})
	c.want("the other target", "ADD[1], CUR[1], B")
	c.stream.Add(listen.Target{Authorization: changed, Target: target.Target{ID: 2, Query: collection(t, "c", nil)}})
	c.want("open", "ADD[2], chg c/a>[2], CUR[2], B")
	replaced.Store(true)
	h.hub.Reauthorize(nil)
	h.commit(set("d/a", 1))
	h.commit(set("r/ann", 1))
	close(gate)
	c.want("no member at the first commit", "chg d/a>[1], REM[2]{7}, B")
}

// TestARightAfterLostCommits checks that the targets of a client whose queue was discarded are authorized again,
// because the commits that were in it may have revoked a right.
func TestARightAfterLostCommits(t *testing.T) {
	h := newFixture(t, listen.Options{MaxQueue: 1})
	h.commit(set("r/ann", 1), set("c/a", 1))
	other := h.open() // When it has a commit, the commit has been queued for the client too.
	other.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "d", nil)}})
	other.want("other", "ADD[1], CUR[1], B")
	stream := h.hub.Open(testDB)
	defer stream.Close()
	stream.Add(listen.Target{Authorization: member(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var got []string
	err := stream.Run(ctx, func(e *target.Event) error {
		got = append(got, text(e))
		switch e.Kind {
		case target.Snapshot: // These commits exceed the queue.
			h.commit(set("r/ann"), set("c/a", 2), set("d/a", 1))
			other.want("other", "chg d/a>[1], B")
		case target.Removed:
			return errEnough
		}
		return nil
	})
	if all, want := strings.Join(got, ", "), "ADD[1], chg c/a>[1], CUR[1], B, RESET[1], REM[1]{7}"; all != want {
		t.Errorf("the client received %s, want %s (%v)", all, want, err)
	}
}

// TestARightWhileATargetOpens revokes a right when the decision about a target has been made for its first snapshot,
// and before the feed reader has recorded what the decision depends on.
func TestARightWhileATargetOpens(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("r/ann", 1), set("c/a", 1))
	other := h.open() // When it has a commit, all that was committed before has been applied.
	other.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "d", nil)}})
	other.want("other", "ADD[1], CUR[1], B")
	slow, checks := member(), 0
	check := slow.Check
	slow.Check = func(ctx context.Context, read listen.Read) ([]resource.Document, error) {
		looked, err := check(ctx, read)
		if checks++; checks == 1 {
			h.commit(set("r/ann"), set("c/a", 2), set("d/a", 1))
			other.want("the commit is applied", "chg d/a>[1], B")
			h.commit(set("r/ann", 2), set("d/a", 2))
			other.want("the second commit is applied", "chg d/a>[1], B")
		}
		return looked, err
	}
	c := h.open()
	c.stream.Add(listen.Target{Authorization: slow, Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	c.want("open", "ADD[1], chg c/a>[1], CUR[1], B, REM[1]{7}")
}
