package readindex

import (
	"context"
	"errors"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Run serves reads while this node is in contact with the leader, until ctx is done. The log is followed meanwhile.
func (r *Reader[S]) Run(ctx context.Context) error {
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(ctx) })
	defer watching.Wait()
	for ctx.Err() == nil {
		if _, err := r.indexes.Do(ctx); err != nil { // no node leads, or this node is about to lead
			pause(ctx)
			continue
		}
		s, err := r.o.Open(ctx)
		if err != nil {
			if !fault.Is(err, fault.Unavailable) && ctx.Err() == nil {
				r.o.Logger.Warn("reads are forwarded; serving them here is retried", "error", err)
			}
			pause(ctx)
			continue
		}
		r.serve(ctx, s)
	}
	return nil
}

// pause waits for contactPause or until ctx is done.
func pause(ctx context.Context) { _ = clock.Sleep(ctx, clock.System(), contactPause) }

// serve serves reads until a stack no longer can.
func (r *Reader[S]) serve(ctx context.Context, s S) {
	defer s.Close()
	defer r.opened.Store(nil)
	r.opened.Store(&s)
	if err := r.index(ctx, s); err != nil { // there is no leader, or it has other rules
		pause(ctx)
		return
	}
	r.current.Store(&s)
	defer r.current.Store(nil)
	for s.Held() == nil {
		look, stop := clock.System().After(contactPause)
		select {
		case <-ctx.Done():
			stop()
			return
		case <-s.Ending():
			stop()
			return
		case <-look:
		}
		stop()
	}
}

// watch waits at the leader for each new row of the log, so that the replica follows at once, and for a lease if there
// are reads. Each request confirms that the lease of the response before the last one is not used any more.
func (r *Reader[S]) watch(ctx context.Context) {
	var rules difference[S]
	var reads demand
	for ctx.Err() == nil {
		seq, _ := r.o.Log.Progress()
		i, err := r.request(ctx, Request{Wait: true, After: seq, Lease: reads.look(r.reads.Load(), r.o.Log.Elapsed())})
		if err != nil || i.Lease == 0 {
			r.lease.Drop()
		}
		if s := r.opened.Load(); err == nil && s != nil {
			err = r.reach(ctx, *s, i)
			switch {
			case rules.lasts(*s, errors.Is(err, errRules), r.o.Log.Elapsed()):
				(*s).End()
			case err == nil && i.Lease > 0:
				r.lease.Put(*s, i.began, i.Lease)
			}
		} else if err == nil {
			err = r.o.Log.Reach(ctx, i.Seq, i.began)
		}
		if err != nil {
			pause(ctx)
		}
	}
}

// leaseDemand is the number of reads within indexWait from which on a node requests leases.
const leaseDemand = 4

// demand decides whether a node requests leases.
type demand struct {
	// since is the beginning of the present period, and before the number of reads until then. high is the latest
	// result of look.
	since  time.Duration
	before int64
	high   bool
}

// look reports whether there have been enough reads lately for leases. reads is the number of all reads until now.
func (d *demand) look(reads int64, now time.Duration) bool {
	enough := reads-d.before >= leaseDemand
	over := now-d.since >= indexWait
	if over {
		d.since, d.before = now, reads
	}
	if enough || over {
		d.high = enough
	}
	return d.high
}

// difference is a difference between the rules of the leader and those of a node. A release is in the log, and so in
// force at other nodes, a moment before the leader puts it in force, which waits for leases.
type difference[S comparable] struct {
	// by has had other rules since a time, if differ is set.
	by     S
	differ bool
	since  time.Duration
}

// lasts records whether the rules differ, and reports whether they have differed for rulesWait.
func (d *difference[S]) lasts(s S, differ bool, now time.Duration) bool {
	switch {
	case !differ:
		*d = difference[S]{}
		return false
	case !d.differ || d.by != s:
		*d = difference[S]{by: s, differ: true, since: now}
	}
	return now-d.since >= rulesWait
}
