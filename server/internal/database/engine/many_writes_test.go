package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// TestManyWritesOfOneDocumentCopyItOnce changes single fields of one large document by many writes of one commit. A
// copy for each write would take 2,000 times the memory of the document.
func TestManyWritesOfOneDocumentCopyItOnce(t *testing.T) {
	const fields, writes, limit = 5000, 2000, 100 << 20
	e := open(t, engine.Options{})
	wide, inside := value.Map{}, value.Map{}
	for i := range fields {
		wide[fmt.Sprintf("f%d", i)] = value.Int(i)
		inside[fmt.Sprintf("f%d", i)] = value.Int(i)
	}
	put(t, e, set("c/wide", wide), set("c/nested", value.Map{"m": inside}))
	for path, field := range map[string]value.FieldPath{"c/wide": {"f1"}, "c/nested": {"m", "f1"}} {
		changes := make([]document.Write, writes)
		for i := range changes {
			changes[i] = document.Write{Name: doc(path), HasMask: true, Mask: []value.FieldPath{field}, Fields: value.Map{}.Set(field, value.Int(-i))}
		}
		check := engine.CheckBy(func(ctx context.Context, v *engine.CheckView) error {
			d, err := v.After(ctx, doc(path))
			if err != nil {
				return err
			}
			if got, _ := d.Fields.Get(field); got != value.Int(1-writes) {
				t.Errorf("%s: the check gets %v, want the value of the last write", path, got)
			}
			return nil
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := e.Commit(t.Context(), testDB, request.Commit{Writes: changes}, check); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > limit {
			t.Errorf("%s: %d writes allocated %d MiB, want at most %d", path, writes, used>>20, limit>>20)
		}
	}
}
