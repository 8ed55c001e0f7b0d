package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
)

// The sizes of the workload.
const (
	clients       = 8
	accounts      = 5
	balance       = 100
	seats         = 3
	groups        = 1000
	names         = 10_000
	live          = 20
	callTime      = 10 * time.Second
	mostInHistory = 250
)

// work is the workload of concurrent clients and their shared ledger.
type work struct {
	client
	*ledger
	one, four *history
	done      atomic.Int64 // acknowledged commits
	mu        struct {
		sync.Mutex
		wrong []string
	}
}

// newWork returns the workload for a program and a ledger.
func newWork(c client, l *ledger) *work {
	return &work{client: c, ledger: l, one: newHistory(), four: newHistory()}
}

// fail records an error.
func (w *work) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.wrong = append(w.mu.wrong, fmt.Sprintf(format, args...))
}

// failures returns the recorded errors.
func (w *work) failures() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mu.wrong
}

// prepare resets the documents of the histories and creates the accounts for a round.
func (w *work) prepare(ctx context.Context) error {
	var writes []*firestorepb.Write
	for i := range documents {
		writes = append(writes, set(fmt.Sprintf("four/%d", i), fields{"v": 0}))
	}
	writes = append(writes, set("one/0", fields{"v": 0}))
	if _, err := w.commit(ctx, nil, writes...); err != nil {
		return err
	}
	found, err := w.query(ctx, nil, "bank", "", "", 0)
	if err != nil || len(found) > 0 {
		return err
	}
	writes = nil
	for i := range accounts {
		writes = append(writes, set(fmt.Sprintf("bank/%d", i), fields{"v": balance}))
	}
	_, err = w.commit(ctx, nil, writes...)
	return err
}

// run has clients work until ctx ends.
func (w *work) run(ctx context.Context) {
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(rand.Uint64(), 0))
			steps := w.steps()
			for ctx.Err() == nil {
				// The call outlives ctx, because its outcome is recorded.
				call, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
				o := steps[rnd.IntN(len(steps))](call, rnd)
				cancel()
				switch o {
				case acknowledged:
					w.done.Add(1)
				case unknown:
					return // The program has ended. More unknown outcomes would make the histories slow to check.
				}
			}
		})
	}
	wg.Wait()
}

// step is an action of a client.
type step func(context.Context, *rand.Rand) outcome

// steps lists the actions of clients. Those of the histories come first.
func (w *work) steps() []step {
	return []step{w.register, w.registers, w.transfer, w.total, w.pair, w.pairs, w.name, w.seat, w.past, w.entry, w.entry, w.update, w.rise, w.risen}
}

// reads lists the actions that only read.
func (w *work) reads() []step { return []step{w.total, w.pairs, w.risen, w.risen} }

// register reads or writes one document.
func (w *work) register(ctx context.Context, rnd *rand.Rand) outcome {
	return w.operate(ctx, w.one, "one", 1, rnd)
}

// registers reads or writes several of four documents, or both in a transaction.
func (w *work) registers(ctx context.Context, rnd *rand.Rand) outcome {
	return w.operate(ctx, w.four, "four", documents, rnd)
}

// operate executes an operation of a history and records it.
func (w *work) operate(ctx context.Context, h *history, collection string, n int, rnd *rand.Rand) outcome {
	if h.full() {
		return refused
	}
	op := operation{value: w.number(), swaps: rnd.IntN(3) == 0}
	reads := rnd.IntN(2) == 0
	for i := range n {
		op.writes[i] = !reads && (n == 1 || rnd.IntN(2) == 0)
	}
	called := h.now()
	o, read := w.attempt(ctx, op, collection, n)
	h.add(op, called, o, read)
	return o
}

// attempt executes an operation and returns its outcome and the numbers that it has read.
func (w *work) attempt(ctx context.Context, op operation, collection string, n int) (outcome, *state) {
	var paths []string
	var writes []*firestorepb.Write
	for i := range n {
		path := fmt.Sprintf("%s/%d", collection, i)
		paths = append(paths, path)
		if op.writes[i] {
			writes = append(writes, set(path, fields{"v": op.value}))
		}
	}
	var tx []byte
	var read *state
	if op.swaps || len(writes) == 0 {
		var err error
		if op.swaps {
			if tx, err = w.begin(ctx); err != nil {
				return refused, nil
			}
		}
		found, err := w.get(ctx, tx, nil, paths...)
		if err != nil {
			w.abandon(ctx, tx)
			return refused, nil
		}
		read = &state{}
		for i, path := range paths {
			read[i] = found[path]["v"]
		}
	}
	if len(writes) == 0 && tx == nil {
		return acknowledged, read
	}
	_, err := w.commit(ctx, tx, writes...)
	return outcomeOf(err), read
}

// transfer transfers an amount between two accounts in a transaction.
func (w *work) transfer(ctx context.Context, rnd *rand.Rand) outcome {
	tx, err := w.begin(ctx)
	if err != nil {
		return refused
	}
	from, to := fmt.Sprintf("bank/%d", rnd.IntN(accounts)), fmt.Sprintf("bank/%d", rnd.IntN(accounts))
	found, err := w.get(ctx, tx, nil, from, to)
	if err != nil || from == to {
		w.abandon(ctx, tx)
		return refused
	}
	amount := rnd.Int64N(10)
	_, err = w.commit(ctx, tx, set(from, fields{"v": found[from]["v"] - amount}), set(to, fields{"v": found[to]["v"] + amount}))
	return outcomeOf(err)
}

// total sums all accounts, which it finds by an index.
func (w *work) total(ctx context.Context, _ *rand.Rand) outcome {
	found, err := w.query(ctx, nil, "bank", "v", "", 0)
	if err != nil {
		return refused
	}
	sum := int64(0)
	for _, f := range found {
		sum += f["v"]
	}
	if len(found) != accounts || sum != accounts*balance {
		w.fail("%d accounts have %d in all, want %d with %d", len(found), sum, accounts, accounts*balance)
	}
	return refused
}

// pair writes the same number to two documents in one commit.
func (w *work) pair(ctx context.Context, rnd *rand.Rand) outcome {
	k, n := rnd.IntN(50), w.number()
	_, err := w.commit(ctx, nil, set(fmt.Sprintf("pairs/%d-a", k), fields{"v": n, "k": int64(k)}), set(fmt.Sprintf("pairs/%d-b", k), fields{"v": n, "k": int64(k)}))
	return outcomeOf(err)
}

// pairs reads all pairs.
func (w *work) pairs(ctx context.Context, _ *rand.Rand) outcome {
	found, err := w.query(ctx, nil, "pairs", "v", "", 0)
	if err != nil {
		return refused
	}
	for path, f := range found {
		other := fmt.Sprintf("pairs/%d-a", f["k"])
		if found[other]["v"] != f["v"] {
			w.fail("%s is %d and %s is %d", path, f["v"], other, found[other]["v"])
		}
	}
	return refused
}

// name claims a unique name.
func (w *work) name(ctx context.Context, rnd *rand.Rand) outcome {
	path, by := fmt.Sprintf("names/%d", rnd.IntN(names)), w.number()
	_, err := w.commit(ctx, nil, create(path, fields{"by": by}))
	o := outcomeOf(err)
	if o == acknowledged {
		w.won(path, by)
	}
	return o
}

// seat claims a seat of a group if one is free.
func (w *work) seat(ctx context.Context, rnd *rand.Rand) outcome {
	tx, err := w.begin(ctx)
	if err != nil {
		return refused
	}
	group := rnd.Int64N(groups)
	taken, err := w.query(ctx, tx, "seats", "", "group", group)
	if err != nil || len(taken) >= seats {
		w.abandon(ctx, tx)
		return refused
	}
	_, err = w.commit(ctx, tx, create(fmt.Sprintf("seats/%d", w.number()), fields{"group": group}))
	return outcomeOf(err)
}

// past writes a document that no other client writes, or reads a past version of such a document.
func (w *work) past(ctx context.Context, rnd *rand.Rand) outcome {
	m, ok := w.moment(rnd.Int())
	if !ok || rnd.IntN(2) == 0 {
		n := w.number()
		m = moment{path: fmt.Sprintf("past/%d", n), n: n}
		at, err := w.commit(ctx, nil, set(m.path, fields{"v": n}))
		if err == nil {
			m.at = at
			w.had(m)
			_, err = w.commit(ctx, nil, set(m.path, fields{"v": -n}))
		}
		return outcomeOf(err)
	}
	found, err := w.get(ctx, nil, m.at, m.path)
	if err == nil && found[m.path]["v"] != m.n {
		w.fail("%s was %d at %v and is read as %d", m.path, m.n, m.at.AsTime(), found[m.path]["v"])
	}
	return refused
}

// entry creates a document that is never deleted.
func (w *work) entry(ctx context.Context, _ *rand.Rand) outcome {
	n := w.number()
	path := fmt.Sprintf("entries/%d", n)
	at, err := w.commit(ctx, nil, create(path, fields{"v": n}))
	o := outcomeOf(err)
	w.made(path, o, at.AsTime())
	return o
}

// update changes a document in the listener's query.
func (w *work) update(ctx context.Context, rnd *rand.Rand) outcome {
	path := fmt.Sprintf("live/%d", rnd.IntN(live))
	if rnd.IntN(4) == 0 {
		_, err := w.commit(ctx, nil, &firestorepb.Write{Operation: &firestorepb.Write_Delete{Delete: root + "/" + path}})
		return outcomeOf(err)
	}
	_, err := w.commit(ctx, nil, set(path, fields{"v": w.number()}))
	return outcomeOf(err)
}
