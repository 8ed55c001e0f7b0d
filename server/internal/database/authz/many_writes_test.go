package authz_test

import (
	"fmt"
	"runtime"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// TestManyWritesOfOneDocumentAreDecidedOnce commits many equal writes of one document under a rule whose cost grows
// with the document. To evaluate it for each write would allocate hundreds of MiB.
func TestManyWritesOfOneDocumentAreDecidedOnce(t *testing.T) {
	const limit = 50 << 20
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`match /a/{x} { allow create, update: if request.resource.data.keys().size() == 5000; allow delete: if false; }`)
	wide := value.Map{}
	for i := range 5000 {
		wide[fmt.Sprintf("f%d", i)] = value.Int(i)
	}
	writes := []document.Write{set("a/x", wide)}
	for i := range 2000 {
		w := set("a/x", value.Map{"f1": value.Int(-i)})
		w.HasMask, w.Mask = true, []value.FieldPath{{"f1"}}
		writes = append(writes, w)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	wants(t, "many updates", h.commit(anonymous, writes...), fault.OK)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > limit {
		t.Errorf("%d writes allocated %d MiB, want at most %d", len(writes), used>>20, limit>>20)
	}
	gone := document.Write{Op: document.Delete, Name: name("a/x")}
	wants(t, "many updates and a delete, which the rules deny", h.commit(anonymous, append(writes, gone)...), fault.PermissionDenied)
	wants(t, "many updates and a delete with a last write", h.commit(anonymous, append(writes, gone, set("a/x", wide))...), fault.OK)
}
