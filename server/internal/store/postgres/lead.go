package postgres

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres/readlease"
)

// How a node comes to lead, and stops.
//
// The lease is one row in PostgreSQL, with the leader's epoch and an end by PostgreSQL's clock. Nodes that do not lead
// follow the log and look at the row (Lead). When the lease has ended, one of them takes it with the next epoch (take),
// applies the rest of the log, to which no other node can add (append.go), and then writes (begin).
//
// The leader renews the lease in every third of its duration (renewing). It measures the end by its own monotonic clock
// from before the request, and stops before that end: when another node takes the lease, this one has stopped for
// certain, without a comparison of clocks. If the row has another epoch, another node leads, and this one stops for
// good (lose). A failed renewal is retried, because the fence in append.go and the end by its own clock (held) suffice
// until then.
//
// take and renew also reserve versions: times up to versions_until, after which the next leader begins. So versions
// increase across leaders whose clocks differ.

// followPause is the interval at which a waiting node reads the lease and the log.
const followPause = 200 * time.Millisecond

// The roles that nodes report. A node with a full disk is not a follower, because it can't apply the log. A node that
// does not report is absent.
const (
	roleLeader   = "leader"
	roleFollower = "follower"
	roleFull     = "disk full"
	roleAbsent   = "absent"
)

// leadership is the state of a node as the leader.
type leadership struct {
	origin time.Time // with the monotonic clock, by which until and began are measured
	epoch  int64
	// first is the first time that this leader may assign, as of began, and excess its difference to this node's time.
	first         time.Time
	began, excess time.Duration
	// until is the end of the lease unless it is renewed, in nanoseconds after origin. reserved is the last version that
	// may be assigned.
	until, reserved atomic.Int64
	// seq is the writer's position, for the background work, and behind the row up to which clave_state is complete.
	seq, behind atomic.Int64
	// relieved is set while another node with space on its disk could lead.
	relieved atomic.Bool
	// leases are those by which other nodes read.
	leases  *readlease.Grants
	cancel  context.CancelFunc
	working sync.WaitGroup
	lost    chan struct{} // closed with mu.cause set
	mu      struct {
		sync.Mutex
		leading bool
		cause   error
	}
}

// init initializes the fields that the zero value lacks.
func (l *leadership) init() (err error) {
	l.origin = clock.System().Now()
	l.lost = make(chan struct{})
	l.leases, err = readlease.New(readlease.Options{Leading: l.left})
	return err
}

// elapsed returns the monotonic time since origin.
func (l *leadership) elapsed() time.Duration { return clock.System().Now().Sub(l.origin) }

// ended returns the reason why this node does not lead, or nil while it does.
func (l *leadership) ended() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.mu.cause != nil:
		return l.mu.cause
	case !l.mu.leading:
		return moved("This node is a follower.")
	}
	return nil
}

// held returns nil if no other node can have led since this one took the lease.
func (l *leadership) held() error {
	if err := l.ended(); err != nil {
		return err
	}
	if l.elapsed() >= time.Duration(l.until.Load()) {
		return fault.E(fault.Unavailable, "The database can't be reached at the moment. Please try again.")
	}
	return nil
}

// left returns the time for which no other node can lead, and 0 if this node does not lead.
func (l *leadership) left() time.Duration {
	if l.ended() != nil {
		return 0
	}
	return time.Duration(l.until.Load()) - l.elapsed()
}

// moved returns the error of a node that does not lead, or no longer leads.
func moved(text string) error {
	return fault.Wrap(store.ErrMoved, fault.Unavailable, "%s Please try again.", text)
}

// lose ends the leadership permanently. The first cause is kept.
func (l *leadership) lose(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.cause == nil {
		l.mu.cause = cause
		close(l.lost)
	}
}

// stop ends the background work.
func (l *leadership) stop() {
	if l.cancel != nil {
		l.cancel()
	}
	l.working.Wait()
}

// Lead waits until this node leads, and follows the log meanwhile. When it returns nil the replica has all of the log,
// and the lease is renewed until Close.
func (s *Store) Lead(ctx context.Context) error {
	waiting := ""
	var down clock.Minutely
	for {
		// space is the reason why this node's disk takes no more data; nil if it does. Such a node leaves the lease to
		// others.
		space := s.local.Admit(&store.Batch{})
		leader, err := s.take(ctx, space)
		if err == nil && leader == "" {
			return s.begin(ctx)
		}
		if err == nil {
			role := roleFollower
			if space != nil {
				role = roleFull
			}
			err = errors.Join(s.follow(ctx), s.announce(ctx, role))
		}
		if err == nil && leader != waiting {
			s.o.Waiting(leader)
			waiting = leader
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			down.End()
		} else if down.Due(s.o.Clock.Now()) {
			s.o.Log.Warn("the log can't be followed; following is retried", "error", err)
		}
		// Other failures are those of PostgreSQL or the network and pass. After ErrMoved this replica can't be continued.
		if errors.Is(err, store.ErrMoved) {
			return err
		}
		if err := s.pause(ctx); err != nil && (ctx.Err() != nil || errors.Is(err, store.ErrMoved)) {
			return err
		}
	}
}

// TryLead is Lead without waiting for a running leader. It waits only for the end of a lease that is not renewed.
func (s *Store) TryLead(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Lease+time.Second)
	defer cancel()
	known := ""
	for {
		leader, err := s.take(ctx, nil)
		known = cmp.Or(leader, known)
		switch {
		case leader != "" && err == nil && clock.Sleep(ctx, clock.System(), followPause) == nil:
			continue
		case known != "" && ctx.Err() != nil && (leader != "" || err != nil):
			// The end of the time limit may interrupt a later read.
			return fault.E(fault.FailedPrecondition, "the node %s is serving this database. Stop it first.", known)
		case err != nil:
			return err
		}
		return s.begin(context.WithoutCancel(ctx))
	}
}

// take takes the lease if it has ended, or if it belongs to an earlier run of this node. Otherwise it returns the
// leader. For a node with a full disk space is the error; it waits a lease longer, so that others can take the lease
// first.
func (s *Store) take(ctx context.Context, space error) (leader string, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	var free, lasts bool
	var address string
	wait := time.Duration(0)
	if space != nil {
		wait = s.o.Lease
	}
	err = s.pool.QueryRow(ctx, `select node, address, until < clock_timestamp() - $2 * interval '1 millisecond' or node = $1 and $2 = 0, until >= clock_timestamp()
		from clave_lease where id = 1`, s.o.Node, wait.Milliseconds()).Scan(&leader, &address, &free, &lasts)
	if err != nil {
		return "", s.failed("read the lease", s.distrust(err))
	}
	if address != "" {
		leader += " (" + address + ")"
	}
	if !free {
		return leader, nil
	}
	// On this node's monotonic clock the lease begins before the request. PostgreSQL sets a later end, so this node stops
	// before another may lead. The statement repeats the condition, since another node may have taken the lease in
	// between.
	asked := s.lead.elapsed()
	now := s.o.Clock.Now()
	var reserved int64
	err = s.pool.QueryRow(ctx, `update clave_lease set epoch = epoch + 1, node = $1, address = $2, until = clock_timestamp() + $3 * interval '1 millisecond',
		versions_until = greatest(versions_until, $4) + $5
		where id = 1 and (until < clock_timestamp() or node = $1) returning epoch, versions_until`,
		s.o.Node, s.o.Address, s.o.Lease.Milliseconds(), int64(clock.VersionOf(now)), reserveAhead.Microseconds()).Scan(&s.lead.epoch, &reserved)
	if errors.Is(err, pgx.ErrNoRows) {
		return "another node", nil
	}
	if err != nil {
		return "", s.failed("take the lease", s.distrust(err))
	}
	// Versions begin at the end of the last leader's reservation, or at this node's time if that is later.
	s.lead.first = clock.Version(reserved - reserveAhead.Microseconds() + 2).Time()
	s.lead.began, s.lead.excess = asked, max(0, s.lead.first.Sub(now))
	s.lead.reserved.Store(reserved)
	s.lead.extend(asked, s.o.Lease)
	if lasts {
		// The earlier run of this node may have granted leases to other nodes, which end with its own at the latest.
		return "", clock.Sleep(ctx, clock.System(), readlease.Longest)
	}
	return "", nil
}

// leaseMargin is the part of a lease, as a divisor, that is reserved for responses in progress at its end.
const leaseMargin = 6

// extend records that the lease was renewed by a request at a time. A part of the lease is reserved for responses in
// progress at its end.
func (l *leadership) extend(asked, lease time.Duration) {
	l.until.Store(int64(asked + lease - lease/leaseMargin))
}

// begin starts the leader's work: from then on the lease is renewed. Once the replica has the whole log, this node
// writes.
func (s *Store) begin(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.lead.cancel = cancel
	s.lead.working.Go(func() { s.renewing(work) })
	if err := s.follow(ctx); err != nil {
		s.lead.lose(err)
		return err
	}
	s.advance(s.at.seq)
	if err := s.announce(ctx, roleLeader); err != nil {
		s.o.Log.Warn("the status of this node can't be stored", "error", err)
	}
	s.lead.working.Go(func() { s.writingBehind(work) })
	s.lead.mu.Lock()
	s.lead.mu.leading = true
	s.lead.mu.Unlock()
	s.o.Log.Info("this node leads", "node", s.o.Node, "epoch", s.lead.epoch, "seq", s.at.seq)
	return s.lead.ended()
}

// renewing renews the lease until ctx is done or the lease is lost.
func (s *Store) renewing(ctx context.Context) {
	failing := false
	for clock.Sleep(ctx, clock.System(), s.o.Lease/3) == nil {
		err := s.renew(ctx)
		switch {
		case errors.Is(err, store.ErrMoved):
			s.o.Log.Warn("another node leads now", "node", s.o.Node, "epoch", s.lead.epoch)
			s.lead.lose(err)
			return
		case err != nil && !failing && ctx.Err() == nil:
			s.o.Log.Warn("the lease can't be renewed; renewal is retried", "error", s.failed("renew the lease", err))
		case err == nil && failing:
			s.o.Log.Info("the lease is renewed again")
		}
		failing = err != nil
	}
}

// renew renews the lease and reserves versions once.
func (s *Store) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Lease)
	defer cancel()
	asked := s.lead.elapsed()
	reserve := int64(clock.VersionOf(s.moment().Add(reserveAhead)))
	var relieved bool
	err := s.pool.QueryRow(ctx, `update clave_lease set until = clock_timestamp() + $2 * interval '1 millisecond', versions_until = greatest(versions_until, $3)
		where id = 1 and epoch = $1 returning exists(select 1 from clave_node where role = $4 and seen > clock_timestamp() - interval '2 seconds')`,
		s.lead.epoch, s.o.Lease.Milliseconds(), reserve, roleFollower).Scan(&relieved)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return moved("Another node serves the database now.")
	case err != nil:
		return s.distrust(err)
	}
	s.lead.relieved.Store(relieved)
	s.lead.extend(asked, s.o.Lease)
	s.lead.reserved.Store(max(reserve, s.lead.reserved.Load()))
	return s.announce(ctx, roleLeader)
}

// announce stores that this node runs, for the status.
func (s *Store) announce(ctx context.Context, role string) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	seq := s.lead.seq.Load()
	_, err := s.pool.Exec(ctx, `insert into clave_node (node, address, role, seq, seen, inner_address) values ($1, $2, $3, $4, clock_timestamp(), $5)
		on conflict (node) do update set address = excluded.address, role = excluded.role, seq = excluded.seq, seen = excluded.seen,
		inner_address = excluded.inner_address`, s.o.Node, s.o.Address, role, seq, s.o.Inner)
	if err != nil {
		return s.failed("store the status", s.distrust(err))
	}
	return nil
}

// stopTimeout is the time that a node that stops waits for PostgreSQL to delete its row, and to end its lease after the
// lease has ended by itself.
const stopTimeout = time.Second

// release ends the lease and deletes the node's row, so that others need not wait. It also releases the unused part of
// the reservation: the next leader's versions begin where this one's have ended.
func (s *Store) release(ctx context.Context) {
	if s.cluster == "" {
		return
	}
	if s.lead.epoch > 0 { // If another node has taken the lease since, this epoch is not found.
		if err := s.endLease(ctx); err != nil {
			s.o.Log.Warn("the lease could not be released; it ends by itself", "error", s.failed("release the lease", err))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	_, _ = s.pool.Exec(ctx, "delete from clave_node where node = $1", s.o.Node) // A row that stays is shown with its age.
}

// endLease ends the lease and the reservation. It waits for PostgreSQL until the lease has ended by itself, so that in
// either case another node can lead when this one has stopped.
func (s *Store) endLease(ctx context.Context) error {
	left := time.Duration(s.lead.until.Load()) + s.o.Lease/leaseMargin - s.lead.elapsed()
	ctx, cancel := context.WithTimeout(ctx, max(0, left)+stopTimeout)
	defer cancel()
	end := int64(clock.VersionOf(s.Clock().Now().Add(releaseRest)))
	_, err := s.pool.Exec(ctx, `update clave_lease set until = clock_timestamp() - interval '1 second', versions_until = least(versions_until, $2)
		where id = 1 and epoch = $1`, s.lead.epoch, end)
	return err
}

// Run returns an ErrMoved when this node no longer leads, or nil when ctx is done.
func (s *Store) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-s.lead.lost:
		return s.lead.ended()
	}
}
