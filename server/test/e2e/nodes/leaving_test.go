package nodes

import (
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// leavingRules let users read their own documents, and those of guarded while they have a role.
const leavingRules = `rules_version = '2'; service cloud.firestore { match /databases/{database}/documents {
  match /own/{id} { allow read: if resource.data.owner == request.auth.uid; }
  match /guarded/{id} { allow read: if exists(/databases/$(database)/documents/roles/$(request.auth.uid)); }
} }`

// tokenOf returns a token of a user.
func tokenOf(t *testing.T, uid string) string {
	t.Helper()
	return harness.Unsigned(t, map[string]any{"sub": uid, "aud": harness.Project, "iss": "https://securetoken.google.com/" + harness.Project})
}

// textField returns a field with a text.
func textField(text string) harness.Object { return harness.Object{"stringValue": text} }

// ownTarget returns the target of a user's documents of own.
func ownTarget(uid string, change func(*pb.Target)) *pb.ListenRequest {
	r := harness.CollectionTarget(2, "own")
	r.GetAddTarget().GetQuery().GetStructuredQuery().Where = &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{
		FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: "owner"}, Op: pb.StructuredQuery_FieldFilter_EQUAL,
			Value: &pb.Value{ValueType: &pb.Value_StringValue{StringValue: uid}},
		},
	}}
	if change != nil {
		change(r.GetAddTarget())
	}
	return r
}

// firstAbout receives messages until one is about a document, and returns it.
func firstAbout(t *testing.T, end harness.ListenEnd) *pb.ListenResponse {
	t.Helper()
	for {
		m, ended := end.Receive()
		switch {
		case ended != nil:
			t.Fatalf("the stream ended with %v", ended)
		case m.GetTargetChange() == nil && m.GetFilter() == nil:
			return m
		case m.GetTargetChange().GetTargetChangeType() == pb.TargetChange_REMOVE:
			t.Fatalf("the target was removed: %v", m)
		}
	}
}

// startLeaving starts a server with leavingRules and returns its address.
func startLeaving(t *testing.T) string {
	t.Helper()
	dir, port := harness.ProjectFolder(t, map[string]string{"firestore.rules": leavingRules})
	harness.StartProgram(t, dir, "--memory", "--project", harness.Project)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func TestADocumentOfAnotherUserIsNotSent(t *testing.T) {
	address := startLeaving(t)
	giveAway(t, address, address)
}

func TestRolesEndWithTheirCommit(t *testing.T) {
	address := startLeaving(t)
	endRoles(t, address, address, 5)
}

// testLeavingAtFollower makes the commits at a leader, while the clients listen at a follower.
func testLeavingAtFollower(t *testing.T, url string) {
	nodes := make([]*node, 2)
	for i, ready := range []string{"Clave ready", "Follower: "} {
		folder, port := harness.ProjectFolder(t, map[string]string{"firestore.rules": leavingRules})
		nodes[i] = (&node{folder: folder, dir: filepath.Join(folder, ".clave"), port: port}).again(t, url)
		nodes[i].await(ready)
	}
	giveAway(t, nodes[0].addr(), nodes[1].addr())
	endRoles(t, nodes[0].addr(), nodes[1].addr(), 2)
}

// giveAway gives a document of a listening user to another one, over each transport. The listener receives that the
// document has left, without its new content: at once, and when it resumes by its token or by a time. Commits are made
// at the first address, and clients listen at the second one.
func giveAway(t *testing.T, address, listens string) {
	t.Helper()
	for i, transport := range harness.Transports {
		t.Run(transport.Name, func(t *testing.T) {
			name := fmt.Sprintf("%s/documents/own/a%d", harness.ChannelDatabase, i)
			me := fmt.Sprint("me", i)
			harness.Put(t, http.MethodPatch, address, "/v1/"+name, harness.Object{"fields": harness.Object{"owner": textField(me), "v": textField("mine")}})
			end := transport.Open(t, listens, "Bearer "+tokenOf(t, me))
			end.Send(ownTarget(me, nil))
			if m := firstAbout(t, end); m.GetDocumentChange().GetDocument().GetName() != name {
				t.Fatalf("the first document is %v", m)
			}
			var token []byte
			var read *timestamppb.Timestamp
			for token == nil {
				m, ended := end.Receive()
				if ended != nil {
					t.Fatalf("the stream ended with %v", ended)
				}
				token, read = m.GetTargetChange().GetResumeToken(), m.GetTargetChange().GetReadTime()
			}
			harness.Put(t, http.MethodPatch, address, "/v1/"+name, harness.Object{"fields": harness.Object{"owner": textField("you"), "v": textField("SECRET")}})
			left := func(how string, m *pb.ListenResponse) {
				t.Helper()
				if r := m.GetDocumentRemove(); r.GetDocument() != name || len(r.GetRemovedTargetIds()) != 1 {
					t.Errorf("%s the listener received %v, want that the document is removed", how, m)
				}
			}
			left("at once", firstAbout(t, end))
			for how, resume := range map[string]func(*pb.Target){
				"by a token": func(t *pb.Target) { t.ResumeType = &pb.Target_ResumeToken{ResumeToken: token} },
				"by a time":  func(t *pb.Target) { t.ResumeType = &pb.Target_ReadTime{ReadTime: read} },
			} {
				again := transport.Open(t, listens, "Bearer "+tokenOf(t, me))
				again.Send(ownTarget(me, resume))
				left("resumed "+how, firstAbout(t, again))
			}
			if code, answer := harness.SendAs(t, http.MethodGet, "http://"+listens+"/v1/"+name, tokenOf(t, me), nil); code != http.StatusForbidden {
				t.Errorf("a get = %d %s, want 403", code, answer)
			}
		})
	}
}

// endRoles deletes the roles of many users in the commit that changes what the roles guard, while some of the users
// listen and others begin to. None may receive the new content. Commits are made at the first address, and clients
// listen at the second one.
func endRoles(t *testing.T, address, listens string, rounds int) {
	t.Helper()
	const users = 60
	documents := harness.ChannelDatabase + "/documents/"
	commit := func(content string, grant bool) {
		t.Helper()
		writes := []harness.Object{{"update": harness.Object{"name": documents + "guarded/a", "fields": harness.Object{"v": textField(content)}}}}
		for i := range users {
			role := documents + fmt.Sprintf("roles/user%d", i)
			if grant {
				writes = append(writes, harness.Object{"update": harness.Object{"name": role}})
			} else {
				writes = append(writes, harness.Object{"delete": role})
			}
		}
		harness.Put(t, http.MethodPost, address, "/v1/"+harness.ChannelDatabase+"/documents:commit", harness.Object{"writes": writes})
	}
	for round := range rounds {
		commit("public", true)
		var listening, opened sync.WaitGroup
		begin := make(chan struct{})
		opened.Add((users + 1) / 2)
		for i := range users {
			end := harness.OverGRPC(t, listens, "Bearer "+tokenOf(t, fmt.Sprintf("user%d", i)))
			open := func() {
				r := harness.CollectionTarget(2, "guarded")
				if i%4 == 3 {
					r.GetAddTarget().TargetType = &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{documents + "guarded/a"}}}
				}
				end.Send(r)
			}
			early := i%2 == 0
			if early {
				open()
			}
			current := func() {}
			if early {
				current = sync.OnceFunc(opened.Done)
			}
			listening.Go(func() {
				defer current()
				if !early {
					<-begin
					open()
				}
				if how := guardedEnd(end, current); how != codes.PermissionDenied.String() {
					t.Errorf("round %d, listener %d: %s, want PermissionDenied", round, i, how)
				}
			})
		}
		opened.Wait()
		close(begin)
		commit("SECRET", false)
		listening.Wait()
	}
}

// guardedEnd reads a listener's messages to the end of its target and returns the reason. It calls current when the
// target is current.
func guardedEnd(end harness.ListenEnd, current func()) string {
	for {
		m, ended := end.Receive()
		switch c := m.GetTargetChange(); {
		case ended != nil:
			return "the stream ended: " + ended.String()
		case m.GetDocumentChange().GetDocument().GetFields()["v"].GetStringValue() == "SECRET":
			return "the guarded content was received"
		case c.GetTargetChangeType() == pb.TargetChange_CURRENT:
			current()
		case c.GetTargetChangeType() == pb.TargetChange_REMOVE:
			return codes.Code(c.GetCause().GetCode()).String()
		}
	}
}
