package postgres_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"
)

// untilCommitsWait waits until commits wait for a standby that does not exist. PostgreSQL's checkpointer lets all
// sessions wait, at some time after the session that reads the setting has it.
func untilCommitsWait(t *testing.T, pg *pgtest.Server, url string) {
	t.Helper()
	const waiting = "from pg_stat_activity where wait_event = 'SyncRep' and query like 'insert into probe%'"
	committed := make(chan struct{}, 1)
	committed <- struct{}{}
	wait.Until(t, "commits wait for a standby", func() bool {
		select {
		case <-committed:
			go func() {
				pg.Exec(url, "insert into probe default values")
				committed <- struct{}{}
			}()
		default:
		}
		return pg.Number(url, "select count(*) "+waiting) == 1
	})
	pg.Number(url, "select pg_cancel_backend(pid)::int "+waiting)
	<-committed
}

// TestAWriteThatIsNotReplicatedIsNotAcknowledged writes while no synchronous standby confirms commits, as at a primary
// that is cut off from its standby and will lose them. Neither the end of the statement's time limit nor a cancelled
// wait may make a write look acknowledged, and with the former no other node may see the row.
func TestAWriteThatIsNotReplicatedIsNotAcknowledged(t *testing.T) {
	pg := pgtest.New(t)
	silent, cancelled := pg.Database(), pg.Database()
	stores := make(map[string]*postgres.Store)
	rows := make(map[string]int64)
	for _, url := range []string{silent, cancelled} {
		stores[url] = lead(t, postgres.Options{URL: url, Node: "first", Timeout: 7 * time.Second})
		set(t, stores[url], "a", "1")
		rows[url] = pg.Number(url, "select count(*) from clave_log")
	}
	pg.Exec(silent, "create table probe ()")
	pg.Exec(silent, "alter system set synchronous_standby_names = 'nobody'")
	pg.Exec(silent, "select pg_reload_conf()")
	untilCommitsWait(t, pg, silent)
	var writing sync.WaitGroup
	for _, s := range stores {
		writing.Go(func() {
			var b store.Batch
			b.Set([]byte("b"), []byte("2"))
			if err := s.Apply(t.Context(), &b); !errors.Is(err, store.ErrMoved) {
				t.Errorf("a write that no standby has confirmed returned %v", err)
			}
		})
	}
	const waiting = "from pg_stat_activity where wait_event = 'SyncRep' and query like 'insert into clave_log%' and datname = current_database()"
	wait.Until(t, "the insert waits for a standby", func() bool { return pg.Number(cancelled, "select count(*) "+waiting) == 1 })
	if pg.Number(cancelled, "select pg_cancel_backend(pid)::int "+waiting) != 1 {
		t.Error("the wait is not cancelled")
	}
	writing.Wait()
	if n := pg.Number(silent, "select count(*) from clave_log"); n != rows[silent] {
		t.Errorf("the log shows %d rows, want %d: one that a failover would lose is visible", n, rows[silent])
	}
	if n := pg.Number(cancelled, "select count(*) from clave_log"); n != rows[cancelled]+1 {
		t.Errorf("after the cancelled wait the log shows %d rows, want %d", n, rows[cancelled]+1)
	}
	pg.Exec(silent, "alter system reset synchronous_standby_names")
	pg.Exec(silent, "select pg_reload_conf()")
}
