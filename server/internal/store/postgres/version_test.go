package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
)

// testServersOfOtherVersions opens a store on a server that reports version 10, and on tables of a newer program. Both
// are refused in one line.
func testServersOfOtherVersions(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	number := pg.Number(url, "select current_setting('server_version_num')::bigint")
	link := link.New(t, pg.Addr())
	link.Replace(fmt.Sprint(number), fmt.Sprintf("10%04d", number%10_000))
	old := strings.Replace(url, pg.Addr(), link.Addr(), 1)
	refused := func(url, want string) {
		t.Helper()
		s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Node: "node", Local: small})
		if err == nil {
			_ = s.Close()
		}
		if text := fmt.Sprint(err); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(text, want) || strings.Contains(text, "\n") {
			t.Errorf("Open = %v, want one line with %q", err, want)
		}
	}
	refused(old, "Clave needs 11 or later")
	if s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Node: "node", Local: small}); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	pg.Exec(url, "insert into clave_schema select max(version) + 1 from clave_schema")
	refused(url, "the tables are of a newer clave")
}
