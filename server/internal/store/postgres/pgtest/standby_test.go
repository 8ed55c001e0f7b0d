package pgtest_test

import (
	"syscall"
	"testing"

	"clave/server/internal/store/postgres/pgtest"
)

// TestStandby kills a server and promotes its standby, which must have all written data.
func TestStandby(t *testing.T) {
	primary := pgtest.New(t)
	url := primary.URL("postgres")
	standby := primary.Standby()
	primary.Exec(url, "create table t (n int)")
	primary.Exec(url, "insert into t values (7)")
	primary.Stop(syscall.SIGKILL)
	standby.Promote()
	standby.Exec(standby.URL("postgres"), "insert into t values (1)")
	if sum := standby.Number(standby.URL("postgres"), "select sum(n) from t"); sum != 8 {
		t.Errorf("the sum at the promoted standby is %d, want 8", sum)
	}
}
