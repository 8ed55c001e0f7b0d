package fault_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"clave/server/fault"
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
