package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/store"
)

// Peek reads the latest value of a key from PostgreSQL, without a replica, whichever node leads. found is false if the
// key has none.
func Peek(ctx context.Context, url string, key []byte) (value []byte, found bool, err error) {
	pool, err := connect(ctx, url)
	if err != nil {
		return nil, false, err
	}
	defer pool.Close()
	s := &Store{pool: pool}
	if s.codec, err = newCodec(); err != nil {
		return nil, false, err
	}
	defer s.codec.close()
	value, found, err = s.peek(ctx, key)
	if err != nil {
		return nil, false, s.failed("read the state", err)
	}
	return value, found, nil
}

// peek reads a key from the state and from later rows of the log, in one snapshot.
func (s *Store) peek(ctx context.Context, key []byte) (value []byte, found bool, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, "select value from clave_state where key = $1", key).Scan(&value)
		if found = err == nil; err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		rows, err := tx.Query(ctx, "select body from clave_log where seq > (select seq from clave_applied where id = 1) order by seq")
		if err != nil {
			return err
		}
		var body []byte
		_, err = pgx.ForEachRow(rows, []any{&body}, func() error {
			ops, err := s.codec.decode(body)
			for _, op := range ops {
				if !covers(op, string(key)) {
					continue
				}
				if found = op.Kind == store.Set; found {
					value = append([]byte(nil), op.Value...)
				}
			}
			body = nil // operations may share its memory
			return err
		})
		return err
	})
	if !found {
		value = nil
	}
	return value, found, err
}

// covers reports whether an operation changes a key.
func covers(op store.Op, key string) bool {
	if op.Kind == store.DeleteRange {
		return string(op.Key) <= key && key < string(op.Value)
	}
	return string(op.Key) == key
}

// ChangeAlone changes the value of one key while no node leads, without a replica. change receives the value, or nil if
// there is none, and returns the new one, or nil to leave it. An ErrMoved means that a node leads or has begun to lead.
// Nothing was written then, except that it is unknown if PostgreSQL did not respond.
func ChangeAlone(ctx context.Context, o Options, key []byte, change func(value []byte) ([]byte, error)) (err error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return err
	}
	s, err := connected(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.openAlone(ctx); err != nil {
		return err
	}
	// The lease is not renewed. After its end, an insert is refused if another node has taken it.
	leader, err := s.take(ctx, nil)
	if err != nil {
		return err
	}
	if leader != "" {
		return moved(fmt.Sprintf("The node %s serves the database.", leader))
	}
	s.lead.mu.Lock()
	s.lead.mu.leading = true // Close releases the lease.
	s.lead.mu.Unlock()
	value, _, err := s.peek(ctx, key)
	if err != nil {
		return s.failed("read the state", err)
	}
	value, err = change(value)
	if err != nil || value == nil {
		return err
	}
	return s.appendAlone(ctx, key, value)
}

// openAlone migrates the tables and reads the data that a writer of the log needs.
func (s *Store) openAlone(ctx context.Context) (err error) {
	if err = migrate(ctx, s.pool); err != nil {
		return s.failed("make the tables", err)
	}
	if s.codec, err = newCodec(); err != nil {
		return err
	}
	if err = s.pool.QueryRow(ctx, "select cluster from clave_lease where id = 1").Scan(&s.cluster); err != nil {
		return s.failed("read the lease", err)
	}
	return nil
}

// appendAlone appends a row that sets one key to the log.
func (s *Store) appendAlone(ctx context.Context, key, value []byte) error {
	var last position
	if err := s.pool.QueryRow(ctx, "select seq, id from clave_log order by seq desc limit 1").Scan(&last.seq, &last.id); err != nil {
		return s.failed("read the log", err)
	}
	body := s.codec.encode([]store.Op{{Kind: store.Set, Key: key, Value: value}})
	err := s.insert(ctx, entry{position: position{last.seq + 1, newID()}, before: last.id, body: body, at: s.Clock().Now()})
	if errors.Is(err, store.ErrMoved) {
		s.lead.lose(err)
	}
	return err
}
