package process_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"clave/server/process"
)

func TestRunStopsInReverseOrder(t *testing.T) {
	var stopped []string // written by one part at a time, since each is waited for
	waiting := func(name string) process.Part {
		return process.Part{Name: name, Run: func(ctx context.Context) error {
			<-ctx.Done()
			stopped = append(stopped, name)
			return ctx.Err()
		}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := process.Run(ctx, waiting("storage"), waiting("engine"), waiting("door")); err != nil {
		t.Errorf("Run = %v, want nil after an ordinary stop", err)
	}
	if want := []string{"door", "engine", "storage"}; !slices.Equal(stopped, want) {
		t.Errorf("stopped %v, want %v", stopped, want)
	}
}

func TestRunEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	stopped := false
	err := process.Run(t.Context(),
		process.Part{Name: "well", Run: func(ctx context.Context) error { <-ctx.Done(); stopped = true; return nil }},
		process.Part{Name: "ill", Run: func(context.Context) error { return broken }},
	)
	if !errors.Is(err, broken) || !stopped {
		t.Errorf("Run = %v (well stopped: %v), want the error of ill and well stopped", err, stopped)
	}
}
