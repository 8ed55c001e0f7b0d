package process_test

import (
	"testing"

	"clave/server/process"
)

// TestEndingCancelsContexts checks contexts that were created before the ending and after it, and those whose work has ended.
func TestEndingCancelsContexts(t *testing.T) {
	e := process.NewEnding()
	before, stop := e.Within(t.Context())
	defer stop()
	if before.Err() != nil || e.Ended() {
		t.Fatalf("before the ending: %v, %v", before.Err(), e.Ended())
	}
	_, done := e.Within(t.Context())
	done()
	e.End()
	e.End()
	<-e.Done()
	after, stop := e.Within(t.Context())
	defer stop()
	if before.Err() == nil || after.Err() == nil || !e.Ended() {
		t.Errorf("after the ending: %v, %v, %v", before.Err(), after.Err(), e.Ended())
	}
}
