package sdk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/clock"
	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// siteRules returns the rules of the foundation's site.
func siteRules(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "firestore.rules"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// collectionRules returns rules under which a collection may be listed on a condition.
func collectionRules(condition string) string {
	return "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { match /ContactRequests/{id} { allow read: if " + condition + "; } } }"
}

// administrator holds the fields of an administrator's document.
func administrator(active bool) harness.Object {
	return harness.Object{"fields": harness.Object{"role": harness.Object{"stringValue": "admin"}, "active": harness.Object{"booleanValue": active}}}
}

// removal reads messages until a listener's target or stream ends, and returns the reason.
func removal(end harness.ListenEnd) string {
	for {
		m, ended := end.Receive()
		if ended != nil {
			return "the stream ended: " + ended.String()
		}
		if c := m.GetTargetChange(); c.GetTargetChangeType() == pb.TargetChange_REMOVE {
			return codes.Code(c.GetCause().GetCode()).String()
		}
	}
}

// TestListenersAreReauthorized checks over each transport that an open listener ends when a document changes that its
// rules looked up. It uses the rules of the site, and each function of the rules language that looks documents up.
func TestListenersAreReauthorized(t *testing.T) {
	const record = "/databases/$(database)/documents/adminusers/$(request.auth.uid)"
	deactivate := func(t *testing.T, address, path string) {
		harness.Put(t, http.MethodPatch, address, path, administrator(false))
	}
	remove := func(t *testing.T, address, path string) {
		harness.Put(t, http.MethodDelete, address, path, nil)
	}
	create := func(t *testing.T, address, path string) {
		harness.Put(t, http.MethodPatch, address, path, administrator(true))
	}
	tests := []struct {
		name, rules string
		// begin and revoke change the looked-up document, before and after the listener has opened.
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
			address := harness.Start(t, map[string]string{"firebase.json": `{"firestore": {"rules": "firestore.rules"}}`, "firestore.rules": tt.rules}).Firestore
			for i, transport := range harness.Transports {
				t.Run(transport.Name, func(t *testing.T) {
					uid := fmt.Sprintf("ana%d", i)
					path := "/v1/" + harness.ChannelDatabase + "/documents/adminusers/" + uid
					tt.begin(t, address, path)
					token := harness.Unsigned(t, map[string]any{"sub": uid, "aud": harness.Project, "iss": "https://securetoken.google.com/" + harness.Project})
					end := transport.Open(t, address, "Bearer "+token)
					c := &streamClient{t: t, end: end}
					end.Send(harness.CollectionTarget(2, "ContactRequests"))
					c.want("the list of requests", "ADD[2], CURRENT[2], B")
					removed := make(chan string, 1)
					go func() { removed <- removal(end) }()
					end.Attached()
					tt.revoke(t, address, path)
					select {
					case how := <-removed:
						if how != codes.PermissionDenied.String() {
							t.Errorf("the target ended with %s, want PermissionDenied", how)
						}
					case <-time.After(harness.MaxReauthorization):
						t.Errorf("the target is still open %v after the commit", harness.MaxReauthorization)
					}
				})
			}
		})
	}
}

// accounts calls the Identity Toolkit of a running server.
type accounts struct {
	t    *testing.T
	host string
}

// call makes a call, with the owner's token if owner is set, and returns its answer.
func (a *accounts) call(owner bool, method, path string, body harness.Object) map[string]any {
	a.t.Helper()
	authorization := ""
	if owner {
		authorization = "owner"
	}
	r := &rulesRun{t: a.t, host: "http://" + a.host}
	code, text := r.request(method, "/identitytoolkit.googleapis.com"+path, authorization, body)
	answer := make(map[string]any)
	if err := json.Unmarshal([]byte(text), &answer); code != http.StatusOK || err != nil {
		a.t.Fatalf("%s %s = %d %s", method, path, code, text)
	}
	return answer
}

// signUp creates a user of a tenant, or of none, and returns the uid and the Authorization header.
func (a *accounts) signUp(tenant string) (uid, authorization string) {
	a.t.Helper()
	body := harness.Object{"email": fmt.Sprintf("u%d@example.org", clock.System().Now().UnixNano()), "password": "secreta1", "returnSecureToken": true}
	if tenant != "" {
		body["tenantId"] = tenant
	}
	answer := a.call(false, http.MethodPost, "/v1/accounts:signUp?key=k", body)
	return answer["localId"].(string), "Bearer " + answer["idToken"].(string)
}

// TestStreamsOfRevokedSessionsEnd checks, for each method, transport and way to end a session, that an idle stream of
// the session ends with UNAUTHENTICATED and that the streams of other users stay open.
func TestStreamsOfRevokedSessionsEnd(t *testing.T) {
	a := harness.Start(t, map[string]string{
		"firebase.json":   `{"firestore": {"rules": "firestore.rules"}}`,
		"firestore.rules": collectionRules("request.auth != null"),
	}, "--sign-tokens") // Unsigned tokens are not checked, as with the official emulator.
	users := &accounts{t: t, host: a.Auth}
	admin := "/v1/projects/" + harness.Project
	change := func(body harness.Object) func(*testing.T, string, string) {
		return func(t *testing.T, uid, _ string) {
			t.Helper()
			body["localId"] = uid
			(&accounts{t: t, host: a.Auth}).call(true, http.MethodPost, admin+"/accounts:update", body)
		}
	}
	ways := []struct {
		name   string
		tenant bool
		end    func(t *testing.T, uid, tenant string)
	}{
		{"disabled", false, change(harness.Object{"disableUser": true})},
		{"deleted", false, func(t *testing.T, uid, _ string) {
			(&accounts{t: t, host: a.Auth}).call(true, http.MethodPost, admin+"/accounts:delete", harness.Object{"localId": uid})
		}},
		{"revoked", false, change(harness.Object{"validSince": fmt.Sprint(clock.System().Now().Add(time.Hour).Unix())})},
		{"tenant closed", true, func(t *testing.T, _, tenant string) {
			(&accounts{t: t, host: a.Auth}).call(true, http.MethodPatch, "/v2/projects/"+harness.Project+"/tenants/"+tenant+"?updateMask=disableAuth", harness.Object{"disableAuth": true})
		}},
	}
	for _, way := range ways {
		for name, open := range openStreams {
			t.Run(way.name+", "+name, func(t *testing.T) {
				tenant := ""
				if way.tenant {
					tenant = users.call(true, http.MethodPost, "/v2/projects/"+harness.Project+"/tenants", harness.Object{"displayName": "school", "allowPasswordSignup": true})["tenantId"].(string)
				}
				uid, authorization := users.signUp(tenant)
				_, other := users.signUp("")
				ended, lasting := open(t, a.Firestore, authorization), open(t, a.Firestore, other)
				way.end(t, uid, tenant)
				select {
				case code := <-ended:
					if code != codes.Unauthenticated {
						t.Errorf("the stream ended with %v, want UNAUTHENTICATED", code)
					}
				case <-time.After(harness.MaxReauthorization):
					t.Errorf("the stream is still open %v after its session was ended", harness.MaxReauthorization)
				}
				select {
				case code := <-lasting:
					t.Errorf("another user's stream ended with %v", code)
				default:
				}
			})
		}
	}
}

// openStreams has a function for each method and transport. It opens a stream, waits until it is open, and returns a
// channel for its final code.
var openStreams = map[string]func(t *testing.T, address, authorization string) <-chan codes.Code{
	"Listen, grpc":                     openListen(harness.OverGRPC),
	"Listen, webchannel, streaming":    openListen(harness.OverWebChannel(false)),
	"Listen, webchannel, long polling": openListen(harness.OverWebChannel(true)),
	"Write, webchannel":                openWriteChannel,
	"Write, grpc":                      openWriteCall,
}

// openListen opens a Listen stream with a target.
func openListen(transport harness.ListenTransport) func(*testing.T, string, string) <-chan codes.Code {
	return func(t *testing.T, address, authorization string) <-chan codes.Code {
		t.Helper()
		end := transport(t, address, authorization)
		end.Send(harness.CollectionTarget(2, "ContactRequests"))
		(&streamClient{t: t, end: end}).want("the list of requests", "ADD[2], CURRENT[2], B")
		return endOf(end)
	}
}

// openWriteChannel opens a Write stream over WebChannel.
func openWriteChannel(t *testing.T, address, authorization string) <-chan codes.Code {
	t.Helper()
	end := harness.WebChannel(http.DefaultClient, "Write", false)(t, address, authorization)
	end.Send(&pb.ListenRequest{Database: harness.ChannelDatabase}) // the first message is the same for both methods
	if _, ended := end.Receive(); ended != nil {
		t.Fatalf("the first message is answered by %v", ended)
	}
	return endOf(end)
}

// endOf reads a stream to its end and returns the code.
func endOf(end harness.ListenEnd) <-chan codes.Code {
	ended := make(chan codes.Code, 1)
	go func() {
		for {
			if _, status := end.Receive(); status != nil {
				ended <- status.Code()
				return
			}
		}
	}()
	end.Attached()
	return ended
}

// openWriteCall opens a Write stream over gRPC.
func openWriteCall(t *testing.T, address, authorization string) <-chan codes.Code {
	t.Helper()
	stream := harness.GrpcStream(t, address, authorization, "Write")
	var first pb.WriteResponse
	if err := stream.SendMsg(&pb.WriteRequest{Database: harness.ChannelDatabase}); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(&first); err != nil {
		t.Fatal(err)
	}
	ended := make(chan codes.Code, 1)
	go func() { ended <- status.Code(stream.RecvMsg(&pb.WriteResponse{})) }()
	return ended
}
