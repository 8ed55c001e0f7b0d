package faultinject_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
)

// TestFaultsOfProjects makes the next calls of one project fail, and no others.
func TestFaultsOfProjects(t *testing.T) {
	i := faultinject.New(clock.System())
	faults := []faultinject.Fault{
		{Settings: faultinject.Settings{Calls: faultinject.Writes, Error: "ABORTED"}, Times: 2},
		{Settings: faultinject.Settings{Calls: faultinject.Writes}, Lost: true, Times: 1},
	}
	if err := i.SetProject("p", faults); err != nil {
		t.Fatal(err)
	}
	var got []fault.Code
	for range 3 {
		got = append(got, fault.CodeOf(i.BeforeOf(t.Context(), "p", faultinject.Writes, "")))
	}
	for range 2 {
		got = append(got, fault.CodeOf(i.AfterOf(t.Context(), "p", "")))
	}
	got = append(got, fault.CodeOf(i.BeforeOf(t.Context(), "q", faultinject.Writes, "")), fault.CodeOf(i.BeforeOf(t.Context(), "p", faultinject.Reads, "")))
	if want := []fault.Code{fault.Aborted, fault.Aborted, fault.OK, fault.Unavailable, fault.OK, fault.OK, fault.OK}; !slices.Equal(got, want) {
		t.Errorf("the calls end with %v, want %v", got, want)
	}
	if all := i.Project("p"); len(all) != 2 || all[0].Affected != 2 || all[1].Affected != 1 {
		t.Errorf("the faults are %+v, want 2 and 1 calls affected", all)
	}
	if err := i.SetProject("p", nil); err != nil || len(i.Project("p")) > 0 || i.BeforeOf(t.Context(), "p", faultinject.Writes, "") != nil {
		t.Errorf("the faults did not end: %v", err)
	}
}

// TestFaultsOfMethods makes the calls of one method of Firestore fail, and refuses methods of other calls.
func TestFaultsOfMethods(t *testing.T) {
	i := faultinject.New(clock.System())
	settings := func(calls faultinject.Kind, code string) faultinject.Settings {
		return faultinject.Settings{Calls: calls, Error: code}
	}
	faults := []faultinject.Fault{
		{Settings: settings(faultinject.Reads, "ABORTED"), Method: "RunQuery", Times: 1},
		{Settings: settings(faultinject.Writes, ""), Method: "BatchWrite", Lost: true},
		{Settings: settings(faultinject.Streams, ""), Method: "Listen", After: 5},
		{Settings: settings("", "INTERNAL"), Method: "Write"},
	}
	if err := i.SetProject("p", faults); err != nil {
		t.Fatal(err)
	}
	before := func(of faultinject.Kind, method string) fault.Code {
		return fault.CodeOf(i.BeforeOf(t.Context(), "p", of, method))
	}
	_, listens := i.EndOf("p", "Listen")
	_, writes := i.EndOf("p", "Write")
	got := []fault.Code{
		before(faultinject.Reads, "BatchGetDocuments"), before(faultinject.Reads, "RunQuery"), before(faultinject.Reads, "RunQuery"),
		fault.CodeOf(i.AfterOf(t.Context(), "p", "Commit")), fault.CodeOf(i.AfterOf(t.Context(), "p", "BatchWrite")),
		before(faultinject.Streams, "Listen"), before(faultinject.Streams, "Write"), fault.CodeOf(listens), fault.CodeOf(writes),
	}
	want := []fault.Code{
		fault.OK, fault.Aborted, fault.OK, fault.OK, fault.Unavailable, fault.OK, fault.Internal, fault.Unavailable, fault.OK,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the calls end with %v, want %v", got, want)
	}
	for what, f := range map[string]faultinject.Fault{
		"of writes":            {Settings: settings(faultinject.Reads, "ABORTED"), Method: "Commit"},
		"of Auth":              {Settings: settings(faultinject.All, "ABORTED"), Method: "signUp"},
		"of none":              {Settings: settings(faultinject.Writes, "ABORTED"), Method: "CreateDocument"},
		"of a read-only fault": {ReadOnly: true, Method: "Commit"},
		"of an offline fault":  {Offline: true, Method: "Commit"},
	} {
		if err := i.SetProject("p", []faultinject.Fault{f}); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("a method %s: %v, want INVALID_ARGUMENT", what, err)
		}
	}
}

// TestFaultsOfAuth lets calls of Auth fail, by their method, and cuts the connections of those whose answers are lost
// and of projects that are offline. Faults of Firestore do not happen to them.
func TestFaultsOfAuth(t *testing.T) {
	i := faultinject.New(clock.System())
	set := func(faults ...faultinject.Fault) {
		t.Helper()
		if err := i.SetProject("p", faults); err != nil {
			t.Fatal(err)
		}
	}
	call := func(method string) string {
		err := i.BeforeAuth(t.Context(), "p", method)
		if err == nil {
			err = i.AfterAuth(t.Context(), "p", method)
		}
		if err == nil {
			return "OK"
		}
		return err.Error()
	}
	expect := func(what string, want ...string) {
		t.Helper()
		var got []string
		for range want {
			got = append(got, call("accounts:signUp"))
		}
		for n := range got {
			if !strings.Contains(got[n], want[n]) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
	}
	auth := faultinject.Settings{Calls: faultinject.Auth}
	named, status := auth, auth
	named.Error, status.Error = "USER_DISABLED", "RESOURCE_EXHAUSTED"
	set(faultinject.Fault{Settings: named, Times: 2}, faultinject.Fault{Settings: status, Times: 1, Method: "signUp"})
	expect("errors", "USER_DISABLED", "USER_DISABLED", "Injected", "OK")
	set(faultinject.Fault{Settings: status, Method: "lookup"})
	expect("a fault of another method", "OK")
	set(faultinject.Fault{Settings: auth, Lost: true, Times: 1})
	if err := i.BeforeAuth(t.Context(), "p", "accounts:signUp"); err != nil {
		t.Errorf("before the answer is lost: %v", err)
	}
	if err := i.AfterAuth(t.Context(), "p", "accounts:signUp"); !errors.Is(err, faultinject.ErrBroken) {
		t.Errorf("an answer that is lost: %v", err)
	}
	expect("after it", "OK")
	set(faultinject.Fault{Offline: true})
	expect("offline", faultinject.ErrBroken.Error())
	if !i.Offline("p") || i.Offline("q") || i.Project("p")[0].Affected != 2 {
		t.Errorf("offline connections: %+v", i.Project("p"))
	}
	set(faultinject.Fault{Settings: faultinject.Settings{Error: "INTERNAL"}})
	expect("faults of Firestore", "OK")
	set(faultinject.Fault{Settings: status})
	if err := i.BeforeOf(t.Context(), "p", faultinject.Reads, ""); err != nil {
		t.Errorf("a read with a fault of Auth: %v", err)
	}
	var none *faultinject.Injector
	if none.Offline("p") {
		t.Error("without an injector a project is offline")
	}
	if err := errors.Join(none.BeforeAuth(t.Context(), "p", "x"), none.AfterAuth(t.Context(), "p", "x")); err != nil {
		t.Errorf("without an injector: %v", err)
	}
}

// TestSpread delays calls by different times, which are the same for the same seed, and ends streams after a time.
func TestSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		delays := func(seed uint64) (out []time.Duration) {
			i := faultinject.New(clock.System())
			if err := i.SetProject("p", []faultinject.Fault{{Settings: faultinject.Settings{Delay: 100}, Spread: 50, Seed: seed}}); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				began := time.Now()
				if err := i.BeforeOf(t.Context(), "p", faultinject.Reads, ""); err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				if took < 100*time.Millisecond || took > 150*time.Millisecond {
					t.Errorf("a delay of %v", took)
				}
				out = append(out, took)
			}
			return out
		}
		one := delays(1)
		if !slices.Equal(one, delays(1)) || slices.Equal(one, delays(2)) || slices.Min(one) == slices.Max(one) {
			t.Errorf("delays with seed 1: %v", one)
		}
	})
}

// TestStreamsEnd ends streams of a project after a time.
func TestStreamsEnd(t *testing.T) {
	i := faultinject.New(clock.System())
	if err := i.SetProject("p", []faultinject.Fault{{Settings: faultinject.Settings{Calls: faultinject.Streams}, After: 500, Times: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := i.BeforeOf(t.Context(), "p", faultinject.Streams, ""); err != nil {
		t.Errorf("the stream does not open: %v", err)
	}
	if after, err := i.EndOf("p", ""); after != 500*time.Millisecond || !fault.Is(err, fault.Unavailable) {
		t.Errorf("the stream ends after %v with %v", after, err)
	}
	if _, err := i.EndOf("p", ""); err != nil {
		t.Errorf("the second stream ends with %v", err)
	}
	var none *faultinject.Injector
	if _, err := none.EndOf("p", ""); err != nil {
		t.Errorf("without an injector a stream ends with %v", err)
	}
	if failure, err := faultinject.Dropped("ABORTED"); !fault.Is(failure, fault.Aborted) || err != nil {
		t.Errorf("Dropped(ABORTED) = %v, %v", failure, err)
	}
	if failure, err := faultinject.Dropped("OK"); failure != nil || !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("Dropped(OK) = %v, %v", failure, err)
	}
}

// TestSeeds chooses calls at random: the same ones for the same seed.
func TestSeeds(t *testing.T) {
	chosen := func(seed uint64) (out []bool) {
		i := faultinject.New(clock.System())
		if err := i.SetProject("p", []faultinject.Fault{{Settings: faultinject.Settings{Percent: 50, Error: "UNAVAILABLE"}, Seed: seed}}); err != nil {
			t.Fatal(err)
		}
		for range 64 {
			out = append(out, i.BeforeOf(t.Context(), "p", faultinject.Reads, "") != nil)
		}
		return out
	}
	one := chosen(1)
	if !slices.Equal(one, chosen(1)) || slices.Equal(one, chosen(2)) || !slices.Contains(one, true) || !slices.Contains(one, false) {
		t.Errorf("chosen with seed 1: %v", one)
	}
}

// TestFaultsAreBounded sets invalid faults, and too many.
func TestFaultsAreBounded(t *testing.T) {
	i := faultinject.New(clock.System())
	for name, faults := range map[string][]faultinject.Fault{
		"no effect":             {{}},
		"lost answers of reads": {{Settings: faultinject.Settings{Calls: faultinject.Reads}, Lost: true}},
		"negative":              {{Settings: faultinject.Settings{Error: "ABORTED"}, Times: -1}},
		"no method":             {{Settings: faultinject.Settings{Error: "ABORTED"}, Method: "commit"}},
		"no name of an error":   {{Settings: faultinject.Settings{Calls: faultinject.Auth, Error: "Not a name"}}},
		"an effect on nothing":  {{Settings: faultinject.Settings{Calls: faultinject.Auth}}},
		"a stream of Auth":      {{Settings: faultinject.Settings{Calls: faultinject.Auth}, After: 5}},
		"unknown code":          {{Settings: faultinject.Settings{Error: "OK"}}},
		"too many":              make([]faultinject.Fault, 21),
	} {
		if err := i.SetProject("p", faults); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("%s: %v, want InvalidArgument", name, err)
		}
	}
	if got := i.Project("p"); len(got) > 0 {
		t.Errorf("invalid faults are in force: %v", got)
	}
}
