package fault_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"clave/server/internal/base/fault"
)

func TestOf(t *testing.T) {
	named := fault.E(fault.NotFound, "No document to update: %s", "a/b")
	unnamed := errors.New("disk on fire")
	tests := []struct {
		name     string
		in       error
		wantCode fault.Code
		wantText string
	}{
		{"named", named, fault.NotFound, "No document to update: a/b"},
		{"wrapped", fmt.Errorf("commit: %w", named), fault.NotFound, "No document to update: a/b"},
		{"unnamed keeps its text to itself", unnamed, fault.Internal, "Internal error."},
		{"cause is not sent", fault.Wrap(unnamed, fault.Unavailable, "try again"), fault.Unavailable, "try again"},
	}
	for _, tt := range tests {
		got := fault.FromError(tt.in)
		if got.Code != tt.wantCode || got.Message != tt.wantText {
			t.Errorf("%s: Of = %v %q, want %v %q", tt.name, got.Code, got.Message, tt.wantCode, tt.wantText)
		}
	}
	if fault.FromError(nil) != nil || fault.CodeOf(nil) != fault.OK {
		t.Error("Of(nil) must be nil and CodeOf(nil) OK")
	}
	if !errors.Is(fault.Wrap(unnamed, fault.Unavailable, "x"), unnamed) {
		t.Error("Because must keep its cause in the chain")
	}
}

func TestCodeString(t *testing.T) {
	for code, want := range map[fault.Code]string{fault.OK: "OK", fault.Canceled: "CANCELLED", fault.Unauthenticated: "UNAUTHENTICATED", 99: "CODE_99"} {
		if got := code.String(); got != want {
			t.Errorf("Code(%d).String() = %q, want %q", int(code), got, want)
		}
	}
}

func TestLogsContainTheCause(t *testing.T) {
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, nil))
	cause := errors.New("disk on fire")
	log.Error("a read failed", "error", fault.Wrap(cause, fault.Unavailable, "try again"))
	log.Error("a read failed", "error", fault.E(fault.NotFound, "no such document"))
	log.Error("a read failed", "error", fault.Wrap(cause, fault.Unavailable, "cannot read: %v", cause))
	for _, want := range []string{`try again: disk on fire"`, `cannot read: disk on fire"`, `no such document"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log is %q, want %q in it", out.String(), want)
		}
	}
}

// TestTextsAreLimited makes errors of values that are as large as requests.
func TestTextsAreLimited(t *testing.T) {
	const most = 16 << 10
	long := "x" + strings.Repeat("é", 5<<20)
	short := fault.Violation{Field: "a", Description: "short"}
	for name, e := range map[string]*fault.Error{
		"a text":       fault.E(fault.InvalidArgument, "invalid value %q", long),
		"with a cause": fault.Wrap(errors.New("cause"), fault.InvalidArgument, "invalid value %q", long),
		"a violation":  fault.Violated(fault.Violation{Field: long, Description: long}, short),
		"violations":   fault.Violated(short, fault.Violation{Field: "b", Description: long}, fault.Violation{Field: "c", Description: long}),
	} {
		size := len(e.Message)
		for _, v := range e.Violations {
			size += len(v.Field) + len(v.Description)
		}
		if size < 5 || size > 3*most || !utf8.ValidString(e.Message) {
			t.Errorf("%s has %d bytes, valid UTF-8: %t; want at most %d", name, size, utf8.ValidString(e.Message), 3*most)
		}
	}
	exact := strings.Repeat("x", most)
	if e := fault.E(fault.InvalidArgument, "%s", exact); e.Message != exact {
		t.Errorf("a text of %d bytes becomes one of %d", most, len(e.Message))
	}
	if e := fault.E(fault.InvalidArgument, "%s", exact+"y"); !strings.HasSuffix(e.Message, "x…") || len(e.Message) != most {
		t.Errorf("a longer text becomes one of %d bytes that ends with %q", len(e.Message), e.Message[len(e.Message)-5:])
	}
	many := make([]fault.Violation, 10)
	for i := range many {
		many[i] = fault.Violation{Field: fmt.Sprint(i), Description: fmt.Sprint("wrong ", i)}
	}
	if e := fault.Violated(many...); len(e.Violations) != 10 || strings.Count(e.Message, "\n") != 9 {
		t.Errorf("ten short violations become %d: %q", len(e.Violations), e.Message)
	}
}
