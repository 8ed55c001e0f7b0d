package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"
)

// nameOf returns the database's name in a URL of pgtest.
func nameOf(url string) string { return url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")] }

// TestRefusals opens stores on servers that refuse a part of the work: the error must be one line that names what an
// operator can change, without secrets.
func TestRefusals(t *testing.T) {
	pg := pgtest.New(t, "max_connections = 20")
	url := pg.Database()
	user := func(name, database string) string {
		return strings.Replace(strings.Replace(database, "clave:"+pg.Password(), name+":hunter2", 1), "postgres://clave:", "postgres://"+name+":", 1)
	}
	for _, name := range []string{"stranger", "reader", "crowded", "fewer"} {
		pg.Exec(url, "create role "+name+" login password 'hunter2'")
	}
	pg.Exec(url, "alter role crowded connection limit 0")
	pg.Exec(url, "alter role reader set default_transaction_read_only = on")
	used, own := pg.Database(), pg.Database()
	pg.Exec(own, "grant all on schema public to reader, fewer")
	s, err := postgres.Open(t.Context(), postgres.Options{URL: used, Node: "first", Local: small})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	pg.Exec(used, "grant select on all tables in schema public to fewer")
	for _, tt := range []struct{ name, url, want string }{
		{"TLS is required by the URL", strings.Replace(url, "sslmode=disable", "sslmode=require", 1), "TLS"},
		{"no right to create tables", user("stranger", url), "the rights to create"},
		{"no right to read the tables", user("stranger", used), "permission denied for table clave_schema (SQLSTATE 42501). Grant"},
		{"no right to write the tables", user("fewer", used), "permission denied for clave_applied, clave_lease"},
		{"read-only", user("reader", own), "accepts writes"},
		{"no connections", user("crowded", url), "connection"},
		{"statement timeout", url + "&statement_timeout=1", "57014"},
	} {
		var log bytes.Buffer
		s, err := postgres.Open(t.Context(), postgres.Options{URL: tt.url, Node: "n", Local: small, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err == nil {
			ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
			err = s.Lead(ctx)
			cancel()
			_ = s.Close()
		}
		said := fmt.Sprintf("%v %+v %s", err, err, log.String())
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || strings.Contains(said, "hunter2") || strings.Contains(said, pg.Password()) {
			t.Errorf("%s: Open = %q, want one line with %q and without the password", tt.name, said, tt.want)
		}
	}
}

// TestLongStatements builds a replica and reads the state in a database whose statements are limited to less time than
// that takes.
func TestLongStatements(t *testing.T) {
	pg := pgtest.New(t)
	url := pg.Database()
	first := lead(t, postgres.Options{URL: url, Node: "first"})
	set(t, first, "a", "1")
	wait.Until(t, "the state has the key", func() bool { return pg.Number(url, "select count(*) from clave_state") == 1 })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	pg.Exec(url, "alter table clave_state rename to kept")
	pg.Exec(url, "create view clave_state as select key, value from kept, pg_sleep(3)")
	pg.Exec(url, "alter database "+nameOf(url)+" set statement_timeout = '2s'")
	second := lead(t, postgres.Options{URL: url, Node: "second"})
	wantAll(t, second, "a=1")
	n := 0
	if err := second.ReadState(t.Context(), func(_, _ []byte) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("ReadState = %v with %d keys, want one", err, n)
	}
}

// TestConnectionsAreRefused connects to servers that refuse connections: as PgBouncer does without
// ignore_startup_parameters, and as PostgreSQL does where pg_hba.conf has only hostssl.
func TestConnectionsAreRefused(t *testing.T) {
	for _, tt := range []struct{ code, message, want string }{
		{"08P01", "unsupported startup parameter: default_transaction_isolation", "set ignore_startup_parameters"},
		{"28000", `no pg_hba.conf entry for host "10.0.0.7", user "clave", database "d", no encryption`, `no encryption (28000). If it accepts only TLS, set sslmode=verify-full`},
		{"28P01", `password authentication failed for user "clave"`, "refuses the user or the password (28P01)"},
	} {
		if err := openRefused(t, tt.code, tt.message); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Open = %v, want %q", err, tt.want)
		}
	}
}

// openRefused opens a store on a server that refuses the connection with an error.
func openRefused(t *testing.T, code, message string) error {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			served <- err
			return
		}
		b := pgproto3.NewBackend(conn, conn)
		_, received := b.ReceiveStartupMessage()
		b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: code, Message: message})
		served <- errors.Join(received, b.Flush(), conn.Close())
	}()
	_, err = postgres.Open(t.Context(), postgres.Options{URL: "postgres://clave:hunter2@" + ln.Addr().String() + "/d?sslmode=disable", Node: "n"})
	if err := errors.Join(ln.Close(), <-served); err != nil {
		t.Error(err)
	}
	return err
}
