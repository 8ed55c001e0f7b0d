package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
)

// keysOf returns a function that yields keys with values of one text, and then an error if it is not nil.
func keysOf(text string, end error) func() (key, value []byte, err error) {
	words := strings.Fields(text)
	return func() ([]byte, []byte, error) {
		if len(words) == 0 {
			return nil, nil, end
		}
		key, value, _ := strings.Cut(words[0], "=")
		words = words[1:]
		return []byte(key), []byte(value), nil
	}
}

// readBack compares the stored data with the expected ones and returns an error.
func readBack(t *testing.T, want string, err error) func(postgres.Read) error {
	return func(read postgres.Read) error {
		var got []string
		if err := read(func(key, value []byte) error {
			got = append(got, string(key)+"="+string(value))
			return nil
		}); err != nil {
			t.Errorf("read back: %v", err)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("read back %q, want %q", got, want)
		}
		return err
	}
}

// testFill fills a database after failed attempts. These leave no data, and nodes refuse to start after them.
func testFill(t *testing.T, pg *pgtest.Server) {
	url, dir := pg.Database(), t.TempDir()
	o := postgres.Options{URL: url}
	// A replica of the empty database must not accept the filled one as its own.
	empty := lead(t, postgres.Options{URL: url, Dir: dir})
	err := postgres.Fill(t.Context(), o, "data", keysOf("a=1", nil), readBack(t, "a=1", nil))
	if !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "node") {
		t.Errorf("Fill beside a leader = %v, want FailedPrecondition that names it", err)
	}
	if err := empty.Close(); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken disk")
	for name, attempt := range map[string]func() error{
		"a source that breaks": func() error { return postgres.Fill(t.Context(), o, "data", keysOf("a=1", broken), nil) },
		"a target that differs": func() error {
			return postgres.Fill(t.Context(), o, "data", keysOf("b=2 a=1", nil), readBack(t, "a=1 b=2", broken))
		},
	} {
		if err := attempt(); !errors.Is(err, broken) {
			t.Errorf("Fill of %s = %v, want its error", name, err)
		}
		wantPeek(t, url, "a", "")
		if _, err := postgres.Open(t.Context(), postgres.Options{URL: url, Node: "node"}); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "clave move from data") {
			t.Errorf("Open after %s = %v, want FailedPrecondition that names the move", name, err)
		}
		if _, err := postgres.OpenMembers(t.Context(), url, nil); !fault.Is(err, fault.FailedPrecondition) {
			t.Errorf("OpenMembers after %s = %v, want FailedPrecondition", name, err)
		}
	}
	if err := postgres.Fill(t.Context(), o, "data", keysOf("c= b=2 a=1", nil), readBack(t, "a=1 b=2 c=", nil)); err != nil {
		t.Fatalf("Fill = %v", err)
	}
	s := lead(t, postgres.Options{URL: url, Dir: dir})
	wantAll(t, s, "a=1 b=2 c=")
	set(t, s, "d", "4")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantAll(t, lead(t, postgres.Options{URL: url}), "a=1 b=2 c= d=4")
	if err := postgres.Fill(t.Context(), o, "data", keysOf("a=1", nil), nil); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("Fill of what is filled = %v, want FailedPrecondition", err)
	}
}
