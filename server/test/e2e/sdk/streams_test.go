package sdk

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/app"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// streamRules allow anyone to read open, and each user to read their own document.
const streamRules = `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents {
  match /open/{x} { allow read; }
  match /mine/{uid} { allow read: if request.auth.uid == uid; }
} }`

// notation formats a message as the recordings do.
func notation(m *pb.ListenResponse) string {
	last := func(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
	switch {
	case m.GetDocumentChange() != nil:
		return fmt.Sprintf("chg %s%v", last(m.GetDocumentChange().GetDocument().GetName()), m.GetDocumentChange().GetTargetIds())
	case m.GetDocumentDelete() != nil:
		return fmt.Sprintf("del %s%v", last(m.GetDocumentDelete().GetDocument()), m.GetDocumentDelete().GetRemovedTargetIds())
	case m.GetFilter() != nil:
		return fmt.Sprintf("F(%d)", m.GetFilter().GetCount())
	}
	c := m.GetTargetChange()
	if c.GetTargetChangeType() == pb.TargetChange_NO_CHANGE && len(c.GetTargetIds()) == 0 {
		return "B"
	}
	text := fmt.Sprintf("%s%v", c.GetTargetChangeType(), c.GetTargetIds())
	if c.GetCause() != nil {
		text += fmt.Sprintf("{%d}", c.GetCause().GetCode())
	}
	return text
}

// streamClient is a client of a server whose clock the test sets.
type streamClient struct {
	t   *testing.T
	end harness.ListenEnd
}

// want receives messages until all expected ones have arrived in order. Snapshots that contain only a time may arrive
// in between.
func (c *streamClient) want(what, messages string) {
	c.t.Helper()
	var got []string
	for _, want := range strings.Split(messages, ", ") {
		for {
			m, ended := c.end.Receive()
			if ended != nil {
				c.t.Fatalf("%s: after %v the stream ended with %v, want %s", what, got, ended, want)
			}
			text := notation(m)
			got = append(got, text)
			if text == want {
				break
			}
			if text != "B" {
				c.t.Fatalf("%s: got %v, want %s", what, got, messages)
			}
		}
	}
}

// documentTarget returns a message that listens to a document.
func documentTarget(id int32, path string) *pb.ListenRequest {
	return &pb.ListenRequest{Database: harness.ChannelDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
		TargetId: id, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{harness.ChannelDatabase + "/documents/" + path}}},
	}}}
}

// TestStreamsUnderRules checks over every transport which live targets end when the rules are replaced and when the
// caller's token expires.
func TestStreamsUnderRules(t *testing.T) {
	for _, transport := range harness.Transports {
		t.Run(transport.Name, func(t *testing.T) {
			manual := clocktest.NewManual(clock.System().Now())
			a := harness.StartWith(t, app.Options{Clock: manual}, map[string]string{
				"firebase.json": `{"firestore": {"rules": "firestore.rules"}}`, "firestore.rules": streamRules,
			}, "--sign-tokens") // Unsigned tokens do not expire.
			set := func(path string, n int) {
				t.Helper()
				harness.Put(t, http.MethodPatch, a.Firestore, "/v1/"+harness.ChannelDatabase+"/documents/"+path,
					harness.Object{"fields": harness.Object{"n": harness.Object{"integerValue": fmt.Sprint(n)}}})
			}
			set("open/a", 1)
			begun := manual.Now()
			token, uid := harness.SignUp(t, a.Auth)
			set("mine/"+uid, 1)
			c := &streamClient{t: t, end: transport.Open(t, a.Firestore, "Bearer "+token)}
			c.end.Send(harness.CollectionTarget(2, "open"))
			c.want("open", "ADD[2], chg a[2], CURRENT[2], B")
			c.end.Send(documentTarget(4, "mine/"+uid))
			c.want("mine", "ADD[4], chg "+uid+"[4], CURRENT[4], B")
			c.end.Send(documentTarget(6, "mine/bob"))
			c.want("not mine", "ADD[6], REMOVE[6]{7}")

			replace := func(rules string) {
				t.Helper()
				harness.Put(t, http.MethodPut, a.Firestore, "/emulator/v1/projects/"+harness.Project+":securityRules",
					harness.Object{"rules": harness.Object{"files": []harness.Object{{"name": "firestore.rules", "content": rules}}}})
			}
			replace(strings.Replace(streamRules, "/open/{x} { allow read; }", "/open/{x} { allow write; }", 1))
			c.want("the rules allow less", "REMOVE[2]{7}")
			set("open/a", 2)
			set("mine/"+uid, 2)
			c.want("the other goes on", "chg "+uid+"[4], B")
			replace(streamRules)
			c.end.Send(harness.CollectionTarget(2, "open"))
			c.want("added again", "ADD[2], chg a[2], CURRENT[2], B")

			c.end.Attached()
			manual.Advance(begun.Add(time.Hour - time.Second).Sub(manual.Now()))
			set("mine/"+uid, 3)
			c.want("a second before the token's end", "chg "+uid+"[4], B")
			ended := make(chan *status.Status, 1)
			go func() {
				for {
					if _, end := c.end.Receive(); end != nil {
						ended <- end
						return
					}
				}
			}()
			c.end.Attached()
			manual.Advance(2 * time.Second)
			select {
			case end := <-ended:
				if end.Code() != codes.Internal {
					t.Errorf("with its token the stream ended with %v, want INTERNAL", end)
				}
			case <-time.After(30 * time.Second):
				t.Error("the stream continues after the expiry of its caller's token")
			}
		})
	}
}

// TestGroupsAndIndexesOnStreams checks collection group targets: under rules that cover all depths or only one, after
// rules that deny them, and without the required index.
func TestGroupsAndIndexesOnStreams(t *testing.T) {
	const groups = `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents {
  match /{path=**}/notes/{x} { allow read; }
  match /open/{x} { allow read; }
} }`
	group := func(r *pb.ListenRequest) *pb.ListenRequest {
		r.GetAddTarget().GetQuery().GetStructuredQuery().From[0].AllDescendants = true
		return r
	}
	composite := harness.CollectionTarget(8, "open")
	q := composite.GetAddTarget().GetQuery().GetStructuredQuery()
	q.Where = &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
		Field: &pb.StructuredQuery_FieldReference{FieldPath: "a"}, Op: pb.StructuredQuery_FieldFilter_EQUAL,
		Value: &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: 1}},
	}}}
	q.OrderBy = []*pb.StructuredQuery_Order{{Field: &pb.StructuredQuery_FieldReference{FieldPath: "b"}}}
	for _, transport := range harness.Transports {
		t.Run(transport.Name, func(t *testing.T) {
			a := harness.Start(t, map[string]string{
				"firebase.json": `{"firestore": {"rules": "firestore.rules"}}`, "firestore.rules": groups,
			}, "--indexes", "enforce")
			set := func(path string) {
				t.Helper()
				harness.Put(t, http.MethodPatch, a.Firestore, "/v1/"+harness.ChannelDatabase+"/documents/"+path, harness.Object{"fields": harness.Object{}})
			}
			set("notes/top")
			set("a/b/notes/deep")
			c := &streamClient{t: t, end: transport.Open(t, a.Firestore, "")}
			c.end.Send(group(harness.CollectionTarget(2, "notes")))
			c.want("a group", "ADD[2], chg deep[2], chg top[2], CURRENT[2], B")
			c.end.Send(group(harness.CollectionTarget(4, "open")))
			c.want("a group that is open at the top only", "ADD[4], REMOVE[4]{7}")
			c.end.Send(harness.CollectionTarget(6, "open"))
			c.want("at the top", "ADD[6], CURRENT[6], B")
			c.end.Send(composite)
			c.want("without its index", "ADD[8], REMOVE[8]{9}")
			set("a/b/notes/deep2")
			c.want("deeper", "chg deep2[2], B")
			set("open/c/notes/deep3")
			c.want("below another", "chg deep3[2], B")
			if os.Getenv(harness.NodesVariable) != "" {
				// A follower ends its streams, which SDKs open again, when rules are replaced by this route, because the log does
				// not have them.
				return
			}
			harness.Put(t, http.MethodPut, a.Firestore, "/emulator/v1/projects/"+harness.Project+":securityRules",
				harness.Object{"rules": harness.Object{"files": []harness.Object{{"name": "firestore.rules", "content": strings.Replace(groups, "{path=**}/", "", 1)}}}})
			c.want("at the top only", "REMOVE[2]{7}")
			set("open/d")
			c.want("the other goes on", "chg d[6], B")
		})
	}
}
