package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	pb "clave/server/wire/firestorepb"
)

// maxReauthorization is how long after a commit a listener may still be open whose right the commit took away.
const maxReauthorization = 2 * time.Second

// siteRules returns the rules of the foundation's site.
func siteRules(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "firestore.rules"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// collectionRules returns rules under which a collection may be listed on a condition.
func collectionRules(condition string) string {
	return "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { match /ContactRequests/{id} { allow read: if " + condition + "; } } }"
}

// administrator is the document of an administrator.
func administrator(active bool) object {
	return object{"fields": object{"role": object{"stringValue": "admin"}, "active": object{"booleanValue": active}}}
}

// removal reads messages until the target of a listener or its stream ends, and says how.
func removal(end listenEnd) string {
	for {
		m, ended := end.hear()
		if ended != nil {
			return "the stream ended: " + ended.String()
		}
		if c := m.GetTargetChange(); c.GetTargetChangeType() == pb.TargetChange_REMOVE {
			return codes.Code(c.GetCause().GetCode()).String()
		}
	}
}

// TestListenersAreReauthorized runs the built program and checks over each transport that an open listener ends when a
// document changes that the rules looked up for it: with the rules of the site, and with each of the rules' functions
// that look documents up.
func TestListenersAreReauthorized(t *testing.T) {
	const record = "/databases/$(database)/documents/adminusers/$(request.auth.uid)"
	deactivate := func(t *testing.T, address, path string) {
		put(t, http.MethodPatch, address, path, administrator(false))
	}
	remove := func(t *testing.T, address, path string) {
		put(t, http.MethodDelete, address, path, nil)
	}
	create := func(t *testing.T, address, path string) {
		put(t, http.MethodPatch, address, path, administrator(true))
	}
	tests := []struct {
		name, rules string
		// begin and revoke change the document that is looked up, before and after the listener has opened.
		begin, revoke func(t *testing.T, address, path string)
	}{
		{"site, deactivated", siteRules(t), create, deactivate},
		{"site, deleted", siteRules(t), create, remove},
		{"get", collectionRules("get(" + record + ").data.active"), create, deactivate},
		{"exists", collectionRules("exists(" + record + ")"), create, remove},
		{"not exists", collectionRules("!exists(" + record + ")"), remove, create},
		{"getAfter", collectionRules("getAfter(" + record + ").data.active"), create, deactivate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, port := projectFolder(t, map[string]string{"firestore.rules": tt.rules})
			startProgram(t, dir, "--memory", "--project", project)
			address := fmt.Sprintf("127.0.0.1:%d", port)
			for i, door := range doors {
				t.Run(door.name, func(t *testing.T) {
					uid := fmt.Sprintf("ana%d", i)
					path := "/v1/" + channelDatabase + "/documents/adminusers/" + uid
					tt.begin(t, address, path)
					token := unsigned(t, map[string]any{"sub": uid, "aud": project, "iss": "https://securetoken.google.com/" + project})
					end := door.open(t, address, "Bearer "+token)
					c := &streamClient{t: t, end: end}
					end.ask(collectionTarget(2, "ContactRequests"))
					c.want("the list of requests", "ADD[2], CURRENT[2], B")
					removed := make(chan string, 1)
					go func() { removed <- removal(end) }()
					end.attached()
					tt.revoke(t, address, path)
					select {
					case how := <-removed:
						if how != codes.PermissionDenied.String() {
							t.Errorf("the target ended with %s, want PermissionDenied", how)
						}
					case <-time.After(maxReauthorization):
						t.Errorf("the target is still open %v after the commit", maxReauthorization)
					}
				})
			}
		})
	}
}
