package sdk

import (
	"net/http"
	"testing"
	"time"

	"clave/server/internal/app"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/test/e2e/harness"
)

// TestExpiredDocumentsAreDeleted gives a server a TTL policy, as the Firebase CLI writes it, and expects that a
// listener over each transport receives the deletion of a document when its time is over, and that another document
// stays.
func TestExpiredDocumentsAreDeleted(t *testing.T) {
	for _, transport := range harness.Transports {
		t.Run(transport.Name, func(t *testing.T) {
			manual := clocktest.NewManual(clock.System().Now())
			a := harness.StartWith(t, app.Options{Clock: manual}, map[string]string{
				"firebase.json": `{"firestore": {"indexes": "firestore.indexes.json"}}`,
				"firestore.indexes.json": `{"indexes": [], "fieldOverrides": [
					{"collectionGroup": "open", "fieldPath": "until", "ttl": true, "indexes": []}]}`,
			})
			put := func(path string, until time.Time) {
				t.Helper()
				harness.Put(t, http.MethodPatch, a.Firestore, "/v1/"+harness.ChannelDatabase+"/documents/"+path,
					harness.Object{"fields": harness.Object{"until": harness.Object{"timestampValue": until.UTC().Format(time.RFC3339)}}})
			}
			put("open/a", manual.Now().Add(time.Second))
			put("open/b", manual.Now().AddDate(1, 0, 0))
			c := &streamClient{t: t, end: transport.Open(t, a.Firestore, "Bearer owner")}
			c.end.Send(harness.CollectionTarget(2, "open"))
			c.want("open", "ADD[2], chg a[2], chg b[2], CURRENT[2], B")
			read := func(path string) int {
				code, _ := harness.Plain(t, http.MethodGet, "http://"+a.Firestore+"/v1/"+harness.ChannelDatabase+"/documents/"+path, "")
				return code
			}
			for read("open/a") == http.StatusOK { // The engine looks once a minute.
				manual.Advance(time.Second)
			}
			c.want("expired", "del a[2], B")
			if code := read("open/b"); code != http.StatusOK {
				t.Errorf("the document that has not expired: %d", code)
			}
		})
	}
}
