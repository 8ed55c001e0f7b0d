package bucket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/store/backup/target"
)

// A bucket has no locks. Its lock is an object that the process that has the lock writes again every third of the
// lease. Another process takes it if it does not change for a whole lease, by a write on condition that it has not
// changed, which S3 and most servers of its protocol support; at one that ignores conditions, two processes that take
// the lock in the same moment notice it when they write it again. A process of the same owner takes it at once.

// leaseName returns the object that is a lock.
func leaseName(of target.LockName) string { return string(of) + ".json" }

// errChanged is the error of a write whose condition does not hold: the object has changed.
var errChanged = errors.New("the object has changed")

// errHeld is the error while another process has the lock.
func (b *Bucket) errHeld(by lease) error {
	return fault.E(fault.FailedPrecondition, "cannot write to %s: another server or command is writing backups there (on %s)", b, by.Host)
}

// lease is the content of the lock.
type lease struct {
	// Holder is the id of the process that has the lock, Owner its owner, Turn counts its writes, and Host is its machine.
	Holder string `json:"holder"`
	Owner  string `json:"owner,omitempty"`
	Turn   int    `json:"turn"`
	Host   string `json:"host"`
}

// readLease reads the lock; a nil lease means that there is none.
func (b *Bucket) readLease(ctx context.Context, of target.LockName) (*lease, string, error) {
	r := &reader{b: b, ctx: ctx, name: leaseName(of)}
	if err := r.open(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, "", err
	}
	defer func() { _ = r.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(r, 4096))
	if err != nil {
		return nil, "", err
	}
	is := &lease{}
	if json.Unmarshal(text, is) != nil {
		is = &lease{Host: "an unknown machine"}
	}
	return is, r.tag, nil
}

// writeLease writes the lock if it is as it was, and returns its new tag.
func (b *Bucket) writeLease(ctx context.Context, of target.LockName, l lease, was string) (string, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	o := minio.PutObjectOptions{}
	if was == "" {
		o.SetMatchETagExcept("*")
	} else {
		o.SetMatchETag(was)
	}
	return b.put(ctx, leaseName(of), bytes.NewReader(text), int64(len(text)), o)
}

// lock is a lock that this process has.
type lock struct {
	b      *Bucket
	of     target.LockName
	holder string
	end    context.CancelFunc
	// done receives the error of giving the lock back.
	done chan error
	mu   struct {
		sync.Mutex
		is  lease
		tag string
		// since is the time of the last write, and lost the reason why the lock was lost.
		since time.Time
		lost  error
	}
}

// Lock implements target.Target. If a process was killed that had the lock, it waits until the lease has ended.
func (b *Bucket) Lock(ctx context.Context, of target.LockName, owner string) (target.Lock, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	mine := lease{Holder: randid.New(20), Owner: owner, Host: host}
	began := b.o.Clock.Now()
	first := ""
	for {
		is, tag, err := b.readLease(ctx, of)
		if err != nil {
			return nil, err
		}
		free := is == nil || owner != "" && is.Owner == owner
		switch {
		case free:
		case first == "":
			first = tag
		case tag != first:
			return nil, b.errHeld(*is)
		}
		if !free && b.o.Clock.Now().Sub(began) < b.o.Lease {
			if err := clock.Sleep(ctx, b.o.Clock, b.o.Lease/10); err != nil {
				return nil, err
			}
			continue
		}
		at := b.o.Clock.Now()
		if tag, err = b.writeLease(ctx, of, mine, tag); errors.Is(err, errChanged) {
			return nil, b.errHeld(lease{Host: "a machine that began in the same moment"})
		}
		if err != nil {
			return nil, err
		}
		l := &lock{b: b, of: of, holder: mine.Holder, done: make(chan error, 1)}
		l.mu.is, l.mu.tag, l.mu.since = mine, tag, at
		if err := l.confirm(ctx); err != nil {
			return nil, err
		}
		held, end := context.WithCancel(context.WithoutCancel(ctx))
		l.end = end
		go l.keep(held)
		return l, nil
	}
}

// keep writes the lock again until ctx ends, and then gives it back, or until the lock is lost.
func (l *lock) keep(ctx context.Context) {
	uncancelled := context.WithoutCancel(ctx) // A write that is given up may be carried out later.
	for clock.Sleep(ctx, l.b.o.Clock, l.b.o.Lease/3) == nil {
		if err := l.renew(uncancelled); err != nil && errors.Is(l.Held(), errLost) {
			l.done <- nil
			return
		}
	}
	ctx, cancel := context.WithTimeout(uncancelled, closeLimit)
	defer cancel()
	err := l.confirm(ctx)
	if err == nil {
		err = l.b.Remove(ctx, leaseName(l.of))
	}
	if errors.Is(err, errLost) {
		err = nil // It is another process's by now.
	}
	l.done <- err
}

// errLost is in the chain of the error once another process has taken the lock.
var errLost = errors.New("the lock was lost")

// confirm returns an error if the lock is that of another process.
func (l *lock) confirm(ctx context.Context) error {
	is, _, err := l.b.readLease(ctx, l.of)
	if err != nil {
		return err
	}
	if is == nil || is.Holder != l.holder {
		err := fault.Wrap(errLost, fault.FailedPrecondition, "another server or command has begun to write backups to %s", l.b)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.mu.lost = err
		return err
	}
	return nil
}

// renew writes the lock again.
func (l *lock) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(l.b.o.Lease, closeLimit))
	defer cancel()
	if err := l.confirm(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.mu.is
	next.Turn++
	at := l.b.o.Clock.Now()
	tag, err := l.b.writeLease(ctx, l.of, next, l.mu.tag)
	if err != nil {
		return err // The next turn confirms it, or finds that it is lost.
	}
	l.mu.is, l.mu.tag, l.mu.since = next, tag, at
	return nil
}

// Held implements target.Lock.
func (l *lock) Held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.lost == nil && l.b.o.Clock.Now().Sub(l.mu.since) >= l.b.o.Lease {
		return fault.E(fault.Unavailable, "the lock of %s could not be kept, so another server may write there; the server was not reached for %s", l.b, l.b.o.Lease)
	}
	return l.mu.lost
}

// closeLimit is the maximum time in which a lock is given back, and written again if the lease is shorter.
const closeLimit = 10 * time.Second

// Close implements target.Lock.
func (l *lock) Close() error {
	l.end()
	return <-l.done
}
