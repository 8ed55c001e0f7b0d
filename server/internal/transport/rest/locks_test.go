package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/database/engine"
	"clave/server/internal/limit/parse"
	"clave/server/internal/store/pebble/pebbletest"
	"clave/server/internal/transport/rest"
	"clave/server/test/kit/wait"
)

// TestACommitThatReleasesLocksIsParsed lets a large write wait for the lock of a transaction. Its memory is all that
// there is, and the transaction's large commit, which alone would release the lock, waits for it. The write must end
// with ABORTED, although its wait for the lock would not end, and the commit succeed.
func TestACommitThatReleasesLocksIsParsed(t *testing.T) {
	az := authztest.OpenWith(t, authz.RulesetsOptions{Open: true}, engine.Options{Store: pebbletest.Open(t), Limits: engine.Limits{Lock: time.Hour}})
	calls, err := api.New(api.Options{Authorizer: az})
	if err != nil {
		t.Fatal(err)
	}
	parsing := parse.New(1) // Each large request takes all of it.
	h, err := rest.New(rest.Options{Firestore: calls, Tokens: token.New(token.Options{Unsigned: true}), Parsing: parsing})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	_, _, answer := send(t, s, "POST", ":beginTransaction", `{"options":{"readWrite":{}}}`)
	var begun struct{ Transaction string }
	if err := json.Unmarshal([]byte(answer), &begun); err != nil || begun.Transaction == "" {
		t.Fatalf("beginTransaction: %s, %v", answer, err)
	}
	if status, _, answer := send(t, s, "POST", ":batchGet", `{"documents":["`+docs+`/c/a"],"transaction":"`+begun.Transaction+`"}`); status != http.StatusOK {
		t.Fatalf("batchGet: %d %s", status, answer)
	}
	large := `{"fields":{"s":{"stringValue":"` + strings.Repeat("x", 2*parse.Large) + `"}}`
	written := make(chan int, 1)
	go func() {
		status, _, _ := send(t, s, "PATCH", "/c/a", large+"}")
		written <- status
	}()
	wait.Until(t, "the write is parsed", func() bool { return parsing.Used() > 0 })
	status, _, answer := send(t, s, "POST", ":commit", `{"writes":[{"update":`+strings.Replace(large, "{", `{"name":"`+docs+`/c/a",`, 1)+`}}],"transaction":"`+begun.Transaction+`"}`)
	if status != http.StatusOK {
		t.Errorf("the transaction's commit: %d %s", status, answer)
	}
	if status := <-written; status != http.StatusConflict {
		t.Errorf("the write that waited for the lock: %d, want 409", status)
	}
	if parsing.Used() != 0 {
		t.Errorf("%d bytes are used afterwards", parsing.Used())
	}
}
