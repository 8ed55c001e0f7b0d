package conformance_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// claim is an expression of the rules language with its recorded value: true, false, error or compile-error.
type claim struct {
	ID, Topic, Expr, Expect string
	// Context is bare (signed out, no document), auth (signed in) or doc (signed out, with a document).
	Context string
}

// ruleset is a recorded ruleset with requests and their verdicts.
type ruleset struct {
	ID, Topic, Rules, Compile string
	Seed                      map[string]object
	Steps                     []rulesStep
}

// rulesStep is one request; Auth is the claims of its token, "owner" or null.
type rulesStep struct {
	ID, Method, Path string
	Auth, Body       any
	Want             object
	Accept           []object
}

// rulesServer is a server whose rules the tests replace.
type rulesServer struct {
	t       *testing.T
	origin  string
	project string
}

// docs returns the resource name under which all documents are.
func (s *rulesServer) docs() string {
	return "projects/" + s.project + "/databases/(default)/documents"
}

// send sends a request.
func (s *rulesServer) send(method, path string, body any, header http.Header) answer {
	s.t.Helper()
	a, err := send(s.t.Context(), method, s.origin+path, body, header)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// install replaces the rules and returns the HTTP status.
func (s *rulesServer) install(rules string) int {
	s.t.Helper()
	body := object{"rules": object{"files": []object{{"name": "firestore.rules", "content": rules}}}}
	return s.send(http.MethodPut, "/emulator/v1/projects/"+s.project+":securityRules", body, nil).status
}

// clear removes all documents.
func (s *rulesServer) clear() {
	s.t.Helper()
	if got := s.send(http.MethodDelete, "/emulator/v1/"+s.docs(), nil, bearer("owner")); got.status != http.StatusOK {
		s.t.Fatalf("removing the documents answers %d", got.status)
	}
}

// seed writes a document as the owner.
func (s *rulesServer) seed(path string, fields any) {
	s.t.Helper()
	if got := s.send(http.MethodPatch, "/v1/"+s.docs()+"/"+path, object{"fields": fields}, bearer("owner")); got.status != http.StatusOK {
		s.t.Fatalf("%s is not written: %d %s", path, got.status, got.text)
	}
}

// signedIn returns the headers of a user whose token has claims.
func (s *rulesServer) signedIn(claims object) http.Header {
	now := time.Now().Unix()
	all := object{"iss": "https://securetoken.google.com/" + s.project, "aud": s.project, "iat": now, "exp": now + 3600, "auth_time": now}
	for k, v := range claims {
		all[k] = v
	}
	return bearer(unsigned(s.t, all))
}

// unsigned returns an unsigned JWT.
func unsigned(t *testing.T, claims object) string {
	t.Helper()
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(text) + "."
}

// claimToken holds the token claims of the user in the context auth, and claimDocument the fields of the document in
// the context doc.
const (
	claimToken = `{"sub":"alice","user_id":"alice","email":"alice@example.com","email_verified":true,"admin":true,"level":3,"ratio":1.5,"roles":["editor","viewer"],
		"nested":{"deep":"x"},"none":null,"firebase":{"sign_in_provider":"custom","identities":{}}}`
	claimDocument = `{"i":{"integerValue":"7"},"f":{"doubleValue":2.5},"whole":{"doubleValue":3},"s":{"stringValue":"text"},"b":{"booleanValue":true},"nul":{"nullValue":null},
		"l":{"arrayValue":{"values":[{"integerValue":"1"},{"stringValue":"two"},{"doubleValue":3.5}]}},
		"m":{"mapValue":{"fields":{"k":{"stringValue":"v"},"n":{"mapValue":{"fields":{"o":{"integerValue":"1"}}}}}}},"t":{"timestampValue":"2024-05-06T00:00:00Z"},
		"g":{"geoPointValue":{"latitude":1.5,"longitude":-2.5}},"by":{"bytesValue":"AQID"},"r":{"referenceValue":"DOCS/other/o1"},"key":{"stringValue":"o1"},
		"we ird":{"stringValue":"odd"},"big":{"integerValue":"9223372036854775807"},"nan":{"doubleValue":"NaN"},"inf":{"doubleValue":"Infinity"},"e":{"mapValue":{"fields":{}}}}`
)

// batch is the maximum number of claims in one ruleset.
const batch = 40

// TestRulesClaims evaluates the recorded expressions. The condition of one document is the expression, that of another
// its negation. If the first allows a request, the value is true; if the second does, false; if neither does, an error.
func TestRulesClaims(t *testing.T) {
	text, err := os.ReadFile("testdata/rules-claims.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	byContext := map[string][]claim{}
	total := 0
	for line := range bytes.Lines(text) {
		var c claim
		if err := decode(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Context == "" {
			c.Context = "bare"
		}
		if c.Expect == "compile-error" {
			c.Context += " alone"
		}
		byContext[c.Context] = append(byContext[c.Context], c)
		total++
	}
	s := &rulesServer{t: t, origin: start(t).firestore, project: "demo-claims"}
	for context, claims := range byContext {
		s.clear()
		context, alone := strings.CutSuffix(context, " alone")
		size := batch
		if alone {
			size = 1 // an expression that does not compile must not affect others
		}
		if context == "doc" {
			s.seed("other/o1", object{"v": object{"integerValue": "42"}})
			var fields object
			if err := json.Unmarshal([]byte(strings.ReplaceAll(claimDocument, "DOCS", s.docs())), &fields); err != nil {
				t.Fatal(err)
			}
			for i := range size {
				s.seed(fmt.Sprintf("t%d/probe", i), fields)
				s.seed(fmt.Sprintf("f%d/probe", i), fields)
			}
		}
		for i := 0; i < len(claims); i += size {
			s.evaluate(context, claims[i:min(i+size, len(claims))])
		}
	}
	t.Logf("%d expressions were evaluated", total)
}

// evaluate compares the values of claims with the same context.
func (s *rulesServer) evaluate(context string, claims []claim) {
	s.t.Helper()
	var b strings.Builder
	b.WriteString("rules_version = '2';\nservice cloud.firestore {\n  match /databases/{db}/documents {\n")
	for i, c := range claims {
		fmt.Fprintf(&b, "    match /t%d/{d} { allow get: if %s; }\n    match /f%d/{d} { allow get: if !(%s); }\n", i, c.Expr, i, c.Expr)
	}
	b.WriteString("  }\n}\n")
	if status := s.install(b.String()); status != http.StatusOK {
		if len(claims) > 1 { // evaluates each alone to find the one that does not compile
			for i := range claims {
				s.evaluate(context, claims[i:i+1])
			}
		} else if claims[0].Expect != "compile-error" {
			s.t.Errorf("%s: the rules are refused with %d, want %s: %s", claims[0].ID, status, claims[0].Expect, claims[0].Expr)
		}
		return
	}
	header, allowed := http.Header(nil), http.StatusNotFound
	switch context {
	case "auth":
		var claims object
		if err := json.Unmarshal([]byte(claimToken), &claims); err != nil {
			s.t.Fatal(err)
		}
		header = s.signedIn(claims)
	case "doc":
		allowed = http.StatusOK
	}
	for i, c := range claims {
		yes := s.send(http.MethodGet, fmt.Sprintf("/v1/%s/t%d/probe", s.docs(), i), nil, header).status
		not := s.send(http.MethodGet, fmt.Sprintf("/v1/%s/f%d/probe", s.docs(), i), nil, header).status
		got := fmt.Sprintf("%d, and %d for its negation", yes, not)
		switch {
		case yes == allowed && not == http.StatusForbidden:
			got = "true"
		case yes == http.StatusForbidden && not == allowed:
			got = "false"
		case yes == http.StatusForbidden && not == http.StatusForbidden:
			got = "error"
		}
		if got != c.Expect {
			s.t.Errorf("%s: %s is %s, want %s", c.ID, c.Expr, got, c.Expect)
		}
	}
}

// TestRulesPrograms sends the requests of the recorded rulesets.
func TestRulesPrograms(t *testing.T) {
	var file struct{ Programs []ruleset }
	load(t, "rules-programs.json", &file)
	origin, steps := start(t).firestore, 0
	for i, p := range file.Programs {
		steps += len(p.Steps)
		t.Run(p.ID, func(t *testing.T) {
			s := &rulesServer{t: t, origin: origin, project: fmt.Sprintf("demo-rules-%d", i)}
			status := s.install(p.Rules)
			if got := status == http.StatusOK; got != (p.Compile == "ok") {
				t.Fatalf("the rules are answered with %d, want compile %s", status, p.Compile)
			}
			if p.Compile != "ok" {
				return
			}
			for path, fields := range p.Seed {
				s.seed(path, s.fill(encoded(fields)))
			}
			for _, step := range p.Steps {
				s.check(step)
			}
		})
	}
	t.Logf("%d rulesets with %d requests", len(file.Programs), steps)
}

// check sends one request and compares the verdict.
func (s *rulesServer) check(step rulesStep) {
	s.t.Helper()
	header := http.Header(nil)
	switch auth := step.Auth.(type) {
	case string:
		header = bearer("owner")
	case object:
		header = s.signedIn(auth)
	}
	path := step.Path
	if !strings.HasPrefix(path, ":") && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	a := s.send(step.Method, "/v1/"+s.docs()+path, s.fill(step.Body), header)
	got := object{"status": json.Number(fmt.Sprint(a.status))}
	refused := a.httpError()
	if refused != nil {
		got["code"] = refused["status"]
		if a.status == http.StatusOK {
			got["status"] = refused["code"]
		}
	}
	if list, ok := a.json.([]any); ok && refused == nil && strings.HasSuffix(path, ":runQuery") {
		rows := 0
		for _, row := range list {
			if o, ok := row.(object); ok && o["document"] != nil {
				rows++
			}
		}
		got["documents"] = json.Number(fmt.Sprint(rows))
	}
	for _, want := range append([]object{step.Want}, step.Accept...) {
		same := true
		for k, v := range want {
			same = same && fmt.Sprint(v) == fmt.Sprint(got[k])
		}
		if same {
			return
		}
	}
	s.t.Errorf("%s: got %s, want %s: %.200s", step.ID, short(got), short(step.Want), a.text)
}

// fill replaces the placeholder of the documents' root in a body.
func (s *rulesServer) fill(v any) any {
	return replaced(v, func(v any) (any, bool) {
		text, ok := v.(string)
		return strings.ReplaceAll(text, "{docs}", s.docs()), ok
	})
}

// encoded returns a plain JSON object as the fields of a document.
func encoded(fields object) object {
	out := make(object, len(fields))
	for k, v := range fields {
		out[k] = encodedValue(v)
	}
	return out
}

// encodedValue returns a plain JSON value as a Firestore value.
func encodedValue(v any) object {
	switch v := v.(type) {
	case nil:
		return object{"nullValue": nil}
	case bool:
		return object{"booleanValue": v}
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return object{"doubleValue": v}
		}
		return object{"integerValue": v.String()}
	case string:
		return object{"stringValue": v}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = encodedValue(v[i])
		}
		return object{"arrayValue": object{"values": list}}
	case object:
		return object{"mapValue": object{"fields": encoded(v)}}
	}
	return nil
}
